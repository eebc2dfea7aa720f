// RUN: tilec-opt %s -kernel-unswitch-loops | FileCheck %s

// Whether vectors can be loaded is the same in all iterations: two questions are one ahead of the loop, which stands without them, and as it was.
// CHECK-LABEL: kernel.func @two
// CHECK-SAME: %[[FROM_X:[a-z0-9]+]]: memref<?xf32>, %[[FROM_Y:[a-z0-9]+]]: memref<?xf32>, %[[N:[a-z0-9]+]]: index
// CHECK: %[[X:.*]] = kernel.is_aligned 16, %[[FROM_X]]
// CHECK: %[[Y:.*]] = kernel.is_aligned 16, %[[FROM_Y]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[X]], %[[Y]]
// CHECK-NEXT: scf.if %[[BOTH]] {
// CHECK-NEXT: kernel.for %[[I:.*]] = %c0 to %[[N]] step %c4 {
// CHECK-NEXT: kernel.ldg_vector 4, %{{.*}}[%c0], %[[FROM_X]][%[[I]]]
// CHECK-NEXT: kernel.ldg_vector 4, %{{.*}}[%c0], %[[FROM_Y]][%[[I]]]
// CHECK-NEXT: }
// CHECK-NEXT: } else {
// CHECK-NEXT: kernel.for
// CHECK-NEXT: scf.if %[[X]] {
// CHECK: scf.if %[[Y]] {
kernel.func @two(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) reads(%x, %y) threads(32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %rx = kernel.registers : memref<4xf32, #tile.level<rf>>
  %ry = kernel.registers : memref<4xf32, #tile.level<rf>>
  %ax = kernel.is_aligned 16, %x[%c0] : memref<?xf32>, index
  %ay = kernel.is_aligned 16, %y[%c0] : memref<?xf32>, index
  kernel.for %i = %c0 to %n step %c4 {
    scf.if %ax {
      kernel.ldg_vector 4, %rx[%c0], %x[%i] : memref<4xf32, #tile.level<rf>>[index], memref<?xf32>[index]
    } else {
      %e = kernel.ldg %x[%i] : memref<?xf32>, index -> f32
      memref.store %e, %rx[%c0] : memref<4xf32, #tile.level<rf>>
    }
    scf.if %ay {
      kernel.ldg_vector 4, %ry[%c0], %y[%i] : memref<4xf32, #tile.level<rf>>[index], memref<?xf32>[index]
    } else {
      %e = kernel.ldg %y[%i] : memref<?xf32>, index -> f32
      memref.store %e, %ry[%c0] : memref<4xf32, #tile.level<rf>>
    }
  }
  kernel.return
}

// A single question, which is computed in the loop from what is known ahead of it, behind one that each iteration asks anew: where it does not hold nobody asks again.
// CHECK-LABEL: kernel.func @one
// CHECK-SAME: %[[FROM:[a-z0-9]+]]: memref<?xf32>, %[[N:[a-z0-9]+]]: index, %[[M:[a-z0-9]+]]: index
// CHECK: %[[EVEN:.*]] = arith.cmpi eq
// CHECK-NEXT: %[[AT:.*]] = kernel.is_aligned 16, %[[FROM]]
// CHECK-NEXT: %[[WIDE:.*]] = arith.andi %[[EVEN]], %[[AT]]
// CHECK-NEXT: scf.if %[[WIDE]] {
// CHECK-NEXT: kernel.for %[[I:.*]] = %c0 to %[[N]] step %c4 {
// CHECK-NEXT: %[[IN:.*]] = arith.cmpi slt, %[[I]], %[[M]]
// CHECK-NEXT: scf.if %[[IN]] {
// CHECK-NEXT: kernel.ldg_vector 4
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: } else {
// CHECK-NEXT: kernel.for
// CHECK-NEXT: arith.cmpi slt
// CHECK-NEXT: scf.if
// CHECK-NEXT: kernel.ldg %[[FROM]]
// CHECK-NEXT: memref.store
// CHECK-NOT: scf.if
// CHECK: kernel.return
kernel.func @one(%x: memref<?xf32>, %n: index, %m: index, %odd: index) reads(%x) threads(32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %rx = kernel.registers : memref<4xf32, #tile.level<rf>>
  kernel.for %i = %c0 to %n step %c4 {
    %in = arith.cmpi slt, %i, %m : index
    scf.if %in {
      %even = arith.cmpi eq, %odd, %c0 : index
      %at = kernel.is_aligned 16, %x[%c0] : memref<?xf32>, index
      %wide = arith.andi %even, %at : i1
      scf.if %wide {
        kernel.ldg_vector 4, %rx[%c0], %x[%i] : memref<4xf32, #tile.level<rf>>[index], memref<?xf32>[index]
      } else {
        %e = kernel.ldg %x[%i] : memref<?xf32>, index -> f32
        memref.store %e, %rx[%c0] : memref<4xf32, #tile.level<rf>>
      }
    }
  }
  kernel.return
}

// A question in what another one decides, which is the same: both go.
// CHECK-LABEL: kernel.func @nested
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: kernel.for
// CHECK-NEXT: kernel.ldg_vector 4
// CHECK-NEXT: }
// CHECK-NEXT: } else {
// CHECK-NEXT: kernel.for
// CHECK-NEXT: kernel.ldg %
// CHECK-NEXT: memref.store
// CHECK-NEXT: }
// CHECK-NEXT: }
kernel.func @nested(%x: memref<?xf32>, %n: index) reads(%x) threads(32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %rx = kernel.registers : memref<4xf32, #tile.level<rf>>
  %ax = kernel.is_aligned 16, %x[%c0] : memref<?xf32>, index
  kernel.for %i = %c0 to %n step %c4 {
    scf.if %ax {
      scf.if %ax {
        kernel.ldg_vector 4, %rx[%c0], %x[%i] : memref<4xf32, #tile.level<rf>>[index], memref<?xf32>[index]
      } else {
        %zero = arith.constant 0.0 : f32
        memref.store %zero, %rx[%c0] : memref<4xf32, #tile.level<rf>>
      }
    } else {
      %e = kernel.ldg %x[%i] : memref<?xf32>, index -> f32
      memref.store %e, %rx[%c0] : memref<4xf32, #tile.level<rf>>
    }
  }
  kernel.return
}

// Not where threads wait for each other in the loop, nor where each iteration asks for an address of its own, nor where the loop is written out.
// CHECK-LABEL: kernel.func @neither
// CHECK-COUNT-3: kernel.for
// CHECK-NOT: kernel.for
// CHECK: kernel.return
kernel.func @neither(%x: memref<?xf32>, %n: index) reads(%x) threads(32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %rx = kernel.registers : memref<4xf32, #tile.level<rf>>
  %ax = kernel.is_aligned 16, %x[%c0] : memref<?xf32>, index
  kernel.for %i = %c0 to %n step %c4 {
    scf.if %ax {
      kernel.ldg_vector 4, %rx[%c0], %x[%i] : memref<4xf32, #tile.level<rf>>[index], memref<?xf32>[index]
    } else {
      %e = kernel.ldg %x[%i] : memref<?xf32>, index -> f32
      memref.store %e, %rx[%c0] : memref<4xf32, #tile.level<rf>>
    }
    kernel.sync_block
  }
  kernel.for %i = %c0 to %n step %c4 {
    %at = kernel.is_aligned 16, %x[%i] : memref<?xf32>, index
    scf.if %at {
      kernel.ldg_vector 4, %rx[%c0], %x[%i] : memref<4xf32, #tile.level<rf>>[index], memref<?xf32>[index]
    } else {
      %e = kernel.ldg %x[%i] : memref<?xf32>, index -> f32
      memref.store %e, %rx[%c0] : memref<4xf32, #tile.level<rf>>
    }
  }
  kernel.for unroll %i = %c0 to %n step %c4 {
    scf.if %ax {
      kernel.ldg_vector 4, %rx[%c0], %x[%i] : memref<4xf32, #tile.level<rf>>[index], memref<?xf32>[index]
    } else {
      %e = kernel.ldg %x[%i] : memref<?xf32>, index -> f32
      memref.store %e, %rx[%c0] : memref<4xf32, #tile.level<rf>>
    }
  }
  kernel.return
}
