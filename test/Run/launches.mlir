// A program of two launches of one kernel: each is verified on what it was given, and its figures are those of its first launch.
// REQUIRES: host-compiler
// RUN: tilec %s --target=sm80 --shape=N=5001 --run=cpu --verify | FileCheck %s
// RUN: tilec %s --target=sm80 --shape=N=1 --run=cpu --verify | FileCheck %s --check-prefix=ONE
// RUN: tilec %s --target=sm80 --shape=N=5001 --run=cpu --verify --emit=report --format=json -o - 2>/dev/null | FileCheck %s --check-prefix=JSON
// RUN: tilec %s --target=sm80 --shape=N=5001 --emit=report | FileCheck %s --check-prefix=REPORT
// RUN: not tilec %s --target=sm80 --shape=B=4 --emit=report 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: tilec %s --target=sm80 --shape=N=100 --run=cpu --verify --save Y=%t.npy && test -s %t.npy
// RUN: tilec %s --target=sm80 --emit=plan | tilec - --emit=plan | FileCheck %s --check-prefix=PLAN

// CHECK: sum in 2 launches on the emulator, N=5001
// CHECK: launch 1, parts: integers: all 5 elements of P agree
// CHECK: launch 2, parts: integers: all 1 elements of P agree
// CHECK: launch 1, parts: random: all 5 elements of P agree
// CHECK: launch 2, parts: random: all 1 elements of P agree
// ONE: launch 1, parts: integers: all 1 elements of P agree

// JSON: "programs": [
// JSON: "kernel": "parts"
// JSON: "operands": [
// JSON-NEXT: "X",
// JSON-NEXT: "P"
// JSON: "N": 5001
// JSON: "kernel": "parts"
// JSON: "N": 5
// JSON: "program": "sum"
// JSON: "verify": {"launches":[{{.*}}"right":true
// JSON: "bytes": 20

// REPORT: sum on a100-80gb-sxm, N = 5001: 2 launches
// REPORT: parts(X, P), N = 5001, B = 5
// REPORT: parts(P, Y), N = 5, B = 1
// REPORT: all launches
// REPORT: workspace P: 20 bytes

// The program's sizes are given, not those that it computes.
// SIZE: the shape gives 'B', but the sizes are N

// PLAN: tile.launch
// PLAN: tile.program @sum
// PLAN: tile.run @parts

!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @parts(%X: !V[%N], %P: !V[%B], %N: index, %B: index) {
  tile.for (%b) in (%B) by (1) at dram on block {
    %sum = tile.hold init(0.0 : f32) : !r
    tile.for (%i) in (1024) by (1) at dram on thread reduce(add) {
      %x = tile.stage %X[1024 * %b + %i] : !V to !r
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : !r) outs(%sum : !r) {
      ^bb0(%v: f32, %s: f32):
        %t = arith.addf %s, %v : f32
        linalg.yield %t : f32
      }
    }
    tile.store %sum to %P[%b] : !r to !V
  }
}
tile.program @sum(%X: !V[%N], %Y: memref<1xf32>[1], %N: index) {
  %c = arith.constant 1024 : index
  %one = arith.constant 1 : index
  %B = arith.ceildivui %N, %c : index
  %P = tile.workspace [%B] : !V
  tile.run @parts(%X, %P, %N, %B) : !V, !V, index, index
  tile.run @parts(%P, %Y, %B, %one) : !V, memref<1xf32>, index, index
}
