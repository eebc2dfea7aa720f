// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-place-barriers | FileCheck %s

// What one loop on threads writes and reads is each thread's own; what another one reads is not.
// CHECK-LABEL: kernel.func @loops_on_threads
// CHECK: kernel.sts {{.*}} thread_loop 1
// CHECK-NEXT: kernel.lds {{.*}} thread_loop 1
// CHECK-NEXT: kernel.sync_block
// CHECK-NEXT: kernel.lds {{.*}} thread_loop 2
// CHECK-NEXT: kernel.lds %{{.*}}[%{{.*}}] :
kernel.func @loops_on_threads(%v: f32) threads(64) static_shared(256) {
  %s = kernel.shared : memref<64xf32, #tile.level<smem>>
  %t = kernel.thread
  kernel.sts %v, %s[%t] thread_loop 1 : f32, memref<64xf32, #tile.level<smem>>, index
  %a = kernel.lds %s[%t] thread_loop 1 : memref<64xf32, #tile.level<smem>>, index -> f32
  %b = kernel.lds %s[%t] thread_loop 2 : memref<64xf32, #tile.level<smem>>, index -> f32
  %c = kernel.lds %s[%t] : memref<64xf32, #tile.level<smem>>, index -> f32
  kernel.return
}

// -----

// Lanes that execute an iteration together exchange what they write.
// CHECK-LABEL: kernel.func @lanes_together
// CHECK: kernel.sts
// CHECK-NEXT: kernel.sync_block
// CHECK-NEXT: kernel.lds
kernel.func @lanes_together(%v: f32) threads(64) static_shared(256) {
  %s = kernel.shared : memref<64xf32, #tile.level<smem>>
  %t = kernel.thread
  kernel.sts %v, %s[%t] thread_loop -1 : f32, memref<64xf32, #tile.level<smem>>, index
  %a = kernel.lds %s[%t] thread_loop -1 : memref<64xf32, #tile.level<smem>>, index -> f32
  kernel.return
}

// -----

// A loop around a loop on threads is executed by other threads' iterations in turn, which come to other elements; one in it is one thread's.
// CHECK-LABEL: kernel.func @around
// CHECK: kernel.for %
// CHECK-NEXT: arith.addi
// CHECK-NEXT: kernel.sync_block
// CHECK-NEXT: kernel.lds
// CHECK-NEXT: kernel.sts
// CHECK-NEXT: }
// CHECK-NEXT: kernel.sync_block
// CHECK-NEXT: kernel.for thread_loop 2
// CHECK-NEXT: kernel.lds
// CHECK-NEXT: kernel.sts
// CHECK-NEXT: }
kernel.func @around(%n: index) threads(64) static_shared(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = kernel.shared : memref<64xf32, #tile.level<smem>>
  %t = kernel.thread
  kernel.for %i = %c0 to %n step %c1 {
    %u = arith.addi %t, %i : index
    %a = kernel.lds %s[%u] thread_loop 1 : memref<64xf32, #tile.level<smem>>, index -> f32
    kernel.sts %a, %s[%u] thread_loop 1 : f32, memref<64xf32, #tile.level<smem>>, index
  }
  kernel.for thread_loop 2 %i = %c0 to %n step %c1 {
    %a = kernel.lds %s[%t] thread_loop 2 : memref<64xf32, #tile.level<smem>>, index -> f32
    kernel.sts %a, %s[%t] thread_loop 2 : f32, memref<64xf32, #tile.level<smem>>, index
  }
  kernel.return
}

// -----

// Where a thread comes to the same elements in each iteration, nobody waits, whatever other loops on threads do with them.
// CHECK-LABEL: kernel.func @steady
// CHECK: kernel.for %
// CHECK-NEXT: kernel.for thread_loop 1
// CHECK-NEXT: arith.muli
// CHECK-NEXT: kernel.lds
// CHECK-NEXT: kernel.sts
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: kernel.sync_block
// CHECK-NEXT: kernel.lds
kernel.func @steady(%n: index) threads(32) static_shared(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %s = kernel.shared : memref<64xf32, #tile.level<smem>>
  %t = kernel.thread
  kernel.for %i = %c0 to %n step %c1 {
    kernel.for thread_loop 1 %j = %c0 to %c2 step %c1 {
      %u = arith.muli %t, %j : index
      %a = kernel.lds %s[%u] thread_loop 1 : memref<64xf32, #tile.level<smem>>, index -> f32
      kernel.sts %a, %s[%u] thread_loop 1 : f32, memref<64xf32, #tile.level<smem>>, index
    }
  }
  %b = kernel.lds %s[%t] thread_loop 2 : memref<64xf32, #tile.level<smem>>, index -> f32
  kernel.return
}

// -----

// A place that a loop reads from memory may be another one each time, and so may that of another access of the loop on threads.
// CHECK-LABEL: kernel.func @not_steady
// CHECK: kernel.for %
// CHECK: kernel.sync_block
// CHECK-NEXT: kernel.lds
kernel.func @not_steady(%n: index, %p: memref<64xindex>) threads(64) static_shared(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = kernel.shared : memref<64xf32, #tile.level<smem>>
  %t = kernel.thread
  kernel.for %i = %c0 to %n step %c1 {
    %u = kernel.ldg %p[%i] : memref<64xindex>, index -> index
    %a = kernel.lds %s[%u] thread_loop 1 : memref<64xf32, #tile.level<smem>>, index -> f32
    kernel.sts %a, %s[%t] thread_loop 1 : f32, memref<64xf32, #tile.level<smem>>, index
  }
  kernel.return
}

// -----

// Barriers of a group are for its own threads; a guarded array needs none.
// CHECK-LABEL: kernel.func @roles
// CHECK: kernel.roles
// CHECK: kernel.sts
// CHECK-NEXT: kernel.lds
// CHECK: } else {
// CHECK: kernel.sts
// CHECK-DAG: %c1 =
// CHECK-DAG: %c128 =
// CHECK: kernel.sync_named %c1, %c128
// CHECK-NEXT: kernel.lds
kernel.func @roles(%v: f32, %p: i1) threads(160) static_shared(512) {
  %g = kernel.shared guarded : memref<64xf32, #tile.level<smem>>
  %s = kernel.shared : memref<64xf32, #tile.level<smem>>
  %t = kernel.thread
  kernel.roles %p threads [32, 128] {
    kernel.sts %v, %g[%t] : f32, memref<64xf32, #tile.level<smem>>, index
    %a = kernel.lds %g[%t] : memref<64xf32, #tile.level<smem>>, index -> f32
  } else {
    kernel.sts %v, %s[%t] : f32, memref<64xf32, #tile.level<smem>>, index
    %a = kernel.lds %s[%t] : memref<64xf32, #tile.level<smem>>, index -> f32
  }
  kernel.return
}

// -----

// Teams wait for those of their own.
// CHECK-LABEL: kernel.func @teams
// CHECK: } else {
// CHECK: kernel.sts
// CHECK: %[[TEAM:.*]] = kernel.team of(64)
// CHECK: %[[OWN:.*]] = arith.addi %[[TEAM]], %c1
// CHECK: %c64 =
// CHECK: kernel.sync_named %[[OWN]], %c64
// CHECK-NEXT: kernel.lds
kernel.func @teams(%v: f32, %p: i1) threads(160) static_shared(512) {
  %s = kernel.shared : memref<128xf32, #tile.level<smem>>
  %t = kernel.thread
  kernel.roles %p threads [32, 128] teams(2) {
  } else {
    kernel.sts %v, %s[%t] : f32, memref<128xf32, #tile.level<smem>>, index
    %a = kernel.lds %s[%t] : memref<128xf32, #tile.level<smem>>, index -> f32
  }
  kernel.return
}

// -----

// Copies of a pipeline fill slots that its iteration does not read: one barrier an iteration, after the wait.
// CHECK-LABEL: kernel.func @pipeline
// CHECK: kernel.for pipeline
// CHECK-NEXT: kernel.cp_async_wait 1
// CHECK-NEXT: kernel.sync_block
// CHECK-NEXT: kernel.lds
// CHECK-NEXT: kernel.cp_async 1
// CHECK-NEXT: kernel.cp_async_commit
// CHECK-NEXT: }
kernel.func @pipeline(%x: memref<?xf32>, %n: index, %p: i1) reads(%x) threads(64) static_shared(768) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = kernel.shared : memref<192xf32, #tile.level<smem>>
  %t = kernel.thread
  kernel.for pipeline %i = %c0 to %n step %c1 {
    kernel.cp_async_wait 1
    %a = kernel.lds %s[%t] : memref<192xf32, #tile.level<smem>>, index -> f32
    kernel.cp_async 1, %s[%t], %x[%t] if %p : memref<192xf32, #tile.level<smem>>[index], memref<?xf32>[index]
    kernel.cp_async_commit
  }
  kernel.return
}

// -----

// An iteration that waits in its middle, for the next one's slot, reads its own before and fills that one after: the barrier for the wait is for the
// reads, too. Where nothing of the next slot is read, the copy has a barrier of its own.
// CHECK-LABEL: kernel.func @waits_in_the_middle
// CHECK: kernel.for pipeline
// CHECK-NEXT: kernel.lds
// CHECK-NEXT: kernel.cp_async_wait 1
// CHECK-NEXT: kernel.sync_block
// CHECK-NEXT: kernel.lds
// CHECK-NEXT: kernel.cp_async 1
// CHECK-NEXT: kernel.cp_async_commit
// CHECK-NEXT: }
// CHECK: kernel.for pipeline
// CHECK-NEXT: kernel.lds
// CHECK-NEXT: kernel.cp_async_wait 1
// CHECK-NEXT: kernel.sync_block
// CHECK-NEXT: kernel.cp_async 1
// CHECK-NEXT: kernel.cp_async_commit
// CHECK-NEXT: }
kernel.func @waits_in_the_middle(%x: memref<?xf32>, %n: index, %p: i1) reads(%x) threads(64) static_shared(768) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = kernel.shared : memref<192xf32, #tile.level<smem>>
  %t = kernel.thread
  kernel.for pipeline %i = %c0 to %n step %c1 {
    %a = kernel.lds %s[%t] : memref<192xf32, #tile.level<smem>>, index -> f32
    kernel.cp_async_wait 1
    %b = kernel.lds %s[%t] : memref<192xf32, #tile.level<smem>>, index -> f32
    kernel.cp_async 1, %s[%t], %x[%t] if %p : memref<192xf32, #tile.level<smem>>[index], memref<?xf32>[index]
    kernel.cp_async_commit
  }
  kernel.for pipeline %i = %c0 to %n step %c1 {
    %a = kernel.lds %s[%t] : memref<192xf32, #tile.level<smem>>, index -> f32
    kernel.cp_async_wait 1
    kernel.cp_async 1, %s[%t], %x[%t] if %p : memref<192xf32, #tile.level<smem>>[index], memref<?xf32>[index]
    kernel.cp_async_commit
  }
  kernel.return
}

// -----

// So do stores ahead; of others nothing is known.
// CHECK-LABEL: kernel.func @stores_ahead
// CHECK: kernel.for pipeline
// CHECK-NEXT: kernel.cp_async_wait 1
// CHECK-NEXT: kernel.sync_block
// CHECK-NEXT: kernel.lds
// CHECK-NEXT: kernel.sts {{.*}} ahead
// CHECK-NEXT: kernel.cp_async_commit
// CHECK: kernel.for pipeline
// CHECK: kernel.lds
// CHECK-NEXT: kernel.sync_block
// CHECK-NEXT: kernel.sts
kernel.func @stores_ahead(%v: f32, %n: index) threads(64) static_shared(768) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = kernel.shared : memref<192xf32, #tile.level<smem>>
  %t = kernel.thread
  kernel.for pipeline %i = %c0 to %n step %c1 {
    kernel.cp_async_wait 1
    %a = kernel.lds %s[%t] : memref<192xf32, #tile.level<smem>>, index -> f32
    kernel.sts %v, %s[%t] ahead : f32, memref<192xf32, #tile.level<smem>>, index
    kernel.cp_async_commit
  }
  kernel.for pipeline %i = %c0 to %n step %c1 {
    kernel.cp_async_wait 1
    %a = kernel.lds %s[%t] : memref<192xf32, #tile.level<smem>>, index -> f32
    kernel.sts %v, %s[%t] : f32, memref<192xf32, #tile.level<smem>>, index
    kernel.cp_async_commit
  }
  kernel.return
}

// -----

kernel.func @limit_x15_divergent(%v: f32, %n: index) threads(64) static_shared(256) {
  %s = kernel.shared : memref<64xf32, #tile.level<smem>>
  %t = kernel.thread
  %some = arith.cmpi slt, %t, %n : index
  // expected-error@+1 {{threads that exchange data through shared memory may not all come here}}
  scf.if %some {
    kernel.sts %v, %s[%t] : f32, memref<64xf32, #tile.level<smem>>, index
    %a = kernel.lds %s[%n] : memref<64xf32, #tile.level<smem>>, index -> f32
  }
  kernel.return
}

// -----

// Atomic operations of one kind have no order, in iterations neither; what is written before, and what is read or updated otherwise behind them, has one.
// CHECK-LABEL: kernel.func @atomics
// CHECK: kernel.sts
// CHECK-NEXT: kernel.sync_block
// CHECK-NEXT: kernel.for
// CHECK-NEXT: kernel.atomic_add_shared
// CHECK-NEXT: }
// CHECK-NEXT: kernel.atomic_add_shared
// CHECK-NEXT: kernel.sync_block
// CHECK-NEXT: kernel.atomic_max_shared
// CHECK-NEXT: kernel.sync_block
// CHECK-NEXT: kernel.lds
// CHECK-NEXT: kernel.sync_block
// CHECK-NEXT: kernel.atomic_max_shared
kernel.func @atomics(%v: i32, %n: index) threads(64) static_shared(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = kernel.shared : memref<64xi32, #tile.level<smem>>
  %t = kernel.thread
  kernel.sts %v, %s[%t] thread_loop 1 : i32, memref<64xi32, #tile.level<smem>>, index
  kernel.for %i = %c0 to %n step %c1 {
    kernel.atomic_add_shared %v, %s[%i] thread_loop 2 : i32, memref<64xi32, #tile.level<smem>>, index
  }
  kernel.atomic_add_shared %v, %s[%c0] thread_loop 3 : i32, memref<64xi32, #tile.level<smem>>, index
  kernel.atomic_max_shared %v, %s[%c0] thread_loop 4 : i32, memref<64xi32, #tile.level<smem>>, index
  %a = kernel.lds %s[%t] thread_loop 5 : memref<64xi32, #tile.level<smem>>, index -> i32
  kernel.atomic_max_shared %a, %s[%c0] thread_loop 6 : i32, memref<64xi32, #tile.level<smem>>, index
  kernel.return
}

// -----

// A loop over time that counts and reads back: both in an order, over its back edge as well.
// CHECK-LABEL: kernel.func @atomics_again
// CHECK: kernel.for
// CHECK-NEXT: kernel.sync_block
// CHECK-NEXT: kernel.atomic_add_shared
// CHECK-NEXT: kernel.sync_block
// CHECK-NEXT: kernel.lds
// CHECK-NEXT: }
kernel.func @atomics_again(%v: i32, %n: index) threads(64) static_shared(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = kernel.shared : memref<64xi32, #tile.level<smem>>
  %t = kernel.thread
  kernel.for %i = %c0 to %n step %c1 {
    kernel.atomic_add_shared %v, %s[%i] thread_loop 1 : i32, memref<64xi32, #tile.level<smem>>, index
    %a = kernel.lds %s[%t] thread_loop 2 : memref<64xi32, #tile.level<smem>>, index -> i32
  }
  kernel.return
}
