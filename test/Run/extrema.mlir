// maximumf and minimumf of zeros of both signs, which products of whole numbers make often: equal to the bit.
// REQUIRES: host-compiler
// RUN: tilec %s --emit=cuda -o - | FileCheck %s --check-prefix=TEXT
// RUN: tilec %s --run=cpu --verify --shape=n=100 2>&1 | FileCheck %s
// CHECK: integers: all 100 elements of Y agree
// CHECK: integers: all 100 elements of Z agree
// TEXT: max.NaN.f32
// TEXT: min.f64
// TEXT: max_nan(
// TEXT: min_nan(
!V = memref<?xf32>
!W = memref<?xf64>
!e = memref<1xf32, strided<[?], offset: ?>>
!d = memref<1xf64, strided<[?], offset: ?>>

tile.kernel @extrema(%A: !V[%N], %B: !V[%N], %Y: !V[%N], %C: !W[%N], %D: !W[%N], %Z: !W[%N], %N: index) {
  tile.for (%i0) in (%N) by (32) at dram on block {
    tile.for (%i1) in (32) by (1) at dram on thread {
      %a = tile.part %A[%i0 + %i1] : !V to !e
      %b = tile.part %B[%i0 + %i1] : !V to !e
      %y = tile.part %Y[%i0 + %i1] : !V to !e
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                      iterator_types = ["parallel"]} ins(%a, %b : !e, !e) outs(%y : !e) {
      ^bb0(%p: f32, %q: f32, %o: f32):
        %zero = arith.constant 0.0 : f32
        %x = arith.mulf %p, %zero : f32
        %z = arith.mulf %q, %zero : f32
        %r = arith.maximumf %x, %z : f32
        linalg.yield %r : f32
      }
      %c = tile.part %C[%i0 + %i1] : !W to !d
      %d = tile.part %D[%i0 + %i1] : !W to !d
      %w = tile.part %Z[%i0 + %i1] : !W to !d
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                      iterator_types = ["parallel"]} ins(%c, %d : !d, !d) outs(%w : !d) {
      ^bb0(%p: f64, %q: f64, %o: f64):
        %zero = arith.constant 0.0 : f64
        %x = arith.mulf %p, %zero : f64
        %z = arith.mulf %q, %zero : f64
        %r = arith.minimumf %x, %z : f64
        linalg.yield %r : f64
      }
    }
  }
}
