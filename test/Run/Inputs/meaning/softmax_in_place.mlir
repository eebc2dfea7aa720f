// Softmax of rows of up to 128 elements, in place in shared memory, as one would write it for whole rows.
!G = memref<?x?xf32>
!s = memref<1x128xf32, #tile.level<smem>>
!e = memref<1x1xf32, strided<[128, 1], offset: ?>, #tile.level<smem>>
!c = memref<1xf32, #tile.level<rf>>
!o = memref<1x1xf32, #tile.level<rf>>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
tile.kernel @softmax(%X: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%b) in (%M) by (1) at dram on block {
    %mx = tile.hold init(-1.0e30 : f32) : !c
    %sum = tile.hold init(0.0 : f32) : !c
    %s = tile.stage %X[%b, 0] : !G to !s
    tile.for (%j) in (128) by (1) at smem on thread reduce(max) {
      %e = tile.part %s[0, %j] : !s to !e
      linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%e : !e) outs(%mx : !c) {
      ^bb0(%a: f32, %m: f32):
        %y = arith.maximumf %m, %a : f32
        linalg.yield %y : f32
      }
    }
    tile.for (%j) in (128) by (1) at smem on thread {
      %e = tile.part %s[0, %j] : !s to !e
      linalg.generic {indexing_maps = [#i, #ij], iterator_types = ["parallel", "parallel"]} ins(%mx : !c) outs(%e : !e) {
      ^bb0(%m: f32, %a: f32):
        %d = arith.subf %a, %m : f32
        %y = math.exp %d : f32
        linalg.yield %y : f32
      }
    }
    tile.for (%j) in (128) by (1) at smem on thread reduce(add) {
      %e = tile.part %s[0, %j] : !s to !e
      linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%e : !e) outs(%sum : !c) {
      ^bb0(%a: f32, %m: f32):
        %y = arith.addf %m, %a : f32
        linalg.yield %y : f32
      }
    }
    tile.for (%j) in (128) by (1) at smem on thread {
      %e = tile.stage %s[0, %j] : !s to !o
      linalg.generic {indexing_maps = [#i, #ij], iterator_types = ["parallel", "parallel"]} ins(%sum : !c) outs(%e : !o) {
      ^bb0(%m: f32, %a: f32):
        %y = arith.divf %a, %m : f32
        linalg.yield %y : f32
      }
      tile.store %e to %Y[%b, %j] : !o to !G
    }
  }
}
