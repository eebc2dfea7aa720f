// Producers whose loop, or one around it, goes as far as the block's number says: each role computes that itself.
// REQUIRES: host-compiler
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=M=37,N=29 | FileCheck %s
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=M=40,N=64 --schedule=reversed | FileCheck %s
// RUN: sed 's/ copy(tma)//;s/on block {/on block persistent {/' %s > %t.mlir && tilec %t.mlir --target=sm90 --run=cpu --verify --shape=M=37,N=29 --schedule=ahead | FileCheck %s
// CHECK: around on the emulator
// CHECK: integers: all {{[0-9]+}} elements of Y agree, largest error 0
// CHECK: own on the emulator
// CHECK: integers: all {{[0-9]+}} elements of Y agree, largest error 0
!G = memref<?x?xf32>
!s = memref<8x8xf32, #tile.level<smem>>
!y = memref<8x8xf32, #tile.level<rf>>
!p = memref<1x2xf32, #tile.level<rf>>
tile.kernel @around(%A: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  %height = arith.constant 8 : index
  tile.for (%i) in (%M) by (8) at dram on block {
    %end = arith.addi %i, %height : index
    %y = tile.hold init(0.0 : f32) : !y
    tile.for (%j) in (%end) by (8) at dram {
      tile.for (%k) in (%N) by (8) at dram pipeline(2) producers(1) {
        %s = tile.stage %A[%j, %k] copy(tma) : !G to !s
        tile.for (%t, %u) in (8, 8) by (1, 2) at smem on thread {
          %p = tile.part %y[%t, %u] : !y to !p
          %x = tile.stage %s[%t, %u] : !s to !p
          linalg.add ins(%x, %p : !p, !p) outs(%p : !p)
        }
      }
    }
    tile.store %y to %Y[%i, 0] : !y to !G
  }
}

tile.kernel @own(%A: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  %height = arith.constant 8 : index
  tile.for (%i) in (%M) by (8) at dram on block {
    %end = arith.addi %i, %height : index
    %y = tile.hold init(0.0 : f32) : !y
    tile.for (%k) in (%end) by (8) at dram pipeline(3) producers(1) {
      %s = tile.stage %A[%k, 0] copy(tma) : !G to !s
      tile.for (%t, %u) in (8, 8) by (1, 2) at smem on thread {
        %p = tile.part %y[%t, %u] : !y to !p
        %x = tile.stage %s[%t, %u] : !s to !p
        linalg.add ins(%x, %p : !p, !p) outs(%p : !p)
      }
    }
    tile.store %y to %Y[%i, 0] : !y to !G
  }
}
