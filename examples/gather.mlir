// Y[i, j] = E[I[i], j]: row I[i] of a table for each i, as a model looks up the vectors of its tokens. The indices say which rows threads load; how wide they
// load follows from the other dimension.
!E = memref<?x?xf32, strided<[?, 1]>>
!I = memref<?xi32>
!x = memref<1x4xf32, #tile.level<rf>>
tile.kernel @gather(%E: !E[%V, %D], %I: !I[%N], %Y: !E[%N, %D], %V: index, %D: index, %N: index) {
  tile.for (%i0, %j0) in (%N, %D) by (8, 128) at dram on block {
    tile.for (%i1, %j1) in (8, 128) by (1, 4) at dram on thread {
      %x = tile.stage %E[%i0 + %i1, %j0 + %j1] gather(%I : !I along 0) : !E to !x
      tile.store %x to %Y[%i0 + %i1, %j0 + %j1] : !x to !E
    }
  }
}
