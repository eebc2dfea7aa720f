// S[i] = sum over j of X[i, j]: the threads of a block add up one row.
!G = memref<?x?xf32, strided<[?, ?]>>
!V = memref<?xf32, strided<[?]>>
!x = memref<1x4xf32, #tile.level<rf>>
!s = memref<1xf32, #tile.level<rf>>

tile.kernel @rowsum(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !s
    tile.for (%j1) in (1024) by (4) at dram on thread reduce(add) {
      tile.for (%j0) in (%N) by (1024) at dram {
        %x = tile.stage %X[%i, %j0 + %j1] : !G to !x
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                        iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%s : !s) {
        ^bb0(%a: f32, %sum: f32):
          %r = arith.addf %sum, %a : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %s to %S[%i] : !s to !V
  }
}
