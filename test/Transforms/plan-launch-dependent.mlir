// Kernels that a program runs after others are launched while the one ahead ends, where the machine has that; what the plan says is kept.
// RUN: tilec-opt %s -tile-set-target=target=h100-sxm -tile-plan-launch | FileCheck %s
// RUN: tilec-opt %s -tile-set-target=target=sm80 -tile-plan-launch | FileCheck %s --check-prefix=OLDER --implicit-check-not="threads(1) dependent"

// Whoever is launched so waits first; an older instruction set has no such launches.
// RUN: tilec %S/../Run/launches.mlir --target=h100 --emit=cuda | FileCheck %s --check-prefix=TEXT
// RUN: tilec %S/../Run/launches.mlir --target=h100 --arch=sm_80 --emit=cuda | FileCheck %s --check-prefix=BEFORE --implicit-check-not=wait_grid
// RUN: tilec %S/../Run/launches.mlir --target=h100 --arch=sm_80 --emit=plan | FileCheck %s --check-prefix=BEFORE-PLAN
// RUN: tilec %S/../Run/launches.mlir --target=h100 --emit=plan | not tilec - --target=h100 --arch=sm_80 --emit=cuda 2>&1 | FileCheck %s --check-prefix=STATED
// BEFORE-PLAN: tile.launch {{.*}} static_smem(4096){{$}}
// STATED: 'parts' uses functions of sm_90 and later, but is compiled for sm_80
// TEXT: may begin while the kernel
// TEXT-NEXT: ahead ends (programmatic stream serialization)
// TEXT: parts(const float
// TEXT-NEXT: {{^ *}}wait_grid();
// BEFORE: parts(const float

// CHECK: tile.kernel @run
// CHECK: tile.launch grid [64] by [32] threads(1) dependent{{$}}
// OLDER: tile.launch grid [64] by [32] threads(1){{$}}
tile.kernel @run(%X: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (32) at dram on block {
  }
}

// The first of a program, or of one of its branches, has none ahead.
// CHECK: tile.kernel @first
// CHECK: tile.launch grid [64] by [32] threads(1){{$}}
tile.kernel @first(%X: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (32) at dram on block {
  }
}

// CHECK: tile.kernel @branch
// CHECK: tile.launch grid [64] by [32] threads(1){{$}}
tile.kernel @branch(%X: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (32) at dram on block {
  }
}

// CHECK: tile.kernel @in_branch
// CHECK: tile.launch grid [64] by [32] threads(1) dependent{{$}}
tile.kernel @in_branch(%X: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (32) at dram on block {
  }
}

// CHECK: tile.kernel @alone
// CHECK: tile.launch grid [64] by [32] threads(1){{$}}
tile.kernel @alone(%X: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (32) at dram on block {
  }
}

// CHECK: tile.kernel @stated
// CHECK: tile.launch grid [64] by [32] threads(1) min_blocks(2) dependent{{$}}
// OLDER: tile.launch grid [64] by [32] threads(1) min_blocks(2) dependent{{$}}
tile.kernel @stated(%X: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (32) at dram on block {
  }
  tile.launch grid [64] by [32] threads(1) min_blocks(2) dependent
}

// CHECK: tile.kernel @waits
// CHECK: tile.launch grid [64] by [32] threads(1) min_blocks(2){{$}}
tile.kernel @waits(%X: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (32) at dram on block {
  }
  tile.launch grid [64] by [32] threads(1) min_blocks(2)
}

tile.program @all(%X: memref<64xf32>[64]) {
  tile.run @first(%X) : memref<64xf32>
  tile.run @run(%X) : memref<64xf32>
  tile.run @waits(%X) : memref<64xf32>
}

tile.program @some(%X: memref<64xf32>[64], %Y: memref<?xf32>[%N], %N: index) {
  %c = arith.constant 4 : index
  %few = arith.cmpi slt, %N, %c : index
  scf.if %few {
    tile.run @branch(%X) : memref<64xf32>
  } else {
    tile.run @first(%X) : memref<64xf32>
    tile.run @in_branch(%X) : memref<64xf32>
  }
}
