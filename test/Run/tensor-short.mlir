// Products of 8-bit floats: on tensor cores, of one kind or of both, with partial sums that go to a second tile after each 128 k; and by each thread.
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=m=130,n=72,k=272 | FileCheck %s
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=m=65,n=9,k=35 | FileCheck %s
// CHECK: mixed on the emulator
// CHECK: integers: all {{[0-9]+}} elements of C agree
// CHECK: random: all {{[0-9]+}} elements of C agree
// CHECK: promoted on the emulator
// CHECK: integers: all {{[0-9]+}} elements of C agree
// CHECK: random: all {{[0-9]+}} elements of C agree
// CHECK: threads on the emulator
// CHECK: integers: all {{[0-9]+}} elements of C agree, largest error 0
// CHECK: random: all {{[0-9]+}} elements of C agree
!E = memref<?x?xf8E4M3FN, strided<[?, 1]>>
!F = memref<?x?xf8E5M2, strided<[?, 1]>>
!sE = memref<64x128xf8E4M3FN, #tile.level<smem>>
!sF = memref<64x128xf8E5M2, #tile.level<smem>>
!iE = memref<64x32xf8E4M3FN, #tile.level<smem>>
!iF = memref<64x32xf8E5M2, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!t = memref<4x4xf32, #tile.level<rf>>
!r = memref<4x1xf8E4M3FN, #tile.level<rf>>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
tile.kernel @mixed(%A: !E[%M, %K], %B: !F[%N, %K], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (128) at dram pipeline(3) producers(1) {
      %sA = tile.stage %A[%m, %k] copy(tma) : !E to !sE
      %sB = tile.stage %B[%n, %k] copy(tma) : !F to !sF
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (128) by (32) at smem on unroll {
          %x = tile.part %sA[0, %k1] : !sE to !iE
          %y = tile.part %sB[0, %k1] : !sF to !iF
          linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %y : !iE, !iF) outs(%c : !c)
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to memref<?x?xf32>
  }
}
tile.kernel @promoted(%A: !E[%M, %K], %B: !E[%N, %K], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (128) at dram pipeline(3) producers(1) {
      %sA = tile.stage %A[%m, %k] copy(tma) : !E to !sE
      %sB = tile.stage %B[%n, %k] copy(tma) : !E to !sE
      %p = tile.hold init(0.0 : f32) : !c
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (128) by (32) at smem on unroll {
          %x = tile.part %sA[0, %k1] : !sE to !iE
          %y = tile.part %sB[0, %k1] : !sE to !iE
          linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %y : !iE, !iE) outs(%p : !c)
        }
      }
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : !c) outs(%c : !c) {
      ^bb0(%part: f32, %sum: f32):
        %total = arith.addf %sum, %part : f32
        linalg.yield %total : f32
      }
    }
    tile.store %c to %C[%m, %n] : !c to memref<?x?xf32>
  }
}
tile.kernel @threads(%A: !E[%M, %K], %B: !E[%N, %K], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (128) at dram {
      %sA = tile.stage %A[%m, %k] : !E to !sE
      %sB = tile.stage %B[%n, %k] : !E to !sE
      tile.for (%i, %j) in (64, 64) by (4, 4) at smem on thread {
        %t = tile.part %c[%i, %j] : !c to !t
        tile.for (%k1) in (128) by (1) at smem {
          %x = tile.stage %sA[%i, %k1] : !sE to !r
          %y = tile.stage %sB[%j, %k1] : !sE to !r
          linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %y : !r, !r) outs(%t : !t)
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to memref<?x?xf32>
  }
}
