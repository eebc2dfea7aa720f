// RUN: tilec %s --target=sm80 --shape=n=100 --run=cpu --verify | FileCheck %s
// REQUIRES: host-compiler
// CHECK: random: all 100 elements of Y agree, largest error 0
// A tile that is held in a branch that all threads take or none, in each iteration of a loop; of 96 threads 64 fill and read it.
!V = memref<?xf32, strided<[?]>>
!s = memref<64xf32, #tile.level<smem>>
!c = memref<64xf32, #tile.level<rf>>
!r = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @held_branch(%X: !V[%N], %Y: !V[%N], %Z: !V[%N], %N: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  tile.for (%i) in (%N) by (96) at dram on block {
    tile.for (%t) in (96) by (1) at smem on thread {
      %x = tile.stage %X[%i + %t] : !V to !r
      tile.store %x to %Z[%i + %t] : !r to !V
    }
    tile.for (%k) in (3) by (1) at dram {
      %odd = arith.remsi %k, %c2 : index
      %even = arith.cmpi eq, %odd, %c0 : index
      scf.if %even {
        %s = tile.hold init(2.0 : f32) : !s
        %c = tile.hold init(0.0 : f32) : !c
        tile.for (%t) in (64) by (1) at smem on thread {
          %x = tile.stage %X[%i + %t] pad(zero) : !V to !r
          %p = tile.part %c[%t] : !c to !r
          linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : !r) outs(%p : !r) {
          ^bb0(%a: f32, %b: f32):
            %d = arith.addf %a, %b : f32
            linalg.yield %d : f32
          }
        }
        tile.store %c to %s[0] : !c to !s
        tile.for (%t) in (64) by (1) at smem on thread {
          %x = tile.stage %s[-%t + 63] : !s to !r
          tile.store %x to %Y[%i + %t] : !r to !V
        }
      }
    }
  }
}
