// Rows that begin inside of vectors: where their length is a number, each is walked from where its first vector would have begun, backward by what it is late
// (1001 floats: one a row) or forward by what is missing (1003: one a row, too), and all vectors are aligned. Transposes write whole sectors so. Windows and
// what has a length that is known at launch are not.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t
// RUN: tilec %t/softmax.mlir --target=h100-sxm --emit=plan -o %t/softmax.plan.mlir
// RUN: FileCheck %s --check-prefix=BACK --input-file=%t/softmax.plan.mlir
// RUN: tilec %t/softmax.plan.mlir --target=h100-sxm --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=RUNS
// RUN: tilec %t/norm.mlir --target=h100-sxm --emit=plan -o %t/norm.plan.mlir
// RUN: FileCheck %s --check-prefix=FORWARD --input-file=%t/norm.plan.mlir
// RUN: tilec %t/norm.plan.mlir --target=h100-sxm --run=cpu --verify --schedule=random 2>&1 | FileCheck %s --check-prefix=RUNS
// RUN: tilec %t/place.mlir --target=h100-sxm --emit=plan -o %t/place.plan.mlir
// RUN: FileCheck %s --check-prefix=PLACE --input-file=%t/place.plan.mlir
// RUN: tilec %t/place.plan.mlir --target=h100-sxm --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=RUNS
// RUN: tilec %t/sums.mlir --target=h100-sxm --emit=plan -o %t/sums.plan.mlir
// RUN: FileCheck %s --check-prefix=SUMS --input-file=%t/sums.plan.mlir
// RUN: tilec %t/sums.plan.mlir --target=h100-sxm --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=RUNS
// RUN: tilec %t/across.mlir --target=h100-sxm --emit=plan -o %t/across.plan.mlir
// RUN: FileCheck %s --check-prefix=ACROSS --input-file=%t/across.plan.mlir
// RUN: tilec %t/across.plan.mlir --target=h100-sxm --run=cpu --verify --schedule=random 2>&1 | FileCheck %s --check-prefix=RUNS
// RUN: tilec %t/bytes.mlir --target=h100-sxm --emit=plan -o %t/bytes.plan.mlir
// RUN: FileCheck %s --check-prefix=BYTES --input-file=%t/bytes.plan.mlir
// RUN: tilec %t/bytes.plan.mlir --target=h100-sxm --run=cpu --verify --schedule=reversed 2>&1 | FileCheck %s --check-prefix=RUNS
// RUN: tilec %t/beyond.mlir --target=h100-sxm --emit=plan -o %t/beyond.plan.mlir
// RUN: FileCheck %s --check-prefix=BEYOND --input-file=%t/beyond.plan.mlir
// RUN: tilec %t/beyond.plan.mlir --target=h100-sxm --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=RUNS
// RUN: tilec %t/window.mlir --target=h100-sxm --emit=nest | FileCheck %s --check-prefix=WINDOW
// RUN: tilec %t/pitch.mlir --target=h100-sxm --shape=M=300,N=5000 --emit=nest | FileCheck %s --check-prefix=WINDOW

// BACK: tile.for (%[[R0:.*]], %[[R1:.*]]) in (300, 4) by (4, 1) at dram on block
// BACK: tile.stage %{{.*}}[%[[R0]] + %[[R1]], -%[[R1]]] edges(tile) wide(4)
// BACK: tile.store %{{.*}} to %{{.*}}[%[[R0]] + %[[R1]], -%[[R1]] + {{.*}}] edges(tile) wide(4)
// RUNS: integers: all {{[0-9]+}} elements of {{[a-z]+}} agree
// RUNS: random: all {{[0-9]+}} elements of {{[a-z]+}} agree

// FORWARD: tile.for (%[[R0:.*]], %[[R1:.*]]) in (300, 4) by (4, 1) at dram on block
// FORWARD: tile.stage %{{.*}}[%[[R0]] + %[[R1]], %[[R1]] - 4] edges(element) wide(4)

// The number of the column is counted from the row's beginning.
// PLACE: tile.for (%[[R0:.*]], %[[R1:.*]], %{{.*}}) in (300, 8, 10008) by (8, 1, {{.*}}) at dram on block
// PLACE: tile.store {{.*}} wide(8)

// SUMS: tile.for (%[[R0:.*]], %[[R1:.*]]) in (300, 8) by (8, 1) at dram on block
// SUMS: in (20008) by
// SUMS: tile.stage %{{.*}}[%[[R0]] + %[[R1]], -%[[R1]] + {{.*}}] edges(tile) wide(8)

// A transpose's rows of 1003 f16 begin at sectors where row r is walked from column -(11 r mod 16): forward by 5 for each row, 75 at most, from 80 ahead. What is
// staged has the columns of all 16.
// ACROSS: tile.for (%[[I:.*]], %[[J:.*]]) in (1205, 1083) by ([[ROWS:.*]], [[COLUMNS:.*]]) at dram on block
// ACROSS: %[[TILE:.*]] = tile.stage %{{.*}}[%[[J]] - 80, %[[I]]]
// ACROSS: tile.for (%[[R:.*]], %[[V:.*]]) in (16, [[COLUMNS]]) by (1, 8) at smem on thread
// ACROSS: tile.stage %[[TILE]][%[[R]] * 5 + %[[V]], %[[R]]{{.*}}] wide(1)
// ACROSS: tile.store {{.*}} wide(8)

// Rows of 2047 bytes, one short of a sector each: forward by 31 at most, by vectors of 16.
// BYTES: tile.for (%[[I:.*]], %[[J:.*]]) in (1205, 2079) by
// BYTES: %[[TILE:.*]] = tile.stage %{{.*}}[%[[J]] - 32, %[[I]]]
// BYTES: tile.for (%[[R:.*]], %[[V:.*]]) in (32, {{.*}}) by (1, 16) at smem on thread
// BYTES: tile.stage %[[TILE]][%[[R]] + %[[V]], %[[R]]{{.*}}] wide(1)
// BYTES: tile.store {{.*}} wide(16)

// Rows of 2001 f32, one beyond a sector each: back by 7 at most, where what is staged begins.
// BEYOND: tile.for (%[[I:.*]], %[[J:.*]]) in (1205, 2008) by
// BEYOND: %[[TILE:.*]] = tile.stage %{{.*}}[%[[J]] - 7, %[[I]]]
// BEYOND: tile.for (%[[R:.*]], %[[V:.*]]) in (8, {{.*}}) by (1, 4) at smem on thread
// BEYOND: tile.stage %[[TILE]][-%[[R]] + %[[V]] + 7, {{.*}}] wide(1)
// BEYOND: tile.store {{.*}} wide(4)

// WINDOW-NOT: 4) by (4, 1) at dram on block
//--- softmax.mlir
func.func @softmax(%x: memref<300x5001xf32>, %y: memref<300x5001xf32>) {
  linalg.softmax dimension(1) ins(%x : memref<300x5001xf32>) outs(%y : memref<300x5001xf32>)
  return
}
//--- norm.mlir
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
!T = tensor<300x5003xf32>
func.func @norm(%x: !T, %g: tensor<5003xf32>) -> !T {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %rows = tensor.empty() : tensor<300xf32>
  %init = linalg.fill ins(%zero : f32) outs(%rows : tensor<300xf32>) -> tensor<300xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : !T) outs(%init : tensor<300xf32>) {
  ^bb0(%p: f32, %o: f32):
    %q = arith.mulf %p, %p : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<300xf32>
  %empty = tensor.empty() : !T
  %y = linalg.generic {indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %sum, %g : !T, tensor<300xf32>, tensor<5003xf32>) outs(%empty : !T) {
  ^bb0(%p: f32, %q: f32, %w: f32, %o: f32):
    %a = arith.addf %q, %one : f32
    %r = math.rsqrt %a : f32
    %u = arith.mulf %p, %r : f32
    %v = arith.mulf %u, %w : f32
    linalg.yield %v : f32
  } -> !T
  return %y : !T
}
//--- place.mlir
#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @place(%x: memref<300x10001xf16>, %b: memref<10001xf16>, %y: memref<300x10001xf16>) {
  linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %b : memref<300x10001xf16>, memref<10001xf16>) outs(%y : memref<300x10001xf16>) {
  ^bb0(%p: f16, %q: f16, %o: f16):
    %j = linalg.index 1 : index
    %j32 = arith.index_cast %j : index to i32
    %number = arith.sitofp %j32 : i32 to f16
    %s = arith.addf %p, %number : f16
    %t = arith.subf %s, %q : f16
    linalg.yield %t : f16
  }
  return
}
//--- sums.mlir
func.func @sums(%x: memref<300x20001xf16>, %y: memref<300xf16>) {
  %z = arith.constant 0.0 : f16
  linalg.fill ins(%z : f16) outs(%y : memref<300xf16>)
  linalg.reduce ins(%x : memref<300x20001xf16>) outs(%y : memref<300xf16>) dimensions = [1] (%a: f16, %s: f16) {
    %m = arith.maximumf %a, %s : f16
    linalg.yield %m : f16
  }
  return
}
//--- across.mlir
func.func @across(%x: memref<1003x1205xf16>, %y: memref<1205x1003xf16>) {
  linalg.transpose ins(%x : memref<1003x1205xf16>) outs(%y : memref<1205x1003xf16>) permutation = [1, 0]
  return
}
//--- bytes.mlir
func.func @bytes(%x: memref<2047x1205xi8>, %y: memref<1205x2047xi8>) {
  linalg.transpose ins(%x : memref<2047x1205xi8>) outs(%y : memref<1205x2047xi8>) permutation = [1, 0]
  return
}
//--- beyond.mlir
func.func @beyond(%x: memref<2001x1205xf32>, %y: memref<1205x2001xf32>) {
  linalg.transpose ins(%x : memref<2001x1205xf32>) outs(%y : memref<1205x2001xf32>) permutation = [1, 0]
  return
}
//--- window.mlir
#in = affine_map<(i, j, a) -> (i + a, j)>
#out = affine_map<(i, j, a) -> (i, j)>
func.func @window(%x: memref<302x5001xf32>, %w: memref<3xf32>, %y: memref<300x5001xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%y : memref<300x5001xf32>)
  linalg.generic {indexing_maps = [#in, affine_map<(i, j, a) -> (a)>, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<302x5001xf32>, memref<3xf32>) outs(%y : memref<300x5001xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}
//--- pitch.mlir
!G = memref<?x?xf32, strided<[5001, 1]>>
tile.kernel @pitch(%x: !G[%M, %N], %b: memref<?xf32>[%N], %y: !G[%M, %N], %M: index, %N: index) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : !G, memref<?xf32>) outs(%y : !G) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  }
}
