// Y = L * B for a lower triangle L, of which a block of rows reads the columns up to its last row: as many steps as its place says, half of all on average.
// Elements above the diagonal in the last step's tiles are read too: they are to be zero.
!G = memref<?x?xf32, strided<[?, ?]>>
!sL = memref<64x16xf32, #tile.level<smem>>
!sB = memref<16x64xf32, #tile.level<smem>>
!y = memref<64x64xf32, #tile.level<rf>>
!yp = memref<4x4xf32, #tile.level<rf>>
!rl = memref<4x1xf32, #tile.level<rf>>
!rb = memref<1x4xf32, #tile.level<rf>>
tile.kernel @triangle(%L: !G[%M, %M], %B: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  %c64 = arith.constant 64 : index
  tile.for (%m0, %n0) in (%M, %N) by (64, 64) at dram on block {
    %y = tile.hold init(0.0 : f32) : !y
    %end = arith.addi %m0, %c64 : index
    tile.for (%k0) in (%end) by (16) at dram pipeline(3) {
      %l = tile.stage %L[%m0, %k0] : !G to !sL
      %b = tile.stage %B[%k0, %n0] : !G to !sB
      tile.for (%m1, %n1) in (64, 64) by (4, 4) at smem on thread {
        %yp = tile.part %y[%m1, %n1] : !y to !yp
        tile.for (%k1) in (16) by (1) at smem {
          %rl = tile.stage %l[%m1, %k1] : !sL to !rl
          %rb = tile.stage %b[%k1, %n1] : !sB to !rb
          linalg.matmul ins(%rl, %rb : !rl, !rb) outs(%yp : !yp)
        }
      }
    }
    tile.store %y to %Y[%m0, %n0] : !y to !G
  }
}
