// Y = X convolved with a 3x3 kernel W, edges repeated: a thread holds the 6x6 elements that its 4x4 results take.
!G = memref<?x?xf32, strided<[?, ?]>>
!W = memref<3x3xf32>
!x = memref<6x6xf32, #tile.level<rf>>
!k = memref<3x3xf32, #tile.level<rf>>
!y = memref<4x4xf32, #tile.level<rf>>

tile.kernel @stencil(%X: !G[%M, %N], %W: !W[3, 3], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i0, %j0) in (%M, %N) by (16, 128) at dram on block {
    tile.for (%i1, %j1) in (16, 128) by (4, 4) at dram on thread {
      %y = tile.hold init(0.0 : f32) : !y
      %x = tile.stage %X[%i0 + %i1 - 1, %j0 + %j1 - 1] pad(clamp) : !G to !x
      %w = tile.stage %W[0, 0] : !W to !k
      linalg.generic {indexing_maps = [affine_map<(i, j, p, q) -> (i + p, j + q)>, affine_map<(i, j, p, q) -> (p, q)>,
                                       affine_map<(i, j, p, q) -> (i, j)>],
                      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
          ins(%x, %w : !x, !k) outs(%y : !y) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %m = arith.mulf %a, %b : f32
        %r = arith.addf %c, %m : f32
        linalg.yield %r : f32
      }
      tile.store %y to %Y[%i0 + %i1, %j0 + %j1] : !y to !G
    }
  }
}
