// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-kernel-pipeline | FileCheck %s

// The tiles beyond whole waves are shared by all blocks. A part's sums go to the workspace; the last part adds them all.

// One workspace for each sum, and one that counts parts.
// CHECK-LABEL: kernel.func @rows
// CHECK-SAME: %[[PARTS:[a-z0-9]+]]: memref<?xf32>, %[[COUNTS:[a-z0-9]+]]: memref<?xi32>)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[NONE:.*]] = arith.constant -0.000000e+00 : f32
// CHECK-DAG: %[[INIT:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[DONE:.*]] = kernel.shared : memref<1xi32
// CHECK: %[[THREAD:.*]] = kernel.thread
// CHECK: %[[BLOCK:.*]] = kernel.block
// CHECK: %[[BLOCKS:.*]] = kernel.block_count
// A loop of no steps counts as one, so that its tile is stored.
// CHECK: %[[STEPS:.*]] = arith.maxsi
// CHECK: arith.divsi %[[TILES:.*]], %[[BLOCKS]]
// CHECK: arith.remsi %[[TILES]], %[[BLOCKS]]
// Parts, then whole tiles.
// CHECK: kernel.for{{.*}} %[[ITEM:.*]] = %[[ZERO]] to
// CHECK: %[[TILE:.*]] = arith.select
// CHECK: %[[FIRST:.*]] = arith.select
// CHECK: %[[LAST:.*]] = arith.select
// Of several parts, the first has the initial value.
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[FIRST]], %[[ZERO]]
// CHECK: arith.select %[[IS_FIRST]], %[[INIT]], %[[NONE]]
// CHECK: arith.muli %[[FIRST]]
// CHECK: arith.muli %[[LAST]]
// CHECK: kernel.for
// CHECK: %[[COUNT:.*]] = arith.subi %[[LAST]], %[[FIRST]]
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[COUNT]], %[[STEPS]]
// CHECK: %[[COMPLETE:.*]] = scf.if %[[WHOLE]] -> (i1)
// CHECK: } else {
// CHECK: arith.addi %[[TILE]], %[[BLOCK]]
// CHECK: kernel.stg {{.*}}, %[[PARTS]]
// CHECK-NEXT: kernel.sync_block
// CHECK: %[[LEADS:.*]] = arith.cmpi eq, %[[THREAD]], %[[ZERO]]
// CHECK-NEXT: scf.if %[[LEADS]]
// CHECK-NEXT: %[[BEFORE:.*]] = kernel.atomic_fetch_add %{{.*}}, %[[COUNTS]][%[[TILE]]]
// CHECK-NEXT: kernel.sts %[[BEFORE]], %[[DONE]]
// CHECK: kernel.sync_block
// CHECK: kernel.lds %[[DONE]]
// CHECK: %[[IS_LAST:.*]] = arith.cmpi eq
// CHECK-NEXT: scf.if %[[IS_LAST]]
// CHECK: memref.store %[[NONE]]
// CHECK: kernel.for{{.*}} %[[FROM:.*]] =
// CHECK: arith.addi %[[TILE]], %[[FROM]]
// CHECK: kernel.ldg %[[PARTS]]
// CHECK: arith.addf
// CHECK: scf.if %[[LEADS]]
// CHECK: kernel.atomic_fetch_add %{{.*}}, %[[COUNTS]][%[[TILE]]]
// CHECK: scf.yield %[[IS_LAST]]
// What follows the loop is for whoever has all of it.
// CHECK: arith.andi %[[COMPLETE]]
// CHECK: kernel.stg
!G = memref<?x?xf32, strided<[?, ?]>>
!V = memref<?xf32>
!x = memref<1x4xf32, #tile.level<rf>>
!s = memref<64xf32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<rf>>
tile.kernel @rows(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i0) in (%M) by (64) at dram on block persistent {
    %s = tile.hold init(1.0 : f32) : !s
    tile.for (%j0) in (%N) by (4) at dram tail(cut) {
      tile.for (%i1) in (64) by (1) at dram on thread {
        %x = tile.stage %X[%i0 + %i1, %j0] : !G to !x
        %e = tile.part %s[%i1] : !s to !e
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                        iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%e : !e) {
        ^bb0(%a: f32, %sum: f32):
          %r = arith.addf %a, %sum : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %s to %S[%i0] : !s to !V
  }
}

// -----

// Copies ahead stay within the block's part: what follows it are other blocks' iterations. So none is under way
// after the loop.
// CHECK-LABEL: kernel.func @staged
// CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %arg2
// CHECK: kernel.for{{.*}} %[[AHEAD:.*]] =
// CHECK: %[[NEXT:.*]] = arith.cmpi slt, %{{.*}}, %[[END]]
// CHECK: scf.if %[[NEXT]]
// CHECK: kernel.cp_async
// CHECK: kernel.cp_async_commit
// CHECK: kernel.for{{.*}} %[[K:.*]] = %{{.*}} to %[[END]]
// CHECK: %[[LATER:.*]] = arith.cmpi slt, %{{.*}}, %[[END]]
// CHECK: scf.if %[[LATER]]
// CHECK: kernel.cp_async
// CHECK: kernel.cp_async_commit
// CHECK-NOT: kernel.cp_async_wait 0
// CHECK: kernel.return
!V = memref<?xf32, strided<[1]>>
!S = memref<?xf32>
!s = memref<64xf32, #tile.level<smem>>
!r = memref<1xf32, #tile.level<rf>>
!h = memref<64xf32, #tile.level<rf>>
tile.kernel @staged(%X: !V[%N], %Y: !S[%M], %N: index, %M: index) {
  tile.for (%i) in (%M) by (64) at dram on block persistent {
    %c = tile.hold init(0.0 : f32) : !h
    tile.for (%j) in (%N) by (64) at dram tail(cut) pipeline(3) {
      %s = tile.stage %X[%j] : !V to !s
      tile.for (%t) in (64) by (1) at smem on thread {
        %x = tile.stage %s[%t] : !s to !r
        %e = tile.part %c[%t] : !h to !r
        linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
            ins(%x : !r) outs(%e : !r) {
        ^bb0(%a: f32, %sum: f32):
          %r = arith.addf %a, %sum : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %c to %Y[%i] : !h to !S
  }
}

// -----

!V = memref<?xf32>
!x = memref<4xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @limit_x5_registers(%X: !V[%N], %Y: !V[%M], %N: index, %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block persistent {
    %c = tile.hold init(0.0 : f32) : !x
    // expected-error@+1 {{pipelines registers and is cut; registers are indexed by constants}}
    tile.for (%j) in (64) by (4) at dram tail(cut) pipeline(2) {
      %x = tile.stage %X[%j] : !V to !x
      linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : !x) outs(%c : !x) {
      ^bb0(%a: f32, %sum: f32):
        %r = arith.addf %a, %sum : f32
        linalg.yield %r : f32
      }
    }
    tile.store %c to %Y[%i] : !x to !V
  }
}
