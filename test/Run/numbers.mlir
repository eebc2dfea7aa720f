// S[i]: the greatest number of row i of X; a NaN beside numbers is none (maxnumf). Threads without a number of their own begin with NaN, which changes nothing.
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=m=5,n=37 | FileCheck %s
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=m=3,n=0 | FileCheck %s --check-prefix=NONE
// RUN: tilec %s --target=sm80 --emit=cuda | FileCheck %s --check-prefix=TEXT
// CHECK: integers: all 5 elements of S agree
// CHECK: random: all 5 elements of S agree
// NONE: integers: all 3 elements of S agree
!G = memref<?x?xf32, strided<[?, 1]>>
!x = memref<1x2xf32, #tile.level<rf>>
!s = memref<1xf32, #tile.level<rf>>
// TEXT: shfl_xor(
// TEXT: fmaxf(
tile.kernel @numbers(%X: !G[%m, %n], %S: memref<?xf32>[%m], %m: index, %n: index) {
  tile.for (%i) in (%m) by (1) at dram on block {
    %s = tile.hold init(0x7FC00000 : f32) : !s
    tile.for (%t) in (64) by (2) at dram on thread reduce(maxnum) {
      tile.for (%j) in (%n) by (64) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%s : !s) {
        ^bb0(%v: f32, %old: f32):
          %r = arith.maxnumf %v, %old : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %s to %S[%i] : !s to memref<?xf32>
  }
}
