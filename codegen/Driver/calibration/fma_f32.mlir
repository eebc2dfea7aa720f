// Each of 8x8 elements of Y, in registers, is 512 times multiplied by one element of X and added to another: products as fast as the f32 pipe takes them,
// which no compiler does ahead of the loop.
!V = memref<16xf32>
!Y = memref<?x8xf32>
!x = memref<8xf32, #tile.level<rf>>
!y = memref<8x8xf32, #tile.level<rf>>

tile.kernel @fma_f32(%X: !V[16], %Y: !Y[%M, 8], %M: index) {
  tile.for (%m0) in (%M) by (2048) at dram on block {
    tile.for (%m1) in (2048) by (8) at dram on thread {
      %a = tile.stage %X[0] : !V to !x
      %b = tile.stage %X[8] : !V to !x
      %y = tile.hold init(0.0 : f32) : !y
      tile.for (%k) in (512) by (1) at rf {
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                        iterator_types = ["parallel", "parallel"]} ins(%a, %b : !x, !x) outs(%y : !y) {
        ^bb0(%p: f32, %q: f32, %sum: f32):
          %scaled = arith.mulf %sum, %p : f32
          %next = arith.addf %scaled, %q : f32
          linalg.yield %next : f32
        }
      }
      tile.store %y to %Y[%m0 + %m1, 0] : !y to !Y
    }
  }
}
