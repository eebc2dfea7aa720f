// Held tiles in shared memory that break a rule.
// RUN: tilec-opt %s -split-input-file -verify-diagnostics

tile.kernel @hold_h7_level() {
  // expected-error@+1 {{smem_at is for a tile in smem, got 'memref<4xf32, #tile.level<rf>>'}}
  %c = tile.hold init(0.0 : f32) smem_at(128) : memref<4xf32, #tile.level<rf>>
}

// -----

tile.kernel @hold_h7_place() {
  // expected-error@+1 {{smem_at(64) is no multiple of 128 from 0 to 2147483520}}
  %c = tile.hold init(0.0 : f32) smem_at(64) : memref<4xf32, #tile.level<smem>>
}

// -----

tile.kernel @hold_h6_shared() {
  // expected-error@+1 {{spread says which thread holds what of a tile in rf, but the tile is of type 'memref<4xf32, #tile.level<smem>>'}}
  %c = tile.hold init(0.0 : f32) spread("(4,1):(1,0)") : memref<4xf32, #tile.level<smem>>
}

// -----

// Two threads write one element.
!s = memref<32xf32, #tile.level<smem>>
!r = memref<2xf32, #tile.level<rf>>
tile.kernel @rule_i1_held(%X: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    %s = tile.hold init(0.0 : f32) : !s
    // expected-note@+1 {{induction variable 0 of this loop must move the destination past what others write}}
    tile.for (%t) in (31) by (1) at smem on thread {
      %r = tile.hold init(1.0 : f32) : !r
      // expected-error@+1 {{may write one element from several iterations of a loop on thread}}
      tile.store %r to %s[%t] : !r to !s
    }
  }
}

// -----

// A thread reads what another one writes in the same loop.
!s = memref<32xf32, #tile.level<smem>>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @rule_i1_held_read(%X: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    %s = tile.hold init(0.0 : f32) : !s
    // expected-note@+1 {{iterations of this loop have no order}}
    tile.for (%t) in (31) by (1) at smem on thread {
      // expected-error@+1 {{reads elements of a tile in smem that other iterations of a loop on thread may write}}
      %r = tile.stage %s[%t + 1] : !s to !r
      // expected-note@+1 {{the write is here}}
      tile.store %r to %s[%t] : !r to !s
    }
  }
}

// -----

// Threads that reduce share registers, not memory.
!s = memref<1xf32, #tile.level<smem>>
!r = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @rule_i1_held_reduce(%X: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    %s = tile.hold init(0.0 : f32) : !s
    // expected-note@+1 {{induction variable 0 of this loop must move the destination past what others write}}
    tile.for (%t) in (32) by (1) at smem on thread reduce(add) {
      %r = tile.stage %X[%i + %t] : memref<?xf32> to !r
      // expected-error@+1 {{may write one element from several iterations of a loop on thread}}
      linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%r : !r) outs(%s : !s) {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        linalg.yield %c : f32
      }
    }
  }
}

// -----

// Blocks have no shared memory in common that one of them made before.
!s = memref<64xf32, #tile.level<smem>>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @rule_i2_held(%X: memref<64xf32>[64]) {
  %s = tile.hold init(0.0 : f32) : !s
  // expected-note@+1 {{what the blocks of this loop write is seen by nobody else in this kernel}}
  tile.for (%i) in (64) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at smem on thread {
      %r = tile.hold init(1.0 : f32) : !r
      // expected-note@+1 {{a block touches them here}}
      tile.store %r to %s[%i + %t] : !r to !s
    }
  }
  tile.for (%t) in (64) by (1) at smem on thread {
    // expected-error@+1 {{touches elements of a tile in smem that blocks may write}}
    %r = tile.stage %s[%t] : !s to !r
    tile.store %r to %X[%t] : !r to memref<64xf32>
  }
}

// -----

// What an iteration makes cannot be copied ahead of it.
!s = memref<32xf32, #tile.level<smem>>
!r = memref<32xf32, #tile.level<rf>>
tile.kernel @rule_i3_held(%X: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // expected-note@+1 {{leave out pipeline, or stage it in a loop on thread}}
    tile.for (%k) in (8) by (1) at dram pipeline(2) {
      // expected-note@+1 {{the tile is made here}}
      %s = tile.hold init(0.0 : f32) : !s
      // expected-error@+1 {{copies a tile that each iteration of a pipelined loop makes, ahead of the iteration}}
      %r = tile.stage %s[0] : !s to !r
      tile.store %r to %X[%i] : !r to memref<?xf32>
    }
  }
}

// -----

// Some of what is staged may be absent, all of what is held is there.
!s = memref<32xf32, #tile.level<smem>>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @rule_a1_held(%X: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    %s = tile.hold init(0.0 : f32) : !s
    tile.for (%t) in (32) by (1) at smem on thread {
      // expected-note@+1 {{the tile is staged here; pad gives absent elements a value}}
      %r = tile.stage %X[%i + %t] : memref<?xf32> to !r
      // expected-error@+1 {{stores elements that dimension 0 of operand #0 may not have to places that the destination has}}
      tile.store %r to %s[%t] : !r to !s
    }
  }
}

// -----

// A place in a tile lies inside of it.
!s = memref<32xf32, #tile.level<smem>>
!r = memref<2xf32, #tile.level<rf>>
tile.kernel @store_w4_held(%X: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    %s = tile.hold init(0.0 : f32) : !s
    tile.for (%t) in (34) by (2) at smem on thread {
      %r = tile.hold init(0.0 : f32) : !r
      // expected-error@+1 {{subscript 0 goes from 0 to 32 and takes 2 elements from there, but the tile has 32}}
      tile.store %r to %s[%t] : !r to !s
    }
  }
}

// -----

// Sums of parts of a cut loop are in registers.
!s = memref<32xf32, #tile.level<smem>>
!p = memref<1xf32, #tile.level<smem>>
!r = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @for_f11_held(%X: memref<?x?xf32>[%M, %K], %Y: memref<?xf32>[%M], %M: index, %K: index) {
  tile.for (%i) in (%M) by (32) at dram on block persistent {
    %s = tile.hold init(0.0 : f32) : !s
    // expected-note@+1 {{blocks that have a part of this loop's iterations each run it}}
    tile.for (%k) in (%K) by (1) at dram tail(cut) {
      tile.for (%t) in (32) by (1) at smem on thread {
        %r = tile.stage %X[%i + %t, %k] : memref<?x?xf32> to memref<1x1xf32, #tile.level<rf>>
        %p = tile.part %s[%t] : !s to !p
        // expected-error@+1 {{changes a tile from outside of a tail(cut) loop that is not held in rf right before it}}
        linalg.generic {indexing_maps = [affine_map<(i) -> (i, 0)>, #i], iterator_types = ["parallel"]} ins(%r : memref<1x1xf32, #tile.level<rf>>) outs(%p : !p) {
        ^bb0(%a: f32, %b: f32):
          %c = arith.addf %a, %b : f32
          linalg.yield %c : f32
        }
      }
    }
    tile.for (%t) in (32) by (1) at smem on thread {
      %r = tile.stage %s[%t] : !s to !r
      tile.store %r to %Y[%i + %t] : !r to memref<?xf32>
    }
  }
}
