// S[i] and A[i]: the greatest of row i of X and the first place of it. The threads of a block find the greatest of a row together, then the first place where it
// stands: two reductions, each in one order.
!G = memref<?x?xf32, strided<[?, 1]>>
!x = memref<1x4xf32, #tile.level<rf>>
!m = memref<1xf32, #tile.level<rf>>
!a = memref<1xi32, #tile.level<rf>>
tile.kernel @argmax(%X: !G[%M, %N], %S: memref<?xf32>[%M], %A: memref<?xi32>[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %m = tile.hold init(0xFF800000 : f32) : !m
    %a = tile.hold init(2147483647 : i32) : !a
    tile.for (%j1) in (1024) by (4) at dram on thread reduce(max) {
      tile.for (%j0) in (%N) by (1024) at dram {
        %x = tile.stage %X[%i, %j0 + %j1] : !G to !x
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%m : !m) {
        ^bb0(%v: f32, %old: f32):
          %r = arith.maximumf %old, %v : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.for (%j1) in (1024) by (4) at dram on thread reduce(min) {
      tile.for (%j0) in (%N) by (1024) at dram {
        %x = tile.stage %X[%i, %j0 + %j1] : !G to !x
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i)>],
                        iterator_types = ["parallel", "reduction"]} ins(%x, %m, %j0, %j1 : !x, !m, index, index) outs(%a : !a) {
        ^bb0(%v: f32, %most: f32, %step: index, %lane: index, %old: i32):
          %j = linalg.index 1 : index
          %sum = arith.addi %step, %lane : index
          %at = arith.addi %sum, %j : index
          %number = arith.index_cast %at : index to i32
          %none = arith.constant 2147483647 : i32
          %is = arith.cmpf oeq, %v, %most : f32
          %place = arith.select %is, %number, %none : i32
          %r = arith.minsi %old, %place : i32
          linalg.yield %r : i32
        }
      }
    }
    tile.store %m to %S[%i] : !m to memref<?xf32>
    tile.store %a to %A[%i] : !a to memref<?xi32>
  }
}
