// Y = X convolved with a 3x3 kernel W, zero outside: a block walks down a band of 64 columns, 6 rows and their halo at a time,
// in boxes that begin and end outside of X, at multiples of 16 bytes in its rows; a warp of its own asks for them, four at a time.
!G = memref<?x?xf32, strided<[?, 1]>>
!W = memref<3x3xf32>
!h = memref<8x72xf32, #tile.level<smem>>
!w = memref<3x6xf32, #tile.level<rf>>
!k = memref<3x3xf32, #tile.level<rf>>
!y = memref<1x4xf32, #tile.level<rf>>
tile.kernel @stencil_tma(%X: !G[%M, %N], %W: !W[3, 3], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%j0) in (%N) by (64) at dram on block {
    tile.for (%i0) in (%M) by (6) at dram pipeline(4) producers(1) {
      %s = tile.stage %X[%i0 - 1, %j0 - 4] pad(zero) copy(tma) : !G to !h
      tile.for (%i1, %j1) in (6, 64) by (1, 4) at smem on thread {
        %y = tile.hold init(0.0 : f32) : !y
        %x = tile.stage %s[%i1, %j1 + 3] : !h to !w
        %w = tile.stage %W[0, 0] : !W to !k
        linalg.generic {indexing_maps = [affine_map<(i, j, p, q) -> (i + p, j + q)>, affine_map<(i, j, p, q) -> (p, q)>,
                                         affine_map<(i, j, p, q) -> (i, j)>],
                        iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
            ins(%x, %w : !w, !k) outs(%y : !y) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %m = arith.mulf %a, %b : f32
          %r = arith.addf %c, %m : f32
          linalg.yield %r : f32
        }
        tile.store %y to %Y[%i0 + %i1, %j0 + %j1] : !y to !G
      }
    }
  }
}
