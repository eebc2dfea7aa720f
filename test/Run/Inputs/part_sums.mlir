// Sums over any number of threads of a block, of which others read the result: rows of 48 threads in a block of 96, 30 of 33 and 7 of them.
!G = memref<?x?xf32, strided<[?, ?]>>
!r = memref<1x1xf32, #tile.level<rf>>
!v = memref<3xf32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<rf>>
tile.kernel @part_sums(%X: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (3) at dram on block {
    %s = tile.hold init(0.5 : f32) : !v
    %m = tile.hold init(-100.0 : f32) : !e
    tile.for (%r, %t) in (3, 16) by (1, 1) at dram on thread reduce(add) {
      %sp = tile.part %s[%r] : !v to !e
      tile.for (%j) in (%N) by (16) at dram {
        %x = tile.stage %X[%i + %r, %j + %t] : !G to !r
        linalg.generic {indexing_maps = [affine_map<(i) -> (0, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : !r) outs(%sp : !e) {
        ^bb0(%a: f32, %b: f32):
          %c = arith.addf %b, %a : f32
          linalg.yield %c : f32
        }
      }
    }
    tile.for (%t) in (7) by (1) at dram on thread reduce(max) {
      tile.for (%j) in (%N) by (7) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !r
        linalg.generic {indexing_maps = [affine_map<(i) -> (0, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : !r) outs(%m : !e) {
        ^bb0(%a: f32, %b: f32):
          %c = arith.maximumf %b, %a : f32
          linalg.yield %c : f32
        }
      }
    }
    tile.for (%r, %t) in (3, 16) by (1, 1) at dram on thread {
      %sp = tile.part %s[%r] : !v to !e
      tile.for (%j) in (%N) by (16) at dram {
        %x = tile.stage %X[%i + %r, %j + %t] : !G to !r
        linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0)>, affine_map<(i) -> (0, i)>], iterator_types = ["parallel"]} ins(%sp, %m : !e, !e) outs(%x : !r) {
        ^bb0(%a: f32, %b: f32, %x1: f32):
          %c = arith.addf %a, %x1 : f32
          %d = arith.subf %c, %b : f32
          linalg.yield %d : f32
        }
        tile.store %x to %Y[%i + %r, %j + %t] : !r to !G
      }
    }
  }
}
