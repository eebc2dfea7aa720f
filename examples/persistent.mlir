// C = A*B by as many blocks as the device runs at once. Tiles beyond whole waves that leave a 16th of it idle come first, by all blocks
// together: each takes an even share of their steps along k, and the last to finish a part of a tile adds the parts.
!G = memref<?x?xf32, strided<[?, ?]>>
!sA = memref<128x16xf32, #tile.layout<"(128,16):(1,132)">, #tile.level<smem>>
!sB = memref<16x128xf32, #tile.level<smem>>
!c = memref<128x128xf32, #tile.level<rf>>
!rA = memref<128x1xf32, #tile.level<rf>>
!rB = memref<1x128xf32, #tile.level<rf>>
!qA = memref<4x1xf32, #tile.level<rf>>
!qB = memref<1x4xf32, #tile.level<rf>>
!q = memref<4x4xf32, #tile.level<rf>>


tile.kernel @persistent(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(output_stationary) {
  tile.for (%m0, %n0) in (%M, %N) by (128, 128) at dram on block persistent raster(grouped = 8) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (16) at dram tail(cut, 16, 16, 1) pipeline(3) {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      tile.for (%k1) in (16) by (1) at smem pipeline(2) {
        %rA = tile.stage %sA[0, %k1] : !sA to !rA
        %rB = tile.stage %sB[%k1, 0] : !sB to !rB
        tile.for (%mq, %nq) in (128, 128) by (64, 64) at rf on unroll {
          tile.for (%m1, %n1) in (64, 64) by (4, 4) at rf on thread {
            %a = tile.part %rA[%mq + %m1, 0] : !rA to !qA
            %b = tile.part %rB[0, %nq + %n1] : !rB to !qB
            %q = tile.part %c[%mq + %m1, %nq + %n1] : !c to !q
            linalg.matmul ins(%a, %b : !qA, !qB) outs(%q : !q)
          }
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}
