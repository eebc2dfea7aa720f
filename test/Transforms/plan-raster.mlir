// RUN: tilec-opt %s -tile-plan-raster | FileCheck %s
// RUN: tilec-opt %s -tile-plan-raster=remarks=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// CHECK-LABEL: @open
tile.kernel @open(%X: memref<?xf32>[%M], %M: index) {
  // CHECK: on block persistent raster(row) {
  // WHY: remark: takes tiles row by row, as blocks are numbered
  tile.for (%i) in (%M) by (32) at dram on block persistent {
    // CHECK: tail(cut, 64, 16, 1) {
    // WHY: remark: is cut where whole waves leave a 64th of the device idle and that saves a block 1 step; fewer blocks, up to a 16th, share it where each tile is then cut evenly
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

// A step stages 4 bytes, and the sums have 512 * 1024 * 4: no number of iterations is beyond rule F16.
// CHECK-LABEL: @most
tile.kernel @most(%X: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (64) at dram on block persistent {
    %c = tile.hold init(0.0 : f32) : memref<512x1024xf32, #tile.level<rf>>
    // CHECK: tail(cut, 64, 16, 65536) {
    tile.for (%k) in (64) by (1) at dram tail(cut) {
      %x = tile.stage %X[%k] : memref<64xf32> to memref<1xf32, #tile.level<smem>>
      tile.for (%m, %n) in (512, 1024) by (64, 64) at smem on thread {
        %q = tile.part %c[%m, %n] : memref<512x1024xf32, #tile.level<rf>> to memref<64x64xf32, #tile.level<rf>>
        linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
            ins(%x : memref<1xf32, #tile.level<smem>>) outs(%q : memref<64x64xf32, #tile.level<rf>>) {
        ^bb0(%a: f32, %sum: f32):
          %b = arith.addf %sum, %a : f32
          linalg.yield %b : f32
        }
      }
    }
  }
}
