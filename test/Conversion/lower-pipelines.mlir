// RUN: tilec-opt %s -kernel-lower-pipelines | FileCheck %s

#smem = #tile.level<smem>
#rf = #tile.level<rf>

// Threads that fill what they read: of 3 slots one is read and one filled, so that one group may be under way. The slot
// that is filled is the one before the one that is read, and the first comes after the last.
// CHECK-LABEL: kernel.func @groups
kernel.func @groups(%n: index) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = kernel.pipeline_create slots(3)
  // CHECK-NOT: pipeline_
  // CHECK: kernel.cp_async_commit
  kernel.pipeline_commit %p[%c0]
  // CHECK: %[[SLOT:.*]] = kernel.registers init(0 : index) : memref<index, #tile.level<rf>>
  // CHECK-NOT: kernel.registers
  %t = kernel.pipeline_enter %p
  // CHECK: kernel.for pipeline
  kernel.for pipeline %i = %c0 to %n step %c1 {
    // CHECK: %[[USE:.*]] = memref.load %[[SLOT]]
    // CHECK-NEXT: kernel.cp_async_wait 1
    %use = kernel.pipeline_wait %t
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[USE]], %c0{{.*}}
    // CHECK: %[[BEFORE:.*]] = arith.subi %[[USE]], %c1{{.*}}
    // CHECK: arith.select %[[FIRST]], %c2{{.*}}, %[[BEFORE]]
    %fill = kernel.pipeline_acquire %t before %use
    // CHECK: kernel.cp_async_commit
    kernel.pipeline_commit %p[%fill]
    // CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[USE]], %c2{{.*}}
    // CHECK: %[[NEXT:.*]] = arith.addi %[[USE]], %c1{{.*}}
    // CHECK: %[[THEN:.*]] = arith.select %[[LAST]], %c0{{.*}}, %[[NEXT]]
    // CHECK: memref.store %[[THEN]], %[[SLOT]][]
    kernel.pipeline_advance %t[%use]
  }
  // CHECK: kernel.cp_async_wait 0
  kernel.pipeline_drain %p
  // CHECK-NEXT: kernel.return
  kernel.return
}

// An iteration that has its slot and waits for that of the next one: what it gives back is filled.
// CHECK-LABEL: kernel.func @hands_on
kernel.func @hands_on(%n: index) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = kernel.pipeline_create slots(3)
  // CHECK: %[[SLOT:.*]] = kernel.registers init(0 : index) : memref<index, #tile.level<rf>>
  %t = kernel.pipeline_enter %p
  // CHECK: kernel.for pipeline
  kernel.for pipeline %i = %c0 to %n step %c1 {
    // CHECK: %[[USE:.*]] = memref.load %[[SLOT]]
    // CHECK-NOT: kernel.cp_async_wait
    %use = kernel.pipeline_slot %t
    // CHECK: arith.cmpi eq, %[[USE]], %c2{{.*}}
    // CHECK: memref.store %{{.*}}, %[[SLOT]][]
    kernel.pipeline_advance %t[%use]
    // CHECK: %[[NEXT:.*]] = memref.load %[[SLOT]]
    // CHECK-NEXT: kernel.cp_async_wait 1
    %next = kernel.pipeline_wait %t
    // CHECK: arith.cmpi eq, %[[NEXT]], %c0{{.*}}
    %fill = kernel.pipeline_acquire %t before %next
    kernel.pipeline_commit %p[%fill]
  }
  kernel.return
}

// Roles: one thread starts the barriers before any other comes to them. Producers wait for the phase before that of
// consumers; each side has a slot and a parity of its own, and changes the parity after the last slot.
// CHECK-LABEL: kernel.func @roles
kernel.func @roles(%n: index, %produces: i1, %lane: index) threads(64) static_shared(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[FULL:.*]] = kernel.shared
  %full = kernel.shared : memref<4xi64, #smem>
  // CHECK: %[[EMPTY:.*]] = kernel.shared
  %empty = kernel.shared : memref<4xi64, #smem>
  // CHECK: %[[THREAD:.*]] = kernel.thread
  // CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[THREAD]], %c0{{.*}}
  // CHECK: scf.if %[[IS_FIRST]] {
  // CHECK: kernel.for %[[I:.*]] = %c0{{.*}} to %c4{{.*}} step %c1{{.*}} {
  // CHECK: kernel.mbarrier_init %[[FULL]][%[[I]]], %c33
  // CHECK: kernel.mbarrier_init %[[EMPTY]][%[[I]]], %c1
  // CHECK: }
  // CHECK: kernel.fence_mbarrier_init
  // CHECK: }
  // CHECK-NEXT: kernel.sync_block
  %p = kernel.pipeline_create slots(4) full(%full, 33) empty(%empty, 1) : memref<4xi64, #smem>, memref<4xi64, #smem>
  kernel.roles %produces threads [32, 32] {
    // CHECK: %[[SLOT:.*]] = kernel.registers init(0 : index)
    // CHECK: %[[PARITY:.*]] = kernel.registers init(0 : index)
    %t = kernel.pipeline_enter %p
    kernel.for %i = %c0 to %n step %c1 {
      // CHECK: %[[FILL:.*]] = memref.load %[[SLOT]]
      // CHECK: %[[PHASE:.*]] = memref.load %[[PARITY]]
      // CHECK: %[[OTHER:.*]] = arith.subi %c1{{.*}}, %[[PHASE]]
      // CHECK: kernel.mbarrier_wait %[[EMPTY]][%[[FILL]]], %[[OTHER]]
      %fill = kernel.pipeline_acquire %t
      // CHECK: kernel.mbarrier_arrive_expect_tx %[[FULL]][%[[FILL]]], %c1024
      kernel.pipeline_expect %p[%fill] bytes(1024)
      // CHECK: kernel.mbarrier_arrive %[[FULL]][%[[FILL]]]
      kernel.pipeline_expect %p[%fill] bytes(0)
      // CHECK: kernel.cp_async_mbarrier_arrive %[[FULL]][%[[FILL]]]
      // CHECK-NOT: kernel.mbarrier_arrive
      kernel.pipeline_commit %p[%fill]
      // CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[FILL]], %c3{{.*}}
      // CHECK: memref.store %{{.*}}, %[[SLOT]][]
      // CHECK: %[[NEXT:.*]] = arith.select %[[LAST]], %{{.*}}, %[[PHASE]]
      // CHECK: memref.store %[[NEXT]], %[[PARITY]][]
      kernel.pipeline_advance %t[%fill]
    }
  // CHECK: } else {
  } else {
    // CHECK: %[[SLOT2:.*]] = kernel.registers init(0 : index)
    // CHECK: %[[PARITY2:.*]] = kernel.registers init(0 : index)
    %t = kernel.pipeline_enter %p
    kernel.for %i = %c0 to %n step %c1 {
      // CHECK: %[[USE:.*]] = memref.load %[[SLOT2]]
      // CHECK: %[[PHASE2:.*]] = memref.load %[[PARITY2]]
      // CHECK: kernel.mbarrier_wait %[[FULL]][%[[USE]]], %[[PHASE2]]
      %use = kernel.pipeline_wait %t
      // CHECK: kernel.sync_warp
      // CHECK: %[[GIVES:.*]] = arith.cmpi eq, %{{.*}}, %c0{{.*}}
      // CHECK: scf.if %[[GIVES]] {
      // CHECK-NEXT: kernel.mbarrier_arrive %[[EMPTY]][%[[USE]]]
      kernel.pipeline_release %t[%use] by %lane
      // CHECK: memref.store %{{.*}}, %[[SLOT2]][]
      // CHECK: memref.store %{{.*}}, %[[PARITY2]][]
      kernel.pipeline_advance %t[%use]
    }
  }
  // CHECK: kernel.return
  kernel.return
}

// The arrival for copies says nothing of stores, which take one of their own. Where other proxies read the slot, the thread waits for
// its copies and fences before it arrives.
// CHECK-LABEL: kernel.func @stores
kernel.func @stores(%slot: index) threads(32) static_shared(32) {
  // CHECK: %[[FULL:.*]] = kernel.shared
  %full = kernel.shared : memref<2xi64, #smem>
  %empty = kernel.shared : memref<2xi64, #smem>
  // CHECK: kernel.mbarrier_init %[[FULL]][{{.*}}], %c64
  %p = kernel.pipeline_create slots(2) full(%full, 64) empty(%empty, 1) : memref<2xi64, #smem>, memref<2xi64, #smem>
  // CHECK: kernel.cp_async_mbarrier_arrive %[[FULL]][%[[SLOT:.*]]]
  // CHECK-NEXT: kernel.mbarrier_arrive %[[FULL]][%[[SLOT]]]
  kernel.pipeline_commit %p[%slot] stores
  // CHECK-NEXT: kernel.cp_async_commit
  // CHECK-NEXT: kernel.cp_async_wait 0
  // CHECK-NEXT: kernel.fence_proxy_async
  // CHECK-NEXT: kernel.mbarrier_arrive %[[FULL]][%[[SLOT]]]
  kernel.pipeline_commit %p[%slot] proxy_fence
  // CHECK-NEXT: kernel.return
  kernel.return
}

// Blocks that fill slots of each other: a lane arrives at each, for the slot that was kept, if one was; and no block leaves while
// others may still come.
// CHECK-LABEL: kernel.func @cluster
// CHECK-SAME: %[[LANE:[a-z0-9]+]]: index, %[[RANK:[a-z0-9]+]]: index
kernel.func @cluster(%lane: index, %rank: index) threads(32) cluster(4) static_shared(32) {
  %full = kernel.shared : memref<2xi64, #smem>
  // CHECK: kernel.shared
  // CHECK: %[[EMPTY:.*]] = kernel.shared
  %empty = kernel.shared : memref<2xi64, #smem>
  // CHECK-NOT: kernel.sync_block
  // CHECK: kernel.cluster_sync
  %p = kernel.pipeline_create slots(2) full(%full, 1) empty(%empty, 4) cluster : memref<2xi64, #smem>, memref<2xi64, #smem>
  %t = kernel.pipeline_enter %p
  // CHECK: %[[HELD:.*]] = kernel.registers init(-1 : index)
  %held = kernel.registers init(-1 : index) : memref<index, #rf>
  // CHECK: kernel.mbarrier_wait
  %use = kernel.pipeline_wait %t
  // CHECK: %[[KEPT:.*]] = memref.load %[[HELD]][]
  // CHECK: kernel.sync_warp
  // CHECK: %[[EACH:.*]] = arith.cmpi slt, %[[LANE]], %c4{{.*}}
  // CHECK: %[[ANY:.*]] = arith.cmpi sge, %[[KEPT]], %c0{{.*}}
  // CHECK: %[[BOTH:.*]] = arith.andi %[[EACH]], %[[ANY]]
  // CHECK: scf.if %[[BOTH]] {
  // CHECK-NEXT: kernel.mbarrier_arrive_remote %[[EMPTY]][%[[KEPT]]], %[[RANK]]
  // CHECK-NEXT: }
  // CHECK-NEXT: memref.store %{{.*}}, %[[HELD]][]
  kernel.pipeline_release %t[%use] by %lane to %rank of 4 late(%held : memref<index, #rf>)
  // CHECK-NEXT: kernel.cluster_sync
  kernel.pipeline_drain %p
  kernel.return
}

// Teams read slots in turn. A team begins after as many steps of each one before, up to twice around 4 slots, in the slot and phase of that step; it waits
// for its turn, hands it on, and goes past the steps of the others.
// CHECK-LABEL: kernel.func @teams
// CHECK-SAME: %[[LANE:[a-z0-9]+]]: index, %[[STEPS:[a-z0-9]+]]: index
kernel.func @teams(%lane: index, %steps: index) threads(256) static_shared(80) {
  %full = kernel.shared : memref<4xi64, #smem>
  %empty = kernel.shared : memref<4xi64, #smem>
  // CHECK-COUNT-2: kernel.shared
  // CHECK: %[[ORDER:.*]] = kernel.shared
  %order = kernel.shared : memref<2xi64, #smem>
  // CHECK: kernel.mbarrier_init %[[ORDER]][%{{.*}}], %c4
  // CHECK: kernel.fence_mbarrier_init
  // CHECK: kernel.sync_block
  %p = kernel.pipeline_create slots(4) full(%full, 1) empty(%empty, 4) order(%order, 4 : memref<2xi64, #smem>) : memref<4xi64, #smem>, memref<4xi64, #smem>
  // CHECK: %[[TEAM:.*]] = kernel.team of(128)
  %team = kernel.team of(128)
  // CHECK: %[[SLOT:.*]] = kernel.registers : memref<index, #tile.level<rf>>
  // CHECK: %[[PARITY:.*]] = kernel.registers : memref<index, #tile.level<rf>>
  // CHECK: %[[REST:.*]] = arith.remsi %[[STEPS]], %c8
  // CHECK: %[[BETWEEN:.*]] = arith.muli %[[REST]], %c1
  // CHECK: %[[AHEAD:.*]] = arith.muli %[[REST]], %[[TEAM]]
  // CHECK: %[[AT:.*]] = arith.addi %c0{{.*}}, %[[AHEAD]]
  // CHECK: arith.remsi %[[AT]], %c4
  // CHECK: memref.store %{{.*}}, %[[SLOT]][]
  // CHECK: arith.divsi %[[AT]], %c4
  // CHECK: arith.remsi %{{.*}}, %c2
  // CHECK: memref.store %{{.*}}, %[[PARITY]][]
  // CHECK: %[[TURN:.*]] = kernel.registers : memref<index, #tile.level<rf>>
  // CHECK: arith.cmpi eq, %[[TEAM]], %c0
  // CHECK: memref.store %{{.*}}, %[[TURN]][]
  %t = kernel.pipeline_enter %p team(%team) steps(%steps)
  // CHECK: %[[PHASE:.*]] = memref.load %[[TURN]][]
  // CHECK-NEXT: kernel.mbarrier_wait %[[ORDER]][%[[TEAM]]], %[[PHASE]]
  // CHECK: memref.store %{{.*}}, %[[TURN]][]
  kernel.pipeline_begin %t
  // All lanes of a warp have passed the wait, or two phases later one of them would wait for ever.
  // CHECK: kernel.sync_warp
  // CHECK: arith.cmpi eq, %[[TEAM]], %c1
  // CHECK: %[[NEXT:.*]] = arith.select
  // CHECK: arith.cmpi eq, %[[LANE]], %c0
  // CHECK: scf.if
  // CHECK-NEXT: kernel.mbarrier_arrive %[[ORDER]][%[[NEXT]]]
  // CHECK: %[[USE:.*]] = memref.load %[[SLOT]][]
  // CHECK: arith.addi %[[USE]], %[[BETWEEN]]
  // CHECK: memref.store %{{.*}}, %[[SLOT]][]
  // CHECK: memref.store %{{.*}}, %[[PARITY]][]
  kernel.pipeline_end %t by %lane
  kernel.return
}
