// RUN: tilec-opt %s -split-input-file -tile-kernel-pipeline | FileCheck %s

// What threads add to a held tile that they share: each has a part of its own, which begins as what changes nothing, and
// after the loop all threads have the combination of all parts, in one order.

!V = memref<?xf32>
!e = memref<1xf32, #tile.level<rf>>

// Within a warp by exchanges over the bits of the lane. Beginning with -0, sums of nothing but -0 stay -0.
// CHECK-LABEL: kernel.func @warp
// CHECK-NOT: kernel.shared
// CHECK: %[[NONE:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: %[[SUM:.*]] = kernel.registers init(0.000000e+00 : f32)
// CHECK: %[[PART:.*]] = kernel.registers : memref<f32
// CHECK: memref.store %[[NONE]], %[[PART]]
// CHECK: kernel.ldg
// CHECK-COUNT-5: kernel.shfl_xor
// CHECK-NOT: kernel.shfl_xor
// CHECK: %[[BEFORE:.*]] = memref.load %[[SUM]]
// CHECK: arith.addf %[[BEFORE]], %{{.*}} : f32
// CHECK: kernel.return
tile.kernel @warp(%X: !V[%N], %Y: memref<1xf32>[1], %N: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    %y = tile.hold init(0.0 : f32) : !e
    tile.for (%i0) in (%N) by (32) at dram {
      tile.for (%i1) in (32) by (1) at dram on thread reduce(add) {
        %x = tile.stage %X[%i0 + %i1] : !V to !e
        linalg.add ins(%x, %y : !e, !e) outs(%y : !e)
      }
    }
    tile.store %y to %Y[0] : !e to memref<1xf32>
  }
}

// -----

!V = memref<?xf32>
!e = memref<1xf32, #tile.level<rf>>

// Across warps through shared memory: each thread leaves what its warp has, and reads that of all warps from the first on.
// CHECK-LABEL: kernel.func @warps
// CHECK: %[[ALL:.*]] = kernel.shared : memref<128xf32
// CHECK-COUNT-5: kernel.shfl_xor
// CHECK-NOT: kernel.sync_block
// CHECK: kernel.sts %{{.*}}, %[[ALL]]
// CHECK: kernel.sync_block
// CHECK: kernel.lds %[[ALL]]
// CHECK: kernel.for unroll %{{.*}} = %c0{{.*}} to %c3
// CHECK: kernel.lds %[[ALL]]
// CHECK: kernel.max_nan
// CHECK: kernel.return
tile.kernel @warps(%X: !V[%N], %Y: memref<1xf32>[1], %N: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    %y = tile.hold init(0.0 : f32) : !e
    tile.for (%i0) in (%N) by (128) at dram {
      tile.for (%i1) in (128) by (1) at dram on thread reduce(max) {
        %x = tile.stage %X[%i0 + %i1] : !V to !e
        linalg.max ins(%x, %y : !e, !e) outs(%y : !e)
      }
    }
    tile.store %y to %Y[0] : !e to memref<1xf32>
  }
}

// -----

!V = memref<?xf32>
!e = memref<1xf32, #tile.level<rf>>

// Over a part of the block, of any number of threads: all threads come to its end, where those that ran it leave what they have, and each reads
// all of that, in one order.
// CHECK-LABEL: kernel.func @part
// CHECK: kernel.shared : memref<40xf32
// CHECK: %[[THREAD:.*]] = kernel.thread
// CHECK: scf.if
// CHECK: kernel.ldg
// CHECK: }
// CHECK-NOT: shfl
// CHECK: scf.if
// CHECK: kernel.sts %{{.*}}[%[[THREAD]]]
// CHECK-NEXT: }
// CHECK: kernel.sync_block
// CHECK: kernel.lds
// CHECK: kernel.for
// CHECK: kernel.lds
// CHECK: kernel.return
tile.kernel @part(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    %y = tile.hold init(0.0 : f32) : !e
    tile.for (%i1) in (10) by (1) at dram on thread reduce(add) {
      %x = tile.stage %X[%i1] : !V to !e
      linalg.add ins(%x, %y : !e, !e) outs(%y : !e)
    }
    tile.for (%t) in (40) by (1) at dram on thread {
      %z = tile.stage %X[%t] : !V to !e
      linalg.add ins(%y, %z : !e, !e) outs(%z : !e)
      tile.store %z to %Y[%t] : !e to !V
    }
  }
}

// -----

!A = memref<?x128xf32>
!r = memref<1x4xf32, #tile.level<rf>>

// Two warps share the rows of a step. What they have is put together once, after the last step, since nothing else in the loop touches the tile: four elements
// at a time, between two barriers. Of two threads each reads what the other has left.
// CHECK-LABEL: kernel.func @steps
// CHECK: %[[ALL:.*]] = kernel.shared : memref<256xf32
// CHECK: %[[PART:.*]] = kernel.registers : memref<4xf32
// CHECK: kernel.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NOT: kernel.sts
// CHECK: kernel.ldg
// CHECK: arith.addf
// CHECK: }
// CHECK: kernel.sts_vector 4, %[[ALL]]{{.*}}, %[[PART]]
// CHECK: kernel.sync_block
// CHECK-NEXT: kernel.lds_vector 4, %{{.*}}, %[[ALL]]
// CHECK-NOT: kernel.lds
// CHECK: arith.addf
// CHECK: kernel.return
tile.kernel @steps(%X: !A[%M, 128], %Y: memref<128xf32>[128], %M: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    %y = tile.hold init(0.0 : f32) : memref<128xf32, #tile.level<rf>>
    tile.for (%i0) in (%M) by (8) at dram {
      tile.for (%w) in (8) by (4) at dram on warp reduce(add) {
        tile.for (%j) in (128) by (4) at dram on thread {
          tile.for (%i1) in (4) by (1) at dram {
            %x = tile.stage %X[%i0 + %w + %i1, %j] : !A to !r
            %q = tile.part %y[%j] : memref<128xf32, #tile.level<rf>> to memref<4xf32, #tile.level<rf>>
            linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
                ins(%x : !r) outs(%q : memref<4xf32, #tile.level<rf>>) {
            ^bb0(%a: f32, %old: f32):
              %s = arith.addf %old, %a : f32
              linalg.yield %s : f32
            }
          }
        }
      }
    }
    tile.store %y to %Y[0] : memref<128xf32, #tile.level<rf>> to memref<128xf32>
  }
}

// -----

!V = memref<?xf32>
!e = memref<1xf32, #tile.level<rf>>

// What is read in each step is put together in each.
// CHECK-LABEL: kernel.func @running
// CHECK: kernel.for
// CHECK: kernel.shfl_xor
// CHECK: kernel.stg
// CHECK: }
// CHECK-NOT: kernel.shfl_xor
// CHECK: kernel.return
tile.kernel @running(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    %y = tile.hold init(0.0 : f32) : !e
    tile.for (%i0) in (%N) by (32) at dram {
      tile.for (%i1) in (32) by (1) at dram on thread reduce(add) {
        %x = tile.stage %X[%i0 + %i1] : !V to !e
        linalg.add ins(%x, %y : !e, !e) outs(%y : !e)
      }
      tile.store %y to %Y[%i0] : !e to !V
    }
  }
}
