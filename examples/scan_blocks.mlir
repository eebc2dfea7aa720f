// Y[i] = X[0] + ... + X[i - 1], a long row by many blocks, in three launches: sums of 2048 elements each, the sums of those before each of them, and the running sums
// within them.
!V = memref<?xi32>
!x = memref<8xi32, #tile.level<rf>>
!s = memref<1xi32, #tile.level<rf>>
#each = affine_map<(i) -> (i)>
#one = affine_map<(i) -> (0)>

tile.kernel @sums(%X: !V[%N], %P: !V[%B], %N: index, %B: index) {
  tile.for (%b) in (%B) by (1) at dram on block {
    %s = tile.hold init(0 : i32) : !s
    tile.for (%i) in (2048) by (8) at dram on thread reduce(add) {
      %x = tile.stage %X[2048 * %b + %i] : !V to !x
      linalg.generic {indexing_maps = [#each, #one], iterator_types = ["reduction"]} ins(%x : !x) outs(%s : !s) {
      ^bb0(%v: i32, %before: i32):
        %sum = arith.addi %before, %v : i32
        linalg.yield %sum : i32
      }
    }
    tile.store %s to %P[%b] : !s to !V
  }
}

// Of P[b] the sum of those before, in place.
tile.kernel @before(%P: !V[%B], %B: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    %s = tile.hold init(0 : i32) : !s
    tile.for (%i0) in (%B) by (2048) at dram {
      tile.for (%i1) in (2048) by (8) at dram on thread reduce(add) prefix {
        %x = tile.stage %P[%i0 + %i1] : !V to !x
        linalg.generic {indexing_maps = [#one, #each], iterator_types = ["reduction"]} outs(%s, %x : !s, !x) {
        ^bb0(%before: i32, %v: i32):
          %sum = arith.addi %before, %v : i32
          linalg.yield %sum, %before : i32, i32
        }
        tile.store %x to %P[%i0 + %i1] : !x to !V
      }
    }
  }
}

tile.kernel @within(%X: !V[%N], %P: !V[%B], %Y: !V[%N], %N: index, %B: index) {
  tile.for (%b) in (%B) by (1) at dram on block {
    %s = tile.hold init(0 : i32) : !s
    tile.for (%i) in (2048) by (8) at dram on thread reduce(add) prefix {
      %x = tile.stage %X[2048 * %b + %i] : !V to !x
      %p = tile.stage %P[%b] : !V to !s
      linalg.generic {indexing_maps = [#one, #one, #each], iterator_types = ["reduction"]} ins(%p : !s) outs(%s, %x : !s, !x) {
      ^bb0(%ahead: i32, %before: i32, %v: i32):
        %sum = arith.addi %before, %v : i32
        %all = arith.addi %ahead, %before : i32
        linalg.yield %sum, %all : i32, i32
      }
      tile.store %x to %Y[2048 * %b + %i] : !x to !V
    }
  }
}

tile.program @scan(%X: !V[%N], %Y: !V[%N], %N: index) {
  %c = arith.constant 2048 : index
  %B = arith.ceildivui %N, %c : index
  %P = tile.workspace [%B] : !V
  tile.run @sums(%X, %P, %N, %B) : !V, !V, index, index
  tile.run @before(%P, %B) : !V, index
  tile.run @within(%X, %P, %Y, %N, %B) : !V, !V, !V, index, index
}
