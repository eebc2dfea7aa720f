// The tiles of a ring are updated in place and then read by other threads.
!G = memref<?x?xf32>
!V = memref<?xf32>
!s = memref<32x4xf32, #tile.level<smem>>
!e = memref<1x4xf32, strided<[4, 1], offset: ?>, #tile.level<smem>>
!c = memref<32xf32, #tile.level<rf>>
!p = memref<1xf32, #tile.level<rf>>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
tile.kernel @pipe(%X: !G[%M, %N], %Y: !V[%M], %M: index, %N: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%N) by (4) at dram pipeline(3) {
      %s = tile.stage %X[%b, %k] : !G to !s
      tile.for (%j) in (32) by (1) at smem on thread {
        %e = tile.part %s[%j, 0] : !s to !e
        linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} outs(%e : !e) {
        ^bb0(%a: f32):
          %one = arith.constant 1.0 : f32
          %y = arith.addf %a, %one : f32
          linalg.yield %y : f32
        }
      }
      tile.for (%j) in (32) by (1) at smem on thread {
        %e = tile.part %s[31 - %j, 0] : !s to !e
        %p = tile.part %c[%j] : !c to !p
        linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%e : !e) outs(%p : !p) {
        ^bb0(%a: f32, %b0: f32):
          %y = arith.addf %b0, %a : f32
          linalg.yield %y : f32
        }
      }
    }
    tile.store %c to %Y[%b] : !c to !V
  }
}
