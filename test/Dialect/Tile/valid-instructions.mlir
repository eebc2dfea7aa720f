// Computations that are instructions of warpgroups, and stores by way of shared memory.
// RUN: tilec-opt %s -split-input-file | tilec-opt -split-input-file | FileCheck %s

!sA = memref<64x16xbf16, #tile.level<smem>>
!sB = memref<16x24xbf16, #tile.level<smem>>
!c = memref<64x24xf32, #tile.level<rf>>
// CHECK-LABEL: tile.kernel @kernel_c7
// CHECK: tile.for {{.*}} on warpgroup
tile.kernel @kernel_c7(%A: memref<64x16xbf16>[64, 16], %B: memref<16x24xbf16>[16, 24], %C: memref<64x24xf32>[64, 24]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %a = tile.stage %A[0, 0] : memref<64x16xbf16> to !sA
    %b = tile.stage %B[0, 0] : memref<16x24xbf16> to !sB
    %c = tile.hold init(0.0 : f32) spread("((4,8,4),(2,2,3)):((128,1,16),(64,8,512))") : !c
    tile.for (%w) in (1) by (1) at smem on warpgroup {
      linalg.matmul {tile.instruction = "wgmma.m64n24k16"} ins(%a, %b : !sA, !sB) outs(%c : !c)
    }
    tile.store %c to %C[0, 0] : !c to memref<64x24xf32>
  }
}

// -----

// Two warpgroups, each with a loop on threads of its own.
// CHECK-LABEL: tile.kernel @for_f4_warpgroups
tile.kernel @for_f4_warpgroups(%X: memref<256xf32>[256]) {
  tile.for (%i) in (1) by (1) at dram on block {
    tile.for (%w) in (256) by (128) at dram on warpgroup {
      tile.for (%t) in (128) by (1) at dram on thread {
        %c = tile.hold init(0.0 : f32) : memref<1xf32, #tile.level<rf>>
        tile.store %c to %X[%w + %t] : memref<1xf32, #tile.level<rf>> to memref<256xf32>
      }
    }
  }
}

// -----

// CHECK-LABEL: tile.kernel @store_w6
// CHECK: tile.store {{.*}} through(32) smem_at(128)
// CHECK: tile.store {{.*}} through(0) :
tile.kernel @store_w6(%Y: memref<64x64xf32>[64, 64]) {
  %c = tile.hold init(0.0 : f32) : memref<64x64xf32, #tile.level<rf>>
  tile.store %c to %Y[0, 0] through(32) smem_at(128) : memref<64x64xf32, #tile.level<rf>> to memref<64x64xf32>
  tile.store %c to %Y[0, 0] through(0) : memref<64x64xf32, #tile.level<rf>> to memref<64x64xf32>
}
