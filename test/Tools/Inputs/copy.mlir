// Copies a vector: one load and one store for each element.
!G = memref<?xf32>
!x = memref<4xf32, #tile.level<rf>>
tile.kernel @copy(%X: !G[%N], %Y: !G[%N], %N: index) {
  tile.for (%i) in (%N) by (128) at dram on block {
    tile.for (%t) in (128) by (4) at dram on thread {
      %x = tile.stage %X[%i + %t] : !G to !x
      tile.store %x to %Y[%i + %t] : !x to !G
    }
  }
}
