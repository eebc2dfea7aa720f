// The nest as it is first written down: each block stages whole rows of A and columns of B. Right in its reuse
// (16 local and 64 global from DRAM, 4 and 4 from shared memory), impossible in capacity: 2 MiB of shared memory.
// RUN: tilec-opt %s | FileCheck %s
// CHECK: tile.kernel @verbatim
!G = memref<4096x4096xf32>
!sA = memref<64x4096xf32, #tile.level<smem>>
!sB = memref<4096x64xf32, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!rA = memref<4x4096xf32, #tile.level<rf>>
!rB = memref<4096x4xf32, #tile.level<rf>>
!r = memref<4x4xf32, #tile.level<rf>>

tile.kernel @verbatim(%A: !G[4096, 4096], %B: !G[4096, 4096], %C: !G[4096, 4096]) dataflow(output_stationary) {
  tile.for (%m0, %n0) in (4096, 4096) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    %sA = tile.stage %A[%m0, 0] : !G to !sA
    %sB = tile.stage %B[0, %n0] : !G to !sB
    tile.for (%m1, %n1) in (64, 64) by (4, 4) at smem on thread {
      %rA = tile.stage %sA[%m1, 0] : !sA to !rA
      %rB = tile.stage %sB[0, %n1] : !sB to !rB
      %r = tile.part %c[%m1, %n1] : !c to !r
      linalg.matmul ins(%rA, %rB : !rA, !rB) outs(%r : !r)
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}
