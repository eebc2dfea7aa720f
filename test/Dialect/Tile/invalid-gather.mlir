// RUN: tilec-opt %s -split-input-file -verify-diagnostics

// Gathers and scatters that break one rule; valid-gather.mlir has those that satisfy it.

!G = memref<?x?xf32>
!p = memref<8x8xf32, strided<[?, ?], offset: ?>>
!r = memref<1x8xf32, #tile.level<rf>>
tile.kernel @stage_s15_part(%X: !G[%M, %N], %I: memref<?xi32>[%M], %M: index, %N: index) {
  %p = tile.part %X[0, 0] : !G to !p
  // expected-error@+1 {{gather numbers a dimension of an operand itself, got a part of type 'memref<8x8xf32}}
  %r = tile.stage %p[0, 0] gather(%I : memref<?xi32> along 0) : !p to !r
}

// -----

!G = memref<?x?xf32>
!r = memref<1x8xf32, #tile.level<rf>>
tile.kernel @stage_s15_wide(%X: !G[%M, %N], %I: memref<?xi8>[%M], %M: index, %N: index) {
  // expected-error@+1 {{gather takes its numbers from an operand of one dimension of i32 or i64, got 'memref<?xi8>'}}
  %r = tile.stage %X[0, 0] gather(%I : memref<?xi8> along 0) : !G to !r
}

// -----

!G = memref<?x?xf32>
!r = memref<1x8xf32, #tile.level<rf>>
tile.kernel @stage_s15_rank(%X: !G[%M, %N], %I: memref<?x?xi32>[%M, %N], %M: index, %N: index) {
  // expected-error@+1 {{gather takes its numbers from an operand of one dimension of i32 or i64, got 'memref<?x?xi32>'}}
  %r = tile.stage %X[0, 0] gather(%I : memref<?x?xi32> along 0) : !G to !r
}

// -----

!G = memref<?x?xf32>
!i = memref<8xi32, #tile.level<rf>>
!r = memref<8x8xf32, #tile.level<rf>>
tile.kernel @stage_s15_tile(%X: !G[%M, %N], %I: memref<?xi32>[%M], %M: index, %N: index) {
  %i = tile.stage %I[0] : memref<?xi32> to !i
  // expected-error@+1 {{gather takes its numbers from an operand of one dimension of i32 or i64, got a tile or part of type 'memref<8xi32}}
  %r = tile.stage %X[0, 0] gather(%i : !i along 0) : !G to !r
}

// -----

!G = memref<?x?xf32>
!r = memref<1x8xf32, #tile.level<rf>>
tile.kernel @stage_s15_along(%X: !G[%M, %N], %I: memref<?xi32>[%M], %M: index, %N: index) {
  // expected-error@+1 {{gather numbers dimension 2 of an operand of rank 2}}
  %r = tile.stage %X[0, 0] gather(%I : memref<?xi32> along 2) : !G to !r
}

// -----

!G = memref<?x?xf32>
!s = memref<8x8xf32, #tile.level<smem>>
tile.kernel @stage_s16_boxes(%X: !G[%M, %N], %I: memref<?xi32>[%M], %M: index, %N: index) {
  tile.for (%k) in (%M) by (8) at dram pipeline(2) producers(1) {
    // expected-error@+1 {{copy(tma) copies boxes; what gather takes lies in none, with 8 numbers a tile; expected 1}}
    %s = tile.stage %X[%k, 0] gather(%I : memref<?xi32> along 0) copy(tma) : !G to !s
  }
}

// -----

!G = memref<?x?xf32>
!r = memref<1x8xf32, #tile.level<rf>>
tile.kernel @stage_s16_edges(%X: !G[%M, %N], %I: memref<?xi32>[%M], %M: index, %N: index) {
  // expected-error@+1 {{edges(tile) asks for a box; what gather takes lies in none}}
  %r = tile.stage %X[0, 0] gather(%I : memref<?xi32> along 0) edges(tile) : !G to !r
}

// -----

!G = memref<?x?xf32>
!r = memref<1x8xf32, #tile.level<rf>>
tile.kernel @stage_s16_pad(%X: !G[%M, %N], %I: memref<?xi32>[%M], %M: index, %N: index) {
  // expected-error@+1 {{gather pads with zero, got clamp}}
  %r = tile.stage %X[0, 0] gather(%I : memref<?xi32> along 0) pad(clamp) : !G to !r
}

// -----

!G = memref<?xf32>
!r = memref<8xf32, #tile.level<rf>>
tile.kernel @store_w8_replaces(%Y: !G[%M], %I: memref<?xi32>[%N], %M: index, %N: index) {
  %r = tile.hold init(1.0 : f32) : !r
  // expected-error@+1 {{scatter is of a tile in rf, with combine, since two places may have the same number, or with unique, which says that none have}}
  tile.store %r to %Y[0] scatter(%I : memref<?xi32> along 0) : !r to !G
}

// -----

!s = memref<64xi32, #tile.level<smem>>
!h = memref<32xi32, strided<[1], offset: ?>, #tile.level<smem>>
!r = memref<8xi32, #tile.level<rf>>
tile.kernel @store_w8_part(%I: memref<?xi32>[%N], %N: index) {
  %s = tile.hold init(0 : i32) : !s
  %h = tile.part %s[32] : !s to !h
  %r = tile.hold init(1 : i32) : !r
  // expected-error@+1 {{scatter numbers a dimension of an operand itself or of a held tile itself, got a part of type 'memref<32xi32}}
  tile.store %r to %h[0] scatter(%I : memref<?xi32> along 0) combine(add) : !r to !h
}

// -----

// Elements of a staged tile may be absent, whichever it is.
!s = memref<64xi32, #tile.level<smem>>
!r = memref<8xi32, #tile.level<rf>>
tile.kernel @store_w8_staged(%X: memref<?xi32>[%M], %I: memref<?xi32>[%N], %M: index, %N: index) {
  %s = tile.stage %X[0] : memref<?xi32> to !s
  %r = tile.hold init(1 : i32) : !r
  // expected-error@+1 {{scatter numbers a dimension of an operand itself or of a held tile itself, got a tile of type 'memref<64xi32}}
  tile.store %r to %s[0] scatter(%I : memref<?xi32> along 0) combine(add) : !r to !s
}

// -----

!s = memref<64xi32, #tile.level<smem>>
!r = memref<8xi32, #tile.level<rf>>
tile.kernel @store_w8_shared_replaces(%I: memref<?xi32>[%N], %N: index) {
  %s = tile.hold init(0 : i32) : !s
  %r = tile.hold init(1 : i32) : !r
  // expected-error@+1 {{scatter is of a tile in rf, with combine, since two places may have the same number, or with unique, which says that none have}}
  tile.store %r to %s[0] scatter(%I : memref<?xi32> along 0) : !r to !s
}

// -----

// The dimension that is not numbered.
!s = memref<64x8xi32, #tile.level<smem>>
!r = memref<8x4xi32, #tile.level<rf>>
tile.kernel @store_w4_scattered(%I: memref<?xi32>[%N], %N: index) {
  %s = tile.hold init(0 : i32) : !s
  %r = tile.hold init(1 : i32) : !r
  // expected-error@+1 {{subscript 1 goes from 5 to 5 and takes 4 elements from there, but the tile has 8}}
  tile.store %r to %s[1000, 5] scatter(%I : memref<?xi32> along 0) combine(add) : !r to !s
}

// -----

!r = memref<8xf32, #tile.level<rf>>
tile.kernel @store_w9_floats(%Y: memref<?xf32>[%M], %M: index) {
  %r = tile.hold init(1.0 : f32) : !r
  // expected-error@+1 {{combine(or) is of integers, got elements of 'f32'}}
  tile.store %r to %Y[0] combine(or) : !r to memref<?xf32>
}

// -----

!r = memref<8xi32, #tile.level<rf>>
tile.kernel @store_w9_integers(%Y: memref<?xi32>[%M], %M: index) {
  %r = tile.hold init(1 : i32) : !r
  // expected-error@+1 {{combine(maxnum) is of floating-point numbers, got elements of 'i32'}}
  tile.store %r to %Y[0] combine(maxnum) : !r to memref<?xi32>
}

// -----

// What threads count is read when their loop has ended.
!h = memref<64xi32, #tile.level<smem>>
!r = memref<1xi32, #tile.level<rf>>
tile.kernel @rule_i1_counted(%I: memref<?xi32>[%N], %Y: memref<64xi32>[64], %N: index) {
  %h = tile.hold init(0 : i32) : !h
  // expected-note@+1 {{iterations of this loop have no order}}
  tile.for (%t) in (64) by (1) at smem on thread {
    %one = tile.hold init(1 : i32) : !r
    // expected-note@+1 {{the write is here}}
    tile.store %one to %h[%t] scatter(%I : memref<?xi32> along 0) combine(add) : !r to !h
    // expected-error@+1 {{reads elements of a tile in smem that other iterations of a loop on thread may write}}
    %r = tile.stage %h[%t] : !h to !r
    tile.store %r to %Y[%t] : !r to memref<64xi32>
  }
}

// -----

// Kinds do not mix: the result would have an order.
!h = memref<64xi32, #tile.level<smem>>
!r = memref<1xi32, #tile.level<rf>>
tile.kernel @rule_i1_kinds(%I: memref<?xi32>[%N], %N: index) {
  %h = tile.hold init(0 : i32) : !h
  // expected-note@+1 {{iterations of this loop have no order}}
  tile.for (%t) in (64) by (1) at smem on thread {
    %one = tile.hold init(1 : i32) : !r
    // expected-note@+1 {{the write is here}}
    tile.store %one to %h[%t] scatter(%I : memref<?xi32> along 0) combine(add) : !r to !h
    // expected-error@+1 {{writes elements of a tile in smem that other iterations of a loop on thread may write as well}}
    tile.store %one to %h[%t] scatter(%I : memref<?xi32> along 0) combine(max) : !r to !h
  }
}

// -----

!r = memref<8xi32, #tile.level<rf>>
tile.kernel @store_w8_itself(%I: memref<?xi32>[%N], %N: index) {
  %r = tile.hold init(1 : i32) : !r
  // expected-error@+1 {{scatter changes the operand that it takes its numbers from}}
  tile.store %r to %I[0] scatter(%I : memref<?xi32> along 0) combine(add) : !r to memref<?xi32>
}

// -----

// Rows are there where indices are, of which there are M, not where rows of X are.
!G = memref<?x?xf32>
!r = memref<1x1xf32, #tile.level<rf>>
tile.kernel @rule_a1_gathered(%X: !G[%R, %N], %I: memref<?xi32>[%M], %Y: !G[%R, %N], %R: index, %M: index, %N: index) {
  tile.for (%i, %j) in (%R, %N) by (1, 1) at dram on block {
    // expected-note@+1 {{the tile is staged here}}
    %r = tile.stage %X[%i, %j] gather(%I : memref<?xi32> along 0) : !G to !r
    // expected-error@+1 {{stores elements that dimension 0 of operand #1 may not have to places that the destination has}}
    tile.store %r to %Y[%i, %j] : !r to !G
  }
}

// -----

// What threads write others may find by its number.
!G = memref<?x?xf32>
!r = memref<1x1xf32, #tile.level<rf>>
tile.kernel @rule_i1_gathered(%X: !G[%M, %N], %I: memref<?xi32>[%M], %M: index, %N: index) {
  // expected-note@+1 {{iterations of this loop have no order}}
  tile.for (%i, %j) in (%M, %N) by (1, 1) at dram on block {
    // expected-error@+1 {{reads elements of operand #0 that other iterations of a loop on block may write}}
    %r = tile.stage %X[%i, %j] gather(%I : memref<?xi32> along 0) : !G to !r
    // expected-note@+1 {{the write is here}}
    tile.store %r to %X[%i, %j] : !r to !G
  }
}

// -----

// Indices that the kernel itself writes.
!G = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
!n = memref<1xi32, #tile.level<rf>>
tile.kernel @rule_i1_indices(%X: !G[%M], %I: memref<?xi32>[%N], %Y: !G[%N], %M: index, %N: index) {
  // expected-note@+1 {{iterations of this loop have no order}}
  tile.for (%i) in (%N) by (1) at dram on block {
    %n = tile.hold init(0 : i32) : !n
    // expected-note@+1 {{the write is here}}
    tile.store %n to %I[%i] : !n to memref<?xi32>
    // expected-error@+1 {{reads elements of operand #1 that other iterations of a loop on block may write}}
    %r = tile.stage %X[%i] gather(%I : memref<?xi32> along 0) : !G to !r
    tile.store %r to %Y[%i] : !r to !G
  }
}

// -----

// A copy ahead of the iterations that write what it is numbered by.
!G = memref<?xf32>
!s = memref<8xf32, #tile.level<smem>>
!n = memref<8xi32, #tile.level<rf>>
tile.kernel @rule_i3_indices(%X: !G[%M], %I: memref<?xi32>[%N], %M: index, %N: index) {
  // expected-note@+1 {{leave out pipeline, or write to another operand}}
  tile.for (%k) in (%N) by (8) at dram pipeline(2) {
    // expected-error@+1 {{reads operand #1 ahead of the iterations of a pipelined loop, but it is written in the loop}}
    %s = tile.stage %X[%k] gather(%I : memref<?xi32> along 0) : !G to !s
    %n = tile.hold init(0 : i32) : !n
    // expected-note@+1 {{the write is here}}
    tile.store %n to %I[%k] : !n to memref<?xi32>
  }
}

// -----

!r = memref<8xf32, #tile.level<rf>>
tile.kernel @store_w8_both(%Y: memref<?xf32>[%M], %I: memref<?xi32>[%N], %M: index, %N: index) {
  %r = tile.hold init(1.0 : f32) : !r
  // expected-error@+1 {{scatter is of a tile in rf, with combine, since two places may have the same number, or with unique, which says that none have}}
  tile.store %r to %Y[0] scatter(%I : memref<?xi32> along 0) unique combine(max) : !r to memref<?xf32>
}

// -----

!r = memref<8xf32, #tile.level<rf>>
tile.kernel @store_w8_unique_of_none(%Y: memref<?xf32>[%M], %M: index) {
  %r = tile.hold init(1.0 : f32) : !r
  // expected-error@+1 {{unique says of scatter that no two places have one number; this store has no scatter}}
  tile.store %r to %Y[0] unique : !r to memref<?xf32>
}

// -----

!s = memref<64xi32, #tile.level<smem>>
!r = memref<8xi32, #tile.level<rf>>
tile.kernel @store_w8_unique_held(%I: memref<?xi32>[%N], %N: index) {
  %s = tile.hold init(0 : i32) : !s
  %r = tile.hold init(1 : i32) : !r
  // expected-error@+1 {{unique is of what is scattered to an operand; a held tile takes combine}}
  tile.store %r to %s[0] scatter(%I : memref<?xi32> along 0) unique : !r to !s
}

// -----

!r = memref<8xf32, #tile.level<rf>>
tile.kernel @store_w8_unique_touched(%Y: memref<?xf32>[%M], %I: memref<?xi32>[%N], %M: index, %N: index) {
  // expected-note@+1 {{here}}
  %x = tile.stage %Y[0] : memref<?xf32> to !r
  %r = tile.hold init(1.0 : f32) : !r
  // expected-error@+1 {{scatter replaces elements that data says, and something else touches the operand}}
  tile.store %r to %Y[0] scatter(%I : memref<?xi32> along 0) unique : !r to memref<?xf32>
}

// -----

!r = memref<8xf32, #tile.level<rf>>
tile.kernel @store_w8_unique_edges(%Y: memref<?xf32>[%M], %I: memref<?xi32>[%N], %M: index, %N: index) {
  %r = tile.hold init(1.0 : f32) : !r
  // expected-error@+1 {{edges(tile) is for a box; what scatter stores to lies in none}}
  tile.store %r to %Y[0] scatter(%I : memref<?xi32> along 0) unique edges(tile) : !r to memref<?xf32>
}

// -----

!r = memref<4x8xf32, #tile.level<rf>>
tile.kernel @store_w8_unique_through(%Y: memref<?x?xf32>[%M, %M], %I: memref<?xi32>[%N], %M: index, %N: index) {
  %r = tile.hold init(1.0 : f32) : !r
  // expected-error@+1 {{through(4) is for a box; what scatter stores to lies in none}}
  tile.store %r to %Y[0, 0] scatter(%I : memref<?xi32> along 0) unique through(4) : !r to memref<?x?xf32>
}

// -----

// Two threads by one place, in an array that has more indices than the dimension has elements: these may meet in the last ones.
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @rule_i1_unique(%Y: memref<8xf32>[8], %I: memref<?xi32>[%N], %N: index) {
  tile.for (%i) in (%N) by (32) at dram on block {
    // expected-note@+1 {{induction variable 0 of this loop must move the destination past what others write}}
    tile.for (%t, %u) in (2, 32) by (1, 1) at dram on thread {
      %r = tile.hold init(1.0 : f32) : !r
      // expected-error@+1 {{may write one element from several iterations of a loop on thread}}
      tile.store %r to %Y[%i + %u] scatter(%I : memref<?xi32> along 0) unique : !r to memref<8xf32>
    }
  }
}
