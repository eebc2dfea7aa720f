// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-kernel-pipeline | FileCheck %s

// Staged tiles whose layout is nested or swizzled: addresses from modes and xor, refusals.

// Bits 5 to 9 of the offset, the row, are xored onto bits 0 to 4, the column.
// CHECK-LABEL: kernel.func @swizzled
!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<32x32xf32, #tile.layout<"Sw<5,0,5> o 0 o (32,32):(32,1)">, #tile.level<smem>>
!p = memref<1x1xf32, #tile.level<smem>>
!e = memref<1x1xf32, strided<[?, 1], offset: ?>>
tile.kernel @swizzled(%A: !G[%M, %N], %B: !G[%N, %M], %M: index, %N: index) {
  tile.for (%i0, %j0) in (%M, %N) by (32, 32) at dram on block {
    %s = tile.stage %A[%i0, %j0] : !G to !s
    // CHECK: kernel.shared : memref<1024xf32
    // CHECK: arith.xori
    // CHECK: kernel.sts
    // CHECK: arith.xori
    // CHECK: kernel.lds
    tile.for (%j1, %i1) in (32, 32) by (1, 1) at smem on thread {
      %p = tile.part %s[%i1, %j1] : !s to !p
      %b = tile.part %B[%j0 + %j1, %i0 + %i1] : !G to !e
      linalg.transpose ins(%p : !p) outs(%b : !e) permutation = [1, 0]
    }
  }
}

// -----

// Four elements of a row lie side by side, groups of four 16 apart: loads of four.
// CHECK-LABEL: kernel.func @nested
!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<8x32xf32, #tile.layout<"(8,(4,8)):(4,(1,32))">, #tile.level<smem>>
!r = memref<8x32xf32, #tile.level<rf>>
!q = memref<1x4xf32, #tile.level<rf>>
tile.kernel @nested(%A: !G[%M, %N], %B: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i0, %j0) in (%M, %N) by (8, 32) at dram on block {
    %s = tile.stage %A[%i0, %j0] : !G to !s
    // CHECK: kernel.lds_vector 4
    %r = tile.stage %s[0, 0] : !s to !r
    tile.for (%i1, %j1) in (8, 32) by (1, 4) at rf on thread {
      %q = tile.part %r[%i1, %j1] : !r to !q
      %b = tile.part %B[%i0 + %i1, %j0 + %j1] : !G to memref<1x4xf32, strided<[?, 1], offset: ?>>
      linalg.copy ins(%q : !q) outs(%b : memref<1x4xf32, strided<[?, 1], offset: ?>>)
    }
  }
}

// -----

// Two lie side by side, then comes a jump: no loads of four.
// CHECK-LABEL: kernel.func @pairs
// CHECK-NOT: kernel.lds_vector 4
// CHECK: kernel.lds_vector 2
!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<8x32xf32, #tile.layout<"(8,(2,16)):(2,(1,16))">, #tile.level<smem>>
!r = memref<8x32xf32, #tile.level<rf>>
!q = memref<1x4xf32, #tile.level<rf>>
tile.kernel @pairs(%A: !G[%M, %N], %B: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i0, %j0) in (%M, %N) by (8, 32) at dram on block {
    %s = tile.stage %A[%i0, %j0] : !G to !s
    %r = tile.stage %s[0, 0] : !s to !r
    tile.for (%i1, %j1) in (8, 32) by (1, 4) at rf on thread {
      %q = tile.part %r[%i1, %j1] : !r to !q
      %b = tile.part %B[%i0 + %i1, %j0 + %j1] : !G to memref<1x4xf32, strided<[?, 1], offset: ?>>
      linalg.copy ins(%q : !q) outs(%b : memref<1x4xf32, strided<[?, 1], offset: ?>>)
    }
  }
}

// -----

// Elements (0,2) and (1,0) of (4,4):(2,1) share offset 2.
tile.kernel @limit_x20_overlap(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i0, %j0) in (%M, %N) by (4, 4) at dram on block {
    // expected-error@+1 {{a tile in shared memory needs a place for each element; 'memref<4x4xf32, #tile.layout<"(4,4):(2,1)">, #tile.level<smem>>' has several at offset 2}}
    %s = tile.stage %A[%i0, %j0] : memref<?x?xf32> to memref<4x4xf32, #tile.layout<"(4,4):(2,1)">, #tile.level<smem>>
  }
}

// -----

tile.kernel @limit_x20_unknown(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i0, %j0) in (%M, %N) by (4, 4) at dram on block {
    // expected-error@+1 {{a tile in shared memory needs static strides}}
    %s = tile.stage %A[%i0, %j0] : memref<?x?xf32> to memref<4x4xf32, #tile.layout<"(4,4):(?,1)">, #tile.level<smem>>
  }
}

// -----

tile.kernel @large(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i0, %j0) in (%M, %N) by (2048, 1024) at dram on block {
    // expected-error@+1 {{a tile in shared memory: }}
    %s = tile.stage %A[%i0, %j0] : memref<?x?xf32> to memref<2048x1024xf32, #tile.level<smem>>
  }
}
