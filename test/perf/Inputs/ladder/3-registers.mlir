// A thread computes 8 rows of some columns: how many, and which tiles, is open.
!G = memref<?x?xf32>
!s = memref<?x?xf32, #tile.level<smem>>
!r = memref<?x?xf32, #tile.level<rf>>
tile.kernel @rung3(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (?, ?) at dram on block {
    %c = tile.hold init(0.0 : f32) : !r
    tile.for (%k0) in (%K) by (?) at dram {
      %sA = tile.stage %A[%m0, %k0] : !G to !s
      %sB = tile.stage %B[%k0, %n0] : !G to !s
      tile.for (%m1, %n1) in (?, ?) by (8, ?) at smem on thread {
        %q = tile.part %c[%m1, %n1] : !r to !r
        tile.for (%k1) in (?) by (1) at smem {
          %a = tile.stage %sA[%m1, %k1] : !s to !r
          %b = tile.stage %sB[%k1, %n1] : !s to !r
          linalg.matmul ins(%a, %b : !r, !r) outs(%q : !r)
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !r to !G
  }
}
