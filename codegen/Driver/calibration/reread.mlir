// S[r, i] = sum over j of X[i, j], for every r anew: rows that no L1 keeps and L2 holds, which blocks that run together read apart.
!G = memref<?x?xf32>
!x = memref<1x4xf32, #tile.level<rf>>
!s = memref<1x1xf32, #tile.level<rf>>

tile.kernel @reread(%X: !G[%I, %J], %S: !G[%R, %I], %R: index, %I: index, %J: index) {
  tile.for (%r, %i) in (%R, %I) by (1, 1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !s
    tile.for (%j1) in (1024) by (4) at dram on thread reduce(add) {
      tile.for (%j0) in (%J) by (1024) at dram {
        %x = tile.stage %X[%i, %j0 + %j1] : !G to !x
        linalg.generic {indexing_maps = [affine_map<(r, i, j) -> (i, j)>, affine_map<(r, i, j) -> (r, i)>],
                        iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : !x) outs(%s : !s) {
        ^bb0(%a: f32, %sum: f32):
          %next = arith.addf %sum, %a : f32
          linalg.yield %next : f32
        }
      }
    }
    tile.store %s to %S[%r, %i] : !s to !G
  }
}
