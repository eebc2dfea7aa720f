// Z = X + Y for vectors of any length and stride; a thread adds four neighbours, 16 bytes at a time where they lie side by side.
!V = memref<?xf32, strided<[?]>>
!e = memref<4xf32, #tile.level<rf>>

tile.kernel @vecadd(%X: !V[%N], %Y: !V[%N], %Z: !V[%N], %N: index) {
  tile.for (%i0) in (%N) by (1024) at dram on block {
    tile.for (%i1) in (1024) by (4) at dram on thread {
      %x = tile.stage %X[%i0 + %i1] : !V to !e
      %y = tile.stage %Y[%i0 + %i1] : !V to !e
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%x : !e) outs(%y : !e) {
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        linalg.yield %s : f32
      }
      tile.store %y to %Z[%i0 + %i1] : !e to !V
    }
  }
}
