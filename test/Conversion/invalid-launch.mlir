// RUN: tilec-opt %s -tile-plan-launch -split-input-file -verify-diagnostics

// What a launch states is what the loops take (rule L4).

tile.kernel @launch_l4_grid(%X: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
  }
  // expected-error@+2 {{states another grid than the loops on block walk, in steps of [32]}}
  // expected-note@+1 {{without the launch it is planned again}}
  tile.launch grid [%M] by [64] threads(1)
}

// -----

tile.kernel @launch_l4_extent(%X: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
  }
  // expected-error@+2 {{states another grid than the loops on block walk, in steps of [32]}}
  // expected-note@+1 {{without the launch it is planned again}}
  tile.launch grid [%N] by [32] threads(1)
}

// -----

tile.kernel @launch_l4_threads(%X: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
    }
  }
  // expected-error@+2 {{states threads 64, but the loops take 32}}
  // expected-note@+1 {{without the launch it is planned again}}
  tile.launch grid [64] by [32] threads(64)
}

// -----

tile.kernel @launch_l4_cluster(%X: memref<64xf32>[64]) {
  tile.for (%c) in (64) by (32) at dram on cluster {
    tile.for (%i) in (32) by (16) at dram on block {
    }
  }
  // expected-error@+2 {{states blocks of a cluster 1, but the loops take 2}}
  // expected-note@+1 {{without the launch it is planned again}}
  tile.launch grid [64, 32] by [32, 16] threads(1)
}

// -----

tile.kernel @launch_l4_smem(%X: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (64) at dram on block {
    %s = tile.stage %X[%i] : memref<64xf32> to memref<64xf32, #tile.level<smem>>
  }
  // expected-error@+2 {{states static_smem(512), but the kernel's arrays take 256 bytes of static shared memory; with smem_at of all arrays they lie in dynamic one}}
  // expected-note@+1 {{without the launch it is planned again}}
  tile.launch grid [64] by [64] threads(1) static_smem(512)
}

// -----

tile.kernel @launch_l4_dynamic(%X: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (64) at dram on block {
    %s = tile.stage %X[%i] smem_at(1024) : memref<64xf32> to memref<64xf32, #tile.level<smem>>
  }
  // expected-error@+2 {{states dynamic_smem(1152), but the kernel's arrays take 1280 bytes of dynamic shared memory}}
  // expected-note@+1 {{without the launch it is planned again}}
  tile.launch grid [64] by [64] threads(1) dynamic_smem(1152)
}

// -----

// More than the arrays take is a decision.
tile.kernel @more(%X: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (64) at dram on block {
    %s = tile.stage %X[%i] smem_at(1024) : memref<64xf32> to memref<64xf32, #tile.level<smem>>
  }
  tile.launch grid [64] by [64] threads(1) dynamic_smem(65536)
}

// -----

tile.kernel @launch_l4_maps(%X: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (64) at dram on block {
  }
  // expected-error@+2 {{states other tensor maps than the loops take, which are none: []}}
  // expected-note@+1 {{without the launch it is planned again}}
  tile.launch grid [64] by [64] threads(1) maps([#tile.box<0, [0], [64]>])
}

// -----

tile.kernel @launch_l4_workspaces(%X: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (64) at dram on block {
  }
  // expected-error@+2 {{states other workspaces than the loops take}}
  // expected-note@+1 {{without the launch it is planned again}}
  tile.launch grid [64] by [64] threads(1) workspaces([#tile.workspace<"c_parts", 64 of f32 each part>])
}

// -----

tile.kernel @launch_l4_registers(%X: memref<?x64xf32>[%M, 64], %M: index) {
  tile.for (%i) in (4096) by (32) at dram on block {
    tile.for (%k) in (%M) by (32) at dram pipeline(2) producers(4) registers(24, 240) {
      %s = tile.stage %X[%k, 0] : memref<?x64xf32> to memref<32x64xf32, #tile.level<smem>>
      tile.for (%t) in (128) by (1) at smem on thread {
      }
    }
  }
  // expected-error@+1 {{states no min_blocks, but a loop parts registers among its warps; without it the compiler ignores that}}
  tile.launch grid [4096] by [32] threads(256) static_smem(16640)
}
