// A trial of advice may give tiles that one op takes whole other extents than each other, before anybody verifies it.
// RUN: tilec %s --target=h100-sxm --shape=N=3 --emit=report -o - | FileCheck %s
// CHECK: predicted:
tile.kernel @least(%X: memref<5x?xf32, strided<[?, 1]>>[5, %N], %Y: memref<5x?xf32, strided<[?, ?]>>[5, %N], %N: index) {
  tile.for (%b0, %b1) in (5, %N) by (4, 4) at dram on block {
    tile.for (%u0) in (4) by (2) at dram on unroll {
      tile.for (%t0, %t1) in (2, 4) by (1, 1) at dram on thread {
        %x = tile.stage %X[%b0 + %u0 + %t0, %b1 + %t1] : memref<5x?xf32, strided<[?, 1]>> to memref<1x1xf32, #tile.level<rf>>
        %c = tile.hold init(1.0 : f32) : memref<1x1xf32, #tile.level<rf>>
        linalg.min ins(%x, %c : memref<1x1xf32, #tile.level<rf>>, memref<1x1xf32, #tile.level<rf>>) outs(%c : memref<1x1xf32, #tile.level<rf>>)
        %y = tile.part %Y[%b0 + %u0 + %t0, %b1 + %t1] : memref<5x?xf32, strided<[?, ?]>> to memref<1x1xf32, strided<[?, ?], offset: ?>>
        linalg.copy ins(%c : memref<1x1xf32, #tile.level<rf>>) outs(%y : memref<1x1xf32, strided<[?, ?], offset: ?>>)
      }
    }
  }
}
