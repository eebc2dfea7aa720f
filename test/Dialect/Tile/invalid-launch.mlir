// RUN: tilec-opt %s -split-input-file -verify-diagnostics

tile.kernel @launch_l1_before(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{is written before a loop of its kernel}}
  tile.launch grid [64] by [32] threads(1)
  // expected-note@+1 {{the loop}}
  tile.for (%i) in (64) by (32) at dram on block {
  }
}

// -----

tile.kernel @launch_l1_twice(%X: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (32) at dram on block {
  }
  // expected-error@+1 {{is one of 2 in a kernel of 1 outermost loops; each has at most one}}
  tile.launch grid [64] by [32] threads(1)
  tile.launch grid [64] by [32] threads(1)
}

// -----

tile.kernel @launch_l2(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{has 1 extents and 2 steps}}
  tile.launch grid [64] by [32, 1] threads(1)
}

// -----

tile.kernel @launch_l3_step(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{has a step of 0; steps are at least 1}}
  tile.launch grid [64] by [0] threads(1)
}

// -----

tile.kernel @launch_l3_threads(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{threads is at least 1, got 0}}
  tile.launch grid [] by [] threads(0)
}

// -----

tile.kernel @launch_l3_cluster(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{cluster is at least 1, got -1}}
  tile.launch grid [] by [] threads(1) cluster(-1)
}

// -----

tile.kernel @launch_l3_blocks(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{min_blocks is at least 1, got 0}}
  tile.launch grid [] by [] threads(1) min_blocks(0)
}

// -----

tile.kernel @launch_l3_bytes(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{dynamic_smem is at least 0, got -8}}
  tile.launch grid [] by [] threads(1) dynamic_smem(-8)
}

// -----

tile.kernel @launch_l3_both(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{has static and dynamic shared memory; the arrays of a kernel lie in one of them}}
  tile.launch grid [] by [] threads(1) static_smem(8) dynamic_smem(8)
}

// -----

!c = memref<32xf32, #tile.level<rf>>
!p = memref<4xf32, #tile.level<rf>>
tile.kernel @hold_h6(%Y: memref<32xf32>[32]) {
  // expected-error@+1 {{spread is (8,4):(1,8), but the loops spread the tile as (8,4):(4,1)}}
  %c = tile.hold init(0.0 : f32) spread("(8,4):(1,8)") : !c
  tile.for (%m) in (32) by (4) at rf on thread {
    %p = tile.part %c[%m] : !c to !p
    linalg.add ins(%p, %p : !p, !p) outs(%p : !p)
  }
}

// -----

!c = memref<32xf32, #tile.level<rf>>
tile.kernel @hold_h6_text(%Y: memref<32xf32>[32]) {
  // expected-error@+1 {{spread '(8,' is no layout}}
  %c = tile.hold init(0.0 : f32) spread("(8,") : !c
}

// -----

!s = memref<32xf32, #tile.level<smem>>
tile.kernel @hold_h6_level(%Y: memref<32xf32>[32]) {
  // expected-error@+1 {{spread says which thread holds what of a tile in rf, but the tile is of type}}
  %s = tile.stage %Y[0] spread("(32,1):(1,0)") : memref<32xf32> to !s
}

// -----

!c = memref<4x4xf32, #tile.level<rf>>
tile.kernel @kernel_c6() {
  %a = tile.hold init(0.0 : f32) : !c
  %c = tile.hold init(0.0 : f32) : !c
  // expected-error@+1 {{has tile.instruction "fmb": unknown instruction}}
  linalg.matmul {tile.instruction = "fmb"} ins(%a, %a : !c, !c) outs(%c : !c)
}

// -----

!c = memref<4x4xf32, #tile.level<rf>>
tile.kernel @kernel_c6_copy() {
  %a = tile.hold init(0.0 : f32) : !c
  %c = tile.hold init(0.0 : f32) : !c
  // expected-error@+1 {{has tile.instruction "ldmatrix.x4", which does not multiply}}
  linalg.matmul {tile.instruction = "ldmatrix.x4"} ins(%a, %a : !c, !c) outs(%c : !c)
}

// -----

!c = memref<4x4xf32, #tile.level<rf>>
tile.kernel @kernel_c6_type() {
  %a = tile.hold init(0.0 : f32) : !c
  %c = tile.hold init(0.0 : f32) : !c
  // expected-error@+1 {{has tile.instruction 3 : i64; expected the name of an instruction}}
  linalg.matmul {tile.instruction = 3} ins(%a, %a : !c, !c) outs(%c : !c)
}

// -----

tile.kernel @box_swizzle(%A: memref<64xf32>[64]) {
  // expected-error@+1 {{box has a swizzle of 16 bytes; expected 32, 64 or 128}}
  tile.launch grid [] by [] threads(1) maps([#tile.box<0, [0], [32], swizzle 16>])
}
