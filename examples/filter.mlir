// Y = X filtered with 5x5 coefficients W, zeros beyond the edges. W lies in constant memory: all lanes of a warp multiply by one coefficient at a time,
// which comes in one access and takes no register. A block stages its pixels with the halo; a thread has a row of 4 results.
!G = memref<?x?xf32, strided<[?, 1]>>
!W = memref<5x5xf32, #tile.level<constant>>
!x = memref<20x68xf32, #tile.level<smem>>
!rx = memref<5x8xf32, #tile.level<rf>>
!ry = memref<1x4xf32, #tile.level<rf>>
tile.kernel @filter(%X: !G[%M, %N], %W: !W[5, 5], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (16, 64) at dram on block {
    %x = tile.stage %X[%i - 2, %j - 2] pad(zero) : !G to !x
    tile.for (%r, %c) in (16, 64) by (1, 4) at smem on thread {
      %in = tile.stage %x[%r, %c] : !x to !rx
      %sum = tile.hold init(0.0 : f32) : !ry
      linalg.generic {indexing_maps = [affine_map<(i, j, p, q) -> (i + p, j + q)>, affine_map<(i, j, p, q) -> (p, q)>,
                                       affine_map<(i, j, p, q) -> (i, j)>],
                      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
          ins(%in, %W : !rx, !W) outs(%sum : !ry) {
      ^bb0(%a: f32, %b: f32, %s: f32):
        %p = arith.mulf %a, %b : f32
        %t = arith.addf %s, %p : f32
        linalg.yield %t : f32
      }
      tile.store %sum to %Y[%i + %r, %j + %c] : !ry to !G
    }
  }
}
