// RUN: tilec-opt %s -split-input-file -verify-diagnostics

// Operands in constant memory that break one rule; valid-constant.mlir has those that satisfy it.

// expected-error@+1 {{operand #0 lies in constant memory, where an array has elements, and how many is known; got 'memref<?xf32, #tile.level<constant>>'}}
tile.kernel @kernel_k8_dynamic(%W: memref<?xf32, #tile.level<constant>>[%M], %M: index) {
}

// -----

// expected-error@+1 {{operand #0 lies in constant memory, where an array has elements, and how many is known; got 'memref<0xf32, #tile.level<constant>>'}}
tile.kernel @kernel_k8_empty(%W: memref<0xf32, #tile.level<constant>>[0]) {
}

// -----

// expected-error@+1 {{operand #0 lies in constant memory as rows without gaps, got 'memref<4x4xf32, strided<[8, 1]>, #tile.level<constant>>'}}
tile.kernel @kernel_k8_gaps(%W: memref<4x4xf32, strided<[8, 1]>, #tile.level<constant>>[4, 4]) {
}

// -----

// expected-error@+1 {{operand #0 lies in constant memory as rows without gaps}}
tile.kernel @kernel_k8_columns(%W: memref<4x4xf32, strided<[1, 4]>, #tile.level<constant>>[4, 4]) {
}

// -----

// expected-error@+1 {{operand #0 has more than 65536 elements, which constant memory cannot hold}}
tile.kernel @kernel_k8_large(%W: memref<65537xi8, #tile.level<constant>>[65537]) {
}

// -----

// expected-error@+1 {{operand #0 has more than 65536 elements, which constant memory cannot hold}}
tile.kernel @kernel_k8_overflow(%W: memref<2147418111x2147418111x2147418111xf64, #tile.level<constant>>[2147418111, 2147418111, 2147418111]) {
}

// -----

!W = memref<8xf32, #tile.level<constant>>
!r = memref<8xf32, #tile.level<rf>>
// expected-note@+1 {{this operand is of type}}
tile.kernel @kernel_k9_store(%W: !W[8]) {
  %r = tile.hold init(0.0 : f32) : !r
  // expected-error@+1 {{writes to constant memory, which kernels only read}}
  tile.store %r to %W[0] : !r to !W
}

// -----

!W = memref<8xf32, #tile.level<constant>>
!p = memref<4xf32, strided<[1], offset: ?>, #tile.level<constant>>
// expected-note@+1 {{this operand is of type}}
tile.kernel @kernel_k9_part(%W: !W[8]) {
  %p = tile.part %W[4] : !W to !p
  // expected-error@+1 {{writes to constant memory, which kernels only read}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%p : !p) {
  ^bb0(%v: f32):
    %w = arith.addf %v, %v : f32
    linalg.yield %w : f32
  }
}

// -----

!W = memref<8xi32, #tile.level<constant>>
!r = memref<8xi32, #tile.level<rf>>
// expected-note@+1 {{this operand is of type}}
tile.kernel @kernel_k9_combine(%W: !W[8]) {
  %r = tile.hold init(0 : i32) : !r
  // expected-error@+1 {{writes to constant memory, which kernels only read}}
  tile.store %r to %W[0] combine(add) : !r to !W
}

// -----

!W = memref<8xf32, #tile.level<constant>>
!s = memref<8xf32, #tile.level<smem>>
// expected-note@+1 {{this operand is of type}}
tile.kernel @limit_x46_shared(%W: !W[8]) {
  // expected-error@+1 {{stages an operand in constant memory to smem; read it where it lies, or stage it to rf}}
  %s = tile.stage %W[0] : !W to !s
}

// -----

!W = memref<8xf32, #tile.level<constant>>
!r = memref<8xf32, #tile.level<rf>>
// expected-note@+1 {{this operand is of type}}
tile.kernel @limit_x46_gather(%W: !W[8], %I: memref<?xi32>[%M], %M: index) {
  // expected-error@+1 {{gathers from an operand in constant memory; let it lie in dram}}
  %r = tile.stage %W[0] gather(%I : memref<?xi32> along 0) : !W to !r
}

// -----

!I = memref<8xi32, #tile.level<constant>>
!r = memref<8xf32, #tile.level<rf>>
// expected-note@+1 {{this operand is of type}}
tile.kernel @limit_x46_indices(%X: memref<?xf32>[%M], %I: !I[8], %M: index) {
  // expected-error@+1 {{numbers elements by an operand in constant memory; let the indices lie in dram}}
  %r = tile.stage %X[0] gather(%I : !I along 0) : memref<?xf32> to !r
}

// -----

!I = memref<8xi32, #tile.level<constant>>
!r = memref<8xf32, #tile.level<rf>>
// expected-note@+1 {{this operand is of type}}
tile.kernel @limit_x46_scatter(%X: memref<?xf32>[%M], %I: !I[8], %M: index) {
  %r = tile.hold init(0.0 : f32) : !r
  // expected-error@+1 {{numbers elements by an operand in constant memory; let the indices lie in dram}}
  tile.store %r to %X[0] scatter(%I : !I along 0) combine(add) unordered : !r to memref<?xf32>
}

// -----

// expected-error@+1 {{operand #0 must be a strided memref in dram, got}}
tile.program @kernel_k3_program(%W: memref<8xf32, #tile.level<constant>>[8]) {
}

// -----

tile.kernel @hold_h1_constant() {
  // expected-error@+1 {{holds a static memref in rf or smem, got}}
  %r = tile.hold init(0.0 : f32) : memref<8xf32, #tile.level<constant>>
}

// -----

!C = memref<8xf32, #tile.level<constant>>
tile.kernel @stage_s3_constant(%X: memref<8xf32>[8]) {
  tile.for (%i) in (8) by (8) at dram {
    %r = tile.stage %X[%i] : memref<8xf32> to memref<8xf32, #tile.level<rf>>
    // expected-error@+1 {{stages from rf to constant, which is not nearer}}
    %c = tile.stage %r[0] : memref<8xf32, #tile.level<rf>> to !C
  }
}

// -----

tile.kernel @level(%X: memref<8xf32>[8]) {
  // expected-error@+1 {{no loop is at constant memory, whose operands are read as they lie; expected dram, smem or rf}}
  tile.for (%i) in (8) by (8) at constant {
  }
}

// -----

tile.kernel @read(%W: memref<8xf32, #tile.level<constant>>[8]) {
}
tile.program @run_n1_constant(%X: memref<4xf32>[4]) {
  // expected-error@+1 {{gives 'memref<4xf32>' as argument #0 of @read, which takes 'memref<8xf32, #tile.level<constant>>'}}
  tile.run @read(%X) : memref<4xf32>
}
