// RUN: tilec-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{size argument #1 is not an extent of any operand}}
tile.program @program_g1(%A: memref<8xf32>[8], %N: index) {
}

// -----

tile.program @program_g2(%A: memref<8xf32>[8]) {
  // expected-error@+1 {{stands in a program, which holds tile.run, tile.workspace, views of arrays, scf.if, constants, and what is computed from sizes}}
  %W = memref.alloc() : memref<8xf32>
}

// -----

// expected-error@+1 {{runs no kernel}}
tile.program @program_g2_empty(%A: memref<8xf32>[8]) {
}

// -----

tile.program @workspace_m1(%A: memref<?xf32>[%N], %N: index) {
  // expected-error@+1 {{lists 1 extents, but its type is 'memref<?x4xf32>'}}
  %W = tile.workspace [%N] : memref<?x4xf32>
}

// -----

tile.program @workspace_m1_number(%A: memref<?xf32>[%N], %N: index) {
  // expected-error@+1 {{lists a size for dimension 1 of 'memref<?x4xf32>'; sizes are extents of dynamic dimensions, numbers those of static ones}}
  %W = tile.workspace [%N, %N] : memref<?x4xf32>
}

// -----

tile.program @workspace_m1_level(%A: memref<?xf32>[%N], %N: index) {
  // expected-error@+1 {{makes a memref in dram, got 'memref<4xf32, #tile.level<smem>>'}}
  %W = tile.workspace [4] : memref<4xf32, #tile.level<smem>>
}

// -----

tile.program @workspace_m2(%A: memref<?xf32>[%N], %N: index) {
  // expected-error@+1 {{lies without gaps, but its type is 'memref<?x?xf32, strided<[?, 1]>>'; rows(N) asks for rows that begin at multiples of N bytes}}
  %W = tile.workspace [%N, %N] : memref<?x?xf32, strided<[?, 1]>>
}

// -----

tile.program @workspace_m2_power(%A: memref<?xf32>[%N], %N: index) {
  // expected-error@+1 {{has rows(12), expected a power of two from 4 to 256}}
  %W = tile.workspace [%N, %N] rows(12) : memref<?x?xf32, strided<[?, 1]>>
}

// -----

tile.program @workspace_m2_small(%A: memref<?xf32>[%N], %N: index) {
  // expected-error@+1 {{has rows(2), expected a power of two from 4 to 256}}
  %W = tile.workspace [%N, %N] rows(2) : memref<?x?xf32, strided<[?, 1]>>
}

// -----

tile.program @workspace_m2_dense(%A: memref<?xf32>[%N], %N: index) {
  // expected-error@+1 {{has rows whose distance is known at launch, expected dynamic strides and a last one of 1, got 'memref<4x4xf32>'}}
  %W = tile.workspace [4, 4] rows(16) : memref<4x4xf32>
}

// -----

tile.program @run_n1(%A: memref<8xf32>[8]) {
  // expected-error@+1 {{names 'none', which is no kernel of this module}}
  tile.run @none(%A) : memref<8xf32>
}

// -----

tile.kernel @k(%X: memref<?xf32>[%N], %N: index) {
}
tile.program @run_n1_count(%A: memref<?xf32>[%N], %N: index) {
  // expected-error@+1 {{gives 1 arguments to @k, which takes 2}}
  tile.run @k(%A) : memref<?xf32>
}

// -----

tile.kernel @k(%X: memref<?xf32>[%N], %N: index) {
}
tile.program @run_n1_type(%A: memref<?xf32, strided<[?]>>[%N], %N: index) {
  // expected-error@+1 {{gives 'memref<?xf32, strided<[?]>>' as argument #0 of @k, which takes 'memref<?xf32>'}}
  tile.run @k(%A, %N) : memref<?xf32, strided<[?]>>, index
}

// -----

tile.kernel @k(%X: memref<8xf32>[8]) {
}
tile.program @run_n1_extent(%A: memref<?xf32>[%N], %N: index) {
  // expected-error@+1 {{gives 'memref<?xf32>' as argument #0 of @k, which takes 'memref<8xf32>'}}
  tile.run @k(%A) : memref<?xf32>
}

// -----

tile.kernel @k(%X: memref<?xf32>[%N], %N: index) {
}
tile.program @run_n2(%A: memref<?xf32>[%N], %B: memref<?xf32>[%M], %N: index, %M: index) {
  // expected-error@+1 {{operand #0 has another extent along dimension 0 than @k is told: both must be products of the same sizes and numbers}}
  tile.run @k(%A, %M) : memref<?xf32>, index
}

// -----

!r = memref<1xf32, #tile.level<rf>>
tile.kernel @k(%X: memref<8xf32>[8], %Y: memref<8xf32>[8]) {
  tile.for (%i) in (8) by (1) at dram on block {
    %x = tile.stage %X[%i] : memref<8xf32> to !r
    tile.store %x to %Y[%i] : !r to memref<8xf32>
  }
}
tile.program @run_n3(%A: memref<8xf32>[8]) {
  // expected-error@+1 {{gives operand #1, which @k writes, to it a second time}}
  tile.run @k(%A, %A) : memref<8xf32>, memref<8xf32>
}

// -----

tile.program @program_g3_results(%A: memref<?xf32>[%N], %N: index) {
  %four = arith.constant 4 : index
  %few = arith.cmpi ult, %N, %four : index
  // expected-error@+1 {{has results, but stands in a program, where it chooses what runs}}
  %n = scf.if %few -> index {
    scf.yield %N : index
  } else {
    scf.yield %four : index
  }
}

// -----

tile.program @program_g3_condition(%A: memref<?xf32>[%N], %N: index, %flag: i1) {
  // expected-error@+1 {{has a condition that is not computed from sizes}}
  scf.if %flag {
  }
}

// -----

tile.program @program_g3_inside(%A: memref<?xf32>[%N], %N: index) {
  %four = arith.constant 4 : index
  %few = arith.cmpi ult, %N, %four : index
  scf.if %few {
    // expected-error@+1 {{stands in a program, which holds tile.run, tile.workspace, views of arrays, scf.if, constants, and what is computed from sizes}}
    %W = memref.alloc() : memref<8xf32>
  }
}

// -----

tile.program @program_g3_numbers(%A: memref<?xf32>[%N], %N: index, %a: i32) {
  // expected-error@+1 {{stands in a program, which holds tile.run, tile.workspace, views of arrays, scf.if, constants, and what is computed from sizes}}
  %equal = arith.cmpi eq, %a, %a : i32
}

// -----

tile.program @program_g3_nothing(%A: memref<?xf32>[%N], %N: index) {
  %four = arith.constant 4 : index
  %few = arith.cmpi ult, %N, %four : index
  scf.if %few {
    // expected-error@+1 {{names 'none', which is no kernel of this module}}
    tile.run @none(%A, %N) : memref<?xf32>, index
  }
}

// -----

tile.kernel @program_g3_kernel(%A: memref<?xf32>[%N], %N: index) {
  // expected-error@+1 {{stands in no tile.program}}
  %W = tile.workspace [%N] : memref<?xf32>
}

// -----

tile.kernel @program_g3_kernel_run(%A: memref<?xf32>[%N], %N: index) {
  // expected-error@+1 {{stands in no tile.program}}
  tile.run @program_g3_kernel_run(%A, %N) : memref<?xf32>, index
}

// -----

tile.program @program_g4(%A: memref<8x8xf32, strided<[?, 1]>>[8, 8]) {
  // expected-error@+1 {{names an array by other extents, which lies without gaps, got 'memref<8x8xf32, strided<[?, 1]>>'}}
  %flat = memref.expand_shape %A [[0, 1], [2]] output_shape [2, 4, 8] : memref<8x8xf32, strided<[?, 1]>> into memref<2x4x8xf32, strided<[?, ?, 1]>>
}

// -----

tile.program @program_g4_product(%A: memref<?xf32>[%N], %N: index) {
  %c4 = arith.constant 4 : index
  %M = arith.divui %N, %c4 : index
  // expected-error@+1 {{parts dimension 0 into extents whose product is not its extent: both must be products of the same sizes and numbers}}
  %parts = memref.expand_shape %A [[0, 1]] output_shape [%M, 4] : memref<?xf32> into memref<?x4xf32>
}

// -----

tile.kernel @k(%A: memref<?xf32>[%N], %N: index) {
}
// 8 M are not 4 M N.
tile.program @run_n2_product(%A: memref<?x?x4xf32>[%M, %N, 4], %M: index, %N: index) {
  %c8 = arith.constant 8 : index
  %MN = arith.muli %M, %c8 : index
  %flat = memref.collapse_shape %A [[0, 1, 2]] : memref<?x?x4xf32> into memref<?xf32>
  // expected-error@+1 {{operand #0 has another extent along dimension 0 than @k is told: both must be products of the same sizes and numbers}}
  tile.run @k(%flat, %MN) : memref<?xf32>, index
}

// -----

!t = memref<1x1xf32, #tile.level<rf>>
tile.kernel @two(%A: memref<8x2xf32>[8, 2], %B: memref<2x8xf32>[2, 8]) {
  tile.for (%i) in (8) by (1) at dram on block {
    tile.for (%k) in (2) by (1) at dram on thread {
      %x = tile.stage %A[%i, %k] : memref<8x2xf32> to !t
      tile.store %x to %B[%k, %i] : !t to memref<2x8xf32>
    }
  }
}
tile.program @run_n3_view(%A: memref<16xf32>[16]) {
  %a = memref.expand_shape %A [[0, 1]] output_shape [8, 2] : memref<16xf32> into memref<8x2xf32>
  %b = memref.expand_shape %A [[0, 1]] output_shape [2, 8] : memref<16xf32> into memref<2x8xf32>
  // expected-error@+1 {{gives operand #1, which @two writes, to it a second time}}
  tile.run @two(%a, %b) : memref<8x2xf32>, memref<2x8xf32>
}
