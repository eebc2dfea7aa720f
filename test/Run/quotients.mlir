// Subscripts that divide: loops are parted so that they are sums, for extents and units of all kinds (docs/language.md, 4.1). The evaluator divides as the nest says.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t

// Each thread has an element; rows and columns are divided by 2 and 3. Threads divide their number, and no element's.
// RUN: tilec %t/upsample.mlir --target=h200 --run=cpu --verify --shape=h=20,w=279,m=10,n=93 2>&1 | FileCheck %s --check-prefix=UP
// RUN: tilec %t/upsample.mlir --target=h200 --run=cpu --verify --shape=h=7,w=6,m=2,n=3 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: tilec %t/upsample.mlir --target=h200 --emit=cuda -o - | FileCheck %s --check-prefix=TEXT
// UP: integers: all 5580 elements of Y agree, largest error 0
// SMALL: integers: all 42 elements of Y agree, largest error 0
// TEXT-NOT: {{X\[.*[/%]}}

// Quotients and remainders of one sum, in what is stored.
// RUN: tilec %t/blocked.mlir --target=h200 --run=cpu --verify --shape=n=300,p=3,q=10 2>&1 | FileCheck %s --check-prefix=BLOCKED
// BLOCKED: integers: all 7680 elements of Y agree, largest error 0

// Of eight heads of queries two read one head of keys, on time, with an extent that is a number; a quotient of a quotient.
// RUN: tilec %t/heads.mlir --target=h200 --run=cpu --verify --shape=m=70 2>&1 | FileCheck %s --check-prefix=HEADS
// HEADS: integers: all 560 elements of Y agree, largest error 0

// Rows that come again, in shared memory as well; a loop on time that goes by the steps of a size.
// RUN: tilec %t/again.mlir --target=h200 --run=cpu --verify --shape=m=70 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: integers: all 70 elements of Y agree, largest error 0
// RUN: tilec %t/steps.mlir --target=h200 --run=cpu --verify --shape=m=70,n=35 2>&1 | FileCheck %s --check-prefix=STEPS
// STEPS: integers: all 70 elements of Y agree, largest error 0

// The short way to write them, one in another.
// RUN: tilec %t/short.mlir --target=h200 --run=cpu --verify --shape=m=10,n=9 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: integers: all 320 elements of Y agree, largest error 0
// Only numbers divide.
// RUN: sed 's/floordiv 32/floordiv symbol(%M)/' %t/short.mlir > %t/size.mlir
// RUN: not tilec %t/size.mlir --target=h200 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: size.mlir:8:12: error: 'tile.stage' op subscript 0 is not a sum of multiples of values and a constant; divide by arith.divsi and arith.remsi ahead of it

// Copied ahead of its iteration, by threads and by TMA, where each loop around is divided.
// RUN: tilec %t/ahead.mlir --target=h200 --run=cpu --verify --shape=m=36,n=70,k=48 2>&1 | FileCheck %s --check-prefix=AHEAD
// RUN: tilec %t/ahead.mlir --target=sm80 --run=cpu --verify --shape=m=35,n=69,k=13 2>&1 | FileCheck %s --check-prefix=EDGE
// RUN: sed 's/pipeline(2)/pipeline(3) producers(1)/; s/2\] : !G/2] copy(tma) : !G/' %t/ahead.mlir > %t/tma.mlir
// RUN: tilec %t/tma.mlir --target=h200 --run=cpu --verify --shape=m=36,n=70,k=48 2>&1 | FileCheck %s --check-prefix=AHEAD
// AHEAD: integers: all 3360 elements of Y agree, largest error 0
// EDGE: integers: all 897 elements of Y agree, largest error 0

//--- ahead.mlir
!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<32x8xf32, #tile.level<smem>>
!x = memref<1x1xf32, #tile.level<rf>>
tile.kernel @ahead(%X: !G[%M, %K], %Y: !G[%N, %K], %M: index, %N: index, %K: index) {
  tile.for (%i0) in (%N) by (64) at dram on block {
    tile.for (%k0) in (%K) by (8) at dram pipeline(2) {
      %s = tile.stage %X[%i0 floordiv 2, %k0 floordiv 2] : !G to !s
      tile.for (%t, %k) in (64, 8) by (1, 1) at smem on thread {
        %x = tile.stage %s[%t floordiv 2, %k] : !s to !x
        %c = tile.hold init(0.0 : f32) : !x
        linalg.add ins(%x, %c : !x, !x) outs(%c : !x)
        tile.store %c to %Y[%i0 + %t, %k0 + %k] : !x to !G
      }
    }
  }
}

//--- upsample.mlir
!G = memref<?x?xf32, strided<[?, 1]>>
!r = memref<1x1xf32, #tile.level<rf>>
tile.kernel @upsample(%X: !G[%M, %N], %Y: !G[%H, %W], %M: index, %N: index, %H: index, %W: index) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  tile.for (%i, %j) in (%H, %W) by (1, 96) at dram on block {
    tile.for (%t) in (96) by (1) at dram on thread {
      %p = arith.addi %j, %t : index
      %q = arith.divsi %i, %c2 : index
      %r = arith.divui %p, %c3 : index
      %x = tile.stage %X[%q, %r] pad(zero) : !G to !r
      tile.store %x to %Y[%i, %p] : !r to !G
    }
  }
}

//--- blocked.mlir
!X = memref<24x?xf32, strided<[?, 1]>>
!Y = memref<?x?x8x32xf32>
!x = memref<1x1xf32, #tile.level<rf>>
!y = memref<1x1x1x1xf32, #tile.level<rf>>
tile.kernel @blocked(%X: !X[24, %N], %Y: !Y[%P, %Q, 8, 32], %N: index, %P: index, %Q: index) {
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  tile.for (%i, %j0) in (24, %N) by (1, 128) at dram on block {
    tile.for (%j1) in (128) by (1) at dram on thread {
      %x = tile.stage %X[%i, %j0 + %j1] pad(zero) : !X to !x
      %y = tile.hold init(0.0 : f32) : !y
      linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
                      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : !x) outs(%y : !y) {
      ^bb0(%e: f32, %old: f32):
        linalg.yield %e : f32
      }
      %j = arith.addi %j0, %j1 : index
      %p = arith.divsi %i, %c8 : index
      %q = arith.divsi %j, %c32 : index
      %r = arith.remui %i, %c8 : index
      %s = arith.remsi %j, %c32 : index
      tile.store %y to %Y[%p, %q, %r, %s] : !y to !Y
    }
  }
}

//--- heads.mlir
!X = memref<2x?xf32, strided<[?, 1]>>
!Y = memref<8x?xf32, strided<[?, 1]>>
!r = memref<1x1xf32, #tile.level<rf>>
tile.kernel @heads(%X: !X[2, %M], %Y: !Y[8, %M], %M: index) {
  %c2 = arith.constant 2 : index
  tile.for (%i0) in (%M) by (32) at dram on block {
    tile.for (%h) in (8) by (1) at dram {
      %a = arith.divsi %h, %c2 : index
      %b = arith.divsi %a, %c2 : index
      tile.for (%i1) in (32) by (1) at dram on thread {
        %x = tile.stage %X[%b, %i0 + %i1] : !X to !r
        %s = tile.hold init(0.0 : f32) : !r
        linalg.add ins(%x, %s : !r, !r) outs(%s : !r)
        tile.store %s to %Y[%h, %i0 + %i1] : !r to !Y
      }
    }
  }
}

//--- again.mlir
!V = memref<?xf32>
!s = memref<8xf32, #tile.level<smem>>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @again(%X: memref<8xf32>[8], %Y: !V[%M], %M: index) {
  %c8 = arith.constant 8 : index
  tile.for (%i0) in (%M) by (32) at dram on block {
    %s = tile.stage %X[0] : memref<8xf32> to !s
    tile.for (%i1) in (32) by (1) at smem on thread {
      %i = arith.addi %i0, %i1 : index
      %k = arith.remsi %i, %c8 : index
      %x = tile.stage %s[%k] : !s to !r
      tile.store %x to %Y[%i] : !r to !V
    }
  }
}

//--- steps.mlir
!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @steps(%X: !V[%N], %Y: !V[%M], %M: index, %N: index) {
  %c2 = arith.constant 2 : index
  tile.for (%b) in (1) by (1) at dram on block {
    tile.for (%i0) in (%M) by (32) at dram {
      tile.for (%i1) in (32) by (1) at dram on thread {
        %i = arith.addi %i0, %i1 : index
        %k = arith.divsi %i, %c2 : index
        %x = tile.stage %X[%k] pad(zero) : !V to !r
        tile.store %x to %Y[%i] : !r to !V
      }
    }
  }
}

//--- short.mlir
!G = memref<?x?xf32, strided<[?, 1]>>
!S = memref<5x1x64xf32>
!r = memref<1x1xf32, #tile.level<rf>>
!s = memref<1x1x1xf32, #tile.level<rf>>
tile.kernel @short(%X: !G[%M, %N], %Y: !S[5, 1, 64], %M: index, %N: index) {
  tile.for (%i) in (5) by (1) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%i * 2 + %t floordiv 32, (%t mod 32) floordiv 4 + 1] pad(zero) : !G to !r
      %s = tile.hold init(0.0 : f32) : !s
      linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (b, c)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%x : !r) outs(%s : !s) {
      ^bb0(%e: f32, %old: f32):
        linalg.yield %e : f32
      }
      tile.store %s to %Y[%i, 0, %t] : !s to !S
    }
  }
}
