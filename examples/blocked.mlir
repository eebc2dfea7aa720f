// Y = X with its layout changed: rows of X become tiles of 8x32 elements that lie side by side, as kernels that read whole tiles want them. Element (i, j) is
// element (i mod 8, j mod 32) of tile (i / 8, j / 32).
!X = memref<?x?xf32, strided<[?, 1]>>
!Y = memref<?x?x8x32xf32>
!x = memref<1x4xf32, #tile.level<rf>>
!y = memref<1x1x1x4xf32, #tile.level<rf>>
tile.kernel @blocked(%X: !X[%M, %N], %Y: !Y[%P, %Q, 8, 32], %M: index, %N: index, %P: index, %Q: index) {
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  tile.for (%i0, %j0) in (%M, %N) by (8, 128) at dram on block {
    tile.for (%i1, %j1) in (8, 128) by (1, 4) at dram on thread {
      %x = tile.stage %X[%i0 + %i1, %j0 + %j1] pad(zero) : !X to !x
      %y = tile.hold init(0.0 : f32) : !y
      linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
                      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : !x) outs(%y : !y) {
      ^bb0(%e: f32, %old: f32):
        linalg.yield %e : f32
      }
      %i = arith.addi %i0, %i1 : index
      %j = arith.addi %j0, %j1 : index
      %p = arith.divsi %i, %c8 : index
      %q = arith.divsi %j, %c32 : index
      %r = arith.remsi %i, %c8 : index
      %s = arith.remsi %j, %c32 : index
      tile.store %y to %Y[%p, %q, %r, %s] : !y to !Y
    }
  }
}
