// Y = N times the product of two rows of X, all of it in registers: products as fast as the f64 pipe takes them.
!V = memref<?xf64>
!Y = memref<?x4xf64>
!x = memref<4xf64, #tile.level<rf>>
!y = memref<4x4xf64, #tile.level<rf>>

tile.kernel @fma_f64(%X: !V[%N], %Y: !Y[%M, 4], %N: index, %M: index) {
  tile.for (%m0) in (%M) by (1024) at dram on block {
    tile.for (%m1) in (1024) by (4) at dram on thread {
      %a = tile.stage %X[0] : !V to !x
      %b = tile.stage %X[4] : !V to !x
      %y = tile.hold init(0.0 : f64) : !y
      tile.for (%k) in (%N) by (1) at rf {
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                        iterator_types = ["parallel", "parallel"]} ins(%a, %b : !x, !x) outs(%y : !y) {
        ^bb0(%p: f64, %q: f64, %sum: f64):
          %pq = arith.mulf %p, %q : f64
          %next = arith.addf %sum, %pq : f64
          linalg.yield %next : f64
        }
      }
      tile.store %y to %Y[%m0 + %m1, 0] : !y to !Y
    }
  }
}
