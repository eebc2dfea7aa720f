// D = (A B) C: a block of the first product stays in shared memory, where the second one reads it.
!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<64x16xf32, #tile.level<smem>>
!sb = memref<16x64xf32, #tile.level<smem>>
!h = memref<64x64xf32, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!p = memref<4x4xf32, #tile.level<rf>>
!ra = memref<4x1xf32, #tile.level<rf>>
!rb = memref<1x4xf32, #tile.level<rf>>
tile.kernel @chain(%A: !G[%M, %K], %B: !G[%K, %J], %C: !G[%J, %N], %D: !G[%M, %N], %M: index, %N: index, %K: index, %J: index) {
  tile.for (%m) in (%M) by (64) at dram on block {
    tile.for (%n) in (%N) by (64) at dram {
      %d = tile.hold init(0.0 : f32) : !c
      tile.for (%l) in (%J) by (64) at dram {
        %t = tile.hold init(0.0 : f32) : !c
        %h = tile.hold init(0.0 : f32) : !h
        tile.for (%k) in (%K) by (16) at dram {
          %a = tile.stage %A[%m, %k] : !G to !s
          %b = tile.stage %B[%k, %l] : !G to !sb
          tile.for (%m1, %l1) in (64, 64) by (4, 4) at smem on thread {
            %tp = tile.part %t[%m1, %l1] : !c to !p
            tile.for (%k1) in (16) by (1) at smem {
              %ra = tile.stage %a[%m1, %k1] : !s to !ra
              %rb = tile.stage %b[%k1, %l1] : !sb to !rb
              linalg.matmul ins(%ra, %rb : !ra, !rb) outs(%tp : !p)
            }
          }
        }
        tile.store %t to %h[0, 0] : !c to !h
        tile.for (%l2) in (64) by (16) at dram {
          %c = tile.stage %C[%l + %l2, %n] : !G to !sb
          tile.for (%m1, %n1) in (64, 64) by (4, 4) at smem on thread {
            %dp = tile.part %d[%m1, %n1] : !c to !p
            tile.for (%k1) in (16) by (1) at smem {
              %ra = tile.stage %h[%m1, %l2 + %k1] : !h to !ra
              %rb = tile.stage %c[%k1, %n1] : !sb to !rb
              linalg.matmul ins(%ra, %rb : !ra, !rb) outs(%dp : !p)
            }
          }
        }
      }
      tile.store %d to %D[%m, %n] : !c to !G
    }
  }
}
