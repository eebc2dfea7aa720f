// Bodies of a function's ops may read its constants, of indices too, and extents, as they may inside of them. Each section is a file of its own.
// REQUIRES: host-compiler
// RUN: split-file %s %t
// RUN: tilec %t/constant.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=CONSTANT
// RUN: tilec %t/extent.mlir --target=h100 --run=cpu --verify --shape=x0=21 | FileCheck %s --check-prefix=EXTENT
// RUN: tilec %t/extent.mlir --target=h100 --shape=x0=21 --emit=nest | FileCheck %s --check-prefix=NEST
// RUN: not tilec %t/unknown.mlir --target=h100 --emit=nest 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CONSTANT: integers: all 64 elements of result agree, largest error 0
//--- constant.mlir
func.func @near(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %shift = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %to = arith.addi %i, %shift : index
    %in = arith.cmpi sle, %j, %to : index
    %s = arith.select %in, %a, %zero : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// EXTENT: integers: all 441 elements of result agree, largest error 0
// NEST: arith.cmpi slt, %{{.*}}, %x0 : index
//--- extent.mlir
func.func @above(%x: tensor<?x21xf32>) -> tensor<?x21xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x21xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x21xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x21xf32>) outs(%e : tensor<?x21xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %sum = arith.addi %i, %j : index
    %in = arith.cmpi slt, %sum, %n : index
    %s = arith.select %in, %a, %zero : f32
    linalg.yield %s : f32
  } -> tensor<?x21xf32>
  return %r : tensor<?x21xf32>
}

// An extent of a dimension that an argument names is none that a kernel knows.
// UNKNOWN: error: stands in a function that is to become a kernel, which is made of {{.*}} extents of known dimensions, and constants
//--- unknown.mlir
func.func @unknown(%x: tensor<?x8xf32>, %d: index) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %n = tensor.dim %x, %d : tensor<?x8xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %in = arith.cmpi slt, %i, %n : index
    %s = arith.select %in, %a, %zero : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
