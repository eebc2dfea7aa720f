// What warps add to a tile in the steps of a loop is put together once, after it; where two loops in it add to the same tile, in each of them. Three warps, whose values
// pass through shared memory, 8 elements of f64 or 16 of f32 at most at a time.
// RUN: split-file %s %t
// RUN: tilec %t/once.mlir --target=h100 --run=cpu --verify --shape=M=29 | FileCheck %s
// RUN: tilec %t/once.mlir --target=h100 --run=cpu --verify --shape=M=1 | FileCheck %s
// RUN: tilec %t/twice.mlir --target=h100 --run=cpu --verify --shape=M=29 | FileCheck %s
// CHECK: integers: all 128 elements of Y agree, largest error 0
// CHECK: random: all 128 elements of Y agree
//--- once.mlir
!A = memref<?x128xf64>
!r = memref<1x4xf64, #tile.level<rf>>
!t = memref<128xf64, #tile.level<rf>>
!p = memref<4xf64, #tile.level<rf>>
tile.kernel @k(%X: !A[%M, 128], %Y: memref<128xf64>[128], %M: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    %y = tile.hold init(2.0 : f64) : !t
    tile.for (%i0) in (%M) by (12) at dram {
      tile.for (%w) in (12) by (4) at dram on warp reduce(add) {
        tile.for (%j) in (128) by (4) at dram on thread {
          tile.for (%i1) in (4) by (1) at dram {
            %x = tile.stage %X[%i0 + %w + %i1, %j] : !A to !r
            %q = tile.part %y[%j] : !t to !p
            linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
                ins(%x : !r) outs(%q : !p) {
            ^bb0(%a: f64, %old: f64):
              %s = arith.addf %old, %a : f64
              linalg.yield %s : f64
            }
          }
        }
      }
    }
    tile.store %y to %Y[0] : !t to memref<128xf64>
  }
}
//--- twice.mlir
!A = memref<?x128xf32>
!r = memref<1x4xf32, #tile.level<rf>>
!t = memref<128xf32, #tile.level<rf>>
!p = memref<4xf32, #tile.level<rf>>
tile.kernel @k(%X: !A[%M, 128], %Y: memref<128xf32>[128], %M: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    %y = tile.hold init(0.0 : f32) : !t
    tile.for (%i0) in (%M) by (12) at dram {
      tile.for (%w) in (12) by (4) at dram on warp reduce(add) {
        tile.for (%j) in (128) by (4) at dram on thread {
          tile.for (%i1) in (4) by (1) at dram {
            %x = tile.stage %X[%i0 + %w + %i1, %j] : !A to !r
            %q = tile.part %y[%j] : !t to !p
            linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
                ins(%x : !r) outs(%q : !p) {
            ^bb0(%a: f32, %old: f32):
              %s = arith.addf %old, %a : f32
              linalg.yield %s : f32
            }
          }
        }
      }
      tile.for (%w2) in (12) by (4) at dram on warp reduce(add) {
        tile.for (%j) in (128) by (4) at dram on thread {
          tile.for (%i1) in (4) by (1) at dram {
            %x = tile.stage %X[%i0 + %w2 + %i1, %j] : !A to !r
            %q = tile.part %y[%j] : !t to !p
            linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
                ins(%x : !r) outs(%q : !p) {
            ^bb0(%a: f32, %old: f32):
              %s = arith.addf %old, %a : f32
              linalg.yield %s : f32
            }
          }
        }
      }
    }
    tile.store %y to %Y[0] : !t to memref<128xf32>
  }
}
