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

// The first one of 16 bits may be held by the threads: as they hold what they add up.
!rA = memref<64x32xbf16, #tile.level<rf>>
!iA = memref<64x16xbf16, #tile.level<rf>>
!sB = memref<32x24xbf16, #tile.level<smem>>
!iB = memref<16x24xbf16, #tile.level<smem>>
!c = memref<64x24xf32, #tile.level<rf>>
// CHECK-LABEL: tile.kernel @kernel_c7_registers
tile.kernel @kernel_c7_registers(%A: memref<64x32xbf16>[64, 32], %B: memref<32x24xbf16>[32, 24], %C: memref<64x24xf32>[64, 24]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %r = tile.stage %A[0, 0] spread("((4,8,4),(2,2,4)):((128,1,16),(64,8,512))") : memref<64x32xbf16> to !rA
    %s = tile.stage %B[0, 0] : memref<32x24xbf16> to !sB
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%w) in (1) by (1) at smem on warpgroup {
      tile.for (%k) in (32) by (16) at smem on unroll {
        %a = tile.part %r[0, %k] : !rA to !iA
        %b = tile.part %s[%k, 0] : !sB to !iB
        linalg.matmul {tile.instruction = "wgmma.m64n24k16"} ins(%a, %b : !iA, !iB) outs(%c : !c)
      }
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

// -----

// CHECK-LABEL: tile.kernel @store_w7
// CHECK: tile.store {{.*}} through(32) copy(tma) slots(2) smem_at(128)
// CHECK: tile.store {{.*}} through(64) copy(tma) :
tile.kernel @store_w7(%Y: memref<64x64xf32>[64, 64], %Z: memref<64x64xbf16>[64, 64]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %c = tile.hold init(0.0 : f32) : memref<64x64xf32, #tile.level<rf>>
    %d = tile.hold init(0.0 : bf16) : memref<64x64xbf16, #tile.level<rf>>
    tile.store %c to %Y[0, 0] through(32) copy(tma) slots(2) smem_at(128) : memref<64x64xf32, #tile.level<rf>> to memref<64x64xf32>
    tile.store %d to %Z[0, 0] through(64) copy(tma) : memref<64x64xbf16, #tile.level<rf>> to memref<64x64xbf16>
  }
}

// -----

!a = memref<16x16xbf16, #tile.level<rf>>
!b = memref<16x8xbf16, #tile.level<rf>>
!c = memref<16x8xf32, #tile.level<rf>>
// What a lane holds follows from the instruction; two warps have 16 rows each of the result.
// CHECK-LABEL: tile.kernel @kernel_c8
tile.kernel @kernel_c8(%A: memref<32x16xbf16>[32, 16], %B: memref<16x8xbf16>[16, 8], %C: memref<32x8xf32>[32, 8]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %c = tile.hold init(0.0 : f32) spread("((4,8,2),(2,2)):((64,1,16),(32,8))") : memref<32x8xf32, #tile.level<rf>>
    tile.for (%w) in (32) by (16) at smem on warp {
      %a = tile.stage %A[%w, 0] spread("((4,8),(2,2,2)):((32,1),(16,8,128))") : memref<32x16xbf16> to !a
      %b = tile.stage %B[0, 0] spread("((4,8),(2,2)):((2,16),(1,8))") : memref<16x8xbf16> to !b
      %s = tile.part %c[%w, 0] : memref<32x8xf32, #tile.level<rf>> to !c
      linalg.matmul {tile.instruction = "mma.m16n8k16.16"} ins(%a, %b : !a, !b) outs(%s : !c)
    }
    tile.store %c to %C[0, 0] : memref<32x8xf32, #tile.level<rf>> to memref<32x8xf32>
  }
}

// -----

!a = memref<16x16xbf16, #tile.level<rf>>
!b = memref<16x8xbf16, #tile.level<rf>>
!c = memref<16x8xf32, #tile.level<rf>>
// Each lane computes all of it, since the nest says so.
// CHECK-LABEL: tile.kernel @kernel_c8_by_element
tile.kernel @kernel_c8_by_element(%A: memref<16x16xbf16>[16, 16], %B: memref<16x8xbf16>[16, 8]) {
  tile.for (%i) in (1) by (1) at dram on block {
    tile.for (%w) in (1) by (1) at smem on warp {
      %c = tile.hold init(0.0 : f32) spread("(1,(8,16)):(0,(16,1))") : !c
      %a = tile.stage %A[0, 0] : memref<16x16xbf16> to !a
      %b = tile.stage %B[0, 0] : memref<16x8xbf16> to !b
      linalg.matmul {tile.instruction = "fma"} ins(%a, %b : !a, !b) outs(%c : !c)
    }
  }
}

// -----

!s = memref<16x16xbf16, #tile.level<smem>>
!a = memref<16x16xbf16, #tile.level<rf>>
// CHECK-LABEL: tile.kernel @stage_s12
// CHECK: copy(ldmatrix) wide(8)
tile.kernel @stage_s12(%A: memref<16x16xbf16>[16, 16]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %s = tile.stage %A[0, 0] : memref<16x16xbf16> to !s
    tile.for (%w) in (1) by (1) at smem on warp {
      %a = tile.stage %s[0, 0] copy(ldmatrix) wide(8) : !s to !a
    }
  }
}
