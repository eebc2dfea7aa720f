// Steps in time within one block: each reads what the threads have left in DRAM in the step before.
!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @jacobi(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    tile.for (%t) in (4) by (1) at dram {
      tile.for (%i) in (%N) by (32) at dram {
        tile.for (%j) in (32) by (1) at dram on thread {
          %l = tile.stage %X[%i + %j - 1] pad(clamp) : !V to !r
          %h = tile.stage %X[%i + %j + 1] pad(clamp) : !V to !r
          linalg.add ins(%l, %h : !r, !r) outs(%h : !r)
          tile.store %h to %Y[%i + %j] : !r to !V
        }
      }
      tile.for (%i) in (%N) by (32) at dram {
        tile.for (%j) in (32) by (1) at dram on thread {
          %l = tile.stage %Y[%i + %j - 1] pad(clamp) : !V to !r
          %h = tile.stage %Y[%i + %j + 1] pad(clamp) : !V to !r
          linalg.sub ins(%l, %h : !r, !r) outs(%h : !r)
          tile.store %h to %X[%i + %j] : !r to !V
        }
      }
    }
  }
}
