// Operands in constant memory: read where they lie and staged, by all lanes alike and by each its own, computed by a program, too large.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t

// All lanes read one coefficient at a time: as many accesses as requests.
// RUN: tilec %tilec_root/examples/filter.mlir --target=h200 --shape=m=75,n=131 --run=cpu --verify --emit=report 2>&1 | FileCheck %s --check-prefix=FILTER
// FILTER: constant -> rf      -
// FILTER: W        constant -> rf    1536000  1536000          48000    48000
// FILTER: constant memory, accesses of a warp's request:
// FILTER: W          read             4      1        1         12000    12000    12000
// FILTER: integers: all 9825 elements of Y agree
// RUN: tilec %tilec_root/examples/filter.mlir --target=h200 --shape=m=75,n=131 --emit=cuda | FileCheck %s --check-prefix=TEXT
// TEXT: W: [5, 5] of f32, read, in constant memory
// TEXT: #define CONSTANT(T, name, count) __constant__
// TEXT: CONSTANT(float, W, 25);
// TEXT: filter(const float *__restrict__ X, float *__restrict__ Y, int M, int N
// TEXT: ldc(&W[

// Each lane reads an element of its own: as many accesses a request, which is a warning. What lies beyond the operand is the nearest element.
// RUN: tilec %t/lanes.mlir --target=h200 --run=cpu --verify --emit=report 2>&1 | FileCheck %s --check-prefix=LANES
// LANES: lanes.mlir:{{[0-9]+}}:{{[0-9]+}}: warning: a warp reads W in constant memory at 31 addresses, one after the other; in dram they would come together
//--- lanes.mlir
!W = memref<60xf32, #tile.level<constant>>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @lanes(%X: memref<128xf32>[128], %W: !W[60], %Y: memref<128xf32>[128]) {
  tile.for (%i) in (128) by (64) at dram on block {
    tile.for (%j) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%i + %j] : memref<128xf32> to !r
      %w = tile.stage %W[%j - 1] pad(clamp) : !W to !r
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%w : !r) outs(%x : !r) {
      ^bb0(%a: f32, %b: f32):
        %c = arith.mulf %a, %b : f32
        linalg.yield %c : f32
      }
      tile.store %x to %Y[%i + %j] : !r to memref<128xf32>
    }
  }
}

// A kernel of a program computes what the next one has in constant memory.
// RUN: tilec %t/program.mlir --target=h200 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: integers: all 200 elements of Y agree, largest error 0
//--- program.mlir
!C = memref<8xi32, #tile.level<constant>>
!r = memref<1xi32, #tile.level<rf>>
tile.kernel @square(%A: memref<8xi32>[8], %B: memref<8xi32>[8]) {
  tile.for (%i) in (8) by (8) at dram on block {
    tile.for (%j) in (8) by (1) at dram on thread {
      %a = tile.stage %A[%i + %j] : memref<8xi32> to !r
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%a : !r) {
      ^bb0(%v: i32):
        %s = arith.muli %v, %v : i32
        linalg.yield %s : i32
      }
      tile.store %a to %B[%i + %j] : !r to memref<8xi32>
    }
  }
}
tile.kernel @polynomial(%X: memref<?xi32>[%N], %C: !C[8], %Y: memref<?xi32>[%N], %N: index) {
  tile.for (%i) in (%N) by (64) at dram on block {
    tile.for (%j) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%i + %j] : memref<?xi32> to !r
      %y = tile.hold init(0 : i32) : !r
      linalg.generic {indexing_maps = [affine_map<(i, k) -> (i)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
                      iterator_types = ["parallel", "reduction"]} ins(%x, %C : !r, !C) outs(%y : !r) {
      ^bb0(%a: i32, %c: i32, %s: i32):
        %p = arith.muli %s, %a : i32
        %t = arith.addi %p, %c : i32
        linalg.yield %t : i32
      }
      tile.store %y to %Y[%i + %j] : !r to memref<?xi32>
    }
  }
}
tile.program @both(%A: memref<8xi32>[8], %X: memref<200xi32>[200], %Y: memref<200xi32>[200]) {
  %n = arith.constant 200 : index
  %B = tile.workspace [8] : memref<8xi32>
  tile.run @square(%A, %B) : memref<8xi32>, memref<8xi32>
  tile.run @polynomial(%X, %B, %Y, %n) : memref<200xi32>, memref<8xi32>, memref<200xi32>, index
}

// 65536 bytes, which a machine states, and not one more.
// RUN: tilec %t/full.mlir --target=h200 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: all 64 elements of Y agree
// RUN: sed 's/8191/8192/g' %t/full.mlir > %t/more.mlir
// RUN: not tilec %t/more.mlir --target=h200 --emit=cuda 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: error: has 65544 bytes in constant memory, h200 allows 65536 per kernel
//--- full.mlir
!W = memref<8191xf64, #tile.level<constant>>
!V = memref<1xf64, #tile.level<constant>>
!r = memref<1xf64, #tile.level<rf>>
tile.kernel @full(%W: !W[8191], %V: !V[1], %Y: memref<64xf64>[64]) {
  tile.for (%i) in (64) by (64) at dram on block {
    tile.for (%j) in (64) by (1) at dram on thread {
      %y = tile.stage %W[128 * %j] : !W to !r
      linalg.generic {indexing_maps = [affine_map<(i) -> (0)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%V : !V) outs(%y : !r) {
      ^bb0(%a: f64, %b: f64):
        %c = arith.addf %a, %b : f64
        linalg.yield %c : f64
      }
      tile.store %y to %Y[%i + %j] : !r to memref<64xf64>
    }
  }
}
