// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-kernel-pipeline | FileCheck %s

// Six blocks a cluster, 3 along m and 2 along n. X moves along m only: the two blocks of a row want the same tile, which
// each of them copies a half of (4 rows of 32) for both; Y along n only: three blocks, of which two copy a half. A slot
// is empty when the one computing warp of each of the six blocks has given it back.
// CHECK-LABEL: kernel.func @shared
// CHECK-SAME: %[[X:[a-z0-9]+]]: !kernel.tensor_map, %[[Y:[a-z0-9]+]]: !kernel.tensor_map){{.*}} cluster(6)
// CHECK: %[[FULL:.*]] = kernel.shared {{.*}}: memref<2xi64
// CHECK: %[[EMPTY:.*]] = kernel.shared {{.*}}: memref<2xi64
// CHECK: %[[RANK:.*]] = kernel.cluster_rank
// CHECK: %[[ROW:.*]] = arith.divsi %[[RANK]], %c2
// CHECK: %[[COLUMN:.*]] = arith.remsi %[[RANK]], %c2
// CHECK: %[[FILLS:.*]] = arith.select %[[ALONE:.*]], %c1{{[^ ]*}}, %c32
// CHECK: kernel.mbarrier_init %[[FULL]][%{{.*}}], %[[FILLS]]
// CHECK: kernel.mbarrier_init %[[EMPTY]][%{{.*}}], %c6
// CHECK: kernel.fence_mbarrier_init
// CHECK-NEXT: }
// CHECK-NEXT: kernel.cluster_sync
// Where TMA copies, one thread fills the slots.
// CHECK: %[[ALL:.*]] = arith.xori %[[ALONE]], %true
// CHECK: arith.ori %[[ALL]]
// CHECK: kernel.mbarrier_wait %[[EMPTY]]
// 2 * 8 * 32 * 4 bytes: each block has both tiles as a whole.
// CHECK: kernel.mbarrier_arrive_expect_tx %[[FULL]][%{{.*}}], %c2048
// Ranks 0 and 1, or those of another row.
// CHECK: arith.shli %c3
// CHECK: kernel.tma_load_multicast %{{.*}}, %[[X]]
// CHECK: arith.cmpi slt, %[[ROW]], %c2
// CHECK: scf.if
// Ranks 0, 2 and 4, or those of the other column.
// CHECK: arith.shli %c21{{.*}}, %[[COLUMN]]
// CHECK: kernel.tma_load_multicast %{{.*}}, %[[Y]]
// CHECK: } else {
// CHECK: kernel.cp_async
// CHECK: %[[SIX:.*]] = arith.cmpi slt, %{{.*}}, %c6
// CHECK: kernel.mbarrier_wait %[[FULL]]
// CHECK: %[[GIVES:.*]] = arith.andi %[[SIX]]
// CHECK: scf.if %[[GIVES]]
// CHECK: kernel.mbarrier_arrive_remote %[[EMPTY]][%{{.*}}], %[[TO:[0-9]+]]
// CHECK: kernel.cluster_sync
// CHECK-NEXT: kernel.return
!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<8x32xf32, #tile.level<smem>>
!c = memref<8x32xf32, #tile.level<rf>>
!e = memref<1x8xf32, #tile.level<smem>>
!f = memref<1x8xf32, #tile.level<rf>>
tile.kernel @shared(%X: !G[%M, %K], %Y: !G[%N, %K], %Z: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%mc, %nc) in (%M, %N) by (24, 16) at dram on cluster {
    tile.for (%m0, %n0) in (24, 16) by (8, 8) at dram on block {
      %c = tile.hold init(0.0 : f32) : !c
      tile.for (%k0) in (%K) by (32) at dram pipeline(2) producers(1) {
        %x = tile.stage %X[%mc + %m0, %k0] copy(tma) : !G to !s
        %y = tile.stage %Y[%nc + %n0, %k0] copy(tma) : !G to !s
        tile.for (%m1, %k1) in (8, 32) by (1, 8) at smem on thread {
          %a = tile.part %x[%m1, %k1] : !s to !e
          %b = tile.part %y[%m1, %k1] : !s to !e
          %d = tile.part %c[%m1, %k1] : !c to !f
          linalg.add ins(%a, %d : !e, !f) outs(%d : !f)
          linalg.mul ins(%b, %d : !e, !f) outs(%d : !f)
        }
      }
    }
  }
}

// -----

// Without producers each block copies what it needs, and waits for nobody else. The clusters are ordered, not the blocks.
// CHECK-LABEL: kernel.func @plain
// CHECK-SAME: cluster(2)
// CHECK: %[[RANK:.*]] = kernel.cluster_rank
// CHECK: %[[BLOCK:.*]] = kernel.block
// CHECK: arith.divsi %[[BLOCK]], %c2
// CHECK: kernel.sync_block
// CHECK-NOT: kernel.cluster_sync
!G = memref<?x?xf32>
!s = memref<16x16xf32, #tile.level<smem>>
!e = memref<1x1xf32, #tile.level<smem>>
tile.kernel @plain(%X: !G[%M, %N], %Y: !G[%N, %M], %M: index, %N: index) {
  tile.for (%mc, %n0) in (%M, %N) by (32, 16) at dram on cluster raster(grouped = 4) {
    tile.for (%m0) in (32) by (16) at dram on block {
      %x = tile.stage %X[%mc + %m0, %n0] : !G to !s
      tile.for (%n1, %m1) in (16, 16) by (1, 1) at smem on thread {
        %a = tile.part %x[%m1, %n1] : !s to !e
        %b = tile.part %Y[%n0 + %n1, %mc + %m0 + %m1] : !G to memref<1x1xf32, strided<[?, ?], offset: ?>>
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          ins(%a : !e) outs(%b : memref<1x1xf32, strided<[?, ?], offset: ?>>) {
        ^bb0(%p: f32, %q: f32):
          linalg.yield %p : f32
        }
      }
    }
  }
}

// -----

// Of a persistent grid each cluster takes every so manyth tile of the raster.
// CHECK-LABEL: kernel.func @persistent
// CHECK: %[[CLUSTER:.*]] = arith.divsi %{{.*}}, %c4
// CHECK: %[[BLOCKS:.*]] = kernel.block_count
// CHECK: %[[CLUSTERS:.*]] = arith.divsi %[[BLOCKS]], %c4
// CHECK: kernel.for{{.*}} %{{.*}} = %[[CLUSTER]] to %{{.*}} step %[[CLUSTERS]]
!V = memref<?xf32>
!h = memref<32xf32, #tile.level<rf>>
tile.kernel @persistent(%X: !V[%N], %N: index) {
  tile.for (%c0) in (%N) by (128) at dram on cluster persistent {
    tile.for (%b0) in (128) by (32) at dram on block {
      %h = tile.hold init(1.0 : f32) : !h
      tile.for (%i) in (32) by (1) at dram on thread {
        %r = tile.part %h[%i] : !h to memref<1xf32, #tile.level<rf>>
      }
      tile.store %h to %X[%c0 + %b0] : !h to !V
    }
  }
}

// -----

// A cluster of one block is none.
// CHECK-LABEL: kernel.func @single
// CHECK-NOT: cluster
!V = memref<?xf32>
!h = memref<32xf32, #tile.level<rf>>
tile.kernel @single(%X: !V[%N], %N: index) {
  tile.for (%c0) in (%N) by (32) at dram on cluster {
    tile.for (%b0) in (32) by (32) at dram on block {
      %h = tile.hold init(1.0 : f32) : !h
      tile.for (%i) in (32) by (1) at dram on thread {
        %r = tile.part %h[%i] : !h to memref<1xf32, #tile.level<rf>>
      }
      tile.store %h to %X[%c0 + %b0] : !h to !V
    }
  }
}

// -----

tile.kernel @limit_x2_dynamic(%X: memref<?xf32>[%M], %M: index) {
  tile.for (%c) in (%M) by (64) at dram on cluster {
    // expected-error@+1 {{on block in a cluster needs static extents, but extent 0 is dynamic}}
    tile.for (%b) in (%M) by (32) at dram on block {
    }
  }
}

// -----

tile.kernel @limit_x2_large(%X: memref<?xf32>[%M], %M: index) {
  tile.for (%c) in (%M) by (640) at dram on cluster {
    // expected-error@+1 {{makes clusters of 20 blocks; they have at most 16}}
    tile.for (%b) in (640) by (32) at dram on block {
    }
  }
}

// -----

tile.kernel @limit_x1_empty(%X: memref<?xf32>[%M], %M: index) {
  // expected-error@+1 {{on cluster needs a loop on block in it, which says how many blocks a cluster has}}
  tile.for (%c) in (%M) by (640) at dram on cluster {
  }
}

// -----

!h = memref<32xf32, #tile.level<rf>>
tile.kernel @limit_x1_beside(%X: memref<?xf32>[%M], %M: index) {
  // expected-note@+1 {{the loop on cluster is here}}
  tile.for (%c) in (%M) by (64) at dram on cluster {
    // expected-error@+1 {{is beside or instead of the one loop on block in a loop on cluster}}
    %h = tile.hold init(1.0 : f32) : !h
    tile.for (%b) in (64) by (32) at dram on block {
    }
  }
}

// -----

tile.kernel @limit_x4_inside(%X: memref<?xf32>[%M], %M: index) {
  tile.for (%t) in (%M) by (64) at dram {
    // expected-error@+1 {{on cluster must be the kernel's outermost loop}}
    tile.for (%c) in (64) by (64) at dram on cluster {
    }
  }
}
