// Y[i, :] = (X[i, :] - mean) / sqrt(variance + eps) * G + B for rows of any length: mean and variance in one pass by Welford's update, whose partial results are
// put together as T. F. Chan, G. H. Golub and R. J. LeVeque say (Updating Formulae and a Pairwise Algorithm for Computing Sample Variances, 1979); a second
// pass reads the row again and writes.
!G = memref<?x?xf32, strided<[?, 1]>>
!V = memref<?xf32>
!x = memref<1x4xf32, #tile.level<rf>>
!v = memref<4xf32, #tile.level<rf>>
!s = memref<1xf32, #tile.level<rf>>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i) -> ()>
#one = affine_map<(i) -> (i)>
tile.kernel @layer_norm(%X: !G[%M, %N], %G: !V[%N], %B: !V[%N], %Y: !G[%M, %N], %M: index, %N: index, %eps: f32) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %n = tile.hold init(0.0 : f32) : !s
    %mean = tile.hold init(0.0 : f32) : !s
    %squares = tile.hold init(0.0 : f32) : !s
    tile.for (%j1) in (1024) by (4) at dram on thread reduce(%n, %mean, %squares : !s, !s, !s) {
      tile.for (%j0) in (%N) by (1024) at dram {
        %x = tile.stage %X[%i, %j0 + %j1] : !G to !x
        linalg.generic {indexing_maps = [#all, #row, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%n, %mean, %squares : !s, !s, !s) {
        ^bb0(%v: f32, %count: f32, %m: f32, %s: f32):
          %one = arith.constant 1.0 : f32
          %more = arith.addf %count, %one : f32
          %d = arith.subf %v, %m : f32
          %move = arith.divf %d, %more : f32
          %new = arith.addf %m, %move : f32
          %e = arith.subf %v, %new : f32
          %square = arith.mulf %d, %e : f32
          %r = arith.addf %s, %square : f32
          linalg.yield %more, %new, %r : f32, f32, f32
        }
      }
    } combine (%n0: f32, %mean0: f32, %s0: f32, %n1: f32, %mean1: f32, %s1: f32) {
      // A thread may have had no element, and two of them neither.
      %one = arith.constant 1.0 : f32
      %count = arith.addf %n0, %n1 : f32
      %by = arith.maximumf %count, %one : f32
      %share = arith.divf %n1, %by : f32
      %d = arith.subf %mean1, %mean0 : f32
      %move = arith.mulf %d, %share : f32
      %m = arith.addf %mean0, %move : f32
      %far = arith.mulf %d, %move : f32
      %between = arith.mulf %far, %n0 : f32
      %inside = arith.addf %s0, %s1 : f32
      %s = arith.addf %inside, %between : f32
      tile.yield %count, %m, %s : f32, f32, f32
    }
    tile.for (%j1) in (1024) by (4) at dram on thread {
      %scale = tile.hold init(0.0 : f32) : !s
      linalg.generic {indexing_maps = [#one, #one, #none, #one], iterator_types = ["parallel"]} ins(%n, %squares, %eps : !s, !s, f32) outs(%scale : !s) {
      ^bb0(%count: f32, %s: f32, %e: f32, %old: f32):
        %variance = arith.divf %s, %count : f32
        %moved = arith.addf %variance, %e : f32
        %r = math.rsqrt %moved : f32
        linalg.yield %r : f32
      }
      tile.for (%j0) in (%N) by (1024) at dram {
        %x = tile.stage %X[%i, %j0 + %j1] : !G to !x
        %g = tile.stage %G[%j0 + %j1] : !V to !v
        %b = tile.stage %B[%j0 + %j1] : !V to !v
        linalg.generic {indexing_maps = [#row, #row, #column, #column, #all], iterator_types = ["parallel", "parallel"]}
            ins(%mean, %scale, %g, %b : !s, !s, !v, !v) outs(%x : !x) {
        ^bb0(%m: f32, %by: f32, %gain: f32, %bias: f32, %v: f32):
          %d = arith.subf %v, %m : f32
          %normal = arith.mulf %d, %by : f32
          %scaled = arith.mulf %normal, %gain : f32
          %r = arith.addf %scaled, %bias : f32
          linalg.yield %r : f32
        }
        tile.store %x to %Y[%i, %j0 + %j1] : !x to !G
      }
    }
  }
}
