// Threads wait for each other where one touches elements of an operand that another one wrote, and nowhere else.
// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-kernel-pipeline | FileCheck %s

!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
// The second loop reads backwards what the first one wrote.
// CHECK-LABEL: kernel.func @reversed
// CHECK: kernel.stg
// CHECK: kernel.sync_block
// CHECK: kernel.ldg
// CHECK-NOT: kernel.sync_block
tile.kernel @reversed(%X: !V[%N], %Y: !V[%N], %Z: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%i) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %i] : !V to !r
      tile.store %x to %Y[%b + %i] : !r to !V
    }
    tile.for (%i) in (32) by (1) at dram on thread {
      %y = tile.stage %Y[%b + 31 - %i] pad(zero) : !V to !r
      tile.store %y to %Z[%b + %i] : !r to !V
    }
  }
}

// -----

!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
// The second loop reads what the same thread wrote.
// CHECK-LABEL: kernel.func @own
// CHECK-NOT: kernel.sync_block
tile.kernel @own(%X: !V[%N], %Y: !V[%N], %Z: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%i) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %i] : !V to !r
      tile.store %x to %Y[%b + %i] : !r to !V
    }
    tile.for (%i) in (32) by (1) at dram on thread {
      %y = tile.stage %Y[%b + %i] : !V to !r
      tile.store %y to %Z[%b + %i] : !r to !V
    }
  }
}

// -----

!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x14_in_warp(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (128) at dram on block {
    // expected-note@+1 {{the loop}}
    tile.for (%w) in (128) by (32) at dram on warp {
      tile.for (%i) in (32) by (1) at dram on thread {
        %x = tile.stage %X[%b + %w + %i] : !V to !r
        // expected-note@+1 {{the other access}}
        tile.store %x to %Y[%b + %w + %i] : !r to !V
      }
      tile.for (%i) in (32) by (1) at dram on thread {
        // expected-error@+1 {{touches elements of an operand that other threads touch in an iteration of the same loop on warp, one of them writing; threads wait for each other only outside of such loops}}
        %y = tile.stage %Y[%b + %w + 31 - %i] pad(zero) : !V to !r
        tile.store %y to %X[%b + %w + %i] : !r to !V
      }
    }
  }
}
