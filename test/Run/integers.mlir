// Integers of 8, 16 and 64 bits: through shared memory, in held tiles and in reductions.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t
// RUN: tilec %t/gemm.mlir --run=cpu --verify --shape=m=70,n=45,k=37 2>&1 | FileCheck %s --check-prefix=GEMM
// RUN: tilec %t/wide.mlir --run=cpu --verify --shape=m=37,n=71 --arg=S=-3 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not tilec %t/wide.mlir --run=cpu --verify --shape=m=37,n=71 --arg=S=9007199254740994 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: tilec %t/choice.mlir --run=cpu --verify --shape=n=71 2>&1 | FileCheck %s --check-prefix=CHOICE
// RUN: tilec %t/rows.mlir --run=cpu --verify --shape=m=70,k=37 2>&1 | FileCheck %s
//--- gemm.mlir
!A = memref<?x?xi8, strided<[?, 1]>>
!B = memref<?x?xi8, strided<[?, 1]>>
!C = memref<?x?xi32, strided<[?, 1]>>
!sA = memref<32x16xi8, #tile.level<smem>>
!sB = memref<16x32xi8, #tile.level<smem>>
!c = memref<32x32xi32, #tile.level<rf>>
!rA = memref<4x1xi8, #tile.level<rf>>
!rB = memref<1x4xi8, #tile.level<rf>>
!r = memref<4x4xi32, #tile.level<rf>>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#i = affine_map<(i) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// GEMM: gemm on the emulator
// GEMM-NEXT: integers: all 3150 elements of C agree
tile.kernel @gemm(%A: !A[%M, %K], %B: !B[%K, %N], %C: !C[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 32) at dram on block {
    %c = tile.hold init(0 : i32) : !c
    tile.for (%k0) in (%K) by (16) at dram {
      %sA = tile.stage %A[%m0, %k0] : !A to !sA
      %sB = tile.stage %B[%k0, %n0] : !B to !sB
      tile.for (%m1, %n1) in (32, 32) by (4, 4) at smem on thread {
        %r = tile.part %c[%m1, %n1] : !c to !r
        tile.for (%k1) in (16) by (1) at smem {
          %rA = tile.stage %sA[%m1, %k1] : !sA to !rA
          %rB = tile.stage %sB[%k1, %n1] : !sB to !rB
          linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
              ins(%rA, %rB : !rA, !rB) outs(%r : !r) {
          ^bb0(%a: i8, %b: i8, %s: i32):
            %x = arith.extsi %a : i8 to i32
            %y = arith.extsi %b : i8 to i32
            %p = arith.muli %x, %y : i32
            %t = arith.addi %s, %p : i32
            linalg.yield %t : i32
          }
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !C
  }
}
//--- wide.mlir
!X = memref<?x?xi16, strided<[?, 1]>>
!Y = memref<?x?xi64, strided<[?, 1]>>
!sX = memref<16x32xi16, #tile.level<smem>>
!sY = memref<16x32xi64, #tile.level<smem>>
!rX = memref<1x4xi16, #tile.level<rf>>
!rY = memref<1x4xi64, #tile.level<rf>>
#id = affine_map<(i, j) -> (i, j)>

// Operands of 16 and 64 bits, and a scalar; results are compared in all their bits, most of them beyond 2^53, some wrap.
// WIDE: wide on the emulator
// WIDE-NEXT: integers: all 2627 elements of Y agree
// WIDE-NEXT: integers: all 2627 elements of Z agree
// BEYOND: --arg S: '9007199254740994' is beyond 2^53, up to which integers are read
tile.kernel @wide(%X: !X[%M, %N], %Y: !Y[%M, %N], %Z: !X[%M, %N], %S: i64, %M: index, %N: index) {
  tile.for (%m0, %n0) in (%M, %N) by (16, 32) at dram on block {
    %x = tile.stage %X[%m0, %n0] : !X to !sX
    %y = tile.stage %Y[%m0, %n0] : !Y to !sY
    tile.for (%m1, %n1) in (16, 32) by (1, 4) at smem on thread {
      %a = tile.stage %x[%m1, %n1] : !sX to !rX
      %b = tile.stage %y[%m1, %n1] : !sY to !rY
      %c = tile.hold init(0 : i16) : !rX
      linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : !rX) outs(%b, %c : !rY, !rX) {
      ^bb0(%v: i16, %w: i64, %z: i16):
        %k = arith.constant 2000000000000001 : i64
        %e = arith.extsi %v : i16 to i64
        %p = arith.muli %e, %k : i64
        %q = arith.addi %p, %w : i64
        %r = arith.muli %q, %S : i64
        %l = arith.constant 9001 : i16
        %n = arith.muli %v, %l : i16
        linalg.yield %r, %n : i64, i16
      }
      tile.store %b to %Y[%m0 + %m1, %n0 + %n1] : !rY to !Y
      tile.store %c to %Z[%m0 + %m1, %n0 + %n1] : !rX to !X
    }
  }
}
//--- rows.mlir
!A = memref<?x?xi8, strided<[?, 1]>>
#i = affine_map<(i) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

!V = memref<?xi8, strided<[?]>>
!h = memref<8xi8, #tile.level<rf>>
!one = memref<1xi8, #tile.level<rf>>
!x = memref<8x1xi8, #tile.level<rf>>

// Sums of 8 bits that wrap, over the threads of a block, and the greatest and the least.
// CHECK: rows on the emulator
// CHECK-NEXT: integers: all 70 elements of S agree
// CHECK: all 70 elements of X agree
// CHECK: all 70 elements of P agree
tile.kernel @rows(%A: !A[%M, %K], %S: !V[%M], %X: !V[%M], %P: !V[%M], %M: index, %K: index) {
  tile.for (%m0) in (%M) by (8) at dram on block {
    %s = tile.hold init(3 : i8) : !h
    %g = tile.hold init(-128 : i8) : !h
    %p = tile.hold init(1 : i8) : !h
    tile.for (%k0) in (%K) by (64) at dram {
      tile.for (%k1) in (64) by (1) at dram on thread reduce(add) {
        %a = tile.stage %A[%m0, %k0 + %k1] : !A to !x
        linalg.generic {indexing_maps = [#ij, #row], iterator_types = ["parallel", "reduction"]} ins(%a : !x) outs(%s : !h) {
        ^bb0(%v: i8, %o: i8):
          %r = arith.addi %o, %v : i8
          linalg.yield %r : i8
        }
      }
      tile.for (%k1) in (64) by (1) at dram on thread reduce(max) {
        %a = tile.stage %A[%m0, %k0 + %k1] : !A to !x
        linalg.generic {indexing_maps = [#ij, #row], iterator_types = ["parallel", "reduction"]} ins(%a : !x) outs(%g : !h) {
        ^bb0(%v: i8, %o: i8):
          %r = arith.maxsi %o, %v : i8
          linalg.yield %r : i8
        }
      }
      tile.for (%k1) in (64) by (1) at dram on thread reduce(mul) {
        %a = tile.stage %A[%m0, %k0 + %k1] : !A to !x
        linalg.generic {indexing_maps = [#ij, #row], iterator_types = ["parallel", "reduction"]} ins(%a : !x) outs(%p : !h) {
        ^bb0(%v: i8, %o: i8):
          %r = arith.muli %o, %v : i8
          linalg.yield %r : i8
        }
      }
    }
    tile.store %s to %S[%m0] : !h to !V
    tile.store %g to %X[%m0] : !h to !V
    tile.store %p to %P[%m0] : !h to !V
  }
}

!W = memref<?xi32, strided<[?]>>
!w = memref<8xi64, #tile.level<rf>>
!n = memref<8xi16, #tile.level<rf>>
!t = memref<8xi32, #tile.level<rf>>

// Sums of 16 and 64 bits; of the latter the upper half.
// CHECK: widths on the emulator
// CHECK-NEXT: integers: all 70 elements of H agree
// CHECK: all 70 elements of L agree
tile.kernel @widths(%A: !A[%M, %K], %H: !W[%M], %L: !W[%M], %M: index, %K: index) {
  tile.for (%m0) in (%M) by (8) at dram on block {
    %s = tile.hold init(0 : i64) : !w
    %u = tile.hold init(0 : i16) : !n
    tile.for (%k0) in (%K) by (64) at dram {
      tile.for (%k1) in (64) by (1) at dram on thread reduce(add) {
        %a = tile.stage %A[%m0, %k0 + %k1] : !A to !x
        linalg.generic {indexing_maps = [#ij, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%a : !x) outs(%s, %u : !w, !n) {
        ^bb0(%v: i8, %o: i64, %q: i16):
          %e = arith.extsi %v : i8 to i64
          %k = arith.constant 1000000000000 : i64
          %m = arith.muli %e, %k : i64
          %r = arith.addi %o, %m : i64
          %f = arith.extui %v : i8 to i16
          %g = arith.muli %f, %f : i16
          %h = arith.addi %q, %g : i16
          linalg.yield %r, %h : i64, i16
        }
      }
    }
    %x = tile.hold init(0 : i32) : !t
    %y = tile.hold init(0 : i32) : !t
    tile.for (%t) in (1) by (1) at rf on thread {
      linalg.generic {indexing_maps = [#i, #i, #i, #i], iterator_types = ["parallel"]} ins(%s, %u : !w, !n) outs(%x, %y : !t, !t) {
      ^bb0(%a: i64, %b: i16, %c: i32, %d: i32):
        %k = arith.constant 32 : i64
        %p = arith.shrsi %a, %k : i64
        %q = arith.trunci %p : i64 to i32
        %r = arith.extsi %b : i16 to i32
        linalg.yield %q, %r : i32, i32
      }
    }
    tile.store %x to %H[%m0] : !t to !W
    tile.store %y to %L[%m0] : !t to !W
  }
}
//--- choice.mlir
// One of two constants: what is stored has 64 bits.
// CHOICE: integers: all 71 elements of Y agree
tile.kernel @choice(%X: memref<?xi64>[%N], %Y: memref<?xi64>[%N], %N: index) {
  tile.for (%i) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.part %X[%i + %t] : memref<?xi64> to memref<1xi64, strided<[1], offset: ?>>
      %y = tile.part %Y[%i + %t] : memref<?xi64> to memref<1xi64, strided<[1], offset: ?>>
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%x : memref<1xi64, strided<[1], offset: ?>>) outs(%y : memref<1xi64, strided<[1], offset: ?>>) {
      ^bb0(%a: i64, %old: i64):
        %many = arith.constant 100 : i64
        %one = arith.constant 1 : i64
        %zero = arith.constant 0 : i64
        %sign = arith.cmpi sgt, %a, %zero : i64
        %r = arith.select %sign, %many, %one : i64
        linalg.yield %r : i64
      }
    }
  }
}
