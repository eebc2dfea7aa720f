// Two teams of a warpgroup, in turn, wait for each product and store their sums from registers: their lanes meet at no barrier but those of the ring and of their turns.
!G = memref<?x?xbf16, strided<[?, 1]>>
!H = memref<?x?xf32, strided<[?, 1]>>
!sA = memref<64x32xbf16, #tile.level<smem>>
!sB = memref<32x32xbf16, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<16x32xbf16, #tile.level<smem>>
!c = memref<64x32xf32, #tile.level<rf>>
tile.kernel @tensor(%A: !G[%M, %K], %B: !G[%K, %N], %C: !H[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 32) at dram on block persistent teams(2) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (32) at dram pipeline(3) producers(1) release(end) {
      %sA = tile.stage %A[%m, %k] copy(tma) : !G to !sA
      %sB = tile.stage %B[%k, %n] copy(tma) : !G to !sB
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (32) by (16) at smem on unroll {
          %a = tile.part %sA[0, %k1] : !sA to !iA
          %b = tile.part %sB[%k1, 0] : !sB to !iB
          linalg.matmul ins(%a, %b : !iA, !iB) outs(%c : !c)
        }
      }
    }
    tile.store %c to %C[%m, %n] through(0) : !c to !H
  }
}
