// C += A*B with k cut over blocks: each block multiplies one piece of k and adds its partial result to C. For few rows and
// columns and a long k, where one block for each tile of C would leave most of the machine idle.
!G = memref<?x?xf32, strided<[?, ?]>>
!sA = memref<64x16xf32, #tile.layout<"(64,16):(1,68)">, #tile.level<smem>>
!sB = memref<16x64xf32, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!rA = memref<4x1xf32, #tile.level<rf>>
!rB = memref<1x4xf32, #tile.level<rf>>
!r = memref<4x4xf32, #tile.level<rf>>

tile.kernel @split_k(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(split_reduction) {
  tile.for (%ks, %m0, %n0) in (%K, %M, %N) by (256, 64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (256) by (16) at dram {
      %sA = tile.stage %A[%m0, %ks + %k0] : !G to !sA
      %sB = tile.stage %B[%ks + %k0, %n0] : !G to !sB
      tile.for (%m1, %n1) in (64, 64) by (4, 4) at smem on thread {
        %r = tile.part %c[%m1, %n1] : !c to !r
        tile.for (%k1) in (16) by (1) at smem {
          %rA = tile.stage %sA[%m1, %k1] : !sA to !rA
          %rB = tile.stage %sB[%k1, %n1] : !sB to !rB
          linalg.matmul ins(%rA, %rB : !rA, !rB) outs(%r : !r)
        }
      }
    }
    tile.store %c to %C[%m0, %n0] combine(add) unordered : !c to !G
  }
}
