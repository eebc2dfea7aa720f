// RUN: tilec-opt %s -split-input-file -tile-plan -tile-lower-to-kernel | FileCheck %s

// The nest says what is copied ahead; the lowering says when slots are acquired, filled, waited for and released, and
// by which instructions is left to kernel-lower-pipelines.

!V = memref<?xf32>
!s = memref<32xf32, #tile.level<smem>>
!e = memref<1xf32, #tile.level<smem>>
!r = memref<1xf32, #tile.level<rf>>
!h = memref<32xf32, #tile.level<rf>>

// Two iterations are copied ahead of the loop. In it the slot of the iteration before is filled.
// CHECK-LABEL: kernel.func @one_role
// CHECK-NOT: kernel.cp_async_commit
// CHECK-NOT: kernel.cp_async_wait
// CHECK: %[[P:.*]] = kernel.pipeline_create slots(3)
// CHECK: kernel.for %[[FIRST:.*]] = %c0{{.*}} to %c2
// CHECK: kernel.cp_async
// CHECK: kernel.pipeline_commit %[[P]][%[[FIRST]]]
// CHECK: %[[T:.*]] = kernel.pipeline_enter %[[P]]
// CHECK: kernel.for pipeline
// CHECK: %[[USE:.*]] = kernel.pipeline_wait %[[T]]
// CHECK: kernel.lds
// CHECK: %[[FILL:.*]] = kernel.pipeline_acquire %[[T]] before %[[USE]]
// CHECK: kernel.cp_async
// CHECK: kernel.pipeline_commit %[[P]][%[[FILL]]]
// CHECK: kernel.pipeline_advance %[[T]][%[[USE]]]
// CHECK-NOT: kernel.pipeline
// CHECK: kernel.return
tile.kernel @one_role(%X: !V[%N], %Y: memref<32xf32>[32], %N: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    %y = tile.hold init(0.0 : f32) : !h
    tile.for (%i0) in (%N) by (32) at dram pipeline(3) {
      %x = tile.stage %X[%i0] : !V to !s
      tile.for (%i1) in (32) by (1) at smem on thread {
        %a = tile.part %x[%i1] : !s to !e
        %d = tile.part %y[%i1] : !h to !r
        linalg.add ins(%a, %d : !e, !r) outs(%d : !r)
      }
    }
    tile.store %y to %Y[0] : !h to memref<32xf32>
  }
}

// -----

!V = memref<?xf32>
!s = memref<32xf32, #tile.level<smem>>
!e = memref<1xf32, #tile.level<smem>>
!r = memref<1xf32, #tile.level<rf>>
!h = memref<32xf32, #tile.level<rf>>

// One thread fills a slot with boxes and says how many bytes they bring, or 32 do; one warp releases it.
// CHECK-LABEL: kernel.func @two_roles
// CHECK-NOT: kernel.mbarrier
// CHECK: %[[P:.*]] = kernel.pipeline_create slots(2) full(%[[FULL:.*]], 32) empty(%{{.*}}, 1) alone(%[[ALONE:.*]]) :
// CHECK: kernel.roles
// CHECK: %[[T:.*]] = kernel.pipeline_enter %[[P]]
// CHECK: %[[ALL:.*]] = arith.xori %[[ALONE]], %true
// CHECK: arith.ori %[[ALL]]
// CHECK: %[[FILL:.*]] = kernel.pipeline_acquire %[[T]]{{$}}
// CHECK: kernel.pipeline_expect %[[P]][%[[FILL]]] bytes(128)
// CHECK: kernel.tma_load {{.*}} %[[FULL]][%[[FILL]]]
// CHECK: } else {
// CHECK-NOT: kernel.pipeline_expect
// CHECK: kernel.cp_async
// CHECK: kernel.pipeline_commit %[[P]][%[[FILL]]]
// CHECK: kernel.pipeline_advance %[[T]][%[[FILL]]]
// CHECK: } else {
// CHECK: %[[OWN:.*]] = kernel.pipeline_enter %[[P]]
// CHECK: %[[HELD:.*]] = kernel.registers init(-1 : index)
// CHECK: %[[USE:.*]] = kernel.pipeline_wait %[[OWN]]
// CHECK: kernel.pipeline_release %[[OWN]][%[[USE]]] by %{{.*}} late(%[[HELD]]
// CHECK: kernel.lds
// CHECK: kernel.pipeline_advance %[[OWN]][%[[USE]]]
// CHECK-NOT: kernel.mbarrier
// CHECK: kernel.return
tile.kernel @two_roles(%X: !V[%N], %Y: memref<32xf32>[32], %N: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    %y = tile.hold init(0.0 : f32) : !h
    tile.for (%i0) in (%N) by (32) at dram pipeline(2) producers(1) release(next) {
      %x = tile.stage %X[%i0] copy(tma) : !V to !s
      tile.for (%i1) in (32) by (1) at smem on thread {
        %a = tile.part %x[%i1] : !s to !e
        %d = tile.part %y[%i1] : !h to !r
        linalg.add ins(%a, %d : !e, !r) outs(%d : !r)
      }
    }
    tile.store %y to %Y[0] : !h to memref<32xf32>
  }
}
