// Each of 4x4 elements of Y, in registers, is 512 times multiplied by one element of X and added to another: products as fast as the f64 pipe takes them,
// which no compiler does ahead of the loop.
!V = memref<8xf64>
!Y = memref<?x4xf64>
!x = memref<4xf64, #tile.level<rf>>
!y = memref<4x4xf64, #tile.level<rf>>

tile.kernel @fma_f64(%X: !V[8], %Y: !Y[%M, 4], %M: index) {
  tile.for (%m0) in (%M) by (1024) at dram on block {
    tile.for (%m1) in (1024) by (4) at dram on thread {
      %a = tile.stage %X[0] : !V to !x
      %b = tile.stage %X[4] : !V to !x
      %y = tile.hold init(0.0 : f64) : !y
      tile.for (%k) in (512) by (1) at rf {
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                        iterator_types = ["parallel", "parallel"]} ins(%a, %b : !x, !x) outs(%y : !y) {
        ^bb0(%p: f64, %q: f64, %sum: f64):
          %scaled = arith.mulf %sum, %p : f64
          %next = arith.addf %scaled, %q : f64
          linalg.yield %next : f64
        }
      }
      tile.store %y to %Y[%m0 + %m1, 0] : !y to !Y
    }
  }
}
