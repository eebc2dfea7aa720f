// A program that asks for its sizes: what a condition holds is computed, allocated, run, verified and reported only where it holds.
// REQUIRES: host-compiler
// RUN: tilec %s --target=h100 --shape=N=100 --run=cpu --verify | FileCheck %s --check-prefix=SHORT
// RUN: tilec %s --target=h100 --shape=N=5001 --run=cpu --verify | FileCheck %s --check-prefix=ODD
// RUN: tilec %s --target=h100 --shape=N=5004 --run=cpu --verify | FileCheck %s --check-prefix=LONG
// RUN: tilec %s --target=h100 --shape=N=5004 --emit=report | FileCheck %s --check-prefix=REPORT
// RUN: tilec %s --target=h100 --shape=N=100 --emit=report | FileCheck %s --check-prefix=SHORT-REPORT
// RUN: tilec %s --target=h100 --shape=N=100 --run=cpu --verify --emit=report --format=json -o - 2>/dev/null | FileCheck %s --check-prefix=JSON
// RUN: tilec %s --target=h100 --shape=N=100 --emit=plan | tilec - --shape=N=5001 --run=cpu --verify | FileCheck %s --check-prefix=ODD

// SHORT: copy in 2 launches on the emulator, N=100
// SHORT: launch 1, narrow: integers: all 100 elements of Y agree
// SHORT: launch 2, narrow: integers: all 100 elements of Y agree
// 5000 - 5001 is no size, but only shorter vectors ask for it; 5001 is no multiple of 4.
// ODD: copy in 1 launch on the emulator, N=5001
// ODD: launch 1, narrow: integers: all 5001 elements of Y agree
// LONG: copy in 1 launch on the emulator, N=5004
// LONG: launch 1, wide: integers: all 5004 elements of Y agree

// REPORT-NOT: narrow on
// REPORT: wide on
// REPORT-NOT: narrow on
// REPORT: copy on {{.*}}, N = 5004: 1 launch
// REPORT: wide(X, Y), N = 5004
// REPORT-NOT: workspace
// SHORT-REPORT-NOT: wide on
// SHORT-REPORT: copy on {{.*}}, N = 100: 2 launches
// SHORT-REPORT: narrow(X, W), N = 100
// SHORT-REPORT: narrow(W, Y), N = 100
// SHORT-REPORT: workspace W: 400 bytes
// JSON-NOT: "kernel": "wide"
// JSON: "program": "copy"
// JSON: "verify": {"launches":[{{.*}}"right":true

!V = memref<?xf32>
!t = memref<1xf32, #tile.level<rf>>
!q = memref<4xf32, #tile.level<rf>>
tile.kernel @narrow(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (64) at dram on block {
    tile.for (%k) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%i + %k] : !V to !t
      tile.store %x to %Y[%i + %k] : !t to !V
    }
  }
}
tile.kernel @wide(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (1024) at dram on block {
    tile.for (%k) in (1024) by (4) at dram on thread {
      %x = tile.stage %X[%i + %k] : !V to !q
      tile.store %x to %Y[%i + %k] : !q to !V
    }
  }
}
tile.program @copy(%X: !V[%N], %Y: !V[%N], %N: index) {
  %limit = arith.constant 5000 : index
  %four = arith.constant 4 : index
  %zero = arith.constant 0 : index
  %long = arith.cmpi uge, %N, %limit : index
  %rest = arith.remui %N, %four : index
  %even = arith.cmpi eq, %rest, %zero : index
  %both = arith.andi %long, %even : i1
  scf.if %both {
    tile.run @wide(%X, %Y, %N) : !V, !V, index
  } else {
    scf.if %long {
      tile.run @narrow(%X, %Y, %N) : !V, !V, index
    } else {
      %missing = arith.subi %limit, %N : index
      %W = tile.workspace [%N] : !V
      tile.run @narrow(%X, %W, %N) : !V, !V, index
      tile.run @narrow(%W, %Y, %N) : !V, !V, index
    }
  }
}
