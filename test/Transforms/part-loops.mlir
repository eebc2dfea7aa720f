// RUN: tilec-opt %s -split-input-file --tile-part-loops="remarks=true" -verify-diagnostics | FileCheck %s

!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>

// 256 j + t, divided by 4: the 256 threads are 64 times 4, and of j, which comes in steps of 256, the quotient stays.
// CHECK-LABEL: @threads
// CHECK: tile.for (%[[J:.*]]) in (%{{.*}}) by (256)
// CHECK: tile.for (%[[Q:[^,]*]], %[[R:.*]]) in (64, 4) by (1, 1) at dram on thread
// CHECK: %[[PART:.*]] = arith.muli %[[Q]], %{{.*}}
// CHECK: %[[T:.*]] = arith.addi %[[PART]], %[[R]]
// CHECK: %[[P:.*]] = arith.addi %[[J]], %[[T]]
// CHECK: %[[JQ:.*]] = arith.divsi %[[J]], %{{.*}}
// CHECK: %[[SUM:.*]] = arith.addi %[[JQ]], %[[Q]]
// CHECK: tile.stage %{{.*}}[%[[SUM]]]
// CHECK: tile.store %{{.*}} to %{{.*}}[%[[P]]]
tile.kernel @threads(%X: !V[%N], %Y: !V[%M], %M: index, %N: index) {
  %c4 = arith.constant 4 : index
  tile.for (%j) in (%M) by (256) at dram on block {
    // expected-remark@+1 {{is parted at multiples of 4, by which a subscript divides}}
    tile.for (%t) in (256) by (1) at dram on thread {
      %p = arith.addi %j, %t : index
      %q = arith.divsi %p, %c4 : index
      %x = tile.stage %X[%q] pad(zero) : !V to !r
      tile.store %x to %Y[%p] : !r to !V
    }
  }
}

// -----

// A loop whose extent is a number and whose step the divisor divides counts its iterations.
!V = memref<64xf32>
!r = memref<8xf32, #tile.level<rf>>
!X = memref<8x8xf32>
!x = memref<1x8xf32, #tile.level<rf>>
// CHECK-LABEL: @steps
// CHECK: tile.for (%[[K:.*]]) in (8) by (1)
// CHECK-NEXT: tile.for (%[[T:.*]]) in (8) by (8)
// CHECK-NEXT: tile.stage %{{.*}}[%[[K]], %[[T]]]
tile.kernel @steps(%X: !X[8, 8], %Y: !X[8, 8]) {
  %c8 = arith.constant 8 : index
  tile.for (%b) in (1) by (1) at dram on block {
    tile.for (%i) in (64) by (8) at dram {
      %q = arith.divsi %i, %c8 : index
      tile.for (%t) in (8) by (8) at dram on thread {
        %x = tile.stage %X[%q, %t] : !X to !x
        tile.store %x to %Y[%q, %t] : !x to !X
      }
    }
  }
}

// -----

// What conditions divide is nobody's subscript.
// CHECK-LABEL: @condition
// CHECK: tile.for (%[[I:.*]]) in (7) by (1) at dram on block
// CHECK: arith.remsi %[[I]]
tile.kernel @condition(%Y: memref<7xf32>[7]) {
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  tile.for (%i) in (7) by (1) at dram on block {
    %r = arith.remsi %i, %c2 : index
    %even = arith.cmpi eq, %r, %c0 : index
    scf.if %even {
      %x = tile.hold init(1.0 : f32) : memref<1xf32, #tile.level<rf>>
      tile.store %x to %Y[%i] : memref<1xf32, #tile.level<rf>> to memref<7xf32>
    }
  }
}

// -----

!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
// Where the extent may be no multiple of 2, more iterations store nothing; CHECK-LABEL: @past
// CHECK: tile.for (%[[Q:[^,]*]], %[[R:.*]]) in (%{{.*}}, 2) by (2, 1) at dram on block
// CHECK: %[[I:.*]] = arith.addi %[[Q]], %[[R]]
// CHECK: tile.stage %{{.*}}[%[[R]]]
// CHECK: tile.store %{{.*}} to %{{.*}}[%[[I]]]
tile.kernel @past(%X: !V[%N], %Y: !V[%M], %M: index, %N: index) {
  %c2 = arith.constant 2 : index
  // expected-remark@+1 {{is parted at multiples of 2, by which a subscript divides}}
  tile.for (%i) in (%M) by (1) at dram on block {
    %q = arith.remui %i, %c2 : index
    %x = tile.stage %X[%q] pad(zero) : !V to !r
    tile.store %x to %Y[%i] : !r to !V
  }
}

// -----

!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x54_effect(%X: !V[%N], %Y: !V[%N], %Z: !V[%M], %M: index, %N: index) {
  %c2 = arith.constant 2 : index
  // expected-note@+1 {{the loop; write one over the quotient and one over what remains}}
  tile.for (%i) in (%M) by (1) at dram on block {
    // expected-error@+1 {{is a subscript for which a loop is parted at multiples of 2, but its extent may be no multiple of that, and iterations past it would change what they write}}
    %q = arith.divsi %i, %c2 : index
    %x = tile.stage %X[%q] pad(zero) : !V to !r
    // expected-note@+1 {{this is not absent there: no subscript of an operand whose extent is the loop's begins at the induction variable}}
    tile.store %x to %Y[%i] : !r to !V
  }
}

// -----

!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x54_held(%X: !V[%N], %Y: !V[%M], %M: index, %N: index) {
  %c2 = arith.constant 2 : index
  tile.for (%b) in (1) by (1) at dram on block {
    tile.for (%t) in (1) by (1) at dram on thread {
      %s = tile.hold init(0.0 : f32) : !r
      // expected-note@+1 {{the loop}}
      tile.for (%i) in (%M) by (1) at dram {
        // expected-error@+1 {{iterations past it would change what they write}}
        %q = arith.divsi %i, %c2 : index
        %x = tile.stage %X[%q] : !V to !r
        // expected-note@+1 {{this is not absent there}}
        linalg.add ins(%x, %s : !r, !r) outs(%s : !r)
      }
      tile.store %s to %Y[%b] : !r to !V
    }
  }
}

// -----

!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x54_threads(%X: !V[%N], %Y: !V[%M], %M: index, %N: index) {
  %c3 = arith.constant 3 : index
  tile.for (%j) in (%M) by (96) at dram on block {
    // expected-note@+1 {{the loop}}
    tile.for (%t) in (32) by (1) at dram on thread {
      // expected-error@+1 {{is a subscript for which a loop is parted at multiples of 3, but its extent 32 is no multiple of that}}
      %q = arith.divsi %t, %c3 : index
      %x = tile.stage %X[%q] pad(zero) : !V to !r
      tile.store %x to %Y[%j + %t] : !r to !V
    }
  }
}

// -----

!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x54_offset(%X: !V[%N], %Y: !V[%M], %M: index, %N: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-remark@+1 {{is parted at multiples of 4}}
  tile.for (%i) in (%M) by (1) at dram on block {
    %p = arith.addi %i, %c1 : index
    // expected-error@+1 {{is a subscript, and no loop can be parted so that it becomes a sum: but for multiples of 4 it divides}}
    %q = arith.divsi %p, %c4 : index
    %x = tile.stage %X[%q] pad(zero) : !V to !r
    tile.store %x to %Y[%i] : !r to !V
  }
}

// -----

!G = memref<?x?xf32>
!r = memref<1x64xf32, #tile.level<rf>>
tile.kernel @limit_x54_clauses(%X: !G[%N, %N], %Y: !G[%M, %M], %M: index, %N: index) {
  %c4 = arith.constant 4 : index
  // expected-note@+1 {{the loop}}
  tile.for (%i, %j) in (%M, %M) by (1, 64) at dram on block raster(grouped = 4) {
    // expected-error@+1 {{but this loop says raster by groups, boxes or diagonals, tail(cut), pipeline, prefix or a combine of its own, which go by its induction variables}}
    %q = arith.divsi %i, %c4 : index
    %x = tile.stage %X[%q, %j] pad(zero) : !G to !r
    tile.store %x to %Y[%i, %j] : !r to !G
  }
}
