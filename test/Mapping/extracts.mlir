// What bodies extract from arrays becomes an operand where dimensions say its place, and is gathered by a nest of its own where data does.
// RUN: split-file %s %t
// RUN: tilec %t/lookup.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=LOOKUP
// RUN: tilec %t/lookup.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=LOOKUP-RAN
// RUN: tilec %t/mirror.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=MIRROR
// RUN: tilec %t/mirror.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=AGREES
// RUN: tilec %t/enlarged.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=ENLARGED
// RUN: tilec %t/enlarged.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=AGREES
// RUN: tilec %t/part.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=AGREES
// RUN: tilec %t/clamped.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=CLAMPED
// RUN: tilec %t/clamped.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=AGREES
// RUN: tilec %t/number.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=AGREES
// RUN: tilec %t/one.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=ONE
// RUN: not tilec %t/open.mlir --target=h100 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not tilec %t/constants.mlir --target=h100 2>&1 | FileCheck %s --check-prefix=CONSTANTS

// AGREES: agree
// Vectors of four neighbours, from the row that one number of a line of 34 says.
// LOOKUP: memref.collapse_shape %i {{\[\[}}0, 1]] : memref<2x17xi64> into memref<34xi64>
// LOOKUP: tile.stage %w[%{{.*}} * 17 + %{{.*}}, %{{.*}}] gather(%{{.*}} : memref<34xi64> along 0) : memref<100x64xf32> to memref<1x4xf32, #tile.level<rf>>
// LOOKUP-RAN: launch 1, lookup_gather0: integers: all 2176 elements of {{.*}} agree
//--- lookup.mlir
#token = affine_map<(b, t, c) -> (b, t)>
#all = affine_map<(b, t, c) -> (b, t, c)>
func.func @lookup(%w: tensor<100x64xf32>, %i: tensor<2x17xi64>) -> tensor<2x17x64xf32> {
  %e = tensor.empty() : tensor<2x17x64xf32>
  %r = linalg.generic {indexing_maps = [#token, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%i : tensor<2x17xi64>) outs(%e : tensor<2x17x64xf32>) {
  ^bb0(%in: i64, %out: f32):
    %x = arith.index_cast %in : i64 to index
    %c = linalg.index 2 : index
    %v = tensor.extract %w[%x, %c] : tensor<100x64xf32>
    linalg.yield %v : f32
  } -> tensor<2x17x64xf32>
  return %r : tensor<2x17x64xf32>
}

// MIRROR: tile.kernel @mirror(%x: memref<8x20xf32>
// MIRROR: tile.stage %x[%{{.*}}, -(%{{.*}}) + 19] : memref<8x20xf32>
//--- mirror.mlir
func.func @mirror(%x: tensor<8x20xf32>) -> tensor<8x20xf32> {
  %c19 = arith.constant 19 : index
  %e = tensor.empty() : tensor<8x20xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x20xf32>) {
  ^bb0(%o: f32):
    %a = linalg.index 0 : index
    %b = linalg.index 1 : index
    %c = arith.subi %c19, %b : index
    %v = tensor.extract %x[%a, %c] : tensor<8x20xf32>
    linalg.yield %v : f32
  } -> tensor<8x20xf32>
  return %r : tensor<8x20xf32>
}

// A thread writes whole pairs of neighbours that are one element of the input.
// ENLARGED: tile.stage %x[{{.*}}] : memref<2x8x10x10xf32> to memref<1x1x1x{{[0-9]+}}xf32
// ENLARGED: tile.store {{.*}} memref<1x1x1x1x{{[0-9]+}}x2xf32, #tile.level<rf>> to memref<2x8x10x2x10x2xf32>
//--- enlarged.mlir
func.func @enlarged(%x: tensor<2x8x10x10xf32>) -> tensor<2x8x20x20xf32> {
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<2x8x20x20xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<2x8x20x20xf32>) {
  ^bb0(%o: f32):
    %a = linalg.index 0 : index
    %b = linalg.index 1 : index
    %c = linalg.index 2 : index
    %d = linalg.index 3 : index
    %h = arith.divsi %c, %c2 : index
    %w = arith.floordivsi %d, %c2 : index
    %v = tensor.extract %x[%a, %b, %h, %w] : tensor<2x8x10x10xf32>
    linalg.yield %v : f32
  } -> tensor<2x8x20x20xf32>
  return %r : tensor<2x8x20x20xf32>
}

// A dimension of an op goes as far as its operands: a part of a table's row is taken by a nest.
//--- part.mlir
func.func @part(%x: tensor<3x64xf32>) -> tensor<33xf32> {
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<33xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<33xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%c1, %i] : tensor<3x64xf32>
    linalg.yield %v : f32
  } -> tensor<33xf32>
  return %r : tensor<33xf32>
}

// Both places are computed: they are one number of a view, which an op of its own computes.
// CLAMPED: memref.collapse_shape %x {{\[\[}}0], [1, 2]] : memref<2x8x10xf32> into memref<2x80xf32>
// CLAMPED: tile.stage {{.*}} gather(%{{.*}} : memref<168xi64> along 1)
//--- clamped.mlir
func.func @clamped(%x: tensor<2x8x10xf32>) -> tensor<2x12x14xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<2x12x14xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<2x12x14xf32>) {
  ^bb0(%o: f32):
    %a = linalg.index 0 : index
    %b = linalg.index 1 : index
    %c = linalg.index 2 : index
    %h = arith.subi %b, %c2 : index
    %h1 = arith.maxsi %h, %c0 : index
    %h2 = arith.minsi %h1, %c7 : index
    %w = arith.subi %c, %c2 : index
    %w1 = arith.maxsi %w, %c0 : index
    %w2 = arith.minsi %w1, %c9 : index
    %v = tensor.extract %x[%a, %h2, %w2] : tensor<2x8x10xf32>
    linalg.yield %v : f32
  } -> tensor<2x12x14xf32>
  return %r : tensor<2x12x14xf32>
}

// A number that the function takes from an array, and computes with, is taken in the body.
//--- number.mlir
#all = affine_map<(m, k) -> (m, k)>
func.func @number(%x: tensor<9x14xf32>, %s: tensor<f32>) -> tensor<9x14xf32> {
  %v = tensor.extract %s[] : tensor<f32>
  %two = arith.constant 2.0 : f32
  %w = arith.mulf %v, %two : f32
  %e = tensor.empty() : tensor<9x14xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<9x14xf32>) outs(%e : tensor<9x14xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %w : f32
    linalg.yield %p : f32
  } -> tensor<9x14xf32>
  return %r : tensor<9x14xf32>
}

// A subscript that is divided by 1 is a dimension.
// ONE: tile.stage %x[{{.*}}] gather(%i : memref<33xi64> along 0)
//--- one.mlir
func.func @one(%x: tensor<9x6xf32>, %i: tensor<33xi64>) -> tensor<33x6xf32> {
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<33x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<33xi64>) outs(%e : tensor<33x6xf32>) {
  ^bb0(%n: i64, %o: f32):
    %at = arith.index_cast %n : i64 to index
    %b = linalg.index 1 : index
    %whole = arith.floordivsi %b, %c1 : index
    %v = tensor.extract %x[%at, %whole] : tensor<9x6xf32>
    linalg.yield %v : f32
  } -> tensor<33x6xf32>
  return %r : tensor<33x6xf32>
}

// Indices of two extents that are not known are no line.
// OPEN: open.mlir:8:10: error: takes elements of an array of type 'memref<?x6xf32>' at places that are computed; tilec gathers by indices of one dynamic extent
//--- open.mlir
func.func @open(%x: tensor<?x6xf32>, %i: tensor<?x?xi64>, %b: index, %t: index) -> tensor<?x?x6xf32> {
  %e = tensor.empty(%b, %t) : tensor<?x?x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%i : tensor<?x?xi64>) outs(%e : tensor<?x?x6xf32>) {
  ^bb0(%n: i64, %o: f32):
    %at = arith.index_cast %n : i64 to index
    %c = linalg.index 2 : index
    %v = tensor.extract %x[%at, %c] : tensor<?x6xf32>
    linalg.yield %v : f32
  } -> tensor<?x?x6xf32>
  return %r : tensor<?x?x6xf32>
}

// CONSTANTS: constants.mlir:2:8: error: is an array of several constants; make it an argument, which whoever launches gives
//--- constants.mlir
func.func @constants(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.add ins(%x, %c : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
