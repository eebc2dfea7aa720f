// Products of f32 that the body rounds to tf32, on tensor cores and by each thread: the same to the bit, but for the order of sums.
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=m=130,n=72,k=68 | FileCheck %s
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=m=65,n=9,k=35 | FileCheck %s
// CHECK: tensor on the emulator
// CHECK: integers: all {{[0-9]+}} elements of C agree, largest error 0
// CHECK: random: all {{[0-9]+}} elements of C agree
// CHECK: threads on the emulator
// CHECK: integers: all {{[0-9]+}} elements of C agree, largest error 0
// CHECK: random: all {{[0-9]+}} elements of C agree
!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<64x32xf32, #tile.level<smem>>
!i = memref<64x8xf32, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!t = memref<4x4xf32, #tile.level<rf>>
!r = memref<4x1xf32, #tile.level<rf>>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
tile.kernel @tensor(%A: !G[%M, %K], %B: !G[%N, %K], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (32) at dram pipeline(3) producers(1) {
      %sA = tile.stage %A[%m, %k] copy(tma) : !G to !s
      %sB = tile.stage %B[%n, %k] copy(tma) : !G to !s
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (32) by (8) at smem on unroll {
          %x = tile.part %sA[0, %k1] : !s to !i
          %y = tile.part %sB[0, %k1] : !s to !i
          linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : !i, !i) outs(%c : !c) {
          ^bb0(%p: f32, %q: f32, %sum: f32):
            %p1 = arith.truncf %p toward_zero : f32 to tf32
            %q1 = arith.truncf %q toward_zero : f32 to tf32
            %p2 = arith.extf %p1 : tf32 to f32
            %q2 = arith.extf %q1 : tf32 to f32
            %product = arith.mulf %p2, %q2 : f32
            %total = arith.addf %sum, %product : f32
            linalg.yield %total : f32
          }
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to memref<?x?xf32>
  }
}
tile.kernel @threads(%A: !G[%M, %K], %B: !G[%N, %K], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (32) at dram {
      %sA = tile.stage %A[%m, %k] : !G to !s
      %sB = tile.stage %B[%n, %k] : !G to !s
      tile.for (%i, %j) in (64, 64) by (4, 4) at smem on thread {
        %t = tile.part %c[%i, %j] : !c to !t
        tile.for (%k1) in (32) by (1) at smem {
          %x = tile.stage %sA[%i, %k1] : !s to !r
          %y = tile.stage %sB[%j, %k1] : !s to !r
          linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : !r, !r) outs(%t : !t) {
          ^bb0(%p: f32, %q: f32, %sum: f32):
            %p1 = arith.truncf %p toward_zero : f32 to tf32
            %q1 = arith.truncf %q toward_zero : f32 to tf32
            %p2 = arith.extf %p1 : tf32 to f32
            %q2 = arith.extf %q1 : tf32 to f32
            %product = arith.mulf %p2, %q2 : f32
            %total = arith.addf %sum, %product : f32
            linalg.yield %total : f32
          }
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to memref<?x?xf32>
  }
}
