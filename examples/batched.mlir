// C[j] = A[j] B[j] for each j: products of small matrices, one block each of 64x64 results of one of them.
!G = memref<?x?x?xf32, strided<[?, ?, 1]>>
!sA = memref<1x64x16xf32, #tile.level<smem>>
!sB = memref<1x16x64xf32, #tile.level<smem>>
!c = memref<1x64x64xf32, #tile.level<rf>>
!p = memref<1x4x4xf32, #tile.level<rf>>
!ra = memref<1x4x1xf32, #tile.level<rf>>
!rb = memref<1x1x4xf32, #tile.level<rf>>
tile.kernel @batched(%A: !G[%J, %M, %K], %B: !G[%J, %K, %N], %C: !G[%J, %M, %N], %J: index, %M: index, %N: index, %K: index) {
  tile.for (%j, %m0, %n0) in (%J, %M, %N) by (1, 64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (16) at dram pipeline(3) {
      %a = tile.stage %A[%j, %m0, %k0] : !G to !sA
      %b = tile.stage %B[%j, %k0, %n0] : !G to !sB
      tile.for (%m1, %n1) in (64, 64) by (4, 4) at smem on thread {
        %cp = tile.part %c[0, %m1, %n1] : !c to !p
        tile.for (%k1) in (16) by (1) at smem {
          %ra = tile.stage %a[0, %m1, %k1] : !sA to !ra
          %rb = tile.stage %b[0, %k1, %n1] : !sB to !rb
          linalg.batch_matmul ins(%ra, %rb : !ra, !rb) outs(%cp : !p)
        }
      }
    }
    tile.store %c to %C[%j, %m0, %n0] : !c to !G
  }
}
