// Sums of few results, cut among all blocks: what several threads of a block hold alike is left once, and the parts of a tile are asked for many at a time.
// REQUIRES: host-compiler
// RUN: split-file %s %t
// RUN: tilec %t/total.mlir --target=h100 --shape=N=5000001 --run=cpu --verify --emit=report -o %t.report | FileCheck %s --check-prefix=TOTAL
// RUN: FileCheck %s --check-prefix=TOTAL-BYTES < %t.report
// RUN: tilec %t/total.mlir --target=h100 --shape=N=1 --run=cpu --verify | FileCheck %s --check-prefix=ONE
// RUN: tilec %t/narrow.mlir --target=h100 --shape=M=20003,N=70 --run=cpu --verify --emit=report -o %t.report | FileCheck %s --check-prefix=NARROW
// RUN: FileCheck %s --check-prefix=NARROW-BYTES < %t.report
// RUN: tilec %t/total.mlir --target=h100 --emit=cuda -o - | FileCheck %s --check-prefix=CUDA

// TOTAL: integers: all 1 elements of Y agree, largest error 0
// TOTAL: random: all 1 elements of Y agree
// 77 steps of 65,536, a part each: 77 * 4 bytes are written, and read by each of 1024 threads.
// TOTAL-BYTES: sum_parts rf -> dram 308 308
// TOTAL-BYTES: sum_parts dram -> rf 315392 315392
// ONE: random: all 1 elements of Y agree
// NARROW: integers: all 70 elements of Y agree, largest error 0
// NARROW: random: all 70 elements of Y agree
// 2 tiles of 79 steps of 256 rows: 158 parts of 64 columns, which 16 rows of threads hold alike.
// NARROW-BYTES: sum_parts rf -> dram 40448 40448
// NARROW-BYTES: sum_parts dram -> rf 647168 647168
// The first thread leaves the block's sum, at the one place of its slot.
// CUDA: if ({{.*}}thread{{.*}} == 0) {
// CUDA-NEXT: sum_parts[
// CUDA: for (int from = {{.*}}; from += 16)
//--- total.mlir
!V = memref<?xf32>
!R = memref<1xf32>
!r = memref<1xf32, #tile.level<rf>>
!v = memref<4xf32, #tile.level<rf>>
tile.kernel @total(%X: !V[%N], %Y: !R[1], %N: index) {
  tile.for (%b) in (1) by (1) at dram on block persistent {
    %sum = tile.hold init(0.0 : f32) : !r
    tile.for (%k) in (%N) by (65536) at dram tail(cut) {
      tile.for (%t) in (4096) by (4) at dram on thread reduce(add) {
        tile.for (%u) in (65536) by (4096) at dram on unroll {
        %x = tile.stage %X[%k + %t + %u] : !V to !v
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : !v) outs(%sum : !r) {
        ^bb0(%v: f32, %s: f32):
          %t0 = arith.addf %s, %v : f32
          linalg.yield %t0 : f32
        }
        }
      }
    }
    tile.store %sum to %Y[%b] : !r to !R
  }
}
//--- narrow.mlir
!X = memref<?x?xf32>
!V = memref<?xf32>
!r = memref<64xf32, #tile.level<rf>>
!q = memref<4xf32, strided<[1], offset: ?>, #tile.level<rf>>
!v = memref<1x4xf32, #tile.level<rf>>
tile.kernel @narrow(%X: !X[%M, %N], %Y: !V[%N], %M: index, %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block persistent {
    %sum = tile.hold init(0.0 : f32) : !r
    tile.for (%m) in (%M) by (256) at dram tail(cut) {
      tile.for (%r, %c) in (16, 64) by (1, 4) at dram on thread reduce(add) {
        %s = tile.part %sum[%c] : !r to !q
        tile.for (%u) in (256) by (16) at dram on unroll {
        %x = tile.stage %X[%m + %u + %r, %b + %c] : !X to !v
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]} ins(%x : !v) outs(%s : !q) {
        ^bb0(%v: f32, %o: f32):
          %t0 = arith.addf %o, %v : f32
          linalg.yield %t0 : f32
        }
        }
      }
    }
    tile.store %sum to %Y[%b] : !r to !V
  }
}
