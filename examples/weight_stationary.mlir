// C += A*B, weight-stationary: a block keeps its tile of B while all rows of A pass, and adds a partial result of each to C.
// B is read once; C is added to for each piece of k.
!G = memref<?x?xf32, strided<[?, ?]>>
!sA = memref<64x16xf32, #tile.layout<"(64,16):(1,68)">, #tile.level<smem>>
!sB = memref<16x64xf32, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!rA = memref<4x1xf32, #tile.level<rf>>
!rB = memref<1x4xf32, #tile.level<rf>>
!r = memref<4x4xf32, #tile.level<rf>>

tile.kernel @weight_stationary(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(weight_stationary) {
  tile.for (%k0, %n0) in (%K, %N) by (16, 64) at dram on block {
    %sB = tile.stage %B[%k0, %n0] : !G to !sB
    tile.for (%m0) in (%M) by (64) at dram {
      %c = tile.hold init(0.0 : f32) : !c
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      tile.for (%m1, %n1) in (64, 64) by (4, 4) at smem on thread {
        %r = tile.part %c[%m1, %n1] : !c to !r
        tile.for (%k1) in (16) by (1) at smem {
          %rA = tile.stage %sA[%m1, %k1] : !sA to !rA
          %rB = tile.stage %sB[%k1, %n1] : !sB to !rB
          linalg.matmul ins(%rA, %rB : !rA, !rB) outs(%r : !r)
        }
      }
      tile.store %c to %C[%m0, %n0] combine(add) unordered : !c to !G
    }
  }
}
