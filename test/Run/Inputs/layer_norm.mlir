// Y[i, :] = (X[i, :] - mean) / sqrt(variance + eps) * G + B in one pass: the threads of a block keep a row in registers.
!G = memref<?x8192xf32>
!V = memref<8192xf32>
!x = memref<1x8192xf32, #tile.level<rf>>
!p = memref<1x4xf32, #tile.level<rf>>
!v = memref<4xf32, #tile.level<rf>>
!s = memref<1xf32, #tile.level<rf>>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i) -> (i)>

tile.kernel @layer_norm(%X: !G[%M, 8192], %G: !V[8192], %B: !V[8192], %Y: !G[%M, 8192], %M: index, %eps: f32) {
  %n = arith.constant 8192.0 : f32
  tile.for (%i) in (%M) by (1) at dram on block {
    %x = tile.stage %X[%i, 0] : !G to !x
    %sum = tile.hold init(0.0 : f32) : !s
    tile.for (%j1) in (1024) by (4) at dram on thread reduce(add) {
      tile.for (%j0) in (8192) by (1024) at rf on unroll {
        %p = tile.part %x[0, %j0 + %j1] : !x to !p
        linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%p : !p) outs(%sum : !s) {
        ^bb0(%v: f32, %old: f32):
          %r = arith.addf %old, %v : f32
          linalg.yield %r : f32
        }
      }
    }
    %squares = tile.hold init(0.0 : f32) : !s
    tile.for (%j1) in (1024) by (4) at dram on thread reduce(add) {
      tile.for (%j0) in (8192) by (1024) at rf on unroll {
        %p = tile.part %x[0, %j0 + %j1] : !x to !p
        linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%sum : !s) outs(%p : !p) {
        ^bb0(%total: f32, %v: f32):
          %mean = arith.divf %total, %n : f32
          %d = arith.subf %v, %mean : f32
          linalg.yield %d : f32
        }
        linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%p : !p) outs(%squares : !s) {
        ^bb0(%d: f32, %old: f32):
          %d2 = arith.mulf %d, %d : f32
          %r = arith.addf %old, %d2 : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.for (%j1) in (1024) by (4) at dram on thread {
      %scale = tile.hold init(0.0 : f32) : !s
      linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%squares : !s) outs(%scale : !s) {
      ^bb0(%total: f32, %zero: f32):
        %variance = arith.divf %total, %n : f32
        %above = arith.addf %variance, %eps : f32
        %r = math.rsqrt %above : f32
        linalg.yield %r : f32
      }
      tile.for (%j0) in (8192) by (1024) at rf on unroll {
        %p = tile.part %x[0, %j0 + %j1] : !x to !p
        %g = tile.stage %G[%j0 + %j1] : !V to !v
        %b = tile.stage %B[%j0 + %j1] : !V to !v
        linalg.generic {indexing_maps = [#row, #column, #column, #all], iterator_types = ["parallel", "parallel"]}
            ins(%scale, %g, %b : !s, !v, !v) outs(%p : !p) {
        ^bb0(%by: f32, %weight: f32, %bias: f32, %v: f32):
          %normal = arith.mulf %v, %by : f32
          %weighted = arith.mulf %normal, %weight : f32
          %r = arith.addf %weighted, %bias : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %x to %Y[%i, 0] : !x to !G
  }
}
