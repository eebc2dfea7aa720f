// A product of bf16 matrices: blocks of 128x128, 8x8 elements a thread.
!G = memref<?x?xbf16, strided<[?, ?]>>
!C = memref<?x?xf32, strided<[?, ?]>>
!sA = memref<128x32xbf16, #tile.level<smem>>
!sB = memref<32x128xbf16, #tile.level<smem>>
!c = memref<128x128xf32, #tile.level<rf>>
!rA = memref<8x1xbf16, #tile.level<rf>>
!rB = memref<1x8xbf16, #tile.level<rf>>
!r = memref<8x8xf32, #tile.level<rf>>

tile.kernel @bf16(%A: !G[%M, %K], %B: !G[%K, %N], %C: !C[%M, %N], %M: index, %N: index, %K: index)
    dataflow(output_stationary) {
  tile.for (%m0, %n0) in (%M, %N) by (128, 128) at dram on block raster(grouped = 8) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (32) at dram pipeline(4) {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      tile.for (%m1, %n1) in (128, 128) by (8, 8) at smem on thread {
        %r = tile.part %c[%m1, %n1] : !c to !r
        tile.for (%k1) in (32) by (1) at smem {
          %rA = tile.stage %sA[%m1, %k1] : !sA to !rA
          %rB = tile.stage %sB[%k1, %n1] : !sB to !rB
          linalg.matmul {tile.instruction = "wgmma.m64n128k16"} ins(%rA, %rB : !rA, !rB) outs(%r : !r)
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !C
  }
}
