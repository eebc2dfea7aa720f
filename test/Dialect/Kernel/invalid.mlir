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

func.func @registers() {
  // expected-error@+1 {{attribute 'registers' failed to satisfy constraint}}
  kernel.setmaxnreg_inc 264
  return
}
