// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-kernel-pipeline | FileCheck %s

// Three blocks with partial maxima of their own: those but the first leave them in shared memory, 32 threads with 2 elements
// each, as one access of 8 bytes; the first block combines them in the order of the ranks and goes on. What is the same for
// all threads after the loop is in its branch.
// CHECK-LABEL: kernel.func @maxima
// CHECK-SAME: cluster(3)
// CHECK: %[[PARTS:.*]] = kernel.shared : memref<64xf32
// CHECK: %[[RANK:.*]] = kernel.cluster_rank
// CHECK: %[[WHOLE:.*]] = kernel.registers : memref<2xf32
// CHECK: %[[PART:.*]] = kernel.registers : memref<2xf32
// CHECK: memref.store %cst{{.*}}, %[[PART]]
// CHECK: kernel.max_nan
// CHECK: memref.store %{{.*}}, %[[PART]]
// CHECK: %[[OTHER:.*]] = arith.cmpi ne, %[[RANK]], %c0
// CHECK-NEXT: scf.if %[[OTHER]] {
// CHECK: kernel.sts_vector 2, %[[PARTS]][%{{.*}}], %[[PART]]
// CHECK: }
// CHECK-NEXT: kernel.cluster_sync
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[RANK]], %c0
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK: kernel.for{{.*}} %[[FROM:.*]] = %c1{{.*}} to %c3{{.*}} step %c1
// CHECK: kernel.lds_cluster 2, %[[MORE:.*]][%c0{{.*}}], %[[PARTS]][%{{.*}}], %[[FROM]]
// CHECK: memref.load %[[MORE]]
// CHECK: kernel.max_nan
// CHECK: memref.store %{{.*}}, %[[PART]]
// CHECK: kernel.cluster_sync
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK: memref.store %{{.*}}, %[[WHOLE]]
// CHECK: kernel.stg
!G = memref<?x?xf32, strided<[?, ?]>>
!V = memref<?xf32>
!c = memref<64xf32, #tile.level<rf>>
!p = memref<2xf32, #tile.level<rf>>
tile.kernel @maxima(%X: !G[%M, %N], %Y: !V[%M], %M: index, %N: index) {
  tile.for (%m0) in (%M) by (64) at dram on cluster {
    %c = tile.hold init(0xFF800000 : f32) : !c
    tile.for (%ns) in (3) by (1) at dram on block reduce(max) {
      tile.for (%n0) in (%N) by (3) at dram {
        tile.for (%m1) in (64) by (2) at dram on thread {
          %x = tile.part %X[%m0 + %m1, %n0 + %ns] : !G to memref<2x1xf32, strided<[?, ?]>>
          %p = tile.part %c[%m1] : !c to !p
          linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                          iterator_types = ["parallel", "reduction"]}
              ins(%x : memref<2x1xf32, strided<[?, ?]>>) outs(%p : !p) {
          ^bb0(%a: f32, %b: f32):
            %r = arith.maximumf %a, %b : f32
            linalg.yield %r : f32
          }
        }
      }
    }
    tile.store %c to %Y[%m0] : !c to !V
  }
}

// -----

// One block a cluster exchanges nothing.
// CHECK-LABEL: kernel.func @alone
// CHECK-NOT: kernel.cluster
// CHECK-NOT: kernel.shared
// CHECK: kernel.stg
!c = memref<32xf32, #tile.level<rf>>
!p = memref<1xf32, #tile.level<rf>>
tile.kernel @alone(%Y: memref<?xf32>[%M], %M: index) {
  tile.for (%m0) in (%M) by (32) at dram on cluster {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%b) in (1) by (1) at dram on block reduce(add) {
      tile.for (%m1) in (32) by (1) at rf on thread {
        %p = tile.part %c[%m1] : !c to !p
        linalg.add ins(%p, %p : !p, !p) outs(%p : !p)
      }
    }
    tile.store %c to %Y[%m0] : !c to memref<?xf32>
  }
}

// -----

!c = memref<32xf32, #tile.level<rf>>
!p = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x3_cut(%Y: memref<?xf32>[%M], %M: index) {
  tile.for (%m0) in (%M) by (64) at dram on cluster persistent {
    // expected-note@+1 {{the loop on block is here}}
    tile.for (%b) in (64) by (32) at dram on block reduce(add) {
      %c = tile.hold init(0.0 : f32) : !c
      // expected-error@+1 {{cuts the steps of tiles over whose blocks a loop reduces; not lowered yet}}
      tile.for (%k) in (8) by (1) at dram tail(cut) {
        tile.for (%m1) in (32) by (1) at rf on thread {
          %p = tile.part %c[%m1] : !c to !p
          linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%p : !p) {
          ^bb0(%d: f32):
            %one = arith.constant 1.0 : f32
            %r = arith.addf %d, %one : f32
            linalg.yield %r : f32
          }
        }
      }
      tile.store %c to %Y[%m0 + %b] : !c to memref<?xf32>
    }
  }
}

// -----

// Something is to be done before a loop that reduces, by nobody.
!s = memref<32xf32, #tile.level<smem>>
tile.kernel @limit_x1_ahead(%X: memref<?xf32>[%M], %M: index) {
  // expected-note@+1 {{the loop on cluster is here}}
  tile.for (%m0) in (%M) by (32) at dram on cluster {
    // expected-error@+1 {{is beside or instead of the one loop on block in a loop on cluster}}
    %s = tile.stage %X[%m0] : memref<?xf32> to !s
    tile.for (%b) in (2) by (1) at dram on block reduce(add) {
    }
  }
}
