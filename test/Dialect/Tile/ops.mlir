// RUN: tilec-opt %s --verify-roundtrip | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt --verify-roundtrip | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

!G = memref<?x?xf32, strided<[?, ?]>>
!s = memref<34x34xf32, #tile.level<smem>>
!p = memref<4x1xf32, strided<[34, 1], offset: ?>, #tile.level<smem>>
!r = memref<4x1xf32, #tile.level<rf>>
!c = memref<32x32xf32, #tile.level<rf>>

// CHECK-LABEL: tile.kernel @ops(
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32, strided<[?, ?]>>[%[[M:.*]], %[[N:.*]]], %[[Y:.*]]: memref<?x?xf32, strided<[?, ?]>>[%[[M]], %[[N]]],
// CHECK-SAME: %[[Z:.*]]: memref<8x?xi32>[8, %[[N]]], %[[M]]: index, %[[N]]: index, %[[A:.*]]: f32) dataflow(output_stationary) {
// GENERIC: "tile.kernel"() <{dataflow = 0 : i32, function_type =
// GENERIC-SAME: shapes = [array<i64: 3, 4>, array<i64: 3, 4>, array<i64: -9, 4>, array<i64>, array<i64>, array<i64>], sym_name = "ops"}>
tile.kernel @ops(%X: !G[%M, %N], %Y: !G[%M, %N], %Z: memref<8x?xi32>[8, %N], %M: index, %N: index, %a: f32)
    dataflow(output_stationary) {
  // CHECK: tile.for (%[[M0:.*]], %[[N0:.*]]) in (%[[M]], %[[N]]) by (32, 32) at dram on block raster(grouped = 8) {
  // GENERIC: "tile.for"(%{{.*}}, %{{.*}}) <{level = #tile.level<dram>, operandSegmentSizes = array<i32: 2, 0>, raster = #tile.raster<grouped = 8>, static_extents = array<i64: -9223372036854775808, -9223372036854775808>, steps = array<i64: 32, 32>, unit = 3 : i32}>
  tile.for (%m0, %n0) in (%M, %N) by (32, 32) at dram on block raster(grouped = 8) {
    // CHECK: %[[C:.*]] = tile.hold init(0.000000e+00 : f32) : memref<32x32xf32, #tile.level<rf>>
    %c = tile.hold init(0.0 : f32) : !c
    // CHECK: %[[S:.*]] = tile.stage %[[X]][%[[M0]] - 1, %[[N0]] - 1] pad(clamp) : memref<?x?xf32, strided<[?, ?]>> to memref<34x34xf32, #tile.level<smem>>
    // GENERIC: "tile.stage"(%{{.*}}, %{{.*}}, %{{.*}}) <{map = #{{.*}}, pad = 1 : i32}>
    %s = tile.stage %X[%m0 - 1, %n0 - 1] pad(clamp) : !G to !s
    // CHECK: tile.for (%{{.*}}, %{{.*}}) in (32, 32) by (16, 8) at smem on unroll {
    tile.for (%mu, %nu) in (32, 32) by (16, 8) at smem on unroll {
      // CHECK: tile.for (%{{.*}}) in (16) by (4) at smem on warp {
      tile.for (%m1) in (16) by (4) at smem on warp {
        // CHECK: tile.for (%{{.*}}) in (8) by (1) at smem on thread reduce(max) {
        tile.for (%n1) in (8) by (1) at smem on thread reduce(max) {
          // CHECK: tile.part %[[S]][%{{.*}} + %{{.*}} + 2, %{{.*}} + %{{.*}}] : memref<34x34xf32, #tile.level<smem>> to memref<4x1xf32, strided<[34, 1], offset: ?>, #tile.level<smem>>
          %p = tile.part %s[%mu + %m1 + 2, %nu + %n1] : !s to !p
          // CHECK: tile.stage %[[S]][%{{.*}} + %{{.*}}, %{{.*}} + %{{.*}}] :
          %x = tile.stage %s[%mu + %m1, %nu + %n1] : !s to !r
          %q = tile.part %c[%mu + %m1, %nu + %n1] : !c to !r
          linalg.add ins(%p, %x : !p, !r) outs(%q : !r)
        }
      }
    }
    // CHECK: tile.for (%{{.*}}) in (8) by (3) at dram pipeline(3) attributes {note = "kept"} {
    tile.for (%k) in (8) by (3) at dram pipeline(3) attributes {note = "kept"} {
    }
    // CHECK: tile.store %[[C]] to %[[Y]][%[[M0]], %[[N0]]] combine(add) unordered : memref<32x32xf32, #tile.level<rf>> to memref<?x?xf32, strided<[?, ?]>>
    tile.store %c to %Y[%m0, %n0] combine(add) unordered : !c to !G
  }
}

// CHECK-LABEL: tile.kernel @no_arguments() {
// CHECK-NEXT: }
tile.kernel @no_arguments() {
}

// Every unit, dataflow, raster, pad and combination has a name.
// CHECK-LABEL: tile.kernel @clusters({{.*}}) dataflow(split_reduction)
// CHECK: at dram on cluster raster(column) {
// CHECK: at dram on block reduce(min) {
// CHECK: tile.hold init(7 : i32)
// CHECK: pad(reflect)
// CHECK: pad(zero)
// CHECK: pad(wrap)
// CHECK: at rf {
// CHECK: combine(min)
!u = memref<2xi32, #tile.level<rf>>
!v = memref<1xi32, #tile.level<rf>>
tile.kernel @clusters(%X: memref<2xi32>[2], %Y: memref<1xi32>[1]) dataflow(split_reduction) {
  tile.for (%i) in (4) by (2) at dram on cluster raster(column) {
    tile.for (%j) in (2) by (1) at dram on block reduce(min) {
      %c = tile.hold init(7 : i32) : !v
      %x = tile.stage %X[%i + %j] pad(reflect) : memref<2xi32> to !u
      %z = tile.stage %X[%i + %j] pad(zero) : memref<2xi32> to !u
      %w = tile.stage %X[%i + %j] pad(wrap) : memref<2xi32> to !u
      tile.for (%k) in (2) by (1) at rf {
      }
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0)>], iterator_types = ["reduction"]}
          ins(%x : !u) outs(%c : !v) {
      ^bb0(%a: i32, %b: i32):
        %r = arith.minsi %a, %b : i32
        linalg.yield %r : i32
      }
      tile.store %c to %Y[0] combine(min) : !v to memref<1xi32>
    }
  }
}

// CHECK-LABEL: tile.kernel @rasters
// CHECK: on block raster(boxes = 2x16) {
// GENERIC: raster = #tile.raster<boxes = 2x16>
tile.kernel @rasters() {
  tile.for (%m, %n) in (320, 640) by (32, 32) at dram on block raster(boxes = 2x16) {
  }
}

// CHECK-LABEL: tile.kernel @diagonal
// CHECK: on cluster persistent raster(diagonal) {
// GENERIC: raster = #tile.raster<diagonal>
tile.kernel @diagonal() {
  tile.for (%m, %n) in (320, 640) by (32, 32) at dram on cluster persistent raster(diagonal) {
  }
}

// A store of a tile that threads share lies outside of their loops; blocks' tiles in time are told apart.
// CHECK-LABEL: tile.kernel @whole_tile
!w = memref<16xf32, #tile.level<rf>>
!o = memref<1xf32, #tile.level<rf>>
tile.kernel @whole_tile(%Y: memref<?xf32>[%M], %M: index) {
  tile.for (%m0) in (%M) by (64) at dram on block {
    tile.for (%m1) in (64) by (16) at dram {
      %c = tile.hold init(1.0 : f32) : !w
      tile.for (%i) in (16) by (1) at rf on thread {
        %e = tile.part %c[%i] : !w to !o
        linalg.add ins(%e, %e : !o, !o) outs(%e : !o)
      }
      tile.store %c to %Y[%m0 + %m1] : !w to memref<?xf32>
    }
  }
}
