// Z = X, 16 bytes a thread: what kernels get of the bandwidth of DRAM; one element: what a launch takes.
!V = memref<?xf32>
!e = memref<4xf32, #tile.level<rf>>

tile.kernel @copy(%X: !V[%N], %Z: !V[%N], %N: index) {
  tile.for (%i0) in (%N) by (1024) at dram on block {
    tile.for (%i1) in (1024) by (4) at dram on thread {
      %x = tile.stage %X[%i0 + %i1] : !V to !e
      tile.store %x to %Z[%i0 + %i1] : !e to !V
    }
  }
}
