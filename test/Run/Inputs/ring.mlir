// Y[i, j] = sum over n of X[i, n + j - 1] for j = 0, 1, 2: rows of X with a halo come in boxes
// that begin at multiples of 16 bytes, filled with zero outside.
!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<32x40xf32, #tile.level<smem>>
!e = memref<1x1xf32, #tile.level<smem>>
!c = memref<32x3xf32, #tile.level<rf>>
!r = memref<1x1xf32, #tile.level<rf>>
tile.kernel @ring(%X: !G[%M, %N], %Y: !G[%M, %J], %M: index, %N: index, %J: index) {
  tile.for (%m0) in (%M) by (32) at dram on block persistent {
    %y = tile.hold init(0.0 : f32) : !c
    tile.for (%n0) in (%N) by (32) at dram pipeline(3) producers(2) {
      %x = tile.stage %X[%m0, %n0 - 4] pad(zero) copy(tma) : !G to !s
      tile.for (%m1) in (32) by (1) at smem on thread {
        tile.for (%j) in (3) by (1) at smem on thread {
          tile.for (%n1) in (32) by (1) at smem {
            %a = tile.part %x[%m1, %n1 + %j + 3] : !s to !e
            %b = tile.part %y[%m1, %j] : !c to !r
            linalg.add ins(%a, %b : !e, !r) outs(%b : !r)
          }
        }
      }
    }
    tile.store %y to %Y[%m0, 0] : !c to !G
  }
}
