// Y[i, :] = softmax of X[i, :] in one pass: the threads of a block keep a row in registers.
!G = memref<?x8192xf32>
!x = memref<1x8192xf32, #tile.level<rf>>
!p = memref<1x4xf32, #tile.level<rf>>
!s = memref<1xf32, #tile.level<rf>>
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

tile.kernel @softmax(%X: !G[%M, 8192], %Y: !G[%M, 8192], %M: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %x = tile.stage %X[%i, 0] : !G to !x
    %most = tile.hold init(0xFF800000 : f32) : !s
    tile.for (%j1) in (1024) by (4) at dram on thread reduce(max) {
      tile.for (%j0) in (8192) by (1024) at rf on unroll {
        %p = tile.part %x[0, %j0 + %j1] : !x to !p
        linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%p : !p) outs(%most : !s) {
        ^bb0(%v: f32, %old: f32):
          %r = arith.maximumf %old, %v : f32
          linalg.yield %r : f32
        }
      }
    }
    %sum = tile.hold init(0.0 : f32) : !s
    tile.for (%j1) in (1024) by (4) at dram on thread reduce(add) {
      tile.for (%j0) in (8192) by (1024) at rf on unroll {
        %p = tile.part %x[0, %j0 + %j1] : !x to !p
        linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%most : !s) outs(%p : !p) {
        ^bb0(%m: f32, %v: f32):
          %d = arith.subf %v, %m : f32
          %e = math.exp %d : f32
          linalg.yield %e : f32
        }
        linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%p : !p) outs(%sum : !s) {
        ^bb0(%v: f32, %old: f32):
          %r = arith.addf %old, %v : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.for (%j1) in (1024) by (4) at dram on thread {
      %scale = tile.hold init(1.0 : f32) : !s
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%sum : !s) outs(%scale : !s) {
      ^bb0(%total: f32, %one: f32):
        %r = arith.divf %one, %total : f32
        linalg.yield %r : f32
      }
      tile.for (%j0) in (8192) by (1024) at rf on unroll {
        %p = tile.part %x[0, %j0 + %j1] : !x to !p
        linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%scale : !s) outs(%p : !p) {
        ^bb0(%by: f32, %v: f32):
          %r = arith.mulf %v, %by : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %x to %Y[%i, 0] : !x to !G
  }
}
