// The tile sizes that feed an A100's CUDA cores: 64x64 blocks give DRAM -> smem the 38.24x reuse that it needs, 4x4
// threads give smem -> rf the 4x. k is cut into pieces of 16, which changes no reuse and fits shared memory.
// RUN: tilec-opt %s | FileCheck %s
// CHECK: tile.kernel @tile64
!G = memref<?x?xf32, strided<[?, ?]>>
!sA = memref<64x16xf32, #tile.level<smem>>
!sB = memref<16x64xf32, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!rA = memref<4x1xf32, #tile.level<rf>>
!rB = memref<1x4xf32, #tile.level<rf>>
!r = memref<4x4xf32, #tile.level<rf>>

tile.kernel @tile64(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(output_stationary) {
  tile.for (%m0, %n0) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (16) at dram {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      tile.for (%m1, %n1) in (64, 64) by (4, 4) at smem on thread {
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
