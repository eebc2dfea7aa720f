// RUN: tilec-opt %s -split-input-file -verify-roundtrip | FileCheck %s

// Gathers and scatters that just satisfy their rules.

!G = memref<?x?xf32, strided<[?, ?]>>
!I = memref<?xi32, strided<[?]>>
!s = memref<8x8xf32, #tile.level<smem>>
// CHECK-LABEL: @stage_s15
// CHECK: tile.stage %{{.*}}[0, %{{.*}}] gather(%{{.*}} : memref<?xi32, strided<[?]>> along 1) : memref<?x?xf32, strided<[?, ?]>> to
tile.kernel @stage_s15(%X: !G[%M, %N], %I: !I[%K], %M: index, %N: index, %K: index) {
  tile.for (%k) in (%K) by (8) at dram {
    %s = tile.stage %X[0, %k] gather(%I : !I along 1) : !G to !s
  }
}

// -----

!G = memref<?x?xf32>
!r = memref<1x8xf32, #tile.level<rf>>
// CHECK-LABEL: @stage_s16
// CHECK: gather(%{{.*}} : memref<?xi32> along 0) pad(zero) edges(element) wide(4) :
tile.kernel @stage_s16(%X: !G[%M, %N], %I: memref<?xi32>[%M], %M: index, %N: index) {
  %r = tile.stage %X[0, 0] gather(%I : memref<?xi32> along 0) pad(zero) edges(element) wide(4) : !G to !r
}

// -----

// A box of one row, which an index says.
!G = memref<?x?xf32>
!s = memref<1x8xf32, #tile.level<smem>>
// CHECK-LABEL: @stage_s16_box
// CHECK: gather(%{{.*}} : memref<?xi32> along 0) copy(tma) :
tile.kernel @stage_s16_box(%X: !G[%M, %N], %I: memref<?xi32>[%M], %M: index, %N: index) {
  tile.for (%k) in (%M) by (1) at dram pipeline(2) producers(1) {
    %s = tile.stage %X[%k, 0] gather(%I : memref<?xi32> along 0) copy(tma) : !G to !s
  }
}

// -----

!G = memref<?x?xf32>
!r = memref<1x8xf32, #tile.level<rf>>
// CHECK-LABEL: @store_w8
// CHECK: tile.store %{{.*}} to %{{.*}}[%{{.*}}, 0] scatter(%{{.*}} : memref<?xi32> along 0) combine(add) unordered wide(1) :
tile.kernel @store_w8(%Y: !G[%M, %N], %I: memref<?xi32>[%K], %M: index, %N: index, %K: index) {
  tile.for (%i) in (%K) by (1) at dram on block {
    %r = tile.hold init(1.0 : f32) : !r
    tile.store %r to %Y[%i, 0] scatter(%I : memref<?xi32> along 0) combine(add) unordered wide(1) : !r to !G
  }
}

// -----

// Rows that no other iteration stores to replace what is there: those of other columns, and those of other places.
!G = memref<?x?xf32>
!r = memref<2x8xf32, #tile.level<rf>>
// CHECK-LABEL: @store_w8_unique
// CHECK: tile.store %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}] scatter(%{{.*}} : memref<?xi64> along 0) unique wide(4) :
tile.kernel @store_w8_unique(%Y: !G[%M, %N], %I: memref<?xi64>[%K], %M: index, %N: index, %K: index) {
  tile.for (%i, %j) in (%K, %N) by (2, 8) at dram on block {
    %r = tile.hold init(1.0 : f32) : !r
    tile.store %r to %Y[%i, %j] scatter(%I : memref<?xi64> along 0) unique wide(4) : !r to !G
  }
}

// -----

// Into a held tile: any number of indices, of which the dimension that they number has few.
!s = memref<4x8xi32, #tile.level<smem>>
!r = memref<2x8xi32, #tile.level<rf>>
// CHECK-LABEL: @store_w8_shared
// CHECK: tile.store %{{.*}} to %{{.*}}[%{{.*}}, 0] scatter(%{{.*}} : memref<?xi32> along 0) combine(xor) :
tile.kernel @store_w8_shared(%I: memref<?xi32>[%K], %K: index) {
  %s = tile.hold init(0 : i32) : !s
  tile.for (%i) in (%K) by (2) at dram {
    %r = tile.hold init(1 : i32) : !r
    tile.store %r to %s[%i, 0] scatter(%I : memref<?xi32> along 0) combine(xor) : !r to !s
  }
}

// -----

// CHECK-LABEL: @store_w9
// CHECK: combine(and) :
// CHECK: combine(or) :
// CHECK: combine(minnum) :
tile.kernel @store_w9(%X: memref<?xi8>[%M], %Y: memref<?xf64>[%M], %M: index) {
  %i = tile.hold init(1 : i8) : memref<8xi8, #tile.level<rf>>
  %f = tile.hold init(1.0 : f64) : memref<8xf64, #tile.level<rf>>
  tile.store %i to %X[0] combine(and) : memref<8xi8, #tile.level<rf>> to memref<?xi8>
  tile.store %i to %X[8] combine(or) : memref<8xi8, #tile.level<rf>> to memref<?xi8>
  tile.store %f to %Y[0] combine(minnum) : memref<8xf64, #tile.level<rf>> to memref<?xf64>
}

// -----

// The destination has a row for each index.
!G = memref<?x?xf32>
!r = memref<1x1xf32, #tile.level<rf>>
// CHECK-LABEL: @rule_a1_gathered
tile.kernel @rule_a1_gathered(%X: !G[%R, %N], %I: memref<?xi32>[%M], %Y: !G[%M, %N], %R: index, %M: index, %N: index) {
  tile.for (%i, %j) in (%R, %N) by (1, 1) at dram on block {
    %r = tile.stage %X[%i, %j] gather(%I : memref<?xi32> along 0) : !G to !r
    tile.store %r to %Y[%i, %j] : !r to !G
  }
}
