// Ops that stand for others, and constants that arrays hold.
// RUN: split-file %s %t
// RUN: tilec %t/pack.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=AGREES
// RUN: tilec %t/unpack.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=AGREES
// RUN: tilec %t/splat.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=SPLAT
// RUN: tilec %t/splat.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=AGREES
// RUN: tilec %t/casts.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=CASTS
// RUN: tilec %t/reshaped.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=AGREES
// RUN: tilec %t/asserted.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=ASSERTED
// RUN: tilec %t/rounded.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=AGREES

// AGREES: agree
//--- pack.mlir
func.func @pack(%x: tensor<30x64xf32>) -> tensor<8x4x8x8xf32> {
  %p = arith.constant 1.5 : f32
  %e = tensor.empty() : tensor<8x4x8x8xf32>
  %r = linalg.pack %x padding_value(%p : f32) outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %e : tensor<30x64xf32> -> tensor<8x4x8x8xf32>
  return %r : tensor<8x4x8x8xf32>
}

// One tile of dimensions that others follow, which MLIR's slices of it would get wrong.
//--- unpack.mlir
func.func @unpack(%x: tensor<1x1x1x8x4xi32>) -> tensor<6x2x1xi32> {
  %e = tensor.empty() : tensor<6x2x1xi32>
  %r = linalg.unpack %x inner_dims_pos = [0, 1] inner_tiles = [8, 4] into %e : tensor<1x1x1x8x4xi32> -> tensor<6x2x1xi32>
  return %r : tensor<6x2x1xi32>
}

// SPLAT: tile.kernel @splat(%x: memref<16x40xf32>[16, 40], %result: memref<16x40xf32>[16, 40])
// SPLAT: arith.constant 1.500000e+00
// SPLAT-NOT: tile.kernel
//--- splat.mlir
#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
func.func @splat(%x: tensor<16x40xf32>) -> tensor<16x40xf32> {
  %c = arith.constant dense<1.5> : tensor<40xf32>
  %e = tensor.empty() : tensor<16x40xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %c : tensor<16x40xf32>, tensor<40xf32>) outs(%e : tensor<16x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16x40xf32>
  return %r : tensor<16x40xf32>
}

// CASTS: tile.kernel @casts(%x: memref<9x14xf32>[9, 14], %result: memref<9x14xf32>[9, 14])
//--- casts.mlir
func.func @casts(%x: tensor<9x14xf32>) -> tensor<?x14xf32> {
  %c0 = arith.constant 0 : index
  %y = tensor.cast %x : tensor<9x14xf32> to tensor<?x14xf32>
  %n = tensor.dim %y, %c0 : tensor<?x14xf32>
  %e = tensor.empty(%n) : tensor<?x14xf32>
  %r = linalg.exp ins(%y : tensor<?x14xf32>) outs(%e : tensor<?x14xf32>) -> tensor<?x14xf32>
  return %r : tensor<?x14xf32>
}

//--- reshaped.mlir
func.func @reshaped(%x: tensor<6x8xf32>) -> tensor<4x12xf32> {
  %s = arith.constant dense<[4, 12]> : tensor<2xi64>
  %v = tensor.reshape %x(%s) : (tensor<6x8xf32>, tensor<2xi64>) -> tensor<4x12xf32>
  %e = tensor.empty() : tensor<4x12xf32>
  %r = linalg.exp ins(%v : tensor<4x12xf32>) outs(%e : tensor<4x12xf32>) -> tensor<4x12xf32>
  return %r : tensor<4x12xf32>
}

// The extents that are asserted to be equal are one size.
// ASSERTED: tile.kernel @asserted(%x: memref<?x14xf32>[%x0, 14], %y: memref<?x14xf32>[%x0, 14], %result: memref<?x14xf32>[%x0, 14], %x0: index)
//--- asserted.mlir
func.func @asserted(%x: tensor<?x14xf32>, %y: tensor<?x14xf32>) -> tensor<?x14xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x14xf32>
  %m = tensor.dim %y, %c0 : tensor<?x14xf32>
  %same = arith.cmpi eq, %n, %m : index
  cf.assert %same, "extents differ"
  %e = tensor.empty(%n) : tensor<?x14xf32>
  %r = linalg.add ins(%x, %y : tensor<?x14xf32>, tensor<?x14xf32>) outs(%e : tensor<?x14xf32>) -> tensor<?x14xf32>
  return %r : tensor<?x14xf32>
}

//--- rounded.mlir
#all = affine_map<(m, k) -> (m, k)>
func.func @rounded(%x: tensor<9x14xi64>) -> tensor<9x14xi64> {
  %three = arith.constant 3 : i64
  %e = tensor.empty() : tensor<9x14xi64>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<9x14xi64>) outs(%e : tensor<9x14xi64>) {
  ^bb0(%a: i64, %o: i64):
    %v = arith.floordivsi %a, %three : i64
    linalg.yield %v : i64
  } -> tensor<9x14xi64>
  return %r : tensor<9x14xi64>
}
