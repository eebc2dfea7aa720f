// A window that slides over an input: of large ones DRAM takes all the time, as L2 has what blocks share of their halos, and nothing else needs to be shared.
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=P=72,Q=52,M=70,N=50 2>&1 | FileCheck %s
// RUN: tilec %s --target=h100 --emit=nest --shape=P=4098,Q=4098,M=4096,N=4096 | FileCheck %s --check-prefix=NEST

// NEST-LABEL: @stencil
// NEST: tile.stage %X[{{.*}} to memref<{{.*}}#tile.level<rf>>
// CHECK: stencil on the emulator
// CHECK: integers: all 3500 elements of Y agree, largest error 0
!G = memref<?x?xf32>
tile.kernel @stencil(%X: !G[%P, %Q], %W: memref<3x3xf32>[3, 3], %Y: !G[%M, %N], %P: index, %Q: index, %M: index, %N: index) {
  linalg.conv_2d ins(%X, %W : !G, memref<3x3xf32>) outs(%Y : !G)
}
