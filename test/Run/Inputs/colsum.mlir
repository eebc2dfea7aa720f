// S[j] += the sum over i of X[i, j]: a block adds up 256 rows of 128 columns, eight rows at a time, and adds them to S.
!G = memref<?x?xf32, strided<[?, ?]>>
!V = memref<?xf32>
!x = memref<1x4xf32, #tile.level<rf>>
!s = memref<128xf32, #tile.level<rf>>
!p = memref<4xf32, #tile.level<rf>>

tile.kernel @colsum(%X: !G[%M, %N], %S: !V[%N], %M: index, %N: index) {
  tile.for (%i0, %j0) in (%M, %N) by (256, 128) at dram on block {
    %s = tile.hold init(0.0 : f32) : !s
    tile.for (%i2, %j1) in (8, 128) by (1, 4) at dram on thread reduce(add) {
      %p = tile.part %s[%j1] : !s to !p
      tile.for (%i1) in (256) by (8) at dram {
        %x = tile.stage %X[%i0 + %i1 + %i2, %j0 + %j1] : !G to !x
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
            ins(%x : !x) outs(%p : !p) {
        ^bb0(%v: f32, %old: f32):
          %r = arith.addf %old, %v : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %s to %S[%j0] combine(add) unordered : !s to !V
  }
}
