// Loops whose extents other loops move, and subscripts with sizes: what is counted is what is predicted, on shapes that nothing divides.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t

// A lower triangle times a matrix, copied ahead.
// RUN: tilec %t/lower.mlir --target=h200 --run=cpu --verify --emit=report --format=json -o %t/lower.json --shape=m=70,n=37 2>&1 | FileCheck %s --check-prefix=LOWER
// LOWER: integers: all 2590 elements of Y agree, largest error 0
// LOWER: random: all 2590 elements of Y agree
// 32 + 64 + 96 columns of L for 32 rows, 70 of them for those at the edge: 32 * 32 + 32 * 64 + 6 * 70 elements, for each of two blocks along n.
// RUN: FileCheck %s --check-prefix=BYTES < %t/lower.json
// BYTES: "bytes": 27936
// RUN: tilec %t/lower.mlir --target=h200 --run=cpu --verify --shape=m=1,n=1 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: integers: all 1 elements of Y agree
//--- lower.mlir
!G = memref<?x?xf32, strided<[?, ?]>>
!sA = memref<32x16xf32, #tile.level<smem>>
!sB = memref<16x32xf32, #tile.level<smem>>
!c = memref<32x32xf32, #tile.level<rf>>
!cp = memref<4x4xf32, #tile.level<rf>>
!ra = memref<4x1xf32, #tile.level<rf>>
!rb = memref<1x4xf32, #tile.level<rf>>
tile.kernel @lower(%L: !G[%M, %M], %B: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  %c32 = arith.constant 32 : index
  tile.for (%m0, %n0) in (%M, %N) by (32, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    %end = arith.addi %m0, %c32 : index
    tile.for (%k0) in (%end) by (16) at dram pipeline(2) {
      %a = tile.stage %L[%m0, %k0] : !G to !sA
      %b = tile.stage %B[%k0, %n0] : !G to !sB
      tile.for (%m1, %n1) in (32, 32) by (4, 4) at smem on thread {
        %cp = tile.part %c[%m1, %n1] : !c to !cp
        tile.for (%k1) in (16) by (1) at smem {
          %ra = tile.stage %a[%m1, %k1] : !sA to !ra
          %rb = tile.stage %b[%k1, %n1] : !sB to !rb
          linalg.matmul ins(%ra, %rb : !ra, !rb) outs(%cp : !cp)
        }
      }
    }
    tile.store %c to %Y[%m0, %n0] : !c to !G
  }
}

// A loop whose constant extent is below 0 has no iterations, and nothing is predicted for it.
// RUN: tilec %t/below.mlir --target=h200 --run=cpu --verify --shape=n=5 2>&1 | FileCheck %s --check-prefix=BELOW
// BELOW: integers: all 5 elements of Y agree
//--- below.mlir
!V = memref<?xf32, strided<[?]>>
!e = memref<1xf32, #tile.level<rf>>
tile.kernel @below(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (4) at dram on block {
    tile.for (%t) in (4) by (1) at dram on thread {
      %y = tile.hold init(1.0 : f32) : !e
      %extent = arith.constant -2 : index
      tile.for (%k) in (%extent) by (1) at dram {
        %x = tile.stage %X[%k] pad(zero) : !V to !e
        linalg.add ins(%x, %y : !e, !e) outs(%y : !e)
      }
      tile.store %y to %Y[%i + %t] : !e to !V
    }
  }
}

// Sums of as many groups of 4 as the place of a thread says, some of whose elements are absent.
// RUN: tilec %t/prefix.mlir --target=h200 --run=cpu --verify --shape=n=150 2>&1 | FileCheck %s --check-prefix=PREFIX
// PREFIX: integers: all 150 elements of Y agree, largest error 0
//--- prefix.mlir
!V = memref<?xf32>
!x = memref<4xf32, #tile.level<rf>>
!s = memref<1xf32, #tile.level<rf>>
tile.kernel @prefix(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (64) at dram on block {
    tile.for (%j) in (64) by (1) at dram on thread {
      %s = tile.hold init(0.0 : f32) : !s
      %end = arith.addi %i, %j : index
      tile.for (%k) in (%end) by (4) at dram {
        %x = tile.stage %X[%k] : !V to !x
        linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (0)>], iterator_types = ["reduction"]} ins(%x : !x) outs(%s : !s) {
        ^bb0(%v: f32, %old: f32):
          %r = arith.addf %old, %v : f32
          linalg.yield %r : f32
        }
      }
      tile.store %s to %Y[%i + %j] : !s to !V
    }
  }
}

// The upper half: fewer iterations the farther, none at the end.
// RUN: tilec %t/upper.mlir --target=h200 --run=cpu --verify --shape=n=45 2>&1 | FileCheck %s --check-prefix=UPPER
// UPPER: integers: all 45 elements of Y agree, largest error 0
//--- upper.mlir
!V = memref<?xf32>
!x = memref<1xf32, #tile.level<rf>>
tile.kernel @upper(%X: !V[%N], %Y: !V[%N], %N: index) {
  %c3 = arith.constant 3 : index
  tile.for (%i) in (%N) by (16) at dram on block {
    tile.for (%j) in (16) by (1) at dram on thread {
      %s = tile.hold init(0.0 : f32) : !x
      %at = arith.addi %i, %j : index
      %left = arith.subi %N, %at : index
      %end = arith.subi %left, %c3 : index
      tile.for (%k) in (%end) by (1) at dram {
        %x = tile.stage %X[%N - 1 - %k] : !V to !x
        linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : !x) outs(%s : !x) {
        ^bb0(%v: f32, %old: f32):
          %r = arith.addf %old, %v : f32
          linalg.yield %r : f32
        }
      }
      tile.store %s to %Y[%i + %j] : !x to !V
    }
  }
}

// Mirrored, and one after the other at an offset that a size says.
// RUN: tilec %t/reversed.mlir --target=h200 --run=cpu --verify --shape=m=45,n=131,s=176 2>&1 | FileCheck %s --check-prefix=REVERSED
// REVERSED: random: all 131 elements of Y agree, largest error 0
// REVERSED: random: all 176 elements of Z agree
//--- reversed.mlir
!V = memref<?xf32>
!x = memref<4xf32, #tile.level<rf>>
!y = memref<1xf32, #tile.level<rf>>
tile.kernel @reversed(%X: !V[%N], %W: !V[%M], %Y: !V[%N], %Z: !V[%S], %N: index, %M: index, %S: index) {
  tile.for (%i) in (%N) by (64) at dram on block {
    tile.for (%j) in (64) by (1) at dram on thread {
      %y = tile.stage %X[%N - %i - %j - 1] pad(zero) : !V to !y
      tile.store %y to %Y[%i + %j] : !y to !V
    }
    tile.for (%j) in (64) by (4) at dram on thread {
      %x = tile.stage %X[%i + %j] pad(zero) : !V to !x
      tile.store %x to %Z[%M + %i + %j] combine(add) unordered : !x to !V
      %w = tile.stage %W[%i + %j] pad(zero) : !V to !x
      tile.store %w to %Z[%i + %j] combine(add) unordered : !x to !V
    }
  }
}
