// Too small a tile: 32x32 blocks reuse what they read from DRAM 32 times, an A100 needs 38.24. A block of k = K waits
// 19.12*K cycles for data and computes for 16*K.
// RUN: tilec-opt %s | FileCheck %s
// CHECK: tile.kernel @tile32
!G = memref<?x?xf32, strided<[?, ?]>>
!sA = memref<32x16xf32, #tile.level<smem>>
!sB = memref<16x32xf32, #tile.level<smem>>
!c = memref<32x32xf32, #tile.level<rf>>
!rA = memref<4x1xf32, #tile.level<rf>>
!rB = memref<1x4xf32, #tile.level<rf>>
!r = memref<4x4xf32, #tile.level<rf>>

tile.kernel @tile32(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(output_stationary) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (16) at dram {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      tile.for (%m1, %n1) in (32, 32) by (4, 4) at smem on thread {
        %r = tile.part %c[%m1, %n1] : !c to !r
        tile.for (%k1) in (16) by (1) at smem {
          %rA = tile.stage %sA[%m1, %k1] : !sA to !rA
          %rB = tile.stage %sB[%k1, %n1] : !sB to !rB
          linalg.matmul ins(%rA, %rB : !rA, !rB) outs(%r : !r)
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}
