// Gathers and scatters by operands of indices: at every level, along each dimension, on shapes that nothing divides.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t

// Rows of narrow elements through shared memory, widened where they are used; the same indices number two operands.
// RUN: tilec %t/shared.mlir --target=h200 --run=cpu --verify --shape=v=9,m=37,n=21 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: integers: all 777 elements of Y agree, largest error 0
// SHARED: random: all 777 elements of Y agree
//--- shared.mlir
!X = memref<?x?xbf16, strided<[?, ?]>>
!W = memref<?xf32>
!Y = memref<?x?xf32, strided<[?, ?]>>
!s = memref<16x8xbf16, #tile.level<smem>>
!x = memref<1x2xbf16, #tile.level<rf>>
!w = memref<1xf32, #tile.level<rf>>
!y = memref<1x2xf32, #tile.level<rf>>
tile.kernel @shared(%X: !X[%V, %N], %W: !W[%V], %I: memref<?xi32>[%M], %Y: !Y[%M, %N], %V: index, %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (16, 8) at dram on block {
    %s = tile.stage %X[%i, %j] gather(%I : memref<?xi32> along 0) : !X to !s
    tile.for (%a, %b) in (16, 8) by (1, 2) at smem on thread {
      %x = tile.stage %s[%a, %b] : !s to !x
      %w = tile.stage %W[%i + %a] gather(%I : memref<?xi32> along 0) : !W to !w
      %y = tile.hold init(0.0 : f32) : !y
      linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>],
                      iterator_types = ["parallel", "parallel"]} ins(%x, %w : !x, !w) outs(%y : !y) {
      ^bb0(%p: bf16, %q: f32, %old: f32):
        %f = arith.extf %p : bf16 to f32
        %r = arith.mulf %f, %q : f32
        linalg.yield %r : f32
      }
      tile.store %y to %Y[%i + %a, %j + %b] : !y to !Y
    }
  }
}

// A product of gathered rows, copied ahead by all threads.
// RUN: tilec %t/pipelined.mlir --target=h200 --run=cpu --verify --shape=r=5,m=37,n=19,k=45 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: tilec %t/pipelined.mlir --target=h200 --run=cpu --verify --shape=r=5,m=32,n=32,k=48 --arg X.order=columns 2>&1 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: integers: all 1024 elements of C agree, largest error 0
// PRODUCT: integers: all 703 elements of C agree, largest error 0
// PRODUCT: random: all 703 elements of C agree
//--- pipelined.mlir
!G = memref<?x?xf32, strided<[?, ?]>>
!I = memref<?xi32, strided<[?]>>
!sA = memref<32x8xf32, #tile.level<smem>>
!sB = memref<8x32xf32, #tile.level<smem>>
!c = memref<32x32xf32, #tile.level<rf>>
!cp = memref<4x4xf32, #tile.level<rf>>
!ra = memref<4x1xf32, #tile.level<rf>>
!rb = memref<1x4xf32, #tile.level<rf>>
tile.kernel @product(%X: !G[%R, %K], %I: !I[%M], %W: !G[%K, %N], %C: !G[%M, %N], %R: index, %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (8) at dram pipeline(3) {
      %a = tile.stage %X[%m0, %k0] gather(%I : !I along 0) : !G to !sA
      %b = tile.stage %W[%k0, %n0] : !G to !sB
      tile.for (%m1, %n1) in (32, 32) by (4, 4) at smem on thread {
        %cp = tile.part %c[%m1, %n1] : !c to !cp
        tile.for (%k1) in (8) by (1) at smem {
          %ra = tile.stage %a[%m1, %k1] : !sA to !ra
          %rb = tile.stage %b[%k1, %n1] : !sB to !rb
          linalg.matmul ins(%ra, %rb : !ra, !rb) outs(%cp : !cp)
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}

// Producers copy gathered rows of the sum, beside boxes: the pipelined loop walks the indices.
// RUN: tilec %t/producers.mlir --target=h200 --run=cpu --verify --shape=r=50,m=37,n=40,k=29 2>&1 | FileCheck %s --check-prefix=RING
// RING: integers: all 1480 elements of C agree, largest error 0
// RING: random: all 1480 elements of C agree
//--- producers.mlir
!G = memref<?x?xf32, strided<[?, 1]>>
!sA = memref<32x8xf32, #tile.level<smem>>
!sB = memref<8x32xf32, #tile.level<smem>>
!c = memref<32x32xf32, #tile.level<rf>>
!cp = memref<4x4xf32, #tile.level<rf>>
!ra = memref<4x1xf32, #tile.level<rf>>
!rb = memref<1x4xf32, #tile.level<rf>>
tile.kernel @ring(%X: !G[%M, %K], %W: !G[%R, %N], %I: memref<?xi32>[%K], %C: !G[%M, %N], %R: index, %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (8) at dram pipeline(2) producers(1) {
      %a = tile.stage %X[%m0, %k0] copy(tma) : !G to !sA
      %b = tile.stage %W[%k0, %n0] gather(%I : memref<?xi32> along 0) : !G to !sB
      tile.for (%m1, %n1) in (32, 32) by (4, 4) at smem on thread {
        %cp = tile.part %c[%m1, %n1] : !c to !cp
        tile.for (%k1) in (8) by (1) at smem {
          %ra = tile.stage %a[%m1, %k1] : !sA to !ra
          %rb = tile.stage %b[%k1, %n1] : !sB to !rb
          linalg.matmul ins(%ra, %rb : !ra, !rb) outs(%cp : !cp)
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}

// The last dimension is gathered, by indices that lie apart; threads hold a tile of a block together.
// RUN: tilec %t/columns.mlir --target=h200 --run=cpu --verify --shape=m=13,n=6,k=35 --arg X.gap=3 2>&1 | FileCheck %s --check-prefix=ALONG
// ALONG: random: all 455 elements of Y agree, largest error 0
//--- columns.mlir
!G = memref<?x?xi8, strided<[?, ?]>>
!I = memref<?xi32, strided<[2]>>
!t = memref<8x32xi8, #tile.level<rf>>
!p = memref<2x1xi8, #tile.level<rf>>
tile.kernel @columns(%X: !G[%M, %N], %I: !I[%K], %Y: !G[%M, %K], %M: index, %N: index, %K: index) {
  tile.for (%i, %k) in (%M, %K) by (8, 32) at dram on block {
    %t = tile.stage %X[%i, %k] gather(%I : !I along 1) : !G to !t
    tile.for (%a, %b) in (8, 32) by (2, 1) at rf on thread {
      %p = tile.part %t[%a, %b] : !t to !p
      linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} outs(%p : !p) {
      ^bb0(%v: i8):
        %r = arith.addi %v, %v : i8
        linalg.yield %r : i8
      }
    }
    tile.store %t to %Y[%i, %k] : !t to !G
  }
}

// A matrix of weights for each group of rows: an index for each block.
// RUN: tilec %t/grouped.mlir --target=h200 --run=cpu --verify --shape=e=3,g=5,n=21,k=13 2>&1 | FileCheck %s --check-prefix=GROUPED
// GROUPED: integers: all 840 elements of Y agree, largest error 0
//--- grouped.mlir
!X = memref<8x?xf32, strided<[?, 1]>>
!W = memref<?x?x?xf32, strided<[?, ?, 1]>>
!Y = memref<?x8x?xf32, strided<[?, ?, 1]>>
!w = memref<1x16x8xf32, #tile.level<smem>>
!x = memref<1x1xf32, #tile.level<rf>>
!r = memref<1x1x1xf32, #tile.level<rf>>
!y = memref<1x1x1xf32, #tile.level<rf>>
tile.kernel @grouped(%X: !X[8, %K], %W: !W[%E, %K, %N], %T: memref<?xi32>[%G], %Y: !Y[%G, 8, %N], %E: index, %G: index, %N: index, %K: index) {
  tile.for (%g, %n0) in (%G, %N) by (1, 8) at dram on block {
    %c = tile.hold init(0.0 : f32) : memref<1x8x8xf32, #tile.level<rf>>
    tile.for (%k0) in (%K) by (16) at dram {
      %w = tile.stage %W[%g, %k0, %n0] gather(%T : memref<?xi32> along 0) : !W to !w
      tile.for (%m, %n) in (8, 8) by (1, 1) at smem on thread {
        %cp = tile.part %c[0, %m, %n] : memref<1x8x8xf32, #tile.level<rf>> to !y
        tile.for (%k) in (16) by (1) at smem {
          %x = tile.stage %X[%m, %k0 + %k] : !X to !x
          %r = tile.stage %w[0, %k, %n] : !w to !r
          linalg.generic {indexing_maps = [affine_map<(g, m, n, k) -> (m, k)>, affine_map<(g, m, n, k) -> (g, k, n)>, affine_map<(g, m, n, k) -> (g, m, n)>],
                          iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %r : !x, !r) outs(%cp : !y) {
          ^bb0(%p: f32, %q: f32, %sum: f32):
            %f = arith.mulf %p, %q : f32
            %s = arith.addf %sum, %f : f32
            linalg.yield %s : f32
          }
        }
      }
    }
    tile.store %c to %Y[%g, 0, %n0] : memref<1x8x8xf32, #tile.level<rf>> to !Y
  }
}

// Rows added to rows that indices name, in both dimensions' turn, held by the threads of a block together.
// RUN: tilec %t/rows.mlir --target=h200 --run=cpu --verify --shape=v=5,n=45,d=37 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: tilec %t/rows.mlir --target=h200 --run=cpu --verify --shape=v=1,n=1,d=1 2>&1 | FileCheck %s --check-prefix=ONE
// ROWS: integers: all 185 elements of G agree, largest error 0
// ROWS: integers: all 185 elements of H agree, largest error 0
// ROWS: random: all 185 elements of G agree
// ONE: integers: all 1 elements of G agree
//--- rows.mlir
!X = memref<?x?xf32, strided<[?, 1]>>
!Y = memref<?x?xf32, strided<[?, ?]>>
!t = memref<4x32xf32, #tile.level<rf>>
!p = memref<1x4xf32, #tile.level<rf>>
tile.kernel @rows(%X: !X[%N, %D], %I: memref<?xi32>[%N], %G: !Y[%V, %D], %H: !Y[%V, %D], %V: index, %N: index, %D: index) {
  tile.for (%i, %j) in (%N, %D) by (4, 32) at dram on block {
    %t = tile.stage %X[%i, %j] : !X to !t
    tile.for (%a, %b) in (4, 32) by (1, 4) at rf on thread {
      %p = tile.part %t[%a, %b] : !t to !p
      linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} outs(%p : !p) {
      ^bb0(%v: f32):
        %r = arith.negf %v : f32
        linalg.yield %r : f32
      }
      %x = tile.stage %X[%i + %a, %j + %b] : !X to !p
      tile.store %x to %H[%i + %a, %j + %b] scatter(%I : memref<?xi32> along 0) combine(add) unordered : !p to !Y
    }
    tile.store %t to %G[%i, %j] scatter(%I : memref<?xi32> along 0) combine(add) unordered : !t to !Y
  }
}

// The first element of an operand without elements has no index.
// RUN: not tilec %t/rows.mlir --target=h200 --run=cpu --shape=v=0,n=1,d=1 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: index: thread 0 of block 0 finds index 0 for a dimension of 0 elements
// RUN: not tilec %t/rows.mlir --target=h200 --run=cpu --verify --shape=v=0,n=1,d=1 2>&1 | FileCheck %s --check-prefix=MEANING
// MEANING: the reference cannot be evaluated: 'tile.store' op finds an index that its operand does not have

// Rows that replace those that indices say, four elements at a time where rows allow it; along the columns one at a time. What is not named stays.
// RUN: tilec %t/replaced.mlir --target=h200 --run=cpu --verify --shape=v=50,n=45,d=36 2>&1 | FileCheck %s --check-prefix=REPLACED
// RUN: tilec %t/replaced.mlir --target=h200 --run=cpu --verify --shape=v=45,n=45,d=37 2>&1 | FileCheck %s --check-prefix=REPLACED
// RUN: tilec %t/replaced.mlir --target=h200 --shape=v=50,n=45,d=36 --emit=cuda | FileCheck %s --check-prefix=REPLACES
// REPLACED: integers: all {{1800|1665}} elements of G agree, largest error 0
// REPLACED: integers: all {{1800|1665}} elements of H agree, largest error 0
// REPLACED: random: all {{1800|1665}} elements of G agree, largest error 0
// REPLACES: stg_vector<4>(&G[
// REPLACES: stg(&H[
//--- replaced.mlir
!X = memref<?x?xf32, strided<[?, 1]>>
!Y = memref<?x?xf32, strided<[?, ?]>>
!p = memref<1x4xf32, #tile.level<rf>>
!q = memref<4x1xf32, #tile.level<rf>>
#turn = affine_map<(m, n) -> (n, m)>
tile.kernel @replaced(%X: !X[%N, %D], %I: memref<?xi32>[%N], %G: !X[%V, %D], %H: !Y[%D, %V], %V: index, %N: index, %D: index) {
  tile.for (%i, %j) in (%N, %D) by (4, 32) at dram on block {
    tile.for (%a, %b) in (4, 32) by (1, 4) at dram on thread {
      %x = tile.stage %X[%i + %a, %j + %b] : !X to !p
      tile.store %x to %G[%i + %a, %j + %b] scatter(%I : memref<?xi32> along 0) unique : !p to !X
      %h = tile.hold init(0.0 : f32) : !q
      linalg.generic {indexing_maps = [#turn, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%x : !p) outs(%h : !q) {
      ^bb0(%v: f32, %o: f32):
        linalg.yield %v : f32
      }
      tile.store %h to %H[%j + %b, %i + %a] scatter(%I : memref<?xi32> along 1) unique : !q to !Y
    }
  }
}

// More places than elements: two of them say one.
// RUN: not tilec %t/replaced.mlir --target=h200 --run=cpu --verify --shape=v=44,n=45,d=36 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: the reference cannot be evaluated: 'tile.store' op finds an index that its operand does not have, or one element by two indices
// RUN: not tilec %t/replaced.mlir --target=h200 --run=cpu --shape=v=44,n=45,d=36 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: global race: {{.*}} writes G[
