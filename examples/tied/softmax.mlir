// Y[i, :] = softmax of X[i, :] for rows of any length: the greatest element and the sum of exponentials in one pass (M. Milakov, N. Gimelshein, Online normalizer
// calculation for softmax, arXiv 1805.02867); a second pass reads the row again and writes. Of four elements the greatest comes first, so that five exponentials do.
!G = memref<?x?xf32, strided<[?, 1]>>
!x = memref<1x4xf32, #tile.level<rf>>
!s = memref<1xf32, #tile.level<rf>>
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i) -> (i)>
tile.kernel @softmax(%X: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    // -2^126, far below any element, but finite: a difference of infinities is none.
    %most = tile.hold init(0xFE800000 : f32) : !s
    %sum = tile.hold init(0.0 : f32) : !s
    tile.for (%j1) in (1024) by (4) at dram on thread reduce(%most, %sum : !s, !s) {
      tile.for (%j0) in (%N) by (1024) at dram {
        %x = tile.stage %X[%i, %j0 + %j1] : !G to !x
        %top = tile.hold init(0xFE800000 : f32) : !s
        linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%top : !s) {
        ^bb0(%v: f32, %old: f32):
          %r = arith.maximumf %old, %v : f32
          linalg.yield %r : f32
        }
        linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]} ins(%top : !s) outs(%most, %sum : !s, !s) {
        ^bb0(%t: f32, %m: f32, %s: f32):
          %new = arith.maximumf %m, %t : f32
          %d = arith.subf %m, %new : f32
          %by = math.exp %d : f32
          %r = arith.mulf %s, %by : f32
          linalg.yield %new, %r : f32, f32
        }
        linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %most : !x, !s) outs(%sum : !s) {
        ^bb0(%v: f32, %m: f32, %s: f32):
          %d = arith.subf %v, %m : f32
          %e = math.exp %d : f32
          %r = arith.addf %s, %e : f32
          linalg.yield %r : f32
        }
      }
    } combine (%m0: f32, %s0: f32, %m1: f32, %s1: f32) {
      %m = arith.maximumf %m0, %m1 : f32
      %d0 = arith.subf %m0, %m : f32
      %d1 = arith.subf %m1, %m : f32
      %by0 = math.exp %d0 : f32
      %by1 = math.exp %d1 : f32
      %part0 = arith.mulf %s0, %by0 : f32
      %part1 = arith.mulf %s1, %by1 : f32
      %s = arith.addf %part0, %part1 : f32
      tile.yield %m, %s : f32, f32
    }
    tile.for (%j1) in (1024) by (4) at dram on thread {
      %scale = tile.hold init(1.0 : f32) : !s
      linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%sum : !s) outs(%scale : !s) {
      ^bb0(%total: f32, %one: f32):
        %r = arith.divf %one, %total : f32
        linalg.yield %r : f32
      }
      tile.for (%j0) in (%N) by (1024) at dram {
        %x = tile.stage %X[%i, %j0 + %j1] : !G to !x
        linalg.generic {indexing_maps = [#row, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%most, %scale : !s, !s) outs(%x : !x) {
        ^bb0(%m: f32, %by: f32, %v: f32):
          %d = arith.subf %v, %m : f32
          %e = math.exp %d : f32
          %r = arith.mulf %e, %by : f32
          linalg.yield %r : f32
        }
        tile.store %x to %Y[%i, %j0 + %j1] : !x to !G
      }
    }
  }
}
