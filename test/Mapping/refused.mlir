// What has no mapping is said at the op in question. Each section is a file of its own.
// RUN: split-file %s %t
// RUN: not tilec %t/extents.mlir --target=h100 --emit=nest 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: not tilec %t/control.mlir --target=h100 --emit=nest 2>&1 | FileCheck %s --check-prefix=CONTROL
// RUN: not tilec %t/tuned.mlir --target=h100 --emit=nest --tune 2>&1 | FileCheck %s --check-prefix=TUNED
// RUN: not tilec %t/shifted.mlir --target=h100 --emit=nest 2>&1 | FileCheck %s --check-prefix=SHIFTED
// RUN: not tilec %t/nothing.mlir --target=h100 --emit=nest 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: tilec %t/stated.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=STATED
// RUN: not tilec %t/unused.mlir --target=h100 --emit=nest 2>&1 | FileCheck %s --check-prefix=UNUSED
// RUN: not tilec %t/constant.mlir --target=h100 --emit=nest 2>&1 | FileCheck %s --check-prefix=CONSTANT

// CONSTANT: error: {{.*}}stands in a kernel with an operand of type 'memref<64xf32, #tile.level<constant>>'; a mapping is known for operands in dram
//--- constant.mlir
tile.kernel @constant(%A: memref<64xf32, #tile.level<constant>>[64], %B: memref<64xf32>[64]) {
  linalg.abs ins(%A : memref<64xf32, #tile.level<constant>>) outs(%B : memref<64xf32>)
}

// EXTENTS: error: {{.*}}operand #1 has another extent along dimension 0 than an operand before it, and both are extents of d2
//--- extents.mlir
!G = memref<?x?xf32>
tile.kernel @extents(%A: !G[%M, %K], %B: !G[%L, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index, %L: index) {
  linalg.matmul ins(%A, %B : !G, !G) outs(%C : !G)
}

// CONTROL: error: {{.*}}stands in a function that is to become a kernel
//--- control.mlir
func.func @control(%A: memref<64xf32>, %B: memref<64xf32>) {
  linalg.abs ins(%A : memref<64xf32>) outs(%B : memref<64xf32>)
  %a = memref.assume_alignment %A, 16 : memref<64xf32>
  return
}

// TUNED: error: --tune: there are 0 kernels whose mapping is open
//--- tuned.mlir
tile.kernel @tuned(%C: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (64) at dram on block {
    tile.for (%j) in (64) by (1) at dram on thread {
      %c = tile.hold init(1.0 : f32) : memref<1xf32, #tile.level<rf>>
      tile.store %c to %C[%i + %j] : memref<1xf32, #tile.level<rf>> to memref<64xf32>
    }
  }
}

// UNUSED: error: {{.*}}leaves its result in an array of the kernel, which nobody reads
//--- unused.mlir
!G = memref<64x64xf32>
tile.kernel @unused(%A: !G[64, 64], %B: !G[64, 64]) {
  %T = memref.alloc() : !G
  linalg.abs ins(%A : !G) outs(%T : !G)
}

// SHIFTED: error: {{.*}}writes its result by map affine_map<(d0) -> (d0 + 1)>
//--- shifted.mlir
tile.kernel @shifted(%A: memref<63xf32>[63], %C: memref<64xf32>[64]) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i + 1)>], iterator_types = ["parallel"]}
      ins(%A : memref<63xf32>) outs(%C : memref<64xf32>) {
  ^bb0(%a: f32, %c: f32):
    linalg.yield %a : f32
  }
}

// NOTHING: error: {{.*}}computes nothing: the extent of d0 is 0
//--- nothing.mlir
tile.kernel @nothing(%A: memref<0x8xf32>[0, 8], %C: memref<0x8xf32>[0, 8]) {
  linalg.abs ins(%A : memref<0x8xf32>) outs(%C : memref<0x8xf32>)
}

// Who stages has said how, and nothing is mapped.
// STATED: tile.stage %A[0]
// STATED-NEXT: linalg.abs
//--- stated.mlir
!t = memref<8xf32, #tile.level<smem>>
tile.kernel @stated(%A: memref<8xf32>[8], %C: memref<8xf32>[8]) {
  %s = tile.stage %A[0] : memref<8xf32> to !t
  linalg.abs ins(%s : !t) outs(%s : !t)
}
