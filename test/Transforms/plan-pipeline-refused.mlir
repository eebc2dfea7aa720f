// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-plan-copy -tile-plan-pipeline

!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @twice(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // expected-error@+1 {{choose(loop) writes the body twice, which it must not be}}
    tile.for (%k) in (%N) by (16) at dram pipeline(2) choose(loop) {
      %s = tile.stage %A[%i, %k] : memref<?x?xf32> to !s
      tile.for (%j) in (2) by (1) at smem {
        // expected-note@+1 {{this has shared memory of its own}}
        %o = tile.stage %A[%i, %k + %j] : memref<?x?xf32> to !s
      }
    }
  }
}

// -----

tile.kernel @nothing(%A: memref<?xf32>[%N], %N: index) {
  // expected-error@+1 {{issue is for copies to smem, but its body stages no tile there}}
  tile.for (%k) in (%N) by (16) at dram pipeline(2) issue(first) {
    %r = tile.stage %A[%k] : memref<?xf32> to memref<16xf32, #tile.level<rf>>
  }
}
