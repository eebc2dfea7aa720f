// Products of i8 added up in i32, which wrap around like other integers, and rounded to i8 with a scale: both operands run along k.
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=m=130,n=72,k=272 --arg scale=0.01 | FileCheck %s
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=m=130,n=72,k=67 --arg scale=0.01 | FileCheck %s
// CHECK: integers: all 9360 elements of C agree, largest error 0
// CHECK: integers: all {{[0-9]+}} elements of D agree, largest error 0
// CHECK: random: all 9360 elements of C agree, largest error 0
!G = memref<?x?xi8, strided<[?, 1]>>
!s = memref<64x128xi8, #tile.level<smem>>
!i = memref<64x32xi8, #tile.level<smem>>
!c = memref<64x64xi32, #tile.level<rf>>
!r = memref<64x64xi8, #tile.level<rf>>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
tile.kernel @integers(%A: !G[%M, %K], %B: !G[%N, %K], %C: memref<?x?xi32>[%M, %N], %D: memref<?x?xi8>[%M, %N], %M: index, %N: index, %K: index, %scale: f32) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0 : i32) : !c
    tile.for (%k) in (%K) by (128) at dram pipeline(3) producers(1) {
      %sA = tile.stage %A[%m, %k] copy(tma) : !G to !s
      %sB = tile.stage %B[%n, %k] copy(tma) : !G to !s
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (128) by (32) at smem on unroll {
          %x = tile.part %sA[0, %k1] : !s to !i
          %y = tile.part %sB[0, %k1] : !s to !i
          linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %y : !i, !i) outs(%c : !c)
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to memref<?x?xi32>
    %r = tile.hold init(0 : i8) : !r
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : !c) outs(%r : !r) {
    ^bb0(%sum: i32, %old: i8):
      %x = arith.sitofp %sum : i32 to f32
      %y = arith.mulf %x, %scale : f32
      %low = arith.constant -127.0 : f32
      %high = arith.constant 127.0 : f32
      %z = arith.maximumf %y, %low : f32
      %v = arith.minimumf %z, %high : f32
      %q = arith.fptosi %v : f32 to i8
      linalg.yield %q : i8
    }
    tile.store %r to %D[%m, %n] : !r to memref<?x?xi8>
  }
}
