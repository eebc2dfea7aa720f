// As one first writes it: blocks of 16x16 threads, each of which computes one element of C from operands in DRAM.
!G = memref<?x?xf32>
!e = memref<1x1xf32, strided<[?, ?], offset: ?>>
!r = memref<1x1xf32, #tile.level<rf>>
tile.kernel @rung1(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (16, 16) at dram on block {
    tile.for (%m1, %n1) in (16, 16) by (1, 1) at dram on thread {
      %c = tile.hold init(0.0 : f32) : !r
      tile.for (%k) in (%K) by (1) at dram {
        %a = tile.part %A[%m0 + %m1, %k] : !G to !e
        %b = tile.part %B[%k, %n0 + %n1] : !G to !e
        linalg.matmul ins(%a, %b : !e, !e) outs(%c : !r)
      }
      tile.store %c to %C[%m0 + %m1, %n0 + %n1] : !r to !G
    }
  }
}
