// H[b] += how many elements of X are b. Each block counts in shared memory, where its threads meet, and adds to DRAM once for each bin
// instead of once for each element; examples/histogram.mlir adds there right away. An index below 0 or beyond the bins has no meaning.
!X = memref<?xi32>
!H = memref<256xi32>
!one = memref<1xi32, #tile.level<rf>>
!counts = memref<256xi32, #tile.level<smem>>
tile.kernel @histogram_shared(%X: !X[%N], %H: !H[256], %N: index) {
  tile.for (%i0) in (%N) by (16384) at dram on block {
    %counts = tile.hold init(0 : i32) : !counts
    tile.for (%i1) in (16384) by (256) at dram {
      tile.for (%i2) in (256) by (1) at dram on thread {
        %one = tile.hold init(1 : i32) : !one
        tile.store %one to %counts[%i0 + %i1 + %i2] scatter(%X : !X along 0) combine(add) : !one to !counts
      }
    }
    tile.for (%b) in (256) by (1) at smem on thread {
      %some = tile.stage %counts[%b] : !counts to !one
      tile.store %some to %H[%b] combine(add) : !one to !H
    }
  }
}
