// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-plan-copy

!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @unpipelined(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // expected-error@+1 {{form 0 moves 4 elements at once, which only copies of a pipelined loop do}}
    %s = tile.stage %A[%i, 0] forms(1 by 4, 1) : memref<?x?xf32> to !s
  }
}

// -----

// The tile lies by columns, the operand by rows.
!s = memref<32x16xf32, strided<[1, 32]>, #tile.level<smem>>
// expected-note@+1 {{the operand is of type 'memref<?x?xf32>'}}
tile.kernel @turned(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    tile.for (%k) in (%N) by (16) at dram pipeline(2) {
      // expected-error@+1 {{form 0 moves 4 elements along dimension 1 at once, but no launch has them side by side and aligned}}
      %s = tile.stage %A[%i, %k] forms(1 by 4, 1) : memref<?x?xf32> to !s
    }
  }
}

// -----

!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @never(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // expected-error@+1 {{form 0 is one that any launch takes; form 1 is for none}}
    %s = tile.stage %A[%i, 0] forms(1, 0) : memref<?x?xf32> to !s
  }
}

// -----

// 96 threads take 32x16 floats in 5 rounds and a third.
!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @uneven(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    tile.for (%k) in (%N) by (16) at dram pipeline(2) {
      // expected-error@+1 {{edges(tile) needs rounds that deal the tile out evenly, but form 0 and 96 threads do not}}
      %s = tile.stage %A[%i, %k] forms(1) edges(tile) : memref<?x?xf32> to !s
      tile.for (%t) in (96) by (1) at smem on thread {
      }
    }
  }
}

// -----

!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @boxes(%B: memref<?x?xf32, strided<[?, 1]>>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    tile.for (%k) in (%N) by (16) at dram pipeline(2) producers(1) {
      // expected-error@+1 {{edges(tile) beside copy(tma), which asks for no edges}}
      %b = tile.stage %B[%i, %k] copy(tma) forms(1) edges(tile) : memref<?x?xf32, strided<[?, 1]>> to !s
    }
  }
}

// -----

!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @alone(%B: memref<?x?xf32, strided<[?, 1]>>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    tile.for (%k) in (%N) by (16) at dram pipeline(2) producers(1) {
      // expected-error@+1 {{has 2 slices, but 1 block shares the tile}}
      %b = tile.stage %B[%i, %k] copy(tma) slices(2) : memref<?x?xf32, strided<[?, 1]>> to !s
    }
  }
}

// -----

// 3 slices of 32 rows are none.
!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @thirds(%B: memref<?x?xf32, strided<[?, 1]>>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (96) at dram on cluster {
    tile.for (%j) in (96) by (32) at dram on block {
      tile.for (%k) in (%N) by (16) at dram pipeline(2) producers(1) {
        // expected-error@+1 {{has 3 slices; 32 elements along dimension 0 and 2048 bytes do not part into as many of whole 128 bytes}}
        %b = tile.stage %B[%i, %k] copy(tma) slices(3) : memref<?x?xf32, strided<[?, 1]>> to !s
      }
    }
  }
}

// -----

// 2 boxes of 24 rows, for 6 blocks: 4 rows are half of what the swizzle repeats after.
!s = memref<24x64xf32, #tile.layout<"Sw<3,2,3> o 0 o (24,(32,2)):(32,(1,768))">, #tile.level<smem>>
tile.kernel @rows_of_the_pattern(%B: memref<?x?xf32, strided<[?, 1]>>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (96) at dram on cluster {
    tile.for (%j) in (96) by (16) at dram on block {
      tile.for (%k) in (%N) by (64) at dram pipeline(2) producers(1) {
        // expected-error@+1 {{has 6 slices; 2 boxes do not part into as many, and of each 24 elements along dimension 0 and 3072 bytes do not part into as many of whole 1024 bytes}}
        %b = tile.stage %B[%i, %k] copy(tma) slices(6) : memref<?x?xf32, strided<[?, 1]>> to !s
      }
    }
  }
}

// -----

// A thread holds two rows of two.
!s = memref<32x16xf32, #tile.level<smem>>
!r = memref<2x2xf32, #tile.level<rf>>
tile.kernel @held(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // expected-note@+1 {{they are loaded from this tile}}
    %s = tile.stage %A[%i, 0] : memref<?x?xf32> to !s
    tile.for (%m, %n) in (32, 16) by (2, 2) at smem on thread {
      // expected-error@+1 {{wide(4) loads elements at once that a thread does not hold side by side, or that are not side by side and aligned}}
      %r = tile.stage %s[%m, %n] wide(4) : !s to !r
    }
  }
}

// -----

!r = memref<1x4xf32, #tile.level<rf>>
// expected-note@+1 {{the operand is of type 'memref<?x?xf32, strided<[?, 2]>>'}}
tile.kernel @stored(%Y: memref<?x?xf32, strided<[?, 2]>>[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (32, 16) at dram on block {
    tile.for (%m, %n) in (32, 16) by (1, 4) at smem on thread {
      %r = tile.hold init(0.0 : f32) : !r
      // expected-error@+1 {{wide(4) stores elements at once that a thread does not hold side by side, or that are in no launch side by side and aligned in the operand}}
      tile.store %r to %Y[%i + %m, %j + %n] wide(4) : !r to memref<?x?xf32, strided<[?, 2]>>
    }
  }
}

// -----

!r = memref<1x4xf32, #tile.level<rf>>
// expected-note@+1 {{the operand is of type 'memref<?x?xf32>'}}
tile.kernel @loaded(%X: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (32, 16) at dram on block {
    tile.for (%m, %n) in (32, 16) by (1, 4) at smem on thread {
      // expected-error@+1 {{wide(4) loads elements at once that a thread does not hold side by side, or that are in no launch side by side, aligned and all there in the operand}}
      %r = tile.stage %X[%i + %m, %j + %n - 1] edges(element) wide(4) : memref<?x?xf32> to !r
    }
  }
}

// -----

!r = memref<1x1xf32, #tile.level<rf>>
tile.kernel @alone(%X: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (32, 16) at dram on block {
    tile.for (%m, %n) in (32, 16) by (1, 1) at smem on thread {
      // expected-error@+1 {{edges(tile) needs a thread to hold several elements, side by side in each dimension}}
      %r = tile.stage %X[%i + %m, %j + %n] edges(tile) : memref<?x?xf32> to !r
    }
  }
}

// -----

!s = memref<16x16xbf16, strided<[18, 1]>, #tile.level<smem>>
!a = memref<16x16xbf16, #tile.level<rf>>
!b = memref<16x8xbf16, #tile.level<rf>>
!c = memref<16x8xf32, #tile.level<rf>>
// Rows of 36 bytes.
tile.kernel @rows(%A: memref<16x16xbf16>[16, 16]) {
  tile.for (%i) in (1) by (1) at dram on block {
    // expected-note@+1 {{it is loaded from this tile}}
    %s = tile.stage %A[0, 0] : memref<16x16xbf16> to !s
    tile.for (%w) in (1) by (1) at smem on warp {
      // expected-error@+1 {{copy(ldmatrix) loads rows of 16 bytes that lie side by side and aligned}}
      %a = tile.stage %s[0, 0] copy(ldmatrix) : !s to !a
      %b = tile.hold init(1.0 : bf16) : !b
      %c = tile.hold init(0.0 : f32) : !c
      linalg.matmul ins(%a, %b : !a, !b) outs(%c : !c)
    }
  }
}
