// Functions that pad arrays: a kernel puts the array in the midst of a constant, and what stands between is mapped as ever. Each section is a file of its own.
// REQUIRES: host-compiler
// RUN: split-file %s %t
// RUN: tilec %t/net.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=NET
// RUN: tilec %t/net.mlir --target=h100 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=NET-DONE
// RUN: tilec %t/only.mlir --target=h100 --run=cpu --seed=3 --save=x=%t/x.npy --save=result=%t/r.npy
// RUN: %python -c "import sys, array, pathlib; sys.path.insert(0, r'%tilec_root/test/tools'); from npy import read_npy; x, r = (array.array('i', read_npy(pathlib.Path(r'%t') / name)) for name in ('x.npy', 'r.npy')); print(all(r[10 * i + j] == (x[8 * (i - 2) + j - 1] if 2 <= i < 8 and 1 <= j < 9 else 7) for i in range(9) for j in range(10)))" | FileCheck %s --check-prefix=ONLY
// RUN: tilec %t/arrays.mlir --target=h100 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=ARRAYS
// RUN: tilec %t/view.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=VIEW
// RUN: not tilec %t/dynamic.mlir --target=h100 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: tilec %t/again.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=AGAIN
// RUN: not tilec %t/array.mlir --target=h100 2>&1 | FileCheck %s --check-prefix=ARRAY

// A convolution, its relu, which joins it, and a pooling, whose window is nobody's: it holds zeros.
// NET: tile.program @net(%x: memref<2x3x9x10xf32>[2, 3, 9, 10], %w: memref<4x3x3x3xf32>[4, 3, 3, 3], %result: memref<2x4x5x5xf32>[2, 4, 5, 5])
// NET: tile.run @net_pad0(%x, %[[P:.*]]) : memref<2x3x9x10xf32>, memref<2x3x11x12xf32>
// NET-NEXT: tile.run @net_part1(%[[E:.*]], %[[P]], %w)
// NET-NEXT: tile.run @net_pad2(%[[E]], %[[Q:.*]]) : memref<2x4x9x10xf32>, memref<2x4x11x11xf32>
// NET: tile.run @net_part3_0(%[[W:.*]]) : memref<3x3xf32>
// NET-NEXT: tile.run @net_part3_1(%[[Q]], %result, %[[W]])
// NET: tile.kernel @net_pad2(
// NET-NEXT: in (2, 4, 11, 11) by (1, 1, 16, 16) at dram on block
// NET-NEXT: in (16, 16) by (1, 1) at dram on thread
// NET-NEXT: tile.hold init(0xFF800000 : f32)
// NET-NEXT: tile.stage %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}} + %{{.*}} - 1, %{{.*}} + %{{.*}}] : memref<2x4x9x10xf32>
// NET-DONE: launch 3, net_pad2: integers: all 968 elements of q agree
// NET-DONE: launch 5, net_part3_1: random: all 200 elements of {{.*}} agree
//--- net.mlir
#m = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @net(%x: tensor<2x3x9x10xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x4x5x5xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<2x3x9x10xf32> to tensor<2x3x11x12xf32>
  %e0 = tensor.empty() : tensor<2x4x9x10xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x4x9x10xf32>) -> tensor<2x4x9x10xf32>
  %c0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%p, %w : tensor<2x3x11x12xf32>, tensor<4x3x3x3xf32>) outs(%f0 : tensor<2x4x9x10xf32>) -> tensor<2x4x9x10xf32>
  %e1 = tensor.empty() : tensor<2x4x9x10xf32>
  %relu = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c0 : tensor<2x4x9x10xf32>) outs(%e1 : tensor<2x4x9x10xf32>) {
  ^bb0(%i: f32, %o: f32):
    %r = arith.maximumf %i, %zero : f32
    linalg.yield %r : f32
  } -> tensor<2x4x9x10xf32>
  %q = tensor.pad %relu low[0, 0, 1, 0] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %least : f32
  } : tensor<2x4x9x10xf32> to tensor<2x4x11x11xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %e2 = tensor.empty() : tensor<2x4x5x5xf32>
  %f2 = linalg.fill ins(%least : f32) outs(%e2 : tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %r = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%q, %window : tensor<2x4x11x11xf32>, tensor<3x3xf32>) outs(%f2 : tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  return %r : tensor<2x4x5x5xf32>
}

// What a function only pads is a program of one kernel.
// ONLY: True
//--- only.mlir
func.func @only(%x: tensor<6x8xi32>) -> tensor<9x10xi32> {
  %c = arith.constant 7 : i32
  %p = tensor.pad %x low[2, 1] high[1, 1] {
  ^bb0(%a: index, %b: index):
    tensor.yield %c : i32
  } : tensor<6x8xi32> to tensor<9x10xi32>
  return %p : tensor<9x10xi32>
}

// As bufferization writes it, of a view, with a sum of all that is a result of rank 0.
// ARRAYS: launch 1, arrays_pad0: integers: all 90 elements of p agree
// ARRAYS: launch {{[23]}}, {{.*}}: random: all 1 elements of {{.*}} agree
//--- arrays.mlir
func.func @arrays(%x: memref<48xf32>, %y: memref<f32>) {
  %c = arith.constant 1.5 : f32
  %p = memref.alloc() : memref<9x10xf32>
  %v = memref.expand_shape %x [[0, 1]] output_shape [6, 8] : memref<48xf32> into memref<6x8xf32>
  linalg.fill ins(%c : f32) outs(%p : memref<9x10xf32>)
  %s = memref.subview %p[2, 1] [6, 8] [1, 1] : memref<9x10xf32> to memref<6x8xf32, strided<[10, 1], offset: 21>>
  memref.copy %v, %s : memref<6x8xf32> to memref<6x8xf32, strided<[10, 1], offset: 21>>
  linalg.fill ins(%c : f32) outs(%y : memref<f32>)
  linalg.reduce { arith.addf } ins(%p : memref<9x10xf32>) outs(%y : memref<f32>) dimensions = [0, 1]
  return
}

// What is returned by other extents is written by those that it is made with.
// VIEW: random: all 90 elements of
//--- view.mlir
func.func @view(%x: tensor<6x8xi32>) -> tensor<90xi32> {
  %c = arith.constant 7 : i32
  %p = tensor.pad %x low[2, 1] high[1, 1] {
  ^bb0(%a: index, %b: index):
    tensor.yield %c : i32
  } : tensor<6x8xi32> to tensor<9x10xi32>
  %v = tensor.collapse_shape %p [[0, 1]] : tensor<9x10xi32> into tensor<90xi32>
  return %v : tensor<90xi32>
}

// An extent that is padded is known.
// DYNAMIC: dynamic.mlir:3:8: error: stands in a function that is to become a kernel
//--- dynamic.mlir
func.func @dynamic(%x: tensor<?x8xf32>) -> tensor<?x10xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1, 1] high[0, 1] {
  ^bb0(%a: index, %b: index):
    tensor.yield %zero : f32
  } : tensor<?x8xf32> to tensor<?x10xf32>
  return %p : tensor<?x10xf32>
}

// A part of an argument is taken first where it parts nothing then, but not before what is read of the array that it goes to.
// AGAIN: tile.run @again_part0
// AGAIN: tile.run @again_slice1(
// AGAIN: tile.run @again_part2
//--- again.mlir
func.func @again(%x: memref<8x10xf32>, %y: memref<5x10xf32>, %z: memref<5x10xf32>) {
  %a = memref.alloc() : memref<5x10xf32>
  linalg.exp ins(%y : memref<5x10xf32>) outs(%a : memref<5x10xf32>)
  linalg.add ins(%a, %y : memref<5x10xf32>, memref<5x10xf32>) outs(%z : memref<5x10xf32>)
  %s = memref.subview %x[0, 0] [5, 10] [1, 1] : memref<8x10xf32> to memref<5x10xf32, strided<[10, 1]>>
  linalg.copy ins(%s : memref<5x10xf32, strided<[10, 1]>>) outs(%a : memref<5x10xf32>)
  linalg.mul ins(%a, %z : memref<5x10xf32>, memref<5x10xf32>) outs(%y : memref<5x10xf32>)
  return
}

// An array is as large as an argument or a result, or of a known extent.
// ARRAY: array.mlir:7:8: error: has an extent that is none of an argument's or result's
//--- array.mlir
func.func @array(%x: memref<6xf32>, %y: memref<8xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%p : memref<8xf32>)
  %s = memref.subview %p[1] [6] [1] : memref<8xf32> to memref<6xf32, strided<[1], offset: 1>>
  memref.copy %x, %s : memref<6xf32> to memref<6xf32, strided<[1], offset: 1>>
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%p : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}
