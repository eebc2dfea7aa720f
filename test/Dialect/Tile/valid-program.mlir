// RUN: tilec-opt %s --verify-roundtrip | FileCheck %s

// Programs at the edge of their rules.

!V = memref<?xf32>
!S = memref<?xf32, strided<[?]>>
!P = memref<?x?xf32, strided<[?, 1]>>
!r = memref<1xf32, #tile.level<rf>>

tile.kernel @copy(%X: !S[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (1) at dram on block {
    %x = tile.stage %X[%i] : !S to !r
    tile.store %x to %Y[%i] : !r to !V
  }
}

tile.kernel @scale(%X: !V[%N], %N: index, %a: f32) {
  tile.for (%i) in (%N) by (1) at dram on block {
    %x = tile.stage %X[%i] : !V to !r
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : !r) {
    ^bb0(%v: f32):
      %t = arith.mulf %v, %a : f32
      linalg.yield %t : f32
    }
    tile.store %x to %X[%i] : !r to !V
  }
}

tile.kernel @rows(%X: !P[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (1, 1) at dram on block {
    %x = tile.hold init(0.0 : f32) : memref<1x1xf32, #tile.level<rf>>
    tile.store %x to %X[%i, %j] : memref<1x1xf32, #tile.level<rf>> to !P
  }
}

// CHECK-LABEL: tile.program @program_g1(%{{.*}}: memref<?xf32>[%{{.*}}], %{{.*}}: memref<8xf32>[8], %{{.*}}: index, %{{.*}}: f32)
tile.program @program_g1(%A: !V[%N], %B: memref<8xf32>[8], %N: index, %a: f32) {
  tile.run @scale(%A, %N, %a) : !V, index, f32
}

// CHECK-LABEL: tile.program @program_g2
tile.program @program_g2(%A: !V[%N], %B: !V[%N], %N: index) {
  // CHECK: arith.ceildivui
  %two = arith.constant 2 : index
  %half = arith.ceildivui %N, %two : index
  %some = arith.muli %half, %two : index
  %more = arith.addi %some, %N : index
  %less = arith.subi %more, %N : index
  %most = arith.maxui %less, %two : index
  %least = arith.minui %most, %N : index
  %third = arith.divui %least, %two : index
  // CHECK: tile.workspace [%{{.*}}] : memref<?xf32>
  %W = tile.workspace [%third] : !V
  %a = arith.constant 2.0 : f32
  // CHECK: tile.run @scale(%{{.*}}, %{{.*}}, %{{.*}}) : memref<?xf32>, index, f32
  tile.run @scale(%W, %third, %a) : !V, index, f32
}

// CHECK-LABEL: tile.program @program_g3
tile.program @program_g3(%A: !V[%N], %B: !V[%N], %N: index) {
  %two = arith.constant 2 : index
  %zero = arith.constant 0 : index
  %yes = arith.constant true
  // CHECK: arith.remui
  %rest = arith.remui %N, %two : index
  %odd = arith.cmpi ne, %rest, %zero : index
  %many = arith.cmpi ugt, %N, %two : index
  %both = arith.andi %odd, %many : i1
  %any = arith.ori %odd, %many : i1
  %even = arith.xori %odd, %yes : i1
  // CHECK: scf.if
  scf.if %both {
    // CHECK-NEXT: tile.workspace
    %W = tile.workspace [%N] : !V
    tile.run @copy(%A, %W, %N) : !V, !V, index
    tile.run @copy(%W, %B, %N) : !V, !V, index
  // CHECK: } else {
  } else {
    // CHECK-NEXT: scf.if
    scf.if %even {
      tile.run @copy(%A, %B, %N) : !V, !V, index
    }
  }
  scf.if %any {
  }
}

// CHECK-LABEL: tile.program @workspace_m1
tile.program @workspace_m1(%A: !V[%N], %N: index) {
  // CHECK: tile.workspace [%{{.*}}, 4] : memref<?x4xf32>
  %W = tile.workspace [%N, 4] : memref<?x4xf32>
  %V = tile.workspace [%N] : !V
  tile.run @copy(%A, %V, %N) : !V, !V, index
}

// CHECK-LABEL: tile.program @workspace_m2
tile.program @workspace_m2(%A: !V[%N], %N: index) {
  // CHECK: tile.workspace [%{{.*}}, %{{.*}}] rows(4) : memref<?x?xf32, strided<[?, 1]>>
  %W = tile.workspace [%N, %N] rows(4) : !P
  %V = tile.workspace [%N, %N] rows(256) : !P
  tile.run @rows(%V, %N, %N) : !P, index, index
}

// A kernel may leave open what its operand states.
// CHECK-LABEL: tile.program @run_n1
tile.program @run_n1(%A: memref<8xf32>[8], %C: memref<8xf32, strided<[2]>>[8]) {
  %c8 = arith.constant 8 : index
  tile.run @copy(%C, %A, %c8) : memref<8xf32, strided<[2]>>, memref<8xf32>, index
}

// CHECK-LABEL: tile.program @run_n2
tile.program @run_n2(%A: memref<8xf32>[8]) {
  %c8 = arith.constant 8 : index
  %W = tile.workspace [%c8] : !V
  tile.run @copy(%A, %W, %c8) : memref<8xf32>, !V, index
}

// CHECK-LABEL: tile.program @run_n3
tile.program @run_n3(%A: !V[%N], %B: !V[%N], %N: index) {
  tile.run @copy(%A, %B, %N) : !V, !V, index
  tile.run @copy(%B, %A, %N) : !V, !V, index
}

// Extents are products of the same sizes and numbers, in whatever order: 4 M N.
// CHECK-LABEL: tile.program @program_g4
// CHECK: memref.collapse_shape
// CHECK: memref.expand_shape
tile.program @program_g4(%A: memref<?x?x4xf32>[%M, %N, 4], %B: !V[%K], %M: index, %N: index, %K: index) {
  %c4 = arith.constant 4 : index
  %N4 = arith.muli %N, %c4 : index
  %MN = arith.muli %N4, %M : index
  %flat = memref.collapse_shape %A [[0, 1, 2]] : memref<?x?x4xf32> into !V
  %again = memref.expand_shape %flat [[0, 1]] output_shape [%M, %N4] : !V into memref<?x?xf32>
  %W = tile.workspace [%MN] : !V
  tile.run @copy(%flat, %W, %MN) : !V, !V, index
}
