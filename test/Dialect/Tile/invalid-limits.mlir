// RUN: tilec-opt %s -split-input-file -verify-diagnostics
// Numbers that no machine has: each is refused where it stands, before anything is sized by it.

tile.kernel @for_f2_step(%A: memref<?xf32>[%M], %M: index) {
  // expected-error@+1 {{loop 0 has step 65537; expected from 1 to 65536 for a dynamic extent}}
  tile.for (%i) in (%M) by (65537) at dram on block {
  }
}

// -----

tile.kernel @for_f2_extent() {
  // expected-error@+1 {{loop 0 has extent 2147483648; expected from 0 to 2147418111}}
  tile.for (%i) in (2147483648) by (1) at dram on thread {
  }
}

// -----

tile.kernel @for_f2_negative() {
  // expected-error@+1 {{loop 0 has extent -1; expected from 0 to 2147418111}}
  tile.for (%i) in (-1) by (1) at dram {
  }
}

// -----

tile.kernel @for_f6_negative() {
  // expected-error@+1 {{pipeline(-1) has no depth from 2 to 1024}}
  tile.for (%i) in (4) by (1) at dram pipeline(-1) {
  }
}

// -----

tile.kernel @for_f6_most() {
  // expected-error@+1 {{pipeline(9223372036854775807) has no depth from 2 to 1024}}
  tile.for (%i) in (4) by (1) at dram pipeline(9223372036854775807) {
  }
}

// -----

tile.kernel @for_f8_thread() {
  // expected-error@+1 {{loop 0 on thread has extent 0, but a block has at least one thread}}
  tile.for (%t) in (0) by (1) at dram on thread {
  }
}

// -----

tile.kernel @for_f8_warp() {
  // expected-error@+1 {{loop 1 on warp has extent 0, but a block has at least one thread}}
  tile.for (%w, %v) in (4, 0) by (1, 1) at dram on warp {
  }
}

// -----

tile.kernel @for_f8_cluster(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (64) at dram on cluster {
    // expected-error@+1 {{loop 0 on block has extent 0, but a cluster has at least one block}}
    tile.for (%j) in (0) by (64) at dram on block {
    }
  }
}

// -----

tile.kernel @for_f12_negative() {
  // expected-error@+1 {{has -1 warps of producers; expected from 1 to 1024}}
  tile.for (%i) in (4) by (1) at dram pipeline(2) producers(-1) {
  }
}

// -----

tile.kernel @for_f12_most() {
  // expected-error@+1 {{has 2147483648 warps of producers; expected from 1 to 1024}}
  tile.for (%i) in (4) by (1) at dram pipeline(2) producers(2147483648) {
  }
}

// -----

tile.kernel @stage_s4_elements(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  // expected-error@+1 {{has a tile of 'memref<65536x65536xf32, #tile.level<smem>>', which is more than 2147483647 elements}}
  %a = tile.stage %A[0, 0] : memref<?x?xf32> to memref<65536x65536xf32, #tile.level<smem>>
}

// -----

!t = memref<4x4xf32, #tile.layout<"(4,4):(1,1073741824)">, #tile.level<smem>>
tile.kernel @stage_s4_gaps(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  // expected-error@+1 {{which spans more than 2147483647 elements}}
  %a = tile.stage %A[0, 0] : memref<?x?xf32> to !t
}

// -----

tile.kernel @part_p3_elements(%A: memref<?xf32>[%M], %M: index) {
  // expected-error@+1 {{has a tile of 'memref<9223372036854775807xf32>', which is more than 2147483647 elements}}
  %a = tile.part %A[0] : memref<?xf32> to memref<9223372036854775807xf32>
}

// -----

tile.kernel @hold_h1_elements() {
  // expected-error@+1 {{which is more than 2147483647 elements}}
  %c = tile.hold init(0.0 : f32) : memref<65536x32768xf32, #tile.level<rf>>
}

// -----

// expected-error@+1 {{operand #0, dimension 0: extent 2147483648 is more than 2147418111}}
tile.kernel @kernel_k2_extent(%A: memref<2147483648xf32>[2147483648]) {
}

// -----

// expected-error@+1 {{operand #0, dimension 0: stride 9223372036854775807 is not from 0 to 2^48}}
tile.kernel @kernel_k3_stride(%A: memref<4x4xf32, strided<[9223372036854775807, 1]>>[4, 4]) {
}

// -----

// Sixteen rows of 64 constants, the addition and the yield.
!t = memref<4xf32, #tile.level<rf>>
tile.kernel @kernel_k7() {
  %c = tile.hold init(0.0 : f32) : !t
  // expected-error@+1 {{has 1026 ops in its region, which may have 1024}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%c : !t) {
  ^bb0(%x: f32):
    arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1
    arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1
    arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1
    arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1
    arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1
    arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1
    arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1
    arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1
    arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1
    arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1
    arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1
    arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1
    arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1
    arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1
    arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1
    arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1 arith.constant 0 : i1
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  }
}
