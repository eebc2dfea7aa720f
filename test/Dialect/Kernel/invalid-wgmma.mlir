// RUN: tilec-opt %s --split-input-file --verify-diagnostics

#smem = #tile.level<smem>
func.func @swizzle(%a: memref<64xbf16, #smem>, %i: index) {
  // expected-error@+1 {{has a swizzle of 16 bytes, possible are 0, 32, 64 and 128}}
  %d = kernel.matrix_descriptor %a[%i] {leading_bytes = 16, stride_bytes = 1024, swizzle = 16} : memref<64xbf16, #smem>, index
  return
}

// -----

#smem = #tile.level<smem>
func.func @leading(%a: memref<64xbf16, #smem>, %i: index) {
  // expected-error@+1 {{has leading_bytes of 8, possible are multiples of 16 up to 262128}}
  %d = kernel.matrix_descriptor %a[%i] {leading_bytes = 8, stride_bytes = 1024, swizzle = 0} : memref<64xbf16, #smem>, index
  return
}

// -----

#smem = #tile.level<smem>
func.func @stride(%a: memref<64xbf16, #smem>, %i: index) {
  // expected-error@+1 {{has stride_bytes of 262144, possible are multiples of 16 up to 262128}}
  %d = kernel.matrix_descriptor %a[%i] {leading_bytes = 16, stride_bytes = 262144, swizzle = 0} : memref<64xbf16, #smem>, index
  return
}

// -----

#rf = #tile.level<rf>
func.func @columns(%c: memref<6xf32, #rf>, %d: i64) {
  // expected-error@+1 {{multiplies 'bf16' and 'bf16' with 12 columns; possible are bf16, f16, tf32}}
  kernel.wgmma %c[], %d, %d {n = 12, a = bf16, b = bf16} : memref<6xf32, #rf>
  return
}

// -----

#rf = #tile.level<rf>
func.func @columns_of_integers(%c: memref<20xi32, #rf>, %d: i64) {
  // expected-error@+1 {{multiplies 'i8' and 'i8' with 40 columns}}
  kernel.wgmma %c[], %d, %d {n = 40, a = i8, b = i8} : memref<20xi32, #rf>
  return
}

// -----

#rf = #tile.level<rf>
func.func @mixed(%c: memref<4xf32, #rf>, %d: i64) {
  // expected-error@+1 {{multiplies 'bf16' and 'f16' with 8 columns}}
  kernel.wgmma %c[], %d, %d {n = 8, a = bf16, b = f16} : memref<4xf32, #rf>
  return
}

// -----

#rf = #tile.level<rf>
func.func @transposed(%c: memref<4xf32, #rf>, %d: i64) {
  // expected-error@+1 {{transposes 'tf32', possible are bf16 and f16}}
  kernel.wgmma %c[], %d, %d {n = 8, a = tf32, b = tf32, transpose_b} : memref<4xf32, #rf>
  return
}

// -----

#rf = #tile.level<rf>
func.func @accumulators(%c: memref<4xf32, #rf>, %d: i64) {
  // expected-error@+1 {{has accumulators of type 'f32', expected 'i32'}}
  kernel.wgmma %c[], %d, %d {n = 8, a = i8, b = i8} : memref<4xf32, #rf>
  return
}

// -----

#rf = #tile.level<rf>
func.func @how_many(%c: memref<2x4xf32, #rf>, %d: i64) {
  // expected-error@+1 {{has 8 accumulators, a thread has 4 of 8 columns}}
  kernel.wgmma %c[], %d, %d {n = 8, a = f16, b = f16} : memref<2x4xf32, #rf>
  return
}

// -----

#rf = #tile.level<rf>
func.func @no_array(%c: memref<4xf32, #rf>, %d: i64, %i: index) {
  // expected-error@+1 {{has 1 indices of registers of rank 1, which leave no array}}
  kernel.wgmma %c[%i], %d, %d {n = 8, a = f16, b = f16} : memref<4xf32, #rf>
  return
}

// -----

#rf = #tile.level<rf>
func.func @waits_for_an_element(%c: memref<4xf32, #rf>, %i: index) {
  // expected-error@+1 {{has 1 indices of registers of rank 1, which leave no array}}
  kernel.wgmma_wait %c[%i] {pending = 0} : memref<4xf32, #rf>
  return
}

// -----

#rf = #tile.level<rf>
func.func @held_of_another_type(%c: memref<4xf32, #rf>, %f: memref<8xf32, #rf>, %d: i64, %i: index) {
  // expected-error@+1 {{multiplies 'f32' with 8 columns; possible are bf16 and f16 with multiples of 8 up to 256}}
  kernel.wgmma_registers %c[], %f[%i], %d {n = 8, type = f32} : memref<4xf32, #rf>, memref<8xf32, #rf>
  return
}

// -----

#rf = #tile.level<rf>
func.func @held_otherwise(%c: memref<4xf32, #rf>, %f: memref<8xbf16, #rf>, %d: i64, %i: index) {
  // expected-error@+1 {{holds factors of type 'bf16', expected 'f16'}}
  kernel.wgmma_registers %c[], %f[%i], %d {n = 8, type = f16} : memref<4xf32, #rf>, memref<8xbf16, #rf>
  return
}

// -----

#rf = #tile.level<rf>
func.func @held_as_a_whole(%c: memref<4xf32, #rf>, %f: memref<8xf16, #rf>, %d: i64) {
  // expected-error@+1 {{has 0 indices of factors of rank 1, expected the first one's}}
  kernel.wgmma_registers %c[], %f[], %d {n = 8, type = f16} : memref<4xf32, #rf>, memref<8xf16, #rf>
  return
}

// -----

#rf = #tile.level<rf>
func.func @held_and_added_to_fewer(%c: memref<2xf32, #rf>, %f: memref<8xf16, #rf>, %d: i64, %i: index) {
  // expected-error@+1 {{has 2 accumulators, a thread has 4 of 8 columns}}
  kernel.wgmma_registers %c[], %f[%i], %d {n = 8, type = f16} : memref<2xf32, #rf>, memref<8xf16, #rf>
  return
}
