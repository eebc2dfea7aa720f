// RUN: tilec-opt %s --split-input-file --verify-diagnostics

#smem = #tile.level<smem>
func.func @no_coordinates(%map: !kernel.tensor_map, %i: index) {
  %b = kernel.shared : memref<1xi64, #smem>
  %s = kernel.shared : memref<512xf32, #smem>
  // expected-error@+1 {{has 0 coordinates, a tensor map has 1 to 5}}
  kernel.tma_load %s[%i], %map[], %b[%i] : memref<512xf32, #smem>[index], memref<1xi64, #smem>[index]
  return
}

// -----

#smem = #tile.level<smem>
func.func @six_coordinates(%map: !kernel.tensor_map, %i: index) {
  %b = kernel.shared : memref<1xi64, #smem>
  %s = kernel.shared : memref<512xf32, #smem>
  // expected-error@+1 {{has 6 coordinates, a tensor map has 1 to 5}}
  kernel.tma_load_multicast %s[%i], %map[%i, %i, %i, %i, %i, %i], %b[%i], %i : memref<512xf32, #smem>[index], memref<1xi64, #smem>[index]
  return
}

// -----

#smem = #tile.level<smem>
func.func @stored_by_six(%map: !kernel.tensor_map, %i: index) {
  %s = kernel.shared : memref<512xf32, #smem>
  // expected-error@+1 {{has 6 coordinates, a tensor map has 1 to 5}}
  kernel.tma_store %map[%i, %i, %i, %i, %i, %i], %s[%i] : memref<512xf32, #smem>[index]
  return
}

// -----

func.func @registers() {
  // expected-error@+1 {{attribute 'registers' failed to satisfy constraint}}
  kernel.setmaxnreg_inc 264
  return
}

// -----

// Each access to memory is to the space that its function reads or writes.
func.func @global_in_shared(%s: memref<8xf32, #tile.level<smem>>, %i: index) {
  // expected-error@+1 {{operand #0 must be memref in global memory, but got 'memref<8xf32, #tile.level<smem>>'}}
  %v = kernel.ldg %s[%i] : memref<8xf32, #tile.level<smem>>, index -> f32
  return
}

// -----

func.func @shared_in_global(%g: memref<?xf32>, %v: f32, %i: index) {
  // expected-error@+1 {{operand #0 must be memref in shared memory, but got 'memref<?xf32>'}}
  kernel.sts %v, %g[%i] : f32, memref<?xf32>, index
  return
}

// -----

func.func @vector_to_global(%g: memref<?xf32>, %i: index) {
  // expected-error@+1 {{operand #0 must be memref in registers, but got 'memref<?xf32>'}}
  kernel.ldg_vector 4, %g[%i], %g[%i] : memref<?xf32>[index], memref<?xf32>[index]
  return
}

// -----

func.func @copy_from_shared(%s: memref<8xf32, #tile.level<smem>>, %i: index, %p: i1) {
  // expected-error@+1 {{operand #2 must be memref in global memory, but got 'memref<8xf32, #tile.level<smem>>'}}
  kernel.cp_async 4, %s[%i], %s[%i] if %p : memref<8xf32, #tile.level<smem>>[index], memref<8xf32, #tile.level<smem>>[index]
  return
}

// -----

func.func @barrier_in_global(%g: memref<?xi64>, %i: index) {
  // expected-error@+1 {{operand #0 must be memref in shared memory, but got 'memref<?xi64>'}}
  kernel.mbarrier_arrive %g[%i] : memref<?xi64>, index
  return
}

// -----

func.func @shared_nowhere() {
  // expected-error@+1 {{result #0 must be memref in shared memory, but got 'memref<8xf32>'}}
  %s = kernel.shared : memref<8xf32>
  return
}

// -----

func.func @registers_in_shared() {
  // expected-error@+1 {{result #0 must be memref in registers, but got 'memref<8xf32, #tile.level<smem>>'}}
  %r = kernel.registers : memref<8xf32, #tile.level<smem>>
  return
}

// -----

func.func @registers_of_another_type() {
  // expected-error@+1 {{begins as a value of type 'i32', elements are of type 'f32'}}
  %r = kernel.registers init(0 : i32) : memref<8xf32, #tile.level<rf>>
  return
}

// -----

func.func @array_of_ones() {
  // expected-error@+1 {{begins as 1.000000e+00 : f32; only zeros can be the elements of an array}}
  %r = kernel.registers init(1.0 : f32) : memref<8xf32, #tile.level<rf>>
  return
}

// -----

func.func @loop_on_threads(%s: memref<8xf32, #tile.level<smem>>, %i: index) {
  // expected-error@+1 {{attribute 'threadLoop' failed to satisfy constraint}}
  %v = kernel.lds %s[%i] thread_loop -2 : memref<8xf32, #tile.level<smem>>, index -> f32
  return
}

// -----

func.func @loop_of_another_type(%a: index) {
  // expected-error@+1 {{has a body with other arguments than one of type 'index'}}
  "kernel.for"(%a, %a, %a) ({
  ^bb0(%i: i64):
    kernel.yield
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @three_roles(%p: i1) {
  // expected-error@+1 {{has threads of 3 groups, and regions of 2}}
  kernel.roles %p threads [32, 32, 32] {
  } else {
  }
  return
}

// -----

func.func @part_of_a_warp(%p: i1) {
  // expected-error@+1 {{has a group of 16 threads; groups are whole warps of 32}}
  kernel.roles %p threads [16, 32] {
  } else {
  }
  return
}

// -----

kernel.func @other_threads(%p: i1) threads(128) {
  // expected-error@+1 {{parts 96 threads, the block has 128}}
  kernel.roles %p threads [32, 64] {
  } else {
  }
  kernel.return
}

// -----

// expected-error@+1 {{attribute 'threads' failed to satisfy constraint}}
kernel.func @no_threads() threads(0) {
  kernel.return
}

// -----

// expected-error@+1 {{requires attribute 'threads'}}
kernel.func @how_many() {
  kernel.return
}

// -----

// expected-error@+1 {{has parameter #0 of type 'memref<8xf32, #tile.level<smem>>'; operands in global memory, scalars and tensor maps can be}}
kernel.func @shared_parameter(%s: memref<8xf32, #tile.level<smem>>) threads(32) {
  kernel.return
}

// -----

// expected-error@+1 {{%B is no parameter of the kernel}}
kernel.func @another(%A: memref<?xf32>) reads(%B) threads(32) {
  kernel.return
}

// -----

// expected-error@+1 {{reads parameter #0, which is no operand in global memory}}
kernel.func @reads_a_number(%n: index) reads(%n) threads(32) {
  kernel.return
}

// -----

// expected-error@+1 {{reads parameter #0, and writes it}}
kernel.func @writes_it(%A: memref<?xf32>, %n: index, %v: f32) reads(%A) threads(32) {
  // expected-note@+1 {{here}}
  kernel.stg %v, %A[%n] : f32, memref<?xf32>, index
  kernel.return
}

// -----

// expected-error@+1 {{has arrays of 132 bytes in static shared memory, and static_shared(128)}}
kernel.func @too_much() threads(32) static_shared(128) {
  %a = kernel.shared : memref<32xf32, #tile.level<smem>>
  %b = kernel.shared : memref<1xf32, #tile.level<smem>>
  kernel.return
}

// -----

kernel.func @beyond() threads(32) dynamic_shared(128) {
  %a = kernel.shared at 0 : memref<32xf32, #tile.level<smem>>
  // expected-error@+1 {{ends at byte 132 of the dynamic shared memory, the kernel has 128}}
  %b = kernel.shared at 128 : memref<1xf32, #tile.level<smem>>
  kernel.return
}

// -----

func.func @added_in_memory(%g: memref<?xi8>, %i: index, %v: i8) {
  // expected-error@+1 {{operand #2 must be f32, f64 or i32, but got 'i8'}}
  kernel.atomic_add %v, %g[%i] : i8, memref<?xi8>, index
  return
}

// -----

func.func @part_of_a_team(%p: i1) {
  // expected-error@+1 {{parts 96 threads into 2 teams; teams are whole warps of 32}}
  kernel.roles %p threads [32, 96] teams(2) {
  } else {
  }
  return
}
