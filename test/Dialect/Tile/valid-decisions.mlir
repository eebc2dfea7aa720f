// RUN: tilec-opt %s -split-input-file -verify-roundtrip | FileCheck %s

// Each clause in the extremes that its rule allows.

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
// CHECK-LABEL: @stage_s8
// CHECK: forms(1 by 4, 1 by 2, 0 by 4, 0, 1) :
tile.kernel @stage_s8(%X: memref<?x?xf32, strided<[?, ?]>>[%N, %N], %N: index) {
  tile.for (%k) in (64) by (32) at dram pipeline(2) {
    %s = tile.stage %X[%k, 0] forms(1 by 4, 1 by 2, 0 by 4, 0, 1) : memref<?x?xf32, strided<[?, ?]>> to !s
  }
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
// CHECK-LABEL: @stage_s9
// CHECK: forms(1) edges(tile) unroll(1024, 1) :
tile.kernel @stage_s9(%X: !G[64, 64]) {
  tile.for (%k) in (64) by (32) at dram pipeline(2) {
    %s = tile.stage %X[%k, 0] forms(1) edges(tile) unroll(1024, 1) : !G to !s
  }
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
// CHECK-LABEL: @stage_s10
// CHECK: copy(tma) slices(16) :
tile.kernel @stage_s10(%X: !G[64, 64]) {
  tile.for (%k) in (64) by (32) at dram pipeline(2) producers(1) {
    %s = tile.stage %X[%k, 0] copy(tma) slices(16) : !G to !s
  }
}

// -----

!G = memref<64x64xf16>
!s = memref<32x16xf16, #tile.level<smem>>
!r = memref<1x16xf16, #tile.level<rf>>
// CHECK-LABEL: @stage_s11
// CHECK: tile.stage %{{.*}} wide(8) :
tile.kernel @stage_s11(%X: !G[64, 64]) {
  %s = tile.stage %X[0, 0] : !G to !s
  %r = tile.stage %s[0, 0] wide(8) : !s to !r
}

// -----

!G = memref<64x64xf32>
!r = memref<1x16xf32, #tile.level<rf>>
// CHECK-LABEL: @stage_s13
// CHECK: tile.stage %{{.*}} edges(tile) wide(4) :
// CHECK: tile.stage %{{.*}} edges(block) wide(4) :
tile.kernel @stage_s13(%X: !G[64, 64]) {
  %r = tile.stage %X[0, 0] edges(tile) wide(4) : !G to !r
  tile.for (%i) in (64) by (1) at dram on thread {
    %b = tile.stage %X[%i, 0] edges(block) wide(4) : !G to !r
  }
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
!r = memref<1x16xf32, #tile.level<rf>>
// CHECK-LABEL: @stage_s14
// CHECK: tile.stage %{{.*}} pad(reflect) :
// CHECK: tile.stage %{{.*}} pad(clamp) :
tile.kernel @stage_s14(%X: !G[64, 64]) {
  %s = tile.stage %X[0, 0] pad(reflect) : !G to !s
  %r = tile.stage %s[0, 0] : !s to !r
  %d = tile.stage %X[0, 0] pad(clamp) : !G to !r
}

// -----

!G = memref<64x64xf32>
!r = memref<1x16xf32, #tile.level<rf>>
// CHECK-LABEL: @store_w5
// CHECK: combine(add) unordered wide(1) :
// CHECK: tile.store {{.*}} wide(2) :
tile.kernel @store_w5(%X: !G[64, 64], %Y: !G[64, 64]) {
  %r = tile.hold init(0.0 : f32) : !r
  tile.store %r to %X[0, 0] combine(add) unordered wide(1) : !r to !G
  tile.store %r to %Y[0, 0] wide(2) : !r to !G
}

// -----

// CHECK-LABEL: @for_f15
// CHECK: pipeline(2) choose(copy) issue(first) {
// CHECK: pipeline(2) producers(1) release(end) {
// CHECK: pipeline(2) begin(here) {
// CHECK: pipeline(2) begin(ahead) {
tile.kernel @for_f15(%X: memref<64xf32>[64]) {
  tile.for (%k) in (64) by (32) at dram pipeline(2) choose(copy) issue(first) {
  }
  tile.for (%k) in (64) by (32) at dram pipeline(2) producers(1) release(end) {
  }
  tile.for (%k) in (64) by (32) at dram pipeline(2) begin(here) {
  }
  tile.for (%k) in (64) by (32) at dram pipeline(2) begin(ahead) {
  }
}

// -----

// CHECK-LABEL: @for_f16
// CHECK: tail(cut, 1, 65536, 7)
tile.kernel @for_f16(%X: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (32) at dram on block persistent {
    tile.for (%k) in (64) by (32) at dram tail(cut, 1, 65536, 7) {
    }
  }
}

// -----

// The sum over k stays as it is, wherever its loop stands.
!c = memref<4x4xf32, #tile.level<rf>>
// CHECK-LABEL: @kernel_c5
// CHECK: tile.order = array<i64: 2, 1, 0>
tile.kernel @kernel_c5() {
  %a = tile.hold init(0.0 : f32) : !c
  %c = tile.hold init(0.0 : f32) : !c
  linalg.matmul {tile.order = array<i64: 2, 1, 0>} ins(%a, %a : !c, !c) outs(%c : !c)
}

// -----

// Forth and back along the second dimension, since the third has one place.
!a = memref<4x1xf32, #tile.level<rf>>
!b = memref<1x2xf32, #tile.level<rf>>
!c = memref<4x2xf32, #tile.level<rf>>
// CHECK-LABEL: @kernel_c5_snake
// CHECK: tile.order = array<i64: 0, 1, 2>, tile.snake}
tile.kernel @kernel_c5_snake() {
  %a = tile.hold init(0.0 : f32) : !a
  %b = tile.hold init(0.0 : f32) : !b
  %c = tile.hold init(0.0 : f32) : !c
  linalg.matmul {tile.order = array<i64: 0, 1, 2>, tile.snake} ins(%a, %b : !a, !b) outs(%c : !c)
}
