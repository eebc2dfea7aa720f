// Products whose sums are stored as they are, and again after what follows element by element; of warps that have their sums to
// themselves, load from DRAM and do all of that in their loop, and of a block's warps together.
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=M=70,N=56,K=40 | FileCheck %s
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=M=33,N=67,K=21 | FileCheck %s
// CHECK: alone on the emulator
// CHECK: integers: all {{[0-9]+}} elements of C agree, largest error 0
// CHECK: integers: all {{[0-9]+}} elements of D agree, largest error 0
// CHECK: together on the emulator
// CHECK: integers: all {{[0-9]+}} elements of C agree, largest error 0
// CHECK: integers: all {{[0-9]+}} elements of D agree, largest error 0
!G = memref<?x?xf16, strided<[?, 1]>>
!F = memref<?x?xf32>
!V = memref<?xf32>
!a = memref<32x16xf16, #tile.level<rf>>
!b = memref<16x16xf16, #tile.level<rf>>
!iA = memref<16x16xf16, #tile.level<rf>>
!iB = memref<16x8xf16, #tile.level<rf>>
!iC = memref<16x8xf32, #tile.level<rf>>
!c = memref<32x16xf32, #tile.level<rf>>
!d = memref<32x16xf16, #tile.level<rf>>
!whole = memref<64x32xf32, #tile.level<rf>>
!rounded = memref<64x32xf16, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>
#two = {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
tile.kernel @alone(%A: !G[%M, %K], %B: !G[%K, %N], %R: !F[%M, %N], %V: !V[%N], %C: !F[%M, %N], %D: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 32) at dram on block {
    tile.for (%mw, %nw) in (64, 32) by (32, 16) at dram on warp {
      %c = tile.hold init(2.0 : f32) : !c
      tile.for (%k) in (%K) by (16) at dram {
        %a = tile.stage %A[%m + %mw, %k] : !G to !a
        %b = tile.stage %B[%k, %n + %nw] : !G to !b
        tile.for (%m1, %n1) in (32, 16) by (16, 8) at rf on unroll {
          %x = tile.part %a[%m1, 0] : !a to !iA
          %y = tile.part %b[0, %n1] : !b to !iB
          %s = tile.part %c[%m1, %n1] : !c to !iC
          linalg.matmul ins(%x, %y : !iA, !iB) outs(%s : !iC)
        }
      }
      tile.store %c to %C[%m + %mw, %n + %nw] : !c to !F
      %r = tile.part %R[%m + %mw, %n + %nw] : !F to memref<32x16xf32, strided<[?, ?], offset: ?>>
      linalg.generic #two ins(%r : memref<32x16xf32, strided<[?, ?], offset: ?>>) outs(%c : !c) {
      ^bb0(%p: f32, %o: f32):
        %t = arith.subf %o, %p : f32
        linalg.yield %t : f32
      }
      %v = tile.part %V[%n + %nw] : !V to memref<16xf32, strided<[?], offset: ?>>
      linalg.generic {indexing_maps = [#n, #id], iterator_types = ["parallel", "parallel"]} ins(%v : memref<16xf32, strided<[?], offset: ?>>) outs(%c : !c) {
      ^bb0(%p: f32, %o: f32):
        %t = arith.addf %o, %p : f32
        linalg.yield %t : f32
      }
      %d = tile.hold init(0.0 : f16) : !d
      linalg.generic #two ins(%c : !c) outs(%d : !d) {
      ^bb0(%p: f32, %o: f16):
        %t = arith.truncf %p : f32 to f16
        linalg.yield %t : f16
      }
      tile.store %d to %D[%m + %mw, %n + %nw] : !d to !G
    }
  }
}
tile.kernel @together(%A: !G[%M, %K], %B: !G[%K, %N], %C: !F[%M, %N], %D: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !whole
    tile.for (%k) in (%K) by (16) at dram {
      tile.for (%mw, %nw) in (64, 32) by (32, 16) at dram on warp {
        %a = tile.stage %A[%m + %mw, %k] : !G to !a
        %b = tile.stage %B[%k, %n + %nw] : !G to !b
        tile.for (%m1, %n1) in (32, 16) by (16, 8) at rf on unroll {
          %x = tile.part %a[%m1, 0] : !a to !iA
          %y = tile.part %b[0, %n1] : !b to !iB
          %s = tile.part %c[%mw + %m1, %nw + %n1] : !whole to !iC
          linalg.matmul ins(%x, %y : !iA, !iB) outs(%s : !iC)
        }
      }
    }
    tile.store %c to %C[%m, %n] : !whole to !F
    %d = tile.hold init(0.0 : f16) : !rounded
    linalg.generic #two ins(%c : !whole) outs(%d : !rounded) {
    ^bb0(%p: f32, %o: f16):
      %t = arith.truncf %p : f32 to f16
      linalg.yield %t : f16
    }
    tile.store %d to %D[%m, %n] : !rounded to !G
  }
}
