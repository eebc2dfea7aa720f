// RUN: tilec-opt %s --verify-roundtrip | FileCheck %s

// Launches, spreads and instructions as a plan states them, each at the edge of its rules.

// CHECK-LABEL: @launch_l1
tile.kernel @launch_l1(%X: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (32) at dram on block {
  }
  // CHECK: tile.launch grid [64] by [32] threads(1)
  tile.launch grid [64] by [32] threads(1)
}

// Without loops a kernel is one block.
// CHECK-LABEL: @launch_l2
tile.kernel @launch_l2(%X: memref<64xf32>[64]) {
  // CHECK: tile.launch grid [] by [] threads(1)
  tile.launch grid [] by [] threads(1)
}

// CHECK-LABEL: @launch_l3
tile.kernel @launch_l3(%X: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
  }
  // CHECK: tile.launch grid [%arg1] by [1] threads(1) cluster(1) min_blocks(1) dynamic_smem(0)
  tile.launch grid [%M] by [1] threads(1) cluster(1) min_blocks(1) dynamic_smem(0)
}

// CHECK-LABEL: @launch_l4
// CHECK: workspaces([#tile.workspace<"c_parts", 64 of f32 each part>, #tile.workspace<"parts_done", 1 of i32 each tile>]) maps([#tile.box<0, [0], [64]>])
tile.kernel @launch_l4(%X: memref<64xf32>[64]) {
  tile.launch grid [] by [] threads(1) workspaces([#tile.workspace<"c_parts", 64 of f32 each part>, #tile.workspace<"parts_done", 1 of i32 each tile>]) maps([#tile.box<0, [0], [64]>])
}

!c = memref<32xf32, #tile.level<rf>>
!p = memref<4xf32, #tile.level<rf>>
// CHECK-LABEL: @hold_h6
tile.kernel @hold_h6(%X: memref<32xf32>[32]) {
  // CHECK: spread("(8,4):(4,1)")
  %c = tile.hold init(0.0 : f32) spread("(8,4):(4,1)") : !c
  // CHECK: spread("(8,4):(4,1)")
  %x = tile.stage %X[0] spread("(8,4):(4,1)") : memref<32xf32> to !c
  tile.for (%m) in (32) by (4) at rf on thread {
    %p = tile.part %c[%m] : !c to !p
    %q = tile.part %x[%m] : !c to !p
    linalg.add ins(%p, %q : !p, !p) outs(%p : !p)
  }
}

!m = memref<4x4xf32, #tile.level<rf>>
// CHECK-LABEL: @kernel_c6
tile.kernel @kernel_c6() {
  %a = tile.hold init(0.0 : f32) : !m
  %c = tile.hold init(0.0 : f32) : !m
  // CHECK: tile.instruction = "fma"
  linalg.matmul {tile.instruction = "fma"} ins(%a, %a : !m, !m) outs(%c : !m)
}
