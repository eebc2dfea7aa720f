// Tiles that a block holds in shared memory: an array, its initial value where something may read it, and stores from registers. Barriers
// follow from the accesses, one where threads read what others wrote and one before that is overwritten.
// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-kernel-pipeline | FileCheck %s

// All of it is written before it is read: nobody needs the initial value.
// CHECK-LABEL: kernel.func @written_first
// CHECK-SAME: static_shared(512)
// CHECK: %[[ARRAY:.*]] = kernel.shared : memref<128xf32, #tile.level<smem>>
// CHECK-NOT: sync
// CHECK-NOT: kernel.sts %
// CHECK: kernel.sts_vector 4, %[[ARRAY]]
// CHECK-SAME: thread_loop 1
// CHECK-NOT: kernel.sts
// CHECK: kernel.sync_block
// CHECK-NEXT: kernel.lds %[[ARRAY]]
// CHECK-NOT: sync
!V = memref<?xf32, strided<[?]>>
!s = memref<128xf32, #tile.level<smem>>
!r4 = memref<4xf32, #tile.level<rf>>
!r1 = memref<1xf32, #tile.level<rf>>
tile.kernel @written_first(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (128) at dram on block {
    %s = tile.hold init(1.0 : f32) : !s
    tile.for (%t) in (128) by (4) at smem on thread {
      %r = tile.stage %X[%i + %t] pad(zero) : !V to !r4
      tile.store %r to %s[%t] : !r4 to !s
    }
    tile.for (%t) in (128) by (1) at smem on thread {
      %r = tile.stage %s[-%t + 127] : !s to !r1
      tile.store %r to %Y[%i + %t] : !r1 to !V
    }
  }
}

// -----

// Rows are written from places that move back along them: row i from column 4 - i % 4 to 19 - i % 4, all of them from column 4 to 16. Nothing else is read, so that nobody needs the
// initial value; and rows that lie 21 apart begin at multiples of 4 elements, since each is written as much earlier.
// CHECK-LABEL: kernel.func @box_written
// CHECK-NOT: kernel.sts %
// CHECK: kernel.sts_vector 4,
// CHECK-NOT: kernel.sts
// CHECK: kernel.sync_block
!G = memref<8x32xf32>
!s = memref<8x20xf32, #tile.layout<"(8,20):(21,1)">, #tile.level<smem>>
!r4 = memref<1x4xf32, #tile.level<rf>>
!r1 = memref<1x1xf32, #tile.level<rf>>
tile.kernel @box_written(%X: !G[8, 32], %Y: !G[8, 32]) {
  tile.for (%b) in (1) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !s
    tile.for (%h, %i, %j) in (8, 4, 16) by (4, 1, 4) at dram on thread {
      %r = tile.stage %X[%h + %i, -%i + %j] pad(zero) : !G to !r4
      tile.store %r to %s[%h + %i, -%i + %j + 4] : !r4 to !s
    }
    tile.for (%i, %j) in (8, 13) by (1, 1) at smem on thread {
      %r = tile.stage %s[%i, %j + 4] : !s to !r1
      tile.store %r to %Y[%i, %j] : !r1 to !G
    }
  }
}

// -----

// One column more is read, which some rows do not write.
// CHECK-LABEL: kernel.func @box_exceeded
// CHECK: kernel.sts %
// CHECK: kernel.sync_block
// CHECK: kernel.sts_vector 4,
// CHECK: kernel.sync_block
!G = memref<8x32xf32>
!s = memref<8x20xf32, #tile.layout<"(8,20):(21,1)">, #tile.level<smem>>
!r4 = memref<1x4xf32, #tile.level<rf>>
!r1 = memref<1x1xf32, #tile.level<rf>>
tile.kernel @box_exceeded(%X: !G[8, 32], %Y: !G[8, 32]) {
  tile.for (%b) in (1) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !s
    tile.for (%h, %i, %j) in (8, 4, 16) by (4, 1, 4) at dram on thread {
      %r = tile.stage %X[%h + %i, -%i + %j] pad(zero) : !G to !r4
      tile.store %r to %s[%h + %i, -%i + %j + 4] : !r4 to !s
    }
    tile.for (%i, %j) in (8, 13) by (1, 1) at smem on thread {
      %r = tile.stage %s[%i, %j + 3] : !s to !r1
      tile.store %r to %Y[%i, %j] : !r1 to !G
    }
  }
}

// -----

// Some of it keeps its initial value: the threads fill it, 16 bytes each at a time, and wait before others overwrite that.
// CHECK-LABEL: kernel.func @filled
// CHECK: arith.constant 1.000000e+00
// CHECK: kernel.shared : memref<128xf32, #tile.level<smem>>
// CHECK: kernel.sts_vector 4,
// CHECK-SAME: thread_loop 1
// CHECK: kernel.sync_block
// CHECK: kernel.sts %
// CHECK-SAME: thread_loop 2
// CHECK: kernel.sync_block
// CHECK-NEXT: kernel.lds
!V = memref<?xf32, strided<[?]>>
!s = memref<128xf32, #tile.level<smem>>
!r1 = memref<1xf32, #tile.level<rf>>
tile.kernel @filled(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (128) at dram on block {
    %s = tile.hold init(1.0 : f32) : !s
    tile.for (%t) in (127) by (1) at smem on thread {
      %r = tile.stage %X[%i + %t] pad(zero) : !V to !r1
      tile.store %r to %s[%t] : !r1 to !s
    }
    tile.for (%t) in (128) by (1) at smem on thread {
      %r = tile.stage %s[-%t + 127] : !s to !r1
      tile.store %r to %Y[%i + %t] : !r1 to !V
    }
  }
}

// -----

// Threads that update elements of their own wait for nobody, in a loop neither; others read them after the loop.
// CHECK-LABEL: kernel.func @own_elements
// CHECK: kernel.sts %
// CHECK-SAME: thread_loop 1
// CHECK: kernel.sync_block
// CHECK-NEXT: kernel.for %
// CHECK-NOT: sync
// CHECK: kernel.lds
// CHECK-SAME: thread_loop 2
// CHECK: kernel.sts
// CHECK-SAME: thread_loop 2
// CHECK: }
// CHECK: kernel.sync_block
// CHECK-NEXT: kernel.lds
!V = memref<?xf32, strided<[?]>>
!s = memref<33xf32, #tile.level<smem>>
!p = memref<1xf32, #tile.level<smem>>
!r1 = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @own_elements(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (33) at dram on block {
    %s = tile.hold init(1.0 : f32) : !s
    tile.for (%k) in (%N) by (1) at dram {
      tile.for (%t) in (33) by (1) at smem on thread {
        %r = tile.stage %X[%k] : !V to !r1
        %p = tile.part %s[%t] : !s to !p
        linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%r : !r1) outs(%p : !p) {
        ^bb0(%a: f32, %b: f32):
          %c = arith.mulf %a, %b : f32
          linalg.yield %c : f32
        }
      }
    }
    tile.for (%t) in (33) by (1) at smem on thread {
      %r = tile.stage %s[-%t + 32] : !s to !r1
      tile.store %r to %Y[%i + %t] : !r1 to !V
    }
  }
}

// -----

// What threads hold together they store together, each once.
// CHECK-LABEL: kernel.func @together
// CHECK: kernel.sts_vector 4, {{.*}} thread_loop 2
// CHECK: kernel.sync_block
// CHECK: kernel.lds
!V = memref<?xf32, strided<[?]>>
!c = memref<128xf32, #tile.level<rf>>
!s = memref<128xf32, #tile.level<smem>>
!r4 = memref<4xf32, #tile.level<rf>>
!r1 = memref<1xf32, #tile.level<rf>>
tile.kernel @together(%Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (128) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    %s = tile.hold init(1.0 : f32) : !s
    tile.for (%t) in (128) by (4) at smem on thread {
      %p = tile.part %c[%t] : !c to !r4
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%p : !r4) {
      ^bb0(%a: f32):
        %b = math.exp %a : f32
        linalg.yield %b : f32
      }
    }
    tile.store %c to %s[0] : !c to !s
    tile.for (%t) in (128) by (1) at smem on thread {
      %r = tile.stage %s[-%t + 127] : !s to !r1
      tile.store %r to %Y[%i + %t] : !r1 to !V
    }
  }
}

// -----

!s = memref<32xf32, #tile.level<smem>>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x24_staged(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // expected-note@+1 {{the tile is staged here}}
    %s = tile.stage %A[%i] : memref<?xf32> to !s
    tile.for (%t) in (32) by (1) at smem on thread {
      %r = tile.hold init(0.0 : f32) : !r
      // expected-error@+1 {{stores to a staged tile, of which elements may be absent; store to a held tile in smem}}
      tile.store %r to %s[%t] : !r to !s
    }
  }
}

// -----

!s = memref<32xf32, #tile.level<smem>>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x25_shared(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    %s = tile.hold init(0.0 : f32) : !s
    tile.for (%t) in (32) by (1) at smem on thread {
      %r = tile.hold init(0.0 : f32) : !r
      // expected-error@+1 {{combine(mul) is not lowered, since the hardware has no atomic operation of it; combine by add, max, min, and, or or xor}}
      tile.store %r to %s[0] combine(mul) unordered : !r to !s
    }
  }
}

// -----

tile.kernel @limit_x19_held(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at smem on thread {
      // expected-error@+1 {{holds a tile of shared memory, which belongs to the block, inside of a loop on thread}}
      %s = tile.hold init(0.0 : f32) : memref<32xf32, #tile.level<smem>>
    }
  }
}

// -----

tile.kernel @limit_x21_held(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // expected-error@+1 {{a tile of rank 0 in shared memory is not lowered}}
    %s = tile.hold init(0.0 : f32) : memref<f32, #tile.level<smem>>
  }
}

// -----

!r = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x1_held(%A: memref<?xf32>[%M], %B: memref<?xf32>[%M], %M: index) {
  // expected-note@+1 {{the loop on cluster is here}}
  tile.for (%i) in (%M) by (32) at dram on cluster {
    // expected-error@+1 {{is beside or instead of the one loop on block in a loop on cluster}}
    %s = tile.hold init(0.0 : f32) : memref<32xf32, #tile.level<smem>>
    %c = tile.hold init(0.0 : f32) : !r
    tile.for (%b) in (2) by (1) at dram on block reduce(add) {
      tile.for (%t) in (1) by (1) at dram on thread {
        %x = tile.stage %A[%i + %b] : memref<?xf32> to !r
        linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : !r) outs(%c : !r) {
        ^bb0(%a: f32, %s1: f32):
          %r = arith.addf %a, %s1 : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %c to %B[%i] combine(add) unordered : !r to memref<?xf32>
  }
}
