// Threads that combine with one element: atomic operations, in shared memory ordered against all else by barriers.
// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-kernel-pipeline | FileCheck %s

// Counts of a block: the threads fill the tile and wait; then they add, in all iterations without a barrier, since additions have no order; then they wait, and
// each adds its bin to DRAM. An index that the tile does not have is asked for once.
// CHECK-LABEL: kernel.func @counts
// CHECK: %[[COUNTS:.*]] = kernel.shared : memref<64xi32, #tile.level<smem>>
// CHECK: kernel.sts_vector 4, %[[COUNTS]]
// CHECK-SAME: thread_loop 1
// CHECK: kernel.sync_block
// CHECK: kernel.for
// CHECK-NOT: sync
// CHECK: %[[BIN:.*]] = scf.if
// CHECK: kernel.ldg_index %{{.*}} below %{{.*}} : memref<?xi32>
// CHECK: arith.cmpi sge, %[[BIN]],
// CHECK-NOT: arith.cmpi
// CHECK: scf.if
// CHECK: kernel.atomic_add_shared %{{.*}}, %[[COUNTS]][%[[BIN]]] thread_loop 2 : i32
// CHECK: kernel.sync_block
// CHECK: kernel.lds %[[COUNTS]][%[[T:.*]]] thread_loop 3
// CHECK-NOT: sync
// CHECK: kernel.atomic_add %
!X = memref<?xi32>
!one = memref<1xi32, #tile.level<rf>>
!counts = memref<64xi32, #tile.level<smem>>
tile.kernel @counts(%X: !X[%N], %H: memref<64xi32>[64], %N: index) {
  tile.for (%i0) in (%N) by (512) at dram on block {
    %counts = tile.hold init(0 : i32) : !counts
    tile.for (%i1) in (512) by (64) at dram {
      tile.for (%i2) in (64) by (1) at dram on thread {
        %one = tile.hold init(1 : i32) : !one
        tile.store %one to %counts[%i0 + %i1 + %i2] scatter(%X : !X along 0) combine(add) : !one to !counts
      }
    }
    tile.for (%b) in (64) by (1) at smem on thread {
      %sum = tile.stage %counts[%b] : !counts to !one
      tile.store %sum to %H[%b] combine(add) : !one to memref<64xi32>
    }
  }
}

// -----

// All threads combine with one element that the nest names, by each kind that there is; each has an order against the other.
// CHECK-LABEL: kernel.func @kinds
// CHECK: kernel.sync_block
// CHECK: kernel.atomic_max_shared
// CHECK: kernel.sync_block
// CHECK-NEXT: kernel.atomic_min_shared
// CHECK: kernel.sync_block
// CHECK-NEXT: kernel.atomic_and_shared
// CHECK: kernel.sync_block
// CHECK-NEXT: kernel.atomic_or_shared
// CHECK: kernel.sync_block
// CHECK-NEXT: kernel.atomic_xor_shared
// CHECK-NOT: kernel.sync_block
// CHECK: kernel.atomic_xor_shared
// CHECK: kernel.sync_block
// CHECK: kernel.lds
!r = memref<1xi32, #tile.level<rf>>
!s = memref<1xi32, #tile.level<smem>>
tile.kernel @kinds(%X: memref<?xi32>[%N], %Y: memref<?xi32>[%N], %N: index) {
  tile.for (%i) in (%N) by (32) at dram on block {
    %s = tile.hold init(0 : i32) : !s
    %x = tile.stage %X[%i] pad(zero) : memref<?xi32> to memref<32xi32, #tile.level<smem>>
    tile.for (%t) in (32) by (1) at smem on thread {
      %r = tile.stage %x[%t] : memref<32xi32, #tile.level<smem>> to !r
      tile.store %r to %s[0] combine(max) : !r to !s
    }
    tile.for (%t) in (32) by (1) at smem on thread {
      %r = tile.hold init(5 : i32) : !r
      tile.store %r to %s[0] combine(min) : !r to !s
    }
    tile.for (%t) in (32) by (1) at smem on thread {
      %r = tile.hold init(5 : i32) : !r
      tile.store %r to %s[0] combine(and) : !r to !s
    }
    tile.for (%t) in (32) by (1) at smem on thread {
      %r = tile.hold init(5 : i32) : !r
      tile.store %r to %s[0] combine(or) : !r to !s
    }
    tile.for (%t) in (32) by (1) at smem on thread {
      %r = tile.hold init(5 : i32) : !r
      tile.store %r to %s[0] combine(xor) : !r to !s
    }
    tile.for (%t) in (32) by (1) at smem on thread {
      %r = tile.hold init(9 : i32) : !r
      tile.store %r to %s[0] combine(xor) : !r to !s
    }
    tile.for (%t) in (1) by (1) at smem on thread {
      %r = tile.stage %s[0] : !s to !r
      tile.store %r to %Y[%i] : !r to memref<?xi32>
    }
  }
}

// -----

// In DRAM, too.
// CHECK-LABEL: kernel.func @dram
// CHECK: kernel.atomic_max %
// CHECK: kernel.atomic_and %
!r = memref<1xi32, #tile.level<rf>>
tile.kernel @dram(%Y: memref<4xi32>[4]) {
  tile.for (%i) in (8) by (1) at dram on block {
    %r = tile.hold init(3 : i32) : !r
    tile.store %r to %Y[0] combine(max) : !r to memref<4xi32>
    tile.store %r to %Y[1] combine(and) : !r to memref<4xi32>
  }
}
