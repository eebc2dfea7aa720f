// H[b] += how many elements of X are b: each thread adds ones where its elements say. Blocks and threads meet in no order, which integers do not show.
!X = memref<?xi32>
!one = memref<4xi32, #tile.level<rf>>
tile.kernel @histogram(%X: !X[%N], %H: !X[%B], %N: index, %B: index) {
  tile.for (%i0) in (%N) by (1024) at dram on block {
    tile.for (%i1) in (1024) by (4) at dram on thread {
      %one = tile.hold init(1 : i32) : !one
      tile.store %one to %H[%i0 + %i1] scatter(%X : !X along 0) combine(add) : !one to !X
    }
  }
}
