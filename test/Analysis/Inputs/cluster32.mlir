// Blocks of 32x32 in clusters of 2x2: what one block reads of A and B another one reads too.
!G = memref<?x?xf32, strided<[?, 1]>>
!sA = memref<32x16xf32, #tile.level<smem>>
!sB = memref<16x32xf32, #tile.level<smem>>
!c = memref<32x32xf32, #tile.level<rf>>
!rA = memref<4x1xf32, #tile.level<rf>>
!rB = memref<1x4xf32, #tile.level<rf>>
!r = memref<4x4xf32, #tile.level<rf>>

tile.kernel @cluster32(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(output_stationary) {
  tile.for (%mc, %nc) in (%M, %N) by (64, 64) at dram on cluster {
    tile.for (%m0, %n0) in (64, 64) by (32, 32) at dram on block {
      %c = tile.hold init(0.0 : f32) : !c
      tile.for (%k0) in (%K) by (16) at dram pipeline(2) producers(1) {
        %sA = tile.stage %A[%mc + %m0, %k0] copy(tma) : !G to !sA
        %sB = tile.stage %B[%k0, %nc + %n0] copy(tma) : !G to !sB
        tile.for (%m1, %n1) in (32, 32) by (4, 4) at smem on thread {
          %r = tile.part %c[%m1, %n1] : !c to !r
          tile.for (%k1) in (16) by (1) at smem {
            %rA = tile.stage %sA[%m1, %k1] : !sA to !rA
            %rB = tile.stage %sB[%k1, %n1] : !sB to !rB
            linalg.matmul ins(%rA, %rB : !rA, !rB) outs(%r : !r)
          }
        }
      }
      tile.store %c to %C[%mc + %m0, %nc + %n0] : !c to !G
    }
  }
}
