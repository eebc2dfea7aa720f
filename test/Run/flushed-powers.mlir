// An exp2 of f32 that may be approximated is one instruction, for which numbers below 2^-126 are zero; of other types, and without the flag, it is as exact as ever.
// RUN: tilec %s --target=sm90 --emit=cuda | FileCheck %s --check-prefix=TEXT
// REQUIRES: host-compiler
// RUN: tilec %s --target=sm90 --run=cpu --verify --shape=N=300 | FileCheck %s
// TEXT: ex2.approx.ftz.f32
// TEXT: = exp2_flushed(
// TEXT: exp2f(
// TEXT: exp2(
// CHECK: random: all 300 elements of X agree
// CHECK: random: all 300 elements of Y agree
// CHECK: random: all 300 elements of Z agree
#id = affine_map<(d0) -> (d0)>
!f = memref<1xf32, #tile.level<rf>>
!d = memref<1xf64, #tile.level<rf>>
tile.kernel @powers(%X: memref<?xf32>[%N], %Y: memref<?xf32>[%N], %Z: memref<?xf64>[%N], %N: index) {
  tile.for (%i) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%i + %t] : memref<?xf32> to !f
      %y = tile.stage %Y[%i + %t] : memref<?xf32> to !f
      %z = tile.stage %Z[%i + %t] : memref<?xf64> to !d
      linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} outs(%x, %y, %z : !f, !f, !d) {
      ^bb0(%a: f32, %b: f32, %c: f64):
        // Of numbers from -1 to 1, as random ones are, from -200 to 0: a third is below the bound.
        %span = arith.constant -200.0 : f32
        %size = math.absf %a : f32
        %low = arith.mulf %size, %span : f32
        %r = math.exp2 %low fastmath<afn> : f32
        %s = math.exp2 %b : f32
        %u = math.exp2 %c fastmath<afn> : f64
        linalg.yield %r, %s, %u : f32, f32, f64
      }
      tile.store %x to %X[%i + %t] : !f to memref<?xf32>
      tile.store %y to %Y[%i + %t] : !f to memref<?xf32>
      tile.store %z to %Z[%i + %t] : !d to memref<?xf64>
    }
  }
}
