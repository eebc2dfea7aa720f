// B = A^T through shared memory: rows are read and written by consecutive threads, each of which stores a part of 16 rows; rows of 65 keep banks apart.
!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<64x64xf32, #tile.layout<"(64,64):(65,1)">, #tile.level<smem>>
!p = memref<1x16xf32, #tile.level<smem>>
!r = memref<16x1xf32, #tile.level<rf>>

tile.kernel @transpose64(%A: !G[%M, %N], %B: !G[%N, %M], %M: index, %N: index) {
  tile.for (%i0, %j0) in (%M, %N) by (64, 64) at dram on block {
    %s = tile.stage %A[%i0, %j0] : !G to !s
    tile.for (%j1, %i1) in (64, 64) by (16, 1) at smem on thread {
      %r = tile.hold init(0.0 : f32) : !r
      %p = tile.part %s[%i1, %j1] : !s to !p
      linalg.transpose ins(%p : !p) outs(%r : !r) permutation = [1, 0]
      tile.store %r to %B[%j0 + %j1, %i0 + %i1] : !r to !G
    }
  }
}
