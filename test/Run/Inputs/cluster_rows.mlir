// Y[i] = sum over n of X[i, n] * V[n], in clusters of three blocks of rows. V comes in one box of 128 elements, which four
// slices of whole 128 bytes make: not three, so that two blocks copy a half each.
!G = memref<?x?xf32, strided<[?, 1]>>
!V = memref<?xf32>
!x = memref<32x128xf32, strided<[132, 1]>, #tile.level<smem>>
!v = memref<128xf32, #tile.level<smem>>
!h = memref<32xf32, #tile.level<rf>>
!e = memref<1x1xf32, #tile.level<smem>>
!f = memref<1xf32, #tile.level<smem>>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @cluster_rows(%X: !G[%M, %N], %V: !V[%N], %Y: !V[%M], %M: index, %N: index) {
  tile.for (%ic) in (%M) by (96) at dram on cluster {
    tile.for (%i0) in (96) by (32) at dram on block {
      %y = tile.hold init(0.0 : f32) : !h
      tile.for (%n0) in (%N) by (128) at dram pipeline(2) producers(2) {
        %x = tile.stage %X[%ic + %i0, %n0] : !G to !x
        %v = tile.stage %V[%n0] copy(tma) : !V to !v
        tile.for (%i1) in (32) by (1) at smem on thread {
          tile.for (%n1) in (128) by (1) at smem {
            %a = tile.part %x[%i1, %n1] : !x to !e
            %b = tile.part %v[%n1] : !v to !f
            %r = tile.part %y[%i1] : !h to !r
            linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
                            iterator_types = ["parallel", "reduction"]} ins(%a, %b : !e, !f) outs(%r : !r) {
            ^bb0(%p: f32, %q: f32, %s: f32):
              %t = arith.mulf %p, %q : f32
              %u = arith.addf %s, %t : f32
              linalg.yield %u : f32
            }
          }
        }
      }
      tile.store %y to %Y[%ic + %i0] : !h to !V
    }
  }
}
