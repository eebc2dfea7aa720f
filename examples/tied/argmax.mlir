// S[i] and A[i]: the greatest of row i of X and the first place of it, in one pass. The threads of a block walk a row together, each with a greatest number and
// its place; when they are done, of two such pairs the greater is kept, of equal ones the one with the lower place.
!G = memref<?x?xf32, strided<[?, 1]>>
!x = memref<1x4xf32, #tile.level<rf>>
!m = memref<1xf32, #tile.level<rf>>
!a = memref<1xi32, #tile.level<rf>>
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#none = affine_map<(i, j) -> ()>
tile.kernel @argmax(%X: !G[%M, %N], %S: memref<?xf32>[%M], %A: memref<?xi32>[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %m = tile.hold init(0xFF800000 : f32) : !m
    %a = tile.hold init(2147483647 : i32) : !a
    tile.for (%j1) in (1024) by (4) at dram on thread reduce(%m, %a : !m, !a) {
      tile.for (%j0) in (%N) by (1024) at dram {
        %x = tile.stage %X[%i, %j0 + %j1] : !G to !x
        linalg.generic {indexing_maps = [#all, #none, #none, #row, #row], iterator_types = ["parallel", "reduction"]}
            ins(%x, %j0, %j1 : !x, index, index) outs(%m, %a : !m, !a) {
        ^bb0(%v: f32, %step: index, %lane: index, %most: f32, %place: i32):
          %j = linalg.index 1 : index
          %sum = arith.addi %step, %lane : index
          %at = arith.addi %sum, %j : index
          %number = arith.index_cast %at : index to i32
          %more = arith.cmpf ogt, %v, %most : f32
          %same = arith.cmpf oeq, %v, %most : f32
          %before = arith.cmpi slt, %number, %place : i32
          %first = arith.andi %same, %before : i1
          %takes = arith.ori %more, %first : i1
          %value = arith.select %takes, %v, %most : f32
          %where = arith.select %takes, %number, %place : i32
          linalg.yield %value, %where : f32, i32
        }
      }
    } combine (%m0: f32, %a0: i32, %m1: f32, %a1: i32) {
      %more = arith.cmpf ogt, %m1, %m0 : f32
      %same = arith.cmpf oeq, %m1, %m0 : f32
      %before = arith.cmpi slt, %a1, %a0 : i32
      %first = arith.andi %same, %before : i1
      %takes = arith.ori %more, %first : i1
      %value = arith.select %takes, %m1, %m0 : f32
      %where = arith.select %takes, %a1, %a0 : i32
      tile.yield %value, %where : f32, i32
    }
    tile.store %m to %S[%i] : !m to memref<?xf32>
    tile.store %a to %A[%i] : !a to memref<?xi32>
  }
}
