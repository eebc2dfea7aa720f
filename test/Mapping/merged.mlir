// Neighbouring dimensions that all ops walk one inside of the other are one where that is predicted to be faster. Each section is a file of its own.
// REQUIRES: host-compiler
// RUN: split-file %s %t
// RUN: tilec %t/odd.mlir --target=h100 --shape=X0=8191,X1=8193 --emit=nest | FileCheck %s --check-prefix=ODD
// RUN: tilec %t/odd.mlir --target=h100 --shape=X0=8192,X1=8192 --emit=nest | FileCheck %s --check-prefix=EVEN
// RUN: tilec %t/odd.mlir --target=h100 --shape=X0=8191,X1=8193 --emit=nest | tilec - --target=h100 --shape=X0=37,X1=43 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=ODD-DONE
// RUN: tilec %t/planes.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=PLANES
// RUN: tilec %t/planes.mlir --target=h100 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=PLANES-DONE
// RUN: not tilec %t/planes.mlir --target=h100 --tune=2 2>&1 | FileCheck %s --check-prefix=TUNE
// RUN: tilec %t/tokens.mlir --target=h100 --shape=x0=8,x1=33,x2=1024,w1=1024 --emit=nest | FileCheck %s --check-prefix=TOKENS
// RUN: tilec %t/tokens.mlir --target=h100 --shape=x0=8,x1=33,x2=1024,w1=1024 --emit=nest | tilec - --target=h100 --shape=x0=5,x1=3,x2=70,w1=33 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=TOKENS-DONE
// RUN: tilec %t/kept.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=KEPT

// Rows of 8193 elements begin where vectors do not; 8191 of them are one row. Where that has more elements than an operand may, the launcher takes the kernel as it was.
// ODD: tile.kernel @relu_merged(%X: memref<?xf32>[%X0xX1], %Y: memref<?xf32>[%X0xX1], %X0xX1: index)
// ODD: tile.kernel @relu_apart(%X: memref<?x?xf32>[%X0, %X1]
// ODD: tile.program @relu(%X: memref<?x?xf32>[%X0, %X1], %Y: memref<?x?xf32>[%X0, %X1], %X0: index, %X1: index)
// ODD: %[[MOST:.*]] = arith.constant 2147418111 : index
// ODD: %[[FITS:.*]] = arith.cmpi ule, %{{.*}}, %[[MOST]] : index
// ODD: scf.if %[[FITS]] {
// ODD: memref.collapse_shape %X {{\[\[}}0, 1]] : memref<?x?xf32> into memref<?xf32>
// ODD: tile.run @relu_merged
// ODD: } else {
// ODD: tile.run @relu_apart
// ODD-DONE: relu in 1 launch on the emulator
// ODD-DONE: launch 1, relu_merged: integers: all 1591 elements of Y agree, largest error 0
// ODD-DONE: launch 1, relu_merged: random: all 1591 elements of Y agree
// Nothing is gained by that where rows begin where vectors do.
// EVEN: tile.kernel @relu(%X: memref<?x?xf32>
//--- odd.mlir
#m = affine_map<(i, j) -> (i, j)>
tile.kernel @relu(%X: memref<?x?xf32>[%X0, %X1], %Y: memref<?x?xf32>[%X0, %X1], %X0: index, %X1: index) {
  linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]} ins(%X : memref<?x?xf32>) outs(%Y : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  }
}

// Rows of 7 elements are nothing that vectors or warps fit: all of a plane are one. A factor of each channel keeps planes apart.
// PLANES: tile.kernel @planes_merged(%x: memref<32x64x49xf32>[32, 64, 49], %f: memref<64xf32>[64], %result: memref<32x64x49xf32>[32, 64, 49])
// PLANES: memref.collapse_shape %x {{\[\[}}0], [1], [2, 3]] : memref<32x64x7x7xf32> into memref<32x64x49xf32>
// PLANES-DONE: all launches: integers: all 100352 elements of result agree, largest error 0
// TUNE: error: --tune: 'planes' becomes a program; only what stays one kernel is tuned
//--- planes.mlir
!T = tensor<32x64x7x7xf32>
func.func @planes(%x: !T, %f: tensor<64xf32>) -> !T {
  %e = tensor.empty() : !T
  %m = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %f : !T, tensor<64xf32>) outs(%e : !T) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> !T
  return %m : !T
}

// Tokens of all sequences are rows of one product.
// TOKENS: tile.kernel @linear_merged(%x: memref<?x?xf32>[%x0xx1, %x2], %w: memref<?x?xf32>[%x2, %w1], %bias: memref<?xf32>[%w1], %result: memref<?x?xf32>[%x0xx1, %w1], %x2: index, %w1: index, %x0xx1: index)
// TOKENS-DONE: launch 1, linear_merged: integers: all 495 elements of result agree, largest error 0
// TOKENS-DONE: launch 1, linear_merged: random: all 495 elements of result agree
//--- tokens.mlir
func.func @linear(%x: tensor<?x?x?xf32>, %w: tensor<?x?xf32>, %bias: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %t = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %n = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%b, %t, %n) : tensor<?x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(b,t,n,k)->(b,t,k)>, affine_map<(b,t,n,k)->(k,n)>, affine_map<(b,t,n,k)->(b,t,n)>], iterator_types = ["parallel","parallel","parallel","reduction"]} ins(%x, %w : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?x?xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(b,t,n)->(b,t,n)>, affine_map<(b,t,n)->(n)>, affine_map<(b,t,n)->(b,t,n)>], iterator_types = ["parallel","parallel","parallel"]} ins(%p, %bias : tensor<?x?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %s = arith.addf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  return %q : tensor<?x?x?xf32>
}

// An op that asks for its place, and rows with gaps, keep their dimensions.
// KEPT: tile.kernel @place(%X: memref<37x43xf32>[37, 43]
// KEPT: tile.kernel @gaps(%X: memref<37x43xf32, strided<[64, 1]>>[37, 43]
//--- kept.mlir
#m = affine_map<(i, j) -> (i, j)>
tile.kernel @place(%X: memref<37x43xf32>[37, 43]) {
  linalg.generic {indexing_maps = [#m], iterator_types = ["parallel", "parallel"]} outs(%X : memref<37x43xf32>) {
  ^bb0(%a: f32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %r = arith.sitofp %n : i32 to f32
    linalg.yield %r : f32
  }
}
tile.kernel @gaps(%X: memref<37x43xf32, strided<[64, 1]>>[37, 43], %Y: memref<37x43xf32, strided<[64, 1]>>[37, 43]) {
  linalg.copy ins(%X : memref<37x43xf32, strided<[64, 1]>>) outs(%Y : memref<37x43xf32, strided<[64, 1]>>)
}
