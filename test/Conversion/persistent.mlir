// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-kernel-pipeline | FileCheck %s

// A persistent grid: a block walks every G-th tile from its own number on, for G blocks. What one tile leaves in shared
// memory is read before the next one overwrites it.

// CHECK-LABEL: kernel.func @copy
// CHECK-DAG: %[[S:.*]] = kernel.shared
// CHECK-DAG: %[[BLOCK:.*]] = kernel.block
// CHECK-DAG: %[[BLOCKS:.*]] = kernel.block_count
// CHECK: kernel.for{{.*}} %[[TILE:.*]] = %[[BLOCK]] to %{{.*}} step %[[BLOCKS]] {
// The last variable is the fastest.
// CHECK: arith.remsi %[[TILE]]
// CHECK: arith.divsi %[[TILE]]
// CHECK: kernel.sync_block
// CHECK: kernel.sts
// CHECK: kernel.sync_block
// CHECK: kernel.lds
!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<32x32xf32, strided<[33, 1]>, #tile.level<smem>>
!p = memref<1x1xf32, strided<[33, 1], offset: ?>, #tile.level<smem>>
!e = memref<1x1xf32, strided<[?, 1], offset: ?>>
tile.kernel @copy(%A: !G[%M, %N], %B: !G[%N, %M], %M: index, %N: index) {
  tile.for (%i0, %j0) in (%M, %N) by (32, 32) at dram on block persistent {
    %s = tile.stage %A[%i0, %j0] : !G to !s
    tile.for (%j1, %i1) in (32, 32) by (1, 1) at smem on thread {
      %p = tile.part %s[%i1, %j1] : !s to !p
      %b = tile.part %B[%j0 + %j1, %i0 + %i1] : !G to !e
      linalg.transpose ins(%p : !p) outs(%b : !e) permutation = [1, 0]
    }
  }
}

// -----

// The raster orders the tiles' numbers, and held tiles start anew for each.
// CHECK-LABEL: kernel.func @grouped
// CHECK: kernel.for{{.*}} %[[TILE:.*]] = {{.*}} to {{.*}} step
// CHECK: arith.divsi %[[TILE]]
// CHECK: arith.minsi
// CHECK: kernel.registers init(0.000000e+00 : f32)
// Copies that are under way after the last step land before the next tile's first.
// CHECK: kernel.cp_async
// CHECK: kernel.cp_async_wait 0
!G = memref<?x?xf32, strided<[?, ?]>>
!a = memref<32x8xf32, strided<[9, 1]>, #tile.level<smem>>
!b = memref<8x32xf32, #tile.level<smem>>
!pa = memref<1x8xf32, strided<[9, 1], offset: ?>, #tile.level<smem>>
!pb = memref<8x1xf32, strided<[32, 1], offset: ?>, #tile.level<smem>>
!c = memref<32x32xf32, #tile.level<rf>>
!e = memref<1x1xf32, #tile.level<rf>>
tile.kernel @grouped(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 32) at dram on block persistent raster(grouped = 4) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (8) at dram pipeline(2) {
      %a = tile.stage %A[%m0, %k0] : !G to !a
      %b = tile.stage %B[%k0, %n0] : !G to !b
      tile.for (%m1, %n1) in (32, 32) by (1, 1) at smem on thread {
        %pa = tile.part %a[%m1, 0] : !a to !pa
        %pb = tile.part %b[0, %n1] : !b to !pb
        %e = tile.part %c[%m1, %n1] : !c to !e
        linalg.matmul ins(%pa, %pb : !pa, !pb) outs(%e : !e)
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}
