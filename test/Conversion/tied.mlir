// RUN: tilec-opt %s -split-input-file -tile-kernel-pipeline | FileCheck %s

// Tiles that a loop ties together: each thread begins with what they are held with, and after the loop `combine` makes one tuple of two, all members of which go
// together, that of the lower iteration first.

!V = memref<?xf32>
!K = memref<?xi32>
!e = memref<1xf32, #tile.level<rf>>
!i = memref<1xi32, #tile.level<rf>>
#one = affine_map<(i) -> (i)>

// Across two warps: five rounds of two shuffles, then one exchange through shared memory, with one barrier between what is left and what is read.
// CHECK-LABEL: kernel.func @first
// CHECK-DAG: %[[MS:.*]] = kernel.shared : memref<64xf32
// CHECK-DAG: %[[KS:.*]] = kernel.shared : memref<64xi32
// CHECK: %[[MOST:.*]] = kernel.registers : memref<f32
// CHECK: %[[PLACE:.*]] = kernel.registers : memref<i32
// CHECK: %[[M:.*]] = kernel.registers : memref<f32
// CHECK: memref.store %cst_0, %[[M]]
// CHECK: %[[K:.*]] = kernel.registers : memref<i32
// CHECK: memref.store %c2147483647_i32, %[[K]]
// CHECK: kernel.ldg
// Which of two lanes is the lower one:
// CHECK: kernel.shfl_xor
// CHECK-NEXT: kernel.shfl_xor
// CHECK: %[[LOWER:.*]] = arith.cmpi eq
// CHECK-NEXT: arith.select %[[LOWER]]
// CHECK-NEXT: arith.select %[[LOWER]]
// CHECK-NEXT: arith.select %[[LOWER]]
// CHECK-NEXT: arith.select %[[LOWER]]
// CHECK-NEXT: arith.cmpf ogt
// CHECK-COUNT-8: kernel.shfl_xor
// CHECK-NOT: kernel.shfl_xor
// CHECK: kernel.sts %{{.*}}, %[[MS]]
// CHECK-NEXT: kernel.sts %{{.*}}, %[[KS]]
// CHECK-NOT: kernel.sts
// CHECK: kernel.sync_block
// CHECK-NOT: kernel.sync_block
// CHECK: kernel.lds %[[MS]]
// CHECK-NEXT: kernel.lds %[[KS]]
// CHECK: kernel.lds %[[MS]]
// CHECK-NEXT: kernel.lds %[[KS]]
// CHECK-NEXT: arith.cmpf ogt
// What the tiles held comes first of all.
// CHECK: memref.load %[[MOST]]
// CHECK-NEXT: memref.load %[[PLACE]]
// CHECK-NEXT: arith.cmpf ogt
// CHECK-NOT: kernel.sync_block
// CHECK: kernel.return
tile.kernel @first(%X: !V[%N], %P: !K[%N], %Y: memref<1xf32>[1], %Z: memref<1xi32>[1], %N: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    %m = tile.hold init(0xFF800000 : f32) : !e
    %k = tile.hold init(2147483647 : i32) : !i
    tile.for (%t) in (64) by (1) at dram on thread reduce(%m, %k : !e, !i) {
      %x = tile.stage %X[%t] : !V to !e
      %p = tile.stage %P[%t] : !K to !i
      linalg.generic {indexing_maps = [#one, #one, #one, #one], iterator_types = ["parallel"]} ins(%x, %p : !e, !i) outs(%m, %k : !e, !i) {
      ^bb0(%v: f32, %at: i32, %most: f32, %place: i32):
        linalg.yield %v, %at : f32, i32
      }
    } combine (%m0: f32, %k0: i32, %m1: f32, %k1: i32) {
      %more = arith.cmpf ogt, %m1, %m0 : f32
      %value = arith.select %more, %m1, %m0 : f32
      %where = arith.select %more, %k1, %k0 : i32
      tile.yield %value, %where : f32, i32
    }
    tile.store %m to %Y[0] : !e to memref<1xf32>
    tile.store %k to %Z[0] : !i to memref<1xi32>
  }
}

// -----

// Over the blocks of a cluster: each tile's parts lie in an array of their own, all are fetched, and then combined.
!V = memref<?xf32>
!e = memref<1xf32, #tile.level<rf>>
#one = affine_map<(i) -> (i)>
// CHECK-LABEL: kernel.func @cluster
// CHECK: kernel.sts %{{.*}}, %[[LOW:.*]][
// CHECK: kernel.sts %{{.*}}, %[[HIGH:.*]][
// CHECK: kernel.cluster_sync
// CHECK: kernel.lds_cluster 1, %{{.*}}, %[[LOW]][
// CHECK-NEXT: kernel.registers
// CHECK-NEXT: kernel.lds_cluster 1, %{{.*}}, %[[HIGH]][
// CHECK: kernel.min_nan
// CHECK: kernel.max_nan
// CHECK: kernel.cluster_sync
// CHECK: kernel.return
tile.kernel @cluster(%X: !V[%N], %Y: memref<2xf32>[2], %N: index) {
  tile.for (%c) in (1) by (1) at dram on cluster {
    %l = tile.hold init(0x7F800000 : f32) : !e
    %h = tile.hold init(0xFF800000 : f32) : !e
    tile.for (%b) in (2) by (1) at dram on block reduce(%l, %h : !e, !e) {
      %x = tile.stage %X[%b] : !V to !e
      linalg.min ins(%x, %l : !e, !e) outs(%l : !e)
      linalg.max ins(%x, %h : !e, !e) outs(%h : !e)
    } combine (%l0: f32, %h0: f32, %l1: f32, %h1: f32) {
      %a = arith.minimumf %l0, %l1 : f32
      %b1 = arith.maximumf %h0, %h1 : f32
      tile.yield %a, %b1 : f32, f32
    }
    tile.store %l to %Y[0] : !e to memref<2xf32>
    tile.store %h to %Y[1] : !e to memref<2xf32>
  }
}
