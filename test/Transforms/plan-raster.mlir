// RUN: tilec-opt %s -tile-plan-raster | FileCheck %s
// RUN: tilec-opt %s -tile-plan-raster=remarks=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// CHECK-LABEL: @open
tile.kernel @open(%X: memref<?xf32>[%M], %M: index) {
  // CHECK: on block persistent raster(row) {
  // WHY: remark: takes tiles row by row, as blocks are numbered
  tile.for (%i) in (%M) by (32) at dram on block persistent {
    // CHECK: tail(cut, 64, 16, 1) {
    // WHY: remark: is cut where whole waves leave a 64th of the device idle and that saves a block 1 steps; fewer blocks, up to a 16th, share it where each tile is then cut evenly
    tile.for (%k) in (64) by (32) at dram tail(cut) {
    }
  }
}

// CHECK-LABEL: @kept
tile.kernel @kept(%X: memref<?xf32>[%M], %M: index) {
  // CHECK: on block persistent raster(column) {
  tile.for (%i) in (%M) by (32) at dram on block persistent raster(column) {
    // CHECK: tail(cut, 4, 8, 2) {
    tile.for (%k) in (64) by (32) at dram tail(cut, 4, 8, 2) {
    }
  }
}
