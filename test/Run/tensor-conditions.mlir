// Instructions of a warpgroup that a condition leaves out of some iterations: what they read is no more than predicted, and nothing is
// said of how much. K = 200 are four iterations, of which two multiply.
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=m=130,n=72,k=200 | FileCheck %s
// CHECK: integers: all 9360 elements of C agree, largest error 0
// CHECK: random: all 9360 elements of C agree
!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<64x64xbf16, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<16x64xbf16, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
tile.kernel @some(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (64) at dram pipeline(3) producers(1) {
      %sA = tile.stage %A[%m, %k] copy(tma) : !G to !sA
      %sB = tile.stage %B[%k, %n] copy(tma) : !G to !sA
      %most = arith.constant 128 : index
      %some = arith.cmpi ult, %k, %most : index
      scf.if %some {
        tile.for (%w) in (1) by (1) at smem on warpgroup {
          tile.for (%k1) in (64) by (16) at smem on unroll {
            %a = tile.part %sA[0, %k1] : !sA to !iA
            %b = tile.part %sB[%k1, 0] : !sA to !iB
            linalg.matmul ins(%a, %b : !iA, !iB) outs(%c : !c)
          }
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to memref<?x?xf32>
  }
}
