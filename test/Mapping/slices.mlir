// Slices of arrays are read where they lie, by maps; what joins arrays is a kernel of its own for each, an element a thread. Each section is a file of its own.
// RUN: split-file %s %t
// RUN: tilec %t/rotate.mlir --target=h100-sxm --emit=nest -o %t/rotate.nest && FileCheck %s --check-prefix=ROTATE --input-file=%t/rotate.nest
// RUN: tilec %t/rotate.mlir --target=h100-sxm --run=cpu --verify | FileCheck %s --check-prefix=ROTATE-RAN
// RUN: tilec %t/head.mlir --target=h100-sxm --emit=nest -o %t/head.nest && FileCheck %s --check-prefix=HEAD --input-file=%t/head.nest
// RUN: tilec %t/head.mlir --target=h100-sxm --run=cpu --verify | FileCheck %s --check-prefix=HEAD-RAN
// RUN: tilec %t/moved.mlir --target=h100-sxm --run=cpu --verify | FileCheck %s --check-prefix=MOVED-RAN
// RUN: not tilec %t/dynamic.mlir --target=h100-sxm --emit=nest 2>&1 | FileCheck %s --check-prefix=DYNAMIC

// Columns 6 to 11, the second of four parts, are negated and go first, every other one of the first 12 after them. Where a box is a part of what it is written to, blocks end
// with it: 6 columns are not a step of 8.
// ROTATE: tile.kernel @rotate_part0_0(
// ROTATE: tile.stage %x[%{{.*}}, (%{{.*}}) * 2] : memref<5x24xf32>
// ROTATE: tile.kernel @rotate_part0_1(
// ROTATE: tile.stage %a[%{{.*}}, 1, %{{.*}}] : memref<5x4x6xf32>
// ROTATE: tile.kernel @rotate_slice1(
// ROTATE: in (5, 6) by (5, 6) at dram on block
// ROTATE: tile.store %{{.*}} to %y[%{{.*}} + %{{.*}}, %{{.*}} + %{{.*}}] :
// ROTATE: tile.kernel @rotate_slice2(
// ROTATE: in (5, 6) by (5, 6) at dram on block
// ROTATE: tile.store %{{.*}} to %y[%{{.*}} + %{{.*}}, %{{.*}} + %{{.*}} + 6] :
// ROTATE-RAN: rotate in 4 launches on the emulator
//--- rotate.mlir
func.func @rotate(%x: tensor<5x24xf32>) -> tensor<5x12xf32> {
  %a = tensor.extract_slice %x[0, 6] [5, 6] [1, 1] : tensor<5x24xf32> to tensor<5x6xf32>
  %b = tensor.extract_slice %x[0, 0] [5, 6] [1, 2] : tensor<5x24xf32> to tensor<5x6xf32>
  %n_e = tensor.empty() : tensor<5x6xf32>
  %n = linalg.negf ins(%a : tensor<5x6xf32>) outs(%n_e : tensor<5x6xf32>) -> tensor<5x6xf32>
  %y = tensor.concat dim(1) %n, %b : (tensor<5x6xf32>, tensor<5x6xf32>) -> tensor<5x12xf32>
  return %y : tensor<5x12xf32>
}

// Every other token of one head of one sequence; it is written to rows of an argument.
// HEAD: tile.kernel @head_part0(
// HEAD: tile.stage %x[1, (%{{.*}}) * 2, 2, %{{.*}}] : memref<2x7x3x8xf32>
// HEAD: in (4, 8) by (4, 8) at dram on block
// HEAD: tile.store %{{.*}} to %d[(%{{.*}} + %{{.*}}) * 2 + 1, %{{.*}} + %{{.*}} + 1] :
// HEAD-RAN: head in 2 launches on the emulator
//--- head.mlir
func.func @head(%x: tensor<2x7x3x8xf32>, %d: tensor<9x10xf32>) -> tensor<9x10xf32> {
  %h = tensor.extract_slice %x[1, 0, 2, 0] [1, 4, 1, 8] [1, 2, 1, 1] : tensor<2x7x3x8xf32> to tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %r = linalg.exp ins(%h : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = tensor.insert_slice %r into %d[1, 1] [4, 8] [2, 1] : tensor<4x8xf32> into tensor<9x10xf32>
  return %y : tensor<9x10xf32>
}

// What is inserted, moved and sliced again: views of what is moved are views of what it is moved from.
// MOVED-RAN: integers: all 12 elements of v5_e agree, largest error 0
//--- moved.mlir
func.func @views(%X: tensor<17x4x6xf32>, %D1: tensor<19x4x4x3x13xf32>) -> tensor<3x2x1x1x2xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant -1048576.0 : f32
  %v0 = tensor.expand_shape %X [[0, 1], [2, 3], [4]] output_shape [17, 1, 4, 1, 6] : tensor<17x4x6xf32> into tensor<17x1x4x1x6xf32>
  %v1_e = tensor.empty() : tensor<17x1x4x1x6xf32>
  %v1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v0 : tensor<17x1x4x1x6xf32>) outs(%v1_e : tensor<17x1x4x1x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<17x1x4x1x6xf32>
  %v2 = tensor.insert_slice %v1 into %D1[0, 2, 0, 0, 0] [17, 1, 4, 1, 6] [1, 1, 1, 1, 2] : tensor<17x1x4x1x6xf32> into tensor<19x4x4x3x13xf32>
  %v3_e = tensor.empty() : tensor<19x4x4x3x13xf32>
  %v3 = linalg.transpose ins(%v2 : tensor<19x4x4x3x13xf32>) outs(%v3_e : tensor<19x4x4x3x13xf32>) permutation = [0, 2, 1, 3, 4]
  %v4 = tensor.extract_slice %v3[13, 2, 3, 1, 0] [3, 2, 1, 1, 2] [1, 1, 2, 1, 3] : tensor<19x4x4x3x13xf32> to tensor<3x2x1x1x2xf32>
  %v5_e = tensor.empty() : tensor<3x2x1x1x2xf32>
  %v5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v4 : tensor<3x2x1x1x2xf32>) outs(%v5_e : tensor<3x2x1x1x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<3x2x1x1x2xf32>
  return %v5 : tensor<3x2x1x1x2xf32>
}

// DYNAMIC: dynamic.mlir:2:{{.*}}error: stands in a function that is to become a kernel
//--- dynamic.mlir
func.func @dynamic(%x: tensor<?x24xf32>, %n: index) -> tensor<5x6xf32> {
  %a = tensor.extract_slice %x[%n, 0] [5, 6] [1, 1] : tensor<?x24xf32> to tensor<5x6xf32>
  %n_e = tensor.empty() : tensor<5x6xf32>
  %y = linalg.negf ins(%a : tensor<5x6xf32>) outs(%n_e : tensor<5x6xf32>) -> tensor<5x6xf32>
  return %y : tensor<5x6xf32>
}
