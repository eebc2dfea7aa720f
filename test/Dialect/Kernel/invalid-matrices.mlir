// RUN: tilec-opt %s --split-input-file --verify-diagnostics

func.func @three(%s: memref<64xf16, #tile.level<smem>>, %r: memref<6xf16, #tile.level<rf>>, %i: index) {
  // expected-error@+1 {{attribute 'count' failed to satisfy constraint: 64-bit signless integer attribute whose value is 1, 2 or 4}}
  kernel.ldmatrix %r[%i], %s[%i] {count = 3} : memref<6xf16, #tile.level<rf>>[index], memref<64xf16, #tile.level<smem>>[index]
  return
}

// -----

func.func @wide(%s: memref<64xf64, #tile.level<smem>>, %r: memref<4xf64, #tile.level<rf>>, %i: index) {
  // expected-error@+1 {{moves elements of 64 bits, expected 8, 16 or 32}}
  kernel.stmatrix %s[%i], %r[%i] {count = 2} : memref<64xf64, #tile.level<smem>>[index], memref<4xf64, #tile.level<rf>>[index]
  return
}

// -----

func.func @transposed(%s: memref<64xi8, #tile.level<smem>>, %r: memref<4xi8, #tile.level<rf>>, %i: index) {
  // expected-error@+1 {{moves elements of 8 bits, expected 16}}
  kernel.ldmatrix %r[%i], %s[%i] {count = 1, transpose} : memref<4xi8, #tile.level<rf>>[index], memref<64xi8, #tile.level<smem>>[index]
  return
}

// -----

func.func @type(%i: index, %c: memref<4xf32, #tile.level<rf>>, %a: memref<4xf32, #tile.level<rf>>, %b: memref<2xf32, #tile.level<rf>>) {
  // expected-error@+1 {{multiplies 'f32', possible are bf16, f16, tf32 and i8}}
  kernel.mma %c[], %a[%i], %b[] {type = f32} : memref<4xf32, #tile.level<rf>>, memref<4xf32, #tile.level<rf>>, memref<2xf32, #tile.level<rf>>
  return
}

// -----

func.func @accumulators(%i: index, %c: memref<4xf32, #tile.level<rf>>, %a: memref<16xi8, #tile.level<rf>>, %b: memref<8xi8, #tile.level<rf>>) {
  // expected-error@+1 {{has accumulators of type 'f32', expected i32}}
  kernel.mma %c[], %a[%i], %b[] {type = i8} : memref<4xf32, #tile.level<rf>>, memref<16xi8, #tile.level<rf>>, memref<8xi8, #tile.level<rf>>
  return
}

// -----

func.func @operand(%i: index, %c: memref<4xf32, #tile.level<rf>>, %a: memref<8xbf16, #tile.level<rf>>, %b: memref<8xbf16, #tile.level<rf>>) {
  // expected-error@+1 {{has 16 bytes of b, expected 8}}
  kernel.mma %c[], %a[%i], %b[] {type = bf16} : memref<4xf32, #tile.level<rf>>, memref<8xbf16, #tile.level<rf>>, memref<8xbf16, #tile.level<rf>>
  return
}

// -----

func.func @first(%c: memref<4xf32, #tile.level<rf>>, %a: memref<2x8xbf16, #tile.level<rf>>, %b: memref<4xbf16, #tile.level<rf>>, %i: index) {
  // expected-error@+1 {{has 1 indices of a of rank 2, expected the first element's}}
  kernel.mma %c[], %a[%i], %b[] {type = bf16} : memref<4xf32, #tile.level<rf>>, memref<2x8xbf16, #tile.level<rf>>, memref<4xbf16, #tile.level<rf>>
  return
}

// -----

func.func @few(%c: memref<4xf32, #tile.level<rf>>, %a: memref<4xbf16, #tile.level<rf>>, %b: memref<4xbf16, #tile.level<rf>>, %i: index) {
  // expected-error@+1 {{has 8 bytes of a, expected 16 or more}}
  kernel.mma %c[], %a[%i], %b[] {type = bf16} : memref<4xf32, #tile.level<rf>>, memref<4xbf16, #tile.level<rf>>, memref<4xbf16, #tile.level<rf>>
  return
}
