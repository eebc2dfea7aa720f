// Copies a tensor of seven dimensions.
!G = memref<?x?x?x?x?x?x?xf32, strided<[?, ?, ?, ?, ?, ?, ?]>>
!r = memref<1x1x1x1x1x1x1xf32, #tile.level<rf>>
tile.kernel @seven(%X: !G[%D0, %D1, %D2, %D3, %D4, %D5, %D6], %Y: !G[%D0, %D1, %D2, %D3, %D4, %D5, %D6],
                   %D0: index, %D1: index, %D2: index, %D3: index, %D4: index, %D5: index, %D6: index) {
  tile.for (%a, %b, %c, %d, %e, %f) in (%D0, %D1, %D2, %D3, %D4, %D5) by (1, 1, 1, 1, 1, 1) at dram on block {
    tile.for (%g) in (%D6) by (128) at dram {
      tile.for (%t) in (128) by (1) at dram on thread {
        %x = tile.stage %X[%a, %b, %c, %d, %e, %f, %g + %t] : !G to !r
        tile.store %x to %Y[%a, %b, %c, %d, %e, %f, %g + %t] : !r to !G
      }
    }
  }
}
