// RUN: tilec-opt %s -split-input-file -tile-kernel-pipeline | FileCheck %s

// Loops with prefix: each thread combines its own points, threads tell each other what those before them make, and then it goes over its points again.

!V = memref<?xf32>
!x = memref<4xf32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
#0 = affine_map<(i) -> (0)>

// Two warps: five shuffles, each with a sum of all lanes and one of those before, of which the lanes of the lower half keep what they had; then one exchange through shared
// memory, in which a warp's number says which of the sums so far is its own.
// CHECK-LABEL: kernel.func @rows
// CHECK: %[[NONE:.*]] = arith.constant -0.0
// CHECK: %[[PARTIALS:.*]] = kernel.shared : memref<64xf32
// CHECK: %[[S:.*]] = kernel.registers : memref<f32
// CHECK: %[[LOWER:.*]] = arith.cmpi eq
// CHECK: %[[OWN:.*]] = kernel.registers : memref<f32
// CHECK-NEXT: memref.store %[[NONE]], %[[OWN]]
// CHECK: kernel.ldg
// CHECK: memref.load %[[OWN]]{{\[}}
// CHECK: arith.addf
// CHECK-NEXT: memref.store %{{.*}}, %[[OWN]]
// CHECK: %[[BEFORE:.*]] = kernel.registers : memref<f32
// CHECK-NEXT: %[[FIRST:.*]] = memref.load %[[OWN]]{{\[}}
// CHECK-NEXT: %[[OTHER:.*]] = kernel.shfl_xor %[[FIRST]]
// CHECK-NEXT: %[[LEFT:.*]] = arith.select %[[LOWER]], %[[NONE]], %[[OTHER]]
// CHECK-NEXT: %[[ALL:.*]] = arith.addf %[[FIRST]], %[[OTHER]]
// CHECK-NEXT: %[[NEXT:.*]] = kernel.shfl_xor %[[ALL]]
// CHECK-NEXT: %[[MORE:.*]] = arith.addf %[[NEXT]], %[[LEFT]]
// CHECK-NEXT: arith.select %{{.*}}, %[[LEFT]], %[[MORE]]
// CHECK-NEXT: arith.addf %[[ALL]], %[[NEXT]]
// CHECK-COUNT-3: kernel.shfl_xor
// CHECK-NOT: kernel.shfl_xor
// CHECK: kernel.sync_block
// CHECK-NEXT: kernel.sts %{{.*}}, %[[PARTIALS]]
// CHECK: kernel.sync_block
// CHECK-NEXT: kernel.lds %[[PARTIALS]]
// CHECK: arith.select
// CHECK: kernel.lds %[[PARTIALS]]
// CHECK: %[[HELD:.*]] = memref.load %[[S]]{{\[}}
// CHECK-NEXT: %[[START:.*]] = arith.addf %[[HELD]]
// CHECK-NEXT: memref.store %[[START]], %[[BEFORE]]
// CHECK: memref.store %{{.*}}, %[[OWN]]
// CHECK: memref.load %[[BEFORE]]{{\[}}
// CHECK: arith.addf
// CHECK-NEXT: memref.store %{{.*}}, %[[BEFORE]]
// CHECK: kernel.stg
// The sum of all goes to what the tile holds.
// CHECK: memref.load %[[OWN]]{{\[}}
// CHECK-NEXT: memref.load %[[S]]{{\[}}
// CHECK-NEXT: arith.addf
// CHECK-NEXT: memref.store %{{.*}}, %[[S]]
// CHECK: kernel.return
tile.kernel @rows(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    %s = tile.hold init(1.0 : f32) : !e
    tile.for (%j) in (%N) by (256) at dram {
      tile.for (%t) in (256) by (4) at dram on thread reduce(add) prefix {
        %x = tile.stage %X[%j + %t] : !V to !x
        linalg.generic {indexing_maps = [#0, #i], iterator_types = ["reduction"]} outs(%s, %x : !e, !x) {
        ^bb0(%old: f32, %v: f32):
          %sum = arith.addf %old, %v : f32
          linalg.yield %sum, %sum : f32, f32
        }
        tile.store %x to %Y[%j + %t] : !x to !V
      }
    }
  }
}

// -----

// Lanes of a warp need no shared memory, and what the op yields beside is done once: the product.
!V = memref<?xi32>
!x = memref<1xi32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
// CHECK-LABEL: kernel.func @lanes
// CHECK-NOT: kernel.shared
// CHECK-NOT: arith.muli %{{.*}} : i32
// CHECK-COUNT-5: kernel.shfl_xor
// CHECK: arith.muli %{{.*}} : i32
// CHECK-NOT: arith.muli %{{.*}} : i32
// CHECK: kernel.return
tile.kernel @lanes(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    %s = tile.hold init(0 : i32) : !x
    tile.for (%t) in (32) by (1) at dram on thread reduce(max) prefix {
      %x = tile.stage %X[%b + %t] : !V to !x
      linalg.generic {indexing_maps = [#i, #i], iterator_types = ["reduction"]} outs(%s, %x : !x, !x) {
      ^bb0(%old: i32, %v: i32):
        %most = arith.maxsi %old, %v : i32
        %product = arith.muli %most, %v : i32
        linalg.yield %most, %product : i32, i32
      }
      tile.store %x to %Y[%b + %t] : !x to !V
    }
  }
}
