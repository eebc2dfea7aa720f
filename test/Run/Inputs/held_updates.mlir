// Rows are added up in shared memory by the threads that own the columns, in doubles, while other threads read what was there before.
!G = memref<?x?xf64, strided<[?, ?]>>
!s = memref<1x40xf64, #tile.level<smem>>
!p = memref<1x1xf64, #tile.level<smem>>
!r = memref<1x1xf64, #tile.level<rf>>
#ij = affine_map<(i, j) -> (i, j)>
tile.kernel @held_updates(%X: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%j) in (%N) by (40) at dram on block {
    %s = tile.hold init(0.5 : f64) : !s
    tile.for (%i) in (%M) by (1) at dram {
      tile.for (%t) in (40) by (1) at smem on thread {
        %x = tile.stage %X[%i, %j + %t] : !G to !r
        %p = tile.part %s[0, %t] : !s to !p
        linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : !r) outs(%p : !p) {
        ^bb0(%a: f64, %b: f64):
          %c = arith.addf %a, %b : f64
          linalg.yield %c : f64
        }
      }
      tile.for (%t) in (20) by (1) at smem on thread {
        tile.for (%u) in (2) by (1) at smem on unroll {
          %y = tile.stage %s[0, -%t - 20 * %u + 39] : !s to !r
          tile.store %y to %Y[%i, %j + %t + 20 * %u] : !r to !G
        }
      }
    }
  }
}
