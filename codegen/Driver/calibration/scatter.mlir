// B = A^T, written by columns: each lane of a warp's store touches a line of its own.
!G = memref<?x?xf32>
!e = memref<1x1xf32, strided<[?, 1], offset: ?>>

tile.kernel @scatter(%A: !G[%M, %N], %B: !G[%N, %M], %M: index, %N: index) {
  tile.for (%i0, %j0) in (%M, %N) by (32, 32) at dram on block {
    tile.for (%q) in (32) by (8) at dram on unroll {
      tile.for (%i1, %j1) in (8, 32) by (1, 1) at dram on thread {
        %a = tile.part %A[%i0 + %q + %i1, %j0 + %j1] : !G to !e
        %b = tile.part %B[%j0 + %j1, %i0 + %q + %i1] : !G to !e
        linalg.transpose ins(%a : !e) outs(%b : !e) permutation = [1, 0]
      }
    }
  }
}
