// RUN: tilec-opt %s --canonicalize | FileCheck %s
// RUN: tilec-opt %s --loop-invariant-code-motion | FileCheck %s --check-prefix=MOVED

// CHECK-LABEL: kernel.func @loops
// CHECK-SAME: %[[G:.*]]: memref<?xf32>, %[[N:.*]]: i64, %[[V:.*]]: f32)
kernel.func @loops(%g: memref<?xf32>, %n: i64, %v: f32) threads(32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %s = arith.constant 4 : i64
  // No iteration, or one; what an iteration belongs to stays with its accesses.
  // CHECK-NOT: kernel.for
  // CHECK: kernel.stg %[[V]], %[[G]][%c5]
  kernel.for %i = %c5 to %c5 step %c4 {
    kernel.stg %v, %g[%i] : f32, memref<?xf32>, index
  }
  kernel.for unroll %i = %c5 to %c5 step %c4 {
    kernel.stg %v, %g[%c0] : f32, memref<?xf32>, index
  }
  %c9 = arith.addi %c5, %c4 : index
  kernel.for thread_loop 1 %i = %c5 to %c9 step %c4 {
    kernel.stg %v, %g[%i] : f32, memref<?xf32>, index
  }
  // As many as are added to where it begins: one, if that does not wrap.
  // CHECK-NEXT: kernel.stg %[[V]], %[[G]][%[[N]]]
  %m = arith.addi %n, %s overflow<nsw> : i64
  kernel.for %i = %n to %m step %s : i64 {
    kernel.stg %v, %g[%i] : f32, memref<?xf32>, i64
  }
  // CHECK: kernel.for pipeline %{{.*}} = %c0
  // CHECK: kernel.stg
  kernel.for pipeline %i = %c0 to %c5 step %c4 {
    %far = arith.addi %n, %s : i64
    kernel.stg %v, %g[%far] : f32, memref<?xf32>, i64
  }
  kernel.return
}

// Registers that nobody reads go with their stores; what is read stays.
// CHECK-LABEL: kernel.func @registers
// CHECK-NEXT: %{{.*}} = arith.constant
// CHECK-NEXT: %[[R:.*]] = kernel.registers : memref<index, #tile.level<rf>>
// CHECK-NEXT: memref.store %{{.*}}, %[[R]][]
// CHECK-NEXT: memref.load %[[R]][]
// MOVED-LABEL: kernel.func @registers
kernel.func @registers(%g: memref<?xi32>, %n: index) threads(32) {
  %one = arith.constant 1 : i32
  %unread = kernel.registers : memref<index, #tile.level<rf>>
  memref.store %n, %unread[] : memref<index, #tile.level<rf>>
  %read = kernel.registers : memref<index, #tile.level<rf>>
  memref.store %n, %read[] : memref<index, #tile.level<rf>>
  %i = memref.load %read[] : memref<index, #tile.level<rf>>
  kernel.atomic_add %one, %g[%i] : i32, memref<?xi32>, index
  kernel.return
}

// What is the same in all iterations is computed ahead of the loop; a load from memory stays.
// MOVED-LABEL: kernel.func @invariant
// MOVED: arith.muli
// MOVED-NEXT: kernel.for
// MOVED-NEXT: kernel.lds
kernel.func @invariant(%g: memref<?xf32>, %n: index) threads(32) static_shared(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = kernel.shared : memref<32xf32, #tile.level<smem>>
  kernel.for %i = %c0 to %n step %c1 {
    %twice = arith.muli %n, %n : index
    %v = kernel.lds %s[%c0] : memref<32xf32, #tile.level<smem>>, index -> f32
    kernel.stg %v, %g[%twice] : f32, memref<?xf32>, index
  }
  kernel.return
}
