// RUN: tilec-opt %s -tile-plan-smem | FileCheck %s

// 96x64 floats are 24576 bytes, three slots of 32x64 as many, 192 of which each begin at multiples of 128; 12 bytes of barriers
// that say full take 128, and so do those that say empty. That is more than 48 KiB.
!G = memref<?x?xf32>
!a = memref<96x64xf32, #tile.level<smem>>
!b = memref<32x64xf32, #tile.level<smem>>
// CHECK-LABEL: @ring
tile.kernel @ring(%A: !G[%M, %N], %B: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (96) at dram on block {
    // CHECK: tile.stage %{{.*}} smem_at(24832) :
    %a = tile.stage %A[%i, 0] : !G to !a
    // CHECK: tile.for {{.*}} pipeline(3) producers(1) smem_at(24576, 24704) {
    tile.for (%k) in (%N) by (32) at dram pipeline(3) producers(1) {
      // CHECK: tile.stage %{{.*}} smem_at(0) :
      %b = tile.stage %B[%k, 0] : !G to !b
      tile.for (%t) in (32) by (1) at smem on thread {
      }
    }
  }
}

// The compiler places what fits into static shared memory: 4096 and 1024 bytes.
!s = memref<32x32xf32, #tile.level<smem>>
!r = memref<1xf32, #tile.level<rf>>
// CHECK-LABEL: @small
// CHECK-NOT: smem_at
tile.kernel @small(%A: !G[%M, %N], %S: memref<?xf32>[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.stage %A[%i, 0] : !G to !s
    %r = tile.hold init(0.0 : f32) : !r
    tile.for (%t) in (256) by (1) at smem on thread reduce(add) {
    }
    tile.store %r to %S[%i] : !r to memref<?xf32>
  }
}

// What the nest says is kept.
// CHECK-LABEL: @kept
// CHECK: tile.stage %{{.*}} smem_at(512) :
tile.kernel @kept(%A: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    %s = tile.stage %A[%i, 0] smem_at(512) : !G to !s
  }
}

// A tile of 128 bytes, then boxes with a swizzle of 128 bytes, which begin at a multiple of 1024 in dynamic memory, then barriers.
!w = memref<8x32xf32, #tile.layout<"Sw<3,2,3> o 0 o (8,32):(32,1)">, #tile.level<smem>>
// CHECK-LABEL: @swizzled
tile.kernel @swizzled(%A: memref<?x?xf32, strided<[?, 1]>>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (8) at dram on block {
    // CHECK: tile.for {{.*}} pipeline(2) producers(1) smem_at(3072, 3200) {
    tile.for (%k) in (%N) by (32) at dram pipeline(2) producers(1) {
      // CHECK: tile.stage %{{.*}} smem_at(0) :
      %v = tile.stage %A[%i, %k] : memref<?x?xf32, strided<[?, 1]>> to memref<1x32xf32, #tile.level<smem>>
      // CHECK: tile.stage %{{.*}} copy(tma) smem_at(1024) :
      %w = tile.stage %A[%i, %k] copy(tma) : memref<?x?xf32, strided<[?, 1]>> to !w
      tile.for (%t) in (32) by (1) at smem on thread {
      }
    }
  }
}
