// Rows that begin inside of sectors: threads take one element side by side, since vectors do not begin where rows do, and blocks tiles that are long
// along the result's rows; of a window each walks eight rows of its column. Where rows are whole sectors threads take four.
// RUN: rm -rf %t && split-file %s %t
// RUN: tilec %t/transpose.mlir --target=h100-sxm --shape=M=8191,N=8193 --emit=nest -o %t/odd.mlir && FileCheck %s --check-prefix=ODD --input-file=%t/odd.mlir
// RUN: tilec %t/odd.mlir --target=h100-sxm --shape=M=131,N=67 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=RUNS
// RUN: tilec %t/transpose.mlir --target=h100-sxm --shape=M=8192,N=8192 --emit=nest | FileCheck %s --check-prefix=EVEN
// RUN: tilec %t/window.mlir --target=h100-sxm --shape=P=8193,Q=8195,M=8191,N=8193 --emit=nest -o %t/window-odd.mlir
// RUN: FileCheck %s --check-prefix=WINDOW --input-file=%t/window-odd.mlir
// RUN: tilec %t/window-odd.mlir --target=h100-sxm --shape=P=21,Q=263,M=19,N=261 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=SLIDES

// ODD: tile.for (%[[N:.*]], %[[M:.*]]) in (%N, %M) by (64, 128) at dram on block
// ODD: on thread
// ODD: tile.store %{{.*}} : memref<1x1xf32, #tile.level<rf>> to
// RUNS: all 8777 elements of B agree
// EVEN: tile.store %{{.*}} : memref<1x4xf32, #tile.level<rf>> to
// WINDOW: tile.for ({{.*}}) in (16, 256) by (8, 1) at dram on thread
// WINDOW: tile.store %{{.*}} : memref<8x1xf32, #tile.level<rf>> to
// SLIDES: all 4959 elements of Y agree
//--- transpose.mlir
!G = memref<?x?xf32>
tile.kernel @transpose(%A: !G[%M, %N], %B: !G[%N, %M], %M: index, %N: index) {
  linalg.transpose ins(%A : !G) outs(%B : !G) permutation = [1, 0]
}
//--- window.mlir
!G = memref<?x?xf32>
tile.kernel @stencil(%X: !G[%P, %Q], %W: memref<3x3xf32>[3, 3], %Y: !G[%M, %N], %P: index, %Q: index, %M: index, %N: index) {
  linalg.conv_2d ins(%X, %W : !G, memref<3x3xf32>) outs(%Y : !G)
}
