// B = A^T, a band of 32 rows a block: a warp of its own asks for boxes of 32x32, three at a time.
!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<32x32xf32, #tile.level<smem>>
!p = memref<1x1xf32, #tile.level<smem>>
!e = memref<1x1xf32, strided<[?, 1], offset: ?>>
tile.kernel @transpose_tma(%A: !G[%M, %N], %B: !G[%N, %M], %M: index, %N: index) {
  tile.for (%i0) in (%M) by (32) at dram on block {
    tile.for (%j0) in (%N) by (32) at dram pipeline(3) producers(1) {
      %s = tile.stage %A[%i0, %j0] copy(tma) : !G to !s
      tile.for (%q) in (32) by (8) at smem on unroll {
        tile.for (%j1, %i1) in (8, 32) by (1, 1) at smem on thread {
          %p = tile.part %s[%i1, %q + %j1] : !s to !p
          %b = tile.part %B[%j0 + %q + %j1, %i0 + %i1] : !G to !e
          linalg.transpose ins(%p : !p) outs(%b : !e) permutation = [1, 0]
        }
      }
    }
  }
}
