// Producers copy by TMA what warps multiply: tiles as ldmatrix reads them are tiles that TMA writes.
!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<64x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (64,64):(64,1)">, #tile.level<smem>>
!sB = memref<64x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (64,64):(64,1)">, #tile.level<smem>>
!rA = memref<32x16xbf16, #tile.level<rf>>
!rB = memref<16x32xbf16, #tile.level<rf>>
!iA = memref<16x16xbf16, #tile.level<rf>>
!iB = memref<16x8xbf16, #tile.level<rf>>
!iC = memref<16x8xf32, #tile.level<rf>>
!c = memref<64x64xf32, #tile.level<rf>>
tile.kernel @by_producers(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (64, 64) at dram on block persistent {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (64) at dram pipeline(2) producers(4) {
      %sA = tile.stage %A[%m0, %k0] copy(tma) : !G to !sA
      %sB = tile.stage %B[%k0, %n0] copy(tma) : !G to !sB
      tile.for (%mw, %nw) in (64, 64) by (32, 32) at smem on warp {
        tile.for (%k1) in (64) by (16) at smem {
          %rA = tile.stage %sA[%mw, %k1] : !sA to !rA
          %rB = tile.stage %sB[%k1, %nw] : !sB to !rB
          tile.for (%m1, %n1) in (32, 32) by (16, 8) at rf on unroll {
            %a = tile.part %rA[%m1, 0] : !rA to !iA
            %b = tile.part %rB[0, %n1] : !rB to !iB
            %s = tile.part %c[%mw + %m1, %nw + %n1] : !c to !iC
            linalg.matmul ins(%a, %b : !iA, !iB) outs(%s : !iC)
          }
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to memref<?x?xf32>
  }
}
