// RUN: tilec-opt %s -split-input-file -tile-kernel-pipeline | FileCheck %s

// Which tile has a block's number: two divisions for each of bands and boxes, and two for a place in a box. What is left of the
// grid limits a band's rows and a box's columns.

// CHECK-LABEL: kernel.func @boxes
// CHECK: %[[BLOCK:.*]] = kernel.block
// CHECK: %[[ROWS:.*]] = arith.divsi %{{.*}}, %c4
// CHECK: %[[COLUMNS:.*]] = arith.divsi %{{.*}}, %c8
// CHECK: %[[BAND_TILES:.*]] = arith.muli %[[COLUMNS]], %c2
// CHECK: %[[BAND:.*]] = arith.divsi %[[BLOCK]], %[[BAND_TILES]]
// CHECK: %[[TOP:.*]] = arith.muli %[[BAND]], %c2
// CHECK: %[[BELOW:.*]] = arith.subi %[[ROWS]], %[[TOP]]
// CHECK: %[[HEIGHT:.*]] = arith.minsi %[[BELOW]], %c2
// CHECK: %[[IN_BAND:.*]] = arith.remsi %[[BLOCK]], %[[BAND_TILES]]
// CHECK: %[[BOX_TILES:.*]] = arith.muli %[[HEIGHT]], %c3
// CHECK: %[[BOX:.*]] = arith.divsi %[[IN_BAND]], %[[BOX_TILES]]
// CHECK: %[[LEFT:.*]] = arith.muli %[[BOX]], %c3
// CHECK: %[[BESIDE:.*]] = arith.subi %[[COLUMNS]], %[[LEFT]]
// CHECK: %[[WIDTH:.*]] = arith.minsi %[[BESIDE]], %c3
// CHECK: %[[IN_BOX:.*]] = arith.remsi %[[IN_BAND]], %[[BOX_TILES]]
// CHECK: %[[ROW_IN_BOX:.*]] = arith.divsi %[[IN_BOX]], %[[WIDTH]]
// CHECK: %[[ROW:.*]] = arith.addi %[[TOP]], %[[ROW_IN_BOX]]
// CHECK: %[[COLUMN_IN_BOX:.*]] = arith.remsi %[[IN_BOX]], %[[WIDTH]]
// CHECK: %[[COLUMN:.*]] = arith.addi %[[LEFT]], %[[COLUMN_IN_BOX]]
// CHECK: arith.muli %[[ROW]], %c4
// CHECK: arith.muli %[[COLUMN]], %c8
!G = memref<?x?xf32, strided<[?, ?]>>
!c = memref<1x1xf32, #tile.level<rf>>
tile.kernel @boxes(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%m, %n) in (%M, %N) by (4, 8) at dram on block raster(boxes = 2x3) {
    tile.for (%i, %j) in (4, 8) by (1, 1) at dram on thread {
      %c = tile.hold init(1.0 : f32) : !c
      tile.store %c to %X[%m + %i, %n + %j] : !c to !G
    }
  }
}

// -----

// Of a grid of 8 x 9 tiles, which bands and boxes divide, all sides are known.
// CHECK-LABEL: kernel.func @known
// CHECK: %[[BLOCK:.*]] = kernel.block
// CHECK-NOT: arith.minsi
// CHECK: arith.remsi %[[BLOCK]], %c18
// CHECK-NOT: arith.minsi
// CHECK: arith.divsi %{{.*}}, %c6
// CHECK-NOT: arith.minsi
// CHECK: kernel.return
!G = memref<32x72xf32>
!c = memref<1x1xf32, #tile.level<rf>>
tile.kernel @known(%X: !G[32, 72]) {
  tile.for (%m, %n) in (32, 72) by (4, 8) at dram on block raster(boxes = 2x3) {
    tile.for (%i, %j) in (4, 8) by (1, 1) at dram on thread {
      %c = tile.hold init(1.0 : f32) : !c
      tile.store %c to %X[%m + %i, %n + %j] : !c to !G
    }
  }
}

// -----

// CHECK-LABEL: kernel.func @diagonal
// CHECK: %[[BLOCK:.*]] = kernel.block
// CHECK: %[[ROWS:.*]] = arith.divsi %{{.*}}, %c4
// CHECK: %[[COLUMNS:.*]] = arith.divsi %{{.*}}, %c8
// CHECK: %[[ROW:.*]] = arith.remsi %[[BLOCK]], %[[ROWS]]
// CHECK: %[[DIAGONAL:.*]] = arith.divsi %[[BLOCK]], %[[ROWS]]
// CHECK: %[[SUM:.*]] = arith.addi %[[ROW]], %[[DIAGONAL]]
// CHECK: arith.remsi %[[SUM]], %[[COLUMNS]]
!G = memref<?x?xf32, strided<[?, ?]>>
!c = memref<1x1xf32, #tile.level<rf>>
tile.kernel @diagonal(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%m, %n) in (%M, %N) by (4, 8) at dram on block raster(diagonal) {
    tile.for (%i, %j) in (4, 8) by (1, 1) at dram on thread {
      %c = tile.hold init(1.0 : f32) : !c
      tile.store %c to %X[%m + %i, %n + %j] : !c to !G
    }
  }
}

// -----

// Kernels count in 32 bits: 2^31 / 4 columns of tiles, times 8, are more. A band is then no higher than the grid.
// CHECK-LABEL: kernel.func @long
// CHECK: kernel.block
// CHECK: %[[ROWS:.*]] = arith.divsi %{{.*}}, %c4
// CHECK: %[[COLUMNS:.*]] = arith.divsi %{{.*}}, %c4
// CHECK: %[[HIGH:.*]] = arith.minsi %[[ROWS]], %c8
// CHECK: arith.muli %[[HIGH]], %[[COLUMNS]]
!G = memref<?x?xf32, strided<[?, ?]>>
!c = memref<1x1xf32, #tile.level<rf>>
tile.kernel @long(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%m, %n) in (%M, %N) by (4, 4) at dram on block raster(grouped = 8) {
    tile.for (%i, %j) in (4, 4) by (1, 1) at dram on thread {
      %c = tile.hold init(1.0 : f32) : !c
      tile.store %c to %X[%m + %i, %n + %j] : !c to !G
    }
  }
}
