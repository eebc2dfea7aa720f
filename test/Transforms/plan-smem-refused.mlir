// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-plan-smem

!G = memref<?x?xf32>
!s = memref<32x32xf32, #tile.level<smem>>
tile.kernel @one_of_two(%A: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // expected-note@+1 {{this one says where it lies}}
    %a = tile.stage %A[%i, 0] smem_at(0) : !G to !s
    // expected-error@+1 {{has an array of 4096 bytes in shared memory without a place, where others of its kernel have one; say smem_at of all or of none}}
    %b = tile.stage %A[%i, 32] : !G to !s
  }
}

// -----

!G = memref<?x?xf32>
!s = memref<32x32xf32, #tile.level<smem>>
tile.kernel @overlap(%A: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // expected-error@+1 {{has an array at byte 4096 of shared memory, where another one ends at byte 4224}}
    %a = tile.stage %A[%i, 0] smem_at(4096) : !G to !s
    // expected-note@+1 {{the other one begins at byte 128}}
    %b = tile.stage %A[%i, 32] smem_at(128) : !G to !s
  }
}

// -----

!G = memref<?x?xf32>
!s = memref<32x32xf32, #tile.level<smem>>
tile.kernel @one_barrier(%A: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // expected-error@+1 {{smem_at lists 1 of the places of the loop's arrays in shared memory; expected 2}}
    tile.for (%k) in (%N) by (32) at dram pipeline(2) producers(1) smem_at(8192) {
      %a = tile.stage %A[%i, %k] smem_at(0) : !G to !s
    }
  }
}

// -----

tile.kernel @nothing_to_place(%A: memref<?xf32>[%M], %M: index) {
  // expected-error@+1 {{smem_at lists 1 of the places of the loop's arrays in shared memory; expected 0}}
  tile.for (%i) in (%M) by (32) at dram on block smem_at(0) {
  }
}

// -----

!w = memref<8x32xf32, #tile.layout<"Sw<3,2,3> o 0 o (8,32):(32,1)">, #tile.level<smem>>
tile.kernel @inside_of_the_pattern(%A: memref<?x?xf32, strided<[?, 1]>>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (8) at dram on block {
    tile.for (%k) in (%N) by (32) at dram pipeline(2) producers(1) smem_at(0, 128) {
      // expected-error@+1 {{has an array at byte 256 of shared memory, whose boxes with a swizzle begin at multiples of 1024}}
      %w = tile.stage %A[%i, %k] copy(tma) smem_at(256) : memref<?x?xf32, strided<[?, 1]>> to !w
    }
  }
}
