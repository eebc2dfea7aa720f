// C = A*B with k shared among the blocks of a cluster: of each 64 steps along k every block takes 16. After the loop on block
// the first one reads the others' sums from their shared memory, so that none passes through L2. For few rows and columns and a
// long k, as split_k.mlir, but C is written once and need not be cleared before.
!G = memref<?x?xf32, strided<[?, ?]>>
!sA = memref<64x16xf32, #tile.layout<"(64,16):(1,68)">, #tile.level<smem>>
!sB = memref<16x64xf32, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!rA = memref<4x1xf32, #tile.level<rf>>
!rB = memref<1x4xf32, #tile.level<rf>>
!r = memref<4x4xf32, #tile.level<rf>>

tile.kernel @split_k_cluster(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(split_reduction) {
  tile.for (%m0, %n0) in (%M, %N) by (64, 64) at dram on cluster {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%ks) in (64) by (16) at dram on block reduce(add) {
      tile.for (%k0) in (%K) by (64) at dram pipeline(3) {
        %sA = tile.stage %A[%m0, %k0 + %ks] : !G to !sA
        %sB = tile.stage %B[%k0 + %ks, %n0] : !G to !sB
        tile.for (%m1, %n1) in (64, 64) by (4, 4) at smem on thread {
          %r = tile.part %c[%m1, %n1] : !c to !r
          tile.for (%k1) in (16) by (1) at smem {
            %rA = tile.stage %sA[%m1, %k1] : !sA to !rA
            %rB = tile.stage %sB[%k1, %n1] : !sB to !rB
            linalg.matmul ins(%rA, %rB : !rA, !rB) outs(%r : !r)
          }
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}
