// RUN: tilec-opt %s -split-input-file -verify-diagnostics

// What only the generic form can write, and what only odd numbers reach: an error each, never a crash.

// expected-error@+1 {{expected one body argument and one shape for each of 1 arguments}}
"tile.kernel"() <{sym_name = "no_shapes", function_type = (index) -> (), shapes = []}> ({
^bb0(%M: index):
}) : () -> ()

// -----

// expected-error@+1 {{shape #0 must be an array of i64}}
"tile.kernel"() <{sym_name = "shape_kind", function_type = (index) -> (), shapes = [1]}> ({
^bb0(%M: index):
}) : () -> ()

// -----

// expected-error@+1 {{operand #0, dimension 0: its extent must be an index argument}}
"tile.kernel"() <{sym_name = "shape_range", function_type = (memref<?xf32>) -> (), shapes = [array<i64: 7>]}> ({
^bb0(%A: memref<?xf32>):
}) : () -> ()

// -----

// expected-error@+1 {{region with 1 blocks}}
"tile.kernel"() <{sym_name = "no_block", function_type = () -> (), shapes = []}> ({}) : () -> ()

// -----

// expected-error@+1 {{region with 1 blocks}}
"tile.for"() <{static_extents = array<i64>, steps = array<i64>, level = #tile.level<dram>, unit = 0 : i32, operandSegmentSizes = array<i32: 0, 0>}> ({}) : () -> ()

// -----

func.func @space_is_no_level(%A: memref<8xf32, 3>) {
  // expected-error@+1 {{memory spaces must be levels, got 'memref<8xf32, 3>' and 'memref<4xf32, #tile.level<smem>>'}}
  %s = tile.stage %A[0] : memref<8xf32, 3> to memref<4xf32, #tile.level<smem>>
  return
}

// -----

func.func @unranked(%A: memref<*xf32>) {
  // expected-error@+1 {{operand #0 must be}}
  %s = "tile.stage"(%A) <{map = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (memref<*xf32>) -> memref<4xf32, #tile.level<smem>>
  return
}

// -----

func.func @too_few_values(%A: memref<8xf32>) {
  // expected-error@+1 {{subscripts use 1 values, got 0}}
  %s = "tile.stage"(%A) <{map = affine_map<(i) -> (i)>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (memref<8xf32>) -> memref<4xf32, #tile.level<smem>>
  return
}

// -----

func.func @symbol(%A: memref<8xf32>, %i: index) {
  // expected-error@+1 {{subscript 0 is not a sum of multiples of values and a constant}}
  %s = "tile.stage"(%A, %i) <{map = affine_map<()[i] -> (i)>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (memref<8xf32>, index) -> memref<4xf32, #tile.level<smem>>
  return
}

// -----

// Outside of a kernel and of loops: a value of no known range.
func.func @no_kernel(%A: memref<8xf32>, %i: index) {
  %s = tile.stage %A[%i] : memref<8xf32> to memref<4xf32, #tile.level<smem>>
  // expected-error@+1 {{subscript 0 has no static bounds, but must stay inside of a tile of 4 elements}}
  %p = tile.part %s[%i] : memref<4xf32, #tile.level<smem>> to memref<1xf32, #tile.level<smem>>
  return
}

// -----

tile.kernel @part_of_itself() {
  // expected-error@+1 {{uses a memref that is not defined before it}}
  %p = "tile.part"(%p) <{map = affine_map<() -> (0)>}> : (memref<4xf32>) -> memref<4xf32>
}

// -----

// Rank 0: one element, written by all threads.
tile.kernel @rank_0(%A: memref<f32>[]) {
  // expected-note@+1 {{the tile}}
  %c = tile.hold init(0.0 : f32) : memref<f32, #tile.level<rf>>
  // expected-note@+1 {{induction variable 0 of this loop}}
  tile.for (%i) in (32) by (1) at dram on thread {
    %a = tile.stage %A[] : memref<f32> to memref<f32, #tile.level<rf>>
    // expected-error@+1 {{writes an element of a register tile from 32 threads}}
    linalg.add ins(%a, %a : memref<f32, #tile.level<rf>>, memref<f32, #tile.level<rf>>) outs(%c : memref<f32, #tile.level<rf>>)
  }
}

// -----

// 2147418111 iterations of step 2^33 span 2^64 elements.
tile.kernel @huge_extents() {
  %c = tile.hold init(0.0 : f32) : memref<16xf32, #tile.level<rf>>
  tile.for (%i) in (2147418111) by (1) at rf on thread {
    // expected-error@+1 {{subscript 0 may pass 2^56, which is beyond any memory; its loops and factors are smaller}}
    %p = tile.part %c[%i * 8589934592] : memref<16xf32, #tile.level<rf>> to memref<4xf32, #tile.level<rf>>
  }
}

// -----

// 2147418111^3 threads do not fit in 64 bits; the numbers stay at the largest instead, so the step is too small.
!t = memref<4xf32, #tile.level<rf>>
tile.kernel @huge_products(%Y: memref<?xf32>[%M], %M: index) {
  tile.for (%b) in (%M) by (16) at dram on block {
    // expected-note@+1 {{induction variable 0 of this loop must move}}
    tile.for (%i, %j, %k) in (2147418111, 2147418111, 2147418111) by (1, 1, 1) at dram on thread {
      %c = tile.hold init(0.0 : f32) : !t
      // expected-error@+1 {{may write one element from several iterations of a loop on thread}}
      tile.store %c to %Y[%b + %i + %j * 4] : !t to memref<?xf32>
    }
  }
}

// -----

tile.kernel @huge_constant(%A: memref<?xf32>[%M], %M: index) {
  // expected-error@+1 {{subscript 0 is not a sum of multiples of values and a constant}}
  %s = tile.stage %A[4611686018427387904] : memref<?xf32> to memref<4xf32, #tile.level<smem>>
}

// -----

tile.kernel @compute_on_tensors(%A: memref<4xf32>[4]) {
  // expected-error@+1 {{computes with 'tensor<4xf32>'; scalars are f64, f32, f16, bf16, i64, i32, i16, i8, i1 and index (rule C3)}}
  %c = arith.constant dense<0.0> : tensor<4xf32>
  %d = linalg.add ins(%c, %c : tensor<4xf32>, tensor<4xf32>) outs(%c : tensor<4xf32>) -> tensor<4xf32>
}
