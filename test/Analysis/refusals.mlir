// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-set-target="target=sm80 shape=2147418111" -tile-annotate-reuse

// What the analysis cannot count it refuses, at the op in question.

!s = memref<32xf32, #tile.level<smem>>
tile.kernel @limit_x19_shared_in_thread(%X: memref<?xf32>[%N], %N: index) {
  tile.for (%t) in (32) by (1) at dram on thread {
    // expected-error@+1 {{stages a tile of shared memory, which belongs to the block, inside of a loop on thread}}
    %s = tile.stage %X[0] : memref<?xf32> to !s
  }
}

// -----

tile.kernel @limit_x34_computed_extent(%X: memref<?xf32>[%N], %N: index) {
  %n = arith.muli %N, %N : index
  // expected-error@+1 {{the extent of induction variable 0 is no sum of multiples of induction variables and sizes, nor of quotients of these by numbers; the analysis needs its value}}
  tile.for (%i) in (%n) by (1) at dram on block {
  }
}

// -----

// 2147418111^2 = 4.6e18 elements, over 2^60 = 1.2e18.
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x35_too_many(%X: memref<?xf32>[%N], %N: index) {
  tile.for (%i) in (%N) by (1) at dram on block {
    // expected-error@+1 {{runs for more than 2^60 elements in all, which the analysis cannot count; give smaller extents}}
    tile.for (%k) in (%N) by (1) at dram {
      %x = tile.stage %X[%k] : memref<?xf32> to !r
    }
  }
}

// -----

// Each of two sums has both variables, and 2e6 values of one would be looked at.
!r = memref<1x1xf32, #tile.level<rf>>
tile.kernel @limit_x35_too_irregular(%X: memref<?x?xf32>[%N, %N], %N: index) {
  tile.for (%i) in (2000000) by (1) at dram on block {
    tile.for (%k) in (2000000) by (1) at dram {
      // expected-error@+1 {{moves more than the analysis can count: over 2^63 elements, or bounds too irregular}}
      %x = tile.stage %X[%i + %k, %i - %k] : memref<?x?xf32> to !r
      tile.store %x to %X[%i + %k, %i - %k] combine(add) unordered : !r to memref<?x?xf32>
    }
  }
}

// -----

#i = affine_map<(i) -> (i)>
tile.kernel @limit_x29_dynamic_shape(%X: memref<?xf32>[%N], %N: index) {
  // expected-error@+1 {{computes on memrefs of dynamic shape; the analysis needs tiles of static shape}}
  linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%X : memref<?xf32>) {
  ^bb0(%x: f32):
    linalg.yield %x : f32
  }
}

// -----

tile.kernel @limit_x34_size(%X: memref<?xf32>[%N], %N: index) {
  %c2 = arith.constant 2 : index
  %half = arith.divsi %N, %c2 : index
  tile.for (%i) in (%N) by (1) at dram on block {
    // expected-error@+1 {{a subscript is no sum of multiples of induction variables and sizes, nor of quotients of these by numbers; the analysis needs its value}}
    %x = tile.stage %X[%half + %i] : memref<?xf32> to memref<1xf32, #tile.level<rf>>
  }
}

// -----

#div = affine_map<(i) -> (i floordiv 2)>
#i = affine_map<(i) -> (i)>
!r = memref<2xf32, #tile.level<rf>>
!t = memref<4xf32, #tile.level<rf>>
tile.kernel @limit_x29_map(%X: memref<?xf32>[%N], %N: index) {
  %a = tile.hold init(0.0 : f32) : !r
  %b = tile.hold init(0.0 : f32) : !t
  // expected-error@+1 {{is not a sum of multiples; the analysis needs one}}
  linalg.generic {indexing_maps = [#div, #i], iterator_types = ["parallel"]} ins(%a : !r) outs(%b : !t) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
}

// -----

// 2^47 * 4 iterations.
tile.kernel @limit_x35_triangle(%X: memref<?xf32>[%N], %N: index) {
  %c = arith.constant 140737488355328 : index
  tile.for (%i) in (%N) by (1) at dram on block {
    %n = arith.muli %i, %c : index
    // expected-error@+1 {{has more iterations than the analysis can count: an extent of up to}}
    tile.for (%k) in (%n) by (1) at dram {
    }
  }
}
