// Y[i, j] = X[i, 0] + ... + X[i, j]: running sums of rows, each row by a block, 1024 elements of it at a time. Each thread has 4 elements beside each other; `prefix`
// says that iterations come one after the other, so that the op that adds to %s has there the sum of all elements before. %s carries the sum to the next 1024.
!G = memref<?x?xf32, strided<[?, 1]>>
!x = memref<1x4xf32, #tile.level<rf>>
!s = memref<1xf32, #tile.level<rf>>
tile.kernel @scan(%X: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !s
    tile.for (%j0) in (%N) by (1024) at dram {
      tile.for (%j1) in (1024) by (4) at dram on thread reduce(add) prefix {
        %x = tile.stage %X[%i, %j0 + %j1] : !G to !x
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "reduction"]}
            outs(%s, %x : !s, !x) {
        ^bb0(%before: f32, %v: f32):
          %sum = arith.addf %before, %v : f32
          linalg.yield %sum, %sum : f32, f32
        }
        tile.store %x to %Y[%i, %j0 + %j1] : !x to !G
      }
    }
  }
}
