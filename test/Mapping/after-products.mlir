// What follows a product of tensor cores and reads operands as large as its result. Each section is a file of its own.
// RUN: split-file %s %t
// RUN: tilec %t/residual.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=RESIDUAL
// RUN: tilec %t/turned.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=TURNED
// RUN: tilec %t/gated.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=GATED
// RUN: tilec %t/exact.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=EXACT
// RUN: tilec %t/several.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=JOINED
// RUN: tilec %t/several.mlir --target=h200 --run=cpu --verify | FileCheck %s --check-prefix=SEVERAL
// RUN: tilec %t/registers.mlir --target=h200 --emit=plan | FileCheck %s --check-prefix=REGISTERS

// Threads stage what lies as the result does, several elements at a time; teams hide that (docs/results/gpu.md, "What follows products").
// RESIDUAL: tile.kernel @residual(
// RESIDUAL: teams(2)
// RESIDUAL: tile.stage %x[{{.*}}] : memref<4096x2048xf16> to memref<{{.*}}xf16, #tile.level<rf>>
// RESIDUAL-NOT: tile.kernel
//--- residual.mlir
#id = affine_map<(m, n) -> (m, n)>
func.func @residual(%a: tensor<4096x2048xf16>, %b: tensor<2048x2048xf16>, %x: tensor<4096x2048xf16>) -> tensor<4096x2048xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
  %p = linalg.matmul ins(%a, %b : tensor<4096x2048xf16>, tensor<2048x2048xf16>) outs(%f : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
  %o = tensor.empty() : tensor<4096x2048xf16>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %x : tensor<4096x2048xf32>, tensor<4096x2048xf16>) outs(%o : tensor<4096x2048xf16>) {
  ^bb0(%v: f32, %w: f16, %old: f16):
    %t = arith.truncf %v : f32 to f16
    %s = arith.addf %t, %w : f16
    linalg.yield %s : f16
  } -> tensor<4096x2048xf16>
  return %r : tensor<4096x2048xf16>
}

// One that lies otherwise they load an element at a time, and teams are doubted.
// TURNED: tile.kernel @turned(
// TURNED-NOT: teams(
// TURNED: tile.part %x[{{.*}}] : memref<2048x4096xf16> to memref<{{.*}}xf16, strided<[4096, 1], offset: ?>>
// TURNED-NOT: tile.kernel
//--- turned.mlir
#id = affine_map<(m, n) -> (m, n)>
#turned = affine_map<(m, n) -> (n, m)>
func.func @turned(%a: tensor<4096x2048xf16>, %b: tensor<2048x2048xf16>, %x: tensor<2048x4096xf16>) -> tensor<4096x2048xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
  %p = linalg.matmul ins(%a, %b : tensor<4096x2048xf16>, tensor<2048x2048xf16>) outs(%f : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
  %o = tensor.empty() : tensor<4096x2048xf16>
  %r = linalg.generic {indexing_maps = [#id, #turned, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %x : tensor<4096x2048xf32>, tensor<2048x4096xf16>) outs(%o : tensor<4096x2048xf16>) {
  ^bb0(%v: f32, %w: f16, %old: f16):
    %t = arith.truncf %v : f32 to f16
    %s = arith.addf %t, %w : f16
    linalg.yield %s : f16
  } -> tensor<4096x2048xf16>
  return %r : tensor<4096x2048xf16>
}

// A function of such an operand that asks for nothing stays with the product, too.
// What rounds the product is one computation with it.
// GATED: tile.kernel @gated(
// GATED: arith.truncf
// GATED-NOT: linalg.yield
// GATED: math.exp
// GATED-NOT: tile.kernel
//--- gated.mlir
#id = affine_map<(m, n) -> (m, n)>
func.func @gated(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %g: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %p = linalg.matmul ins(%a, %b : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) -> tensor<512x512xf32>
  %o = tensor.empty() : tensor<512x512xf16>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<512x512xf32>) outs(%o : tensor<512x512xf16>) {
  ^bb0(%v: f32, %old: f16):
    %t = arith.truncf %v : f32 to f16
    linalg.yield %t : f16
  } -> tensor<512x512xf16>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %g : tensor<512x512xf16>, tensor<512x512xf16>) outs(%o : tensor<512x512xf16>) {
  ^bb0(%v: f16, %w: f16, %old: f16):
    %x = math.exp %w : f16
    %s = arith.mulf %v, %x : f16
    linalg.yield %s : f16
  } -> tensor<512x512xf16>
  return %r : tensor<512x512xf16>
}

// One in more digits is a launch of its own; what rounds the product stays with it.
// EXACT: tile.kernel @exact_0({{.*}}memref<512x512xf16>[512, 512])
// EXACT: tile.kernel @exact_1(
// EXACT: math.exp
// EXACT-NOT: tile.kernel
//--- exact.mlir
#id = affine_map<(m, n) -> (m, n)>
func.func @exact(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %g: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %p = linalg.matmul ins(%a, %b : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) -> tensor<512x512xf32>
  %o = tensor.empty() : tensor<512x512xf16>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<512x512xf32>) outs(%o : tensor<512x512xf16>) {
  ^bb0(%v: f32, %old: f16):
    %t = arith.truncf %v : f32 to f16
    linalg.yield %t : f16
  } -> tensor<512x512xf16>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %g : tensor<512x512xf16>, tensor<512x512xf16>) outs(%o : tensor<512x512xf16>) {
  ^bb0(%v: f16, %w: f16, %old: f16):
    %wide = arith.extf %w : f16 to f32
    %x = math.exp %wide : f32
    %narrow = arith.truncf %x : f32 to f16
    %s = arith.mulf %v, %narrow : f16
    linalg.yield %s : f16
  } -> tensor<512x512xf16>
  return %r : tensor<512x512xf16>
}

// What is added in place, what loads an operand, a named op and what rounds: one after the other as one.
// JOINED: linalg.matmul
// JOINED: tile.stage %x
// JOINED: arith.addf
// JOINED-NEXT: arith.addf
// JOINED-NEXT: arith.truncf
// JOINED-NEXT: linalg.yield
// SEVERAL: integers: all 34320 elements of result agree, largest error 0
// SEVERAL: random: all 34320 elements of result agree
//--- several.mlir
#id = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>
!sums = memref<130x264xf32>
tile.kernel @several(%a: memref<130x520xf16>[130, 520], %b: memref<520x264xf16>[520, 264], %bias: memref<264xf32>[264], %x: !sums[130, 264], %result: memref<130x264xf16>[130, 264]) {
  %zero = arith.constant 0.0 : f32
  %p = memref.alloc() : !sums
  linalg.fill ins(%zero : f32) outs(%p : !sums)
  linalg.matmul ins(%a, %b : memref<130x520xf16>, memref<520x264xf16>) outs(%p : !sums)
  linalg.generic {indexing_maps = [#column, #id], iterator_types = ["parallel", "parallel"]} ins(%bias : memref<264xf32>) outs(%p : !sums) {
  ^bb0(%v: f32, %old: f32):
    %s = arith.addf %old, %v : f32
    linalg.yield %s : f32
  }
  linalg.add ins(%p, %x : !sums, !sums) outs(%p : !sums)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : !sums) outs(%result : memref<130x264xf16>) {
  ^bb0(%v: f32, %old: f16):
    %n = arith.truncf %v : f32 to f16
    linalg.yield %n : f16
  }
}

// What a computation loads itself takes no registers: 128 of held elements and 128 of these would be one more than a thread may have.
// REGISTERS: tile.stage %R
//--- registers.mlir
!V = memref<?xf32, strided<[1]>>
!c = memref<4096xf32, #tile.level<rf>>
!r = memref<128xf32, #tile.level<rf>>
#id = affine_map<(i) -> (i)>
tile.kernel @registers(%R: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (4096) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%t) in (4096) by (128) at smem on thread {
      %own = tile.part %c[%t] : !c to !r
      linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%own : !r) {
      ^bb0(%old: f32):
        %one = arith.constant 1.0 : f32
        %new = arith.addf %old, %one : f32
        linalg.yield %new : f32
      }
    }
    %r = tile.stage %R[%i] : !V to !c
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%r : !c) outs(%c : !c) {
    ^bb0(%factor: f32, %old: f32):
      %new = arith.mulf %old, %factor : f32
      linalg.yield %new : f32
    }
    tile.store %c to %Y[%i] : !c to !V
  }
}
