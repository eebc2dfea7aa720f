// RUN: tilec-opt %s -split-input-file -verify-diagnostics

// The rules on computation, C1 to C4 of tile.kernel; see invalid.mlir.

#i = affine_map<(i) -> (i)>
!G = memref<64xf32>
!t = memref<4xf32, #tile.level<rf>>
tile.kernel @kernel_c1_load(%X: !G[64], %Y: !G[64]) {
  tile.for (%m) in (64) by (4) at dram on thread {
    %x = tile.stage %X[%m] : !G to !t
    linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%x : !t) {
    ^bb0(%v: f32):
      // expected-error@+1 {{'memref.load' is no scalar op, which is all that the body of a computation computes with (rule C1); name the memory in ins or outs, whose maps say which element is meant}}
      %w = memref.load %X[%m] : !G
      linalg.yield %w : f32
    }
  }
}

// -----

#i = affine_map<(i) -> (i)>
!G = memref<64xf32>
!t = memref<4xf32, #tile.level<rf>>
tile.kernel @kernel_c1_store(%X: !G[64], %Y: !G[64]) {
  tile.for (%m) in (64) by (4) at dram on thread {
    %x = tile.stage %X[%m] : !G to !t
    linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%x : !t) {
    ^bb0(%v: f32):
      // expected-error@+1 {{'memref.store' is no scalar op}}
      memref.store %v, %Y[%m] : !G
      linalg.yield %v : f32
    }
  }
}

// -----

#i = affine_map<(i) -> (i)>
!G = memref<64xf32>
!t = memref<4xf32, #tile.level<rf>>
tile.kernel @kernel_c1_stage(%X: !G[64]) {
  tile.for (%m) in (64) by (4) at dram on thread {
    %x = tile.stage %X[%m] : !G to !t
    linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%x : !t) {
    ^bb0(%v: f32):
      // expected-error@+1 {{'tile.stage' is no scalar op}}
      %y = tile.stage %X[%m] : !G to !t
      linalg.yield %v : f32
    }
  }
}

// -----

#i = affine_map<(i) -> (i)>
!G = memref<64xf32>
!t = memref<4xf32, #tile.level<rf>>
tile.kernel @kernel_c1_if(%X: !G[64]) {
  tile.for (%m) in (64) by (4) at dram on thread {
    %x = tile.stage %X[%m] : !G to !t
    linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%x : !t) {
    ^bb0(%v: f32):
      %zero = arith.constant 0.0 : f32
      %c = arith.cmpf ogt, %v, %zero : f32
      // expected-error@+1 {{'scf.if' is no scalar op, which is all that the body of a computation computes with (rule C1); choose between two values by arith.select}}
      %w = scf.if %c -> f32 {
        scf.yield %v : f32
      } else {
        scf.yield %zero : f32
      }
      linalg.yield %w : f32
    }
  }
}

// -----

#i = affine_map<(i) -> (i)>
!G = memref<64xf32>
!t = memref<4xf32, #tile.level<rf>>
func.func private @f(f32) -> f32
tile.kernel @kernel_c1_call(%X: !G[64]) {
  tile.for (%m) in (64) by (4) at dram on thread {
    %x = tile.stage %X[%m] : !G to !t
    linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%x : !t) {
    ^bb0(%v: f32):
      // expected-error@+1 {{'func.call' is no scalar op, which is all that the body of a computation computes with (rule C1); write out here what it computes}}
      %w = func.call @f(%v) : (f32) -> f32
      linalg.yield %w : f32
    }
  }
}

// -----

#i = affine_map<(i) -> (i)>
!G = memref<64xf32>
!t = memref<4xf32, #tile.level<rf>>
tile.kernel @kernel_c1_other(%X: !G[64]) {
  tile.for (%m) in (64) by (4) at dram on thread {
    %x = tile.stage %X[%m] : !G to !t
    linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%x : !t) {
    ^bb0(%v: f32):
      // expected-error@+1 {{'math.cbrt' is no scalar op, which is all that the body of a computation computes with (rule C1); the rule lists the ops of arith and math that it may be written with}}
      %w = math.cbrt %v : f32
      linalg.yield %w : f32
    }
  }
}

// -----

tile.kernel @kernel_c1_between(%X: memref<64xf32>[64]) {
  tile.for (%m) in (64) by (4) at dram on thread {
    // expected-error@+1 {{'memref.load' is no scalar op, which is all that a kernel computes with (rule C1); name the memory in tile.stage, tile.part or tile.store}}
    %w = memref.load %X[%m] : memref<64xf32>
  }
}

// -----

tile.kernel @kernel_c1_loop(%X: memref<64xf32>[64]) {
  %c = arith.constant 4 : index
  // expected-error@+1 {{'scf.for' is no scalar op, which is all that a kernel computes with (rule C1); loops are tile.for, conditions scf.if}}
  scf.for %m = %c to %c step %c {
  }
}

// -----

// A transpose in place: where it is written first, it is read afterwards.
#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
!G = memref<64x64xf32>
!t = memref<4x4xf32, #tile.level<rf>>
tile.kernel @kernel_c2_map(%X: !G[64, 64], %Y: !G[64, 64]) {
  tile.for (%m, %n) in (64, 64) by (4, 4) at dram on thread {
    // expected-note@+1 {{what both are parts of}}
    %x = tile.stage %X[%m, %n] : !G to !t
    // expected-error@+1 {{reads ins #0 from where it writes outs #0, by another map (affine_map<(d0, d1) -> (d1, d0)>, not affine_map<(d0, d1) -> (d0, d1)>) (rule C2): an element may be written before it is read; read a copy, which tile.stage or another computation makes}}
    linalg.generic {indexing_maps = [#ji, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : !t) outs(%x : !t) {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    }
    tile.store %x to %Y[%m, %n] : !t to !G
  }
}

// -----

// A step of a scan through overlapping parts of one tile.
!G = memref<?xf32>
!t = memref<5xf32, #tile.level<smem>>
!p = memref<4xf32, strided<[1], offset: ?>, #tile.level<smem>>
// expected-note@+1 {{what both are parts of}}
tile.kernel @kernel_c2_part(%X: !G[%N], %N: index) {
  %a = tile.part %X[0] : !G to memref<4xf32, strided<[1], offset: ?>>
  %b = tile.part %X[1] : !G to memref<4xf32, strided<[1], offset: ?>>
  // expected-error@+1 {{reads ins #0 from where it writes outs #0, by another part (rule C2)}}
  linalg.add ins(%a, %b : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32, strided<[1], offset: ?>>)
      outs(%b : memref<4xf32, strided<[1], offset: ?>>)
}

// -----

// Where the parts lie follows from a loop.
!G = memref<?xf32>
!p = memref<4xf32, strided<[1], offset: ?>>
// expected-note@+1 {{what both are parts of}}
tile.kernel @kernel_c2_loop(%X: !G[%N], %N: index) {
  %a = tile.part %X[0] : !G to !p
  tile.for (%i) in (%N) by (4) at dram {
    %b = tile.part %X[%i] : !G to !p
    // expected-error@+1 {{reads ins #0 from where it writes outs #0, by another part (rule C2)}}
    linalg.add ins(%a, %a : !p, !p) outs(%b : !p)
  }
}

// -----

#i = affine_map<(i) -> (i)>
!t = memref<4xf32, #tile.level<rf>>
tile.kernel @kernel_c2_outs() {
  // expected-note@+1 {{what both are parts of}}
  %c = tile.hold init(0.0 : f32) : !t
  // expected-error@+1 {{writes outs #1 over outs #0 (rule C2); which of the two values would stay is not said}}
  linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} outs(%c, %c : !t, !t) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a, %b : f32, f32
  }
}

// -----

tile.kernel @kernel_c3_type(%X: memref<64xf32>[64], %Y: memref<64xf32>[64]) {
  %a = arith.constant 3 : i128
  // expected-error@-1 {{computes with 'i128'; scalars are f64, f32, f16, bf16, i64, i32, i16, i8, i1 and index (rule C3)}}
}

// -----

tile.kernel @kernel_c3_vector() {
  // expected-error@+1 {{computes with 'vector<4xf32>'}}
  %a = arith.constant dense<0.0> : vector<4xf32>
}

// -----

tile.kernel @kernel_c3_bool(%N: index, %X: memref<?xf32>[%N]) {
  %a = arith.cmpi slt, %N, %N : index
  // expected-error@+1 {{computes with 'i1', which takes arith.andi, ori, xori, select and cmpi with eq and ne (rule C3); extend it to i32}}
  %b = arith.addi %a, %a : i1
}

// -----

tile.kernel @kernel_c3_order(%N: index, %X: memref<?xf32>[%N]) {
  %a = arith.cmpi slt, %N, %N : index
  // expected-error@+1 {{compares i1 by slt, but only by eq and ne (rule C3); extend it to i32}}
  %b = arith.cmpi slt, %a, %a : i1
}

// -----

tile.kernel @kernel_c3_to_bool(%a: f32) {
  // expected-error@+1 {{converts to i1 (rule C3); compare with 0 instead}}
  %b = arith.fptosi %a : f32 to i1
}

// -----

tile.kernel @kernel_c3_rounding(%a: f64) {
  // expected-error@+1 {{rounds by downward; conversions round to nearest, ties to even, and to tf32 toward_zero (rule C3)}}
  %b = arith.truncf %a downward : f64 to f32
}

// -----

tile.kernel @kernel_c3_tf32_rounding(%a: f32) {
  // expected-error@+1 {{rounds by to_nearest_even; conversions round to nearest, ties to even, and to tf32 toward_zero (rule C3)}}
  %b = arith.truncf %a : f32 to tf32
}

// -----

tile.kernel @kernel_c3_short(%a: f32) {
  // expected-error@+1 {{computes with 'f8E5M2', which only arith.extf takes, to a wider type (rule C3)}}
  %b = arith.truncf %a : f32 to f8E5M2
}

// -----

tile.kernel @kernel_c3_tf32(%a: f32) {
  %b = arith.truncf %a toward_zero : f32 to tf32
  // expected-error@+1 {{computes with 'tf32'; scalars are f64, f32, f16, bf16, i64, i32, i16, i8, i1 and index (rule C3)}}
  %c = arith.negf %b : tf32
}

// -----

// expected-error@+2 {{has a memref of 'i1'; elements are f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i64, i32, i16 and i8 (rule C3)}}
// expected-note@+1 {{the memref}}
tile.kernel @kernel_c3_operand(%X: memref<64xi1>[64]) {
}

// -----

tile.kernel @kernel_c3_hold() {
  // expected-error@+2 {{has a memref of 'index'}}
  // expected-note@+1 {{the memref}}
  %c = tile.hold init(0 : index) : memref<4xindex, #tile.level<rf>>
}

// -----

tile.kernel @kernel_c4_scalar(%a: vector<4xf32>) {
}
// expected-error@-2 {{must be a memref with extents, an index or a number}}

// -----

tile.kernel @kernel_c4_tensor(%a: f32) {
  // expected-error@+1 {{'tensor.empty' is no scalar op}}
  %t = tensor.empty() : tensor<4xf32>
  %u = linalg.fill ins(%a : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
}

// -----

tile.kernel @kernel_c4_root(%N: index, %X: memref<?xf32>[%N], %Y: memref<?xf32>[%N], %a: f32) {
  %c = arith.cmpi slt, %N, %N : index
  // expected-note@+1 {{it comes from here}}
  %m = scf.if %c -> memref<?xf32> {
    scf.yield %X : memref<?xf32>
  } else {
    scf.yield %Y : memref<?xf32>
  }
  // expected-error@+1 {{operand #1 is no operand of the kernel, staged or held tile, or part of one (rule C4)}}
  linalg.fill ins(%a : f32) outs(%m : memref<?xf32>)
}

// -----

tile.kernel @kernel_c4_view(%Y: memref<8xf32>[8]) {
  %h = tile.hold init(0.0 : f32) : memref<2x4xf32, #tile.level<rf>>
  // expected-error@+1 {{is a view of what is no operand of the kernel or array of it (rule C4)}}
  %v = memref.collapse_shape %h [[0, 1]] : memref<2x4xf32, #tile.level<rf>> into memref<8xf32, #tile.level<rf>>
  linalg.copy ins(%v : memref<8xf32, #tile.level<rf>>) outs(%Y : memref<8xf32>)
}

// -----

tile.kernel @kernel_c4_view_product(%X: memref<?x?xf32>[%M, %N], %Y: memref<?xf32>[%P], %M: index, %N: index, %P: index) {
  // expected-error@+1 {{has a product of sizes for extent of dimension 0; what a kernel without loops merges are dimensions whose extents are numbers (rule C4)}}
  %v = memref.collapse_shape %X [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  linalg.copy ins(%v : memref<?xf32>) outs(%Y : memref<?xf32>)
}
