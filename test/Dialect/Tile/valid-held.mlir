// Held tiles in shared memory that satisfy the rules.
// RUN: tilec-opt %s -split-input-file --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @hold_h1_shared
// CHECK: tile.hold init(0.000000e+00 : f32) : memref<8x4xf32, #tile.layout<"(8,4):(5,1)">, #tile.level<smem>>
tile.kernel @hold_h1_shared() {
  %s = tile.hold init(0.0 : f32) : memref<8x4xf32, #tile.layout<"(8,4):(5,1)">, #tile.level<smem>>
}

// -----

// CHECK-LABEL: @hold_h7
// CHECK: tile.hold init(0 : i8) smem_at(256) : memref<4xi8, #tile.level<smem>>
tile.kernel @hold_h7() {
  %s = tile.hold init(0 : i8) smem_at(256) : memref<4xi8, #tile.level<smem>>
}

// -----

// Threads write elements of their own, and read those of others after the loop.
!s = memref<32xf32, #tile.level<smem>>
!r = memref<1xf32, #tile.level<rf>>
// CHECK-LABEL: @rule_i1_held
// CHECK: tile.store %{{.*}} to %{{.*}}[%{{.*}}] : memref<1xf32, #tile.level<rf>> to memref<32xf32, #tile.level<smem>>
tile.kernel @rule_i1_held(%X: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    %s = tile.hold init(0.0 : f32) : !s
    tile.for (%t) in (32) by (1) at smem on thread {
      %r = tile.stage %X[%i + %t] pad(zero) : memref<?xf32> to !r
      tile.store %r to %s[%t] : !r to !s
    }
    tile.for (%t) in (32) by (1) at smem on thread {
      %r = tile.stage %s[-%t + 31] : !s to !r
      tile.store %r to %X[%i + %t] : !r to memref<?xf32>
    }
  }
}

// -----

// What the loop does not write may be copied ahead of its iterations.
!s = memref<32xf32, #tile.level<smem>>
!r = memref<4xf32, #tile.level<rf>>
// CHECK-LABEL: @rule_i3_held
tile.kernel @rule_i3_held(%X: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (8) at dram on block {
    %s = tile.hold init(1.0 : f32) : !s
    tile.for (%t) in (2) by (1) at smem on thread {
      tile.for (%k) in (32) by (4) at smem pipeline(2) {
        %r = tile.stage %s[%k] : !s to !r
        tile.store %r to %X[%i + 4 * %t] : !r to memref<?xf32>
      }
    }
  }
}
