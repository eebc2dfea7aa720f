// The sum of x + 1, computed in place: at the edge of X nothing is there to which 1 is added.
!V = memref<?xf32>
!s = memref<32xf32, #tile.level<smem>>
!e = memref<1xf32, strided<[1], offset: ?>, #tile.level<smem>>
!c = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @sum1(%X: !V[%N], %Y: memref<1xf32>[1], %N: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%i) in (%N) by (32) at dram {
      %s = tile.stage %X[%i] : !V to !s
      tile.for (%j) in (32) by (1) at smem on thread {
        %e = tile.part %s[%j] : !s to !e
        linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%e : !e) {
        ^bb0(%a: f32):
          %one = arith.constant 1.0 : f32
          %y = arith.addf %a, %one : f32
          linalg.yield %y : f32
        }
      }
      tile.for (%j) in (32) by (1) at smem on thread reduce(add) {
        %e = tile.part %s[%j] : !s to !e
        linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%e : !e) outs(%c : !c) {
        ^bb0(%a: f32, %b0: f32):
          %y = arith.addf %b0, %a : f32
          linalg.yield %y : f32
        }
      }
    }
    tile.store %c to %Y[0] : !c to memref<1xf32>
  }
}
