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

// -----

tile.kernel @begin_smem(%A: memref<?xf32>[%N], %N: index) {
  // expected-error@+1 {{begin is for loads to rf ahead of their use, but its body stages tiles in smem}}
  tile.for (%k) in (%N) by (16) at dram pipeline(2) begin(here) {
    %s = tile.stage %A[%k] : memref<?xf32> to memref<16xf32, #tile.level<smem>>
  }
}

// -----

tile.kernel @begin_nothing(%A: memref<?xf32>[%N], %N: index) {
  // expected-error@+1 {{begin is for loads to rf ahead of their use, but its body stages no tile there}}
  tile.for (%k) in (64) by (16) at dram pipeline(2) begin(here) {
  }
}

// -----

tile.kernel @limit_x50_no_ring(%A: memref<?xf32>[%N], %N: index) {
  // expected-error@+1 {{begins ahead, but no pipelined loop around it stages in smem without producers}}
  tile.for (%k) in (64) by (16) at dram pipeline(2) begin(ahead) {
    %r = tile.stage %A[%k] : memref<?xf32> to memref<16xf32, #tile.level<rf>>
  }
}

// -----

!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<32x32xbf16, #tile.level<smem>>
!sB = memref<32x64xbf16, #tile.level<smem>>
!rA = memref<32x16xbf16, #tile.level<rf>>
!rB = memref<16x32xbf16, #tile.level<rf>>
!iA = memref<16x16xbf16, #tile.level<rf>>
!iB = memref<16x8xbf16, #tile.level<rf>>
!iC = memref<16x8xf32, #tile.level<rf>>
!c = memref<32x64xf32, #tile.level<rf>>
tile.kernel @limit_x50_producers(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (32) at dram pipeline(2) producers(1) {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      tile.for (%w) in (64) by (32) at smem on warp {
        // expected-error@+1 {{begins ahead, but no pipelined loop around it stages in smem without producers}}
        tile.for (%k1) in (32) by (16) at smem pipeline(2) begin(ahead) {
          %rA = tile.stage %sA[0, %k1] : !sA to !rA
          %rB = tile.stage %sB[%k1, %w] : !sB to !rB
          tile.for (%m1, %n1) in (32, 32) by (16, 8) at rf on unroll {
            %a = tile.part %rA[%m1, 0] : !rA to !iA
            %b = tile.part %rB[0, %n1] : !rB to !iB
            %s = tile.part %c[%m1, %w + %n1] : !c to !iC
            linalg.matmul ins(%a, %b : !iA, !iB) outs(%s : !iC)
          }
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to memref<?x?xf32>
  }
}

// -----

!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<32x32xbf16, #tile.level<smem>>
!sB = memref<32x64xbf16, #tile.level<smem>>
!rA = memref<32x16xbf16, #tile.level<rf>>
!rB = memref<16x32xbf16, #tile.level<rf>>
!iA = memref<16x16xbf16, #tile.level<rf>>
!iB = memref<16x8xbf16, #tile.level<rf>>
!iC = memref<16x8xf32, #tile.level<rf>>
!c = memref<32x64xf32, #tile.level<rf>>
tile.kernel @limit_x50_uneven(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (32) at dram pipeline(2) {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      tile.for (%w) in (64) by (32) at smem on warp {
        // expected-error@+2 {{cannot begin ahead, in the iteration before of the loop that stages what it loads}}
        // expected-note@+1 {{this does not run through all of its 3 tiles each time}}
        tile.for (%k1) in (32) by (16) at smem pipeline(3) begin(ahead) {
          %rA = tile.stage %sA[0, %k1] : !sA to !rA
          %rB = tile.stage %sB[%k1, %w] : !sB to !rB
          tile.for (%m1, %n1) in (32, 32) by (16, 8) at rf on unroll {
            %a = tile.part %rA[%m1, 0] : !rA to !iA
            %b = tile.part %rB[0, %n1] : !rB to !iB
            %s = tile.part %c[%m1, %w + %n1] : !c to !iC
            linalg.matmul ins(%a, %b : !iA, !iB) outs(%s : !iC)
          }
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to memref<?x?xf32>
  }
}

// -----

!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<32x32xbf16, #tile.level<smem>>
!sB = memref<32x64xbf16, #tile.level<smem>>
!rA = memref<32x16xbf16, #tile.level<rf>>
!rB = memref<16x32xbf16, #tile.level<rf>>
!iA = memref<16x16xbf16, #tile.level<rf>>
!iB = memref<16x8xbf16, #tile.level<rf>>
!iC = memref<16x8xf32, #tile.level<rf>>
!c = memref<32x64xf32, #tile.level<rf>>
tile.kernel @limit_x50_beside(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (32) at dram pipeline(2) {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      // expected-note@+1 {{this is done beside the loop in each iteration of the pipelined loop around}}
      tile.for (%t) in (64) by (1) at smem on thread {
      }
      tile.for (%w) in (64) by (32) at smem on warp {
        // expected-error@+1 {{cannot begin ahead, in the iteration before of the loop that stages what it loads}}
        tile.for (%k1) in (32) by (16) at smem pipeline(2) begin(ahead) {
          %rA = tile.stage %sA[0, %k1] : !sA to !rA
          %rB = tile.stage %sB[%k1, %w] : !sB to !rB
          tile.for (%m1, %n1) in (32, 32) by (16, 8) at rf on unroll {
            %a = tile.part %rA[%m1, 0] : !rA to !iA
            %b = tile.part %rB[0, %n1] : !rB to !iB
            %s = tile.part %c[%m1, %w + %n1] : !c to !iC
            linalg.matmul ins(%a, %b : !iA, !iB) outs(%s : !iC)
          }
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to memref<?x?xf32>
  }
}

// -----

!G = memref<?x?xbf16, strided<[?, 1]>>
!s = memref<32x32xbf16, #tile.level<smem>>
!r = memref<32x16xbf16, #tile.level<rf>>
tile.kernel @limit_x50_part(%A: !G[%M, %K], %M: index, %K: index) {
  tile.for (%m0) in (%M) by (32) at dram on block {
    tile.for (%k0) in (%K) by (32) at dram pipeline(2) {
      %s = tile.stage %A[%m0, %k0] : !G to !s
      // expected-note@+1 {{this leaves threads of the block out, which wait for slots with the others}}
      tile.for (%w) in (32) by (32) at smem on warp {
        // expected-error@+1 {{cannot begin ahead, in the iteration before of the loop that stages what it loads}}
        tile.for (%k1) in (32) by (16) at smem pipeline(2) begin(ahead) {
          %r = tile.stage %s[%w, %k1] : !s to !r
        }
      }
    }
    tile.for (%t) in (64) by (1) at smem on thread {
    }
  }
}

// -----

!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<32x32xbf16, #tile.level<smem>>
!sB = memref<32x64xbf16, #tile.level<smem>>
!rA = memref<32x16xbf16, #tile.level<rf>>
!rB = memref<16x32xbf16, #tile.level<rf>>
!iA = memref<16x16xbf16, #tile.level<rf>>
!iB = memref<16x8xbf16, #tile.level<rf>>
!iC = memref<16x8xf32, #tile.level<rf>>
!c = memref<32x64xf32, #tile.level<rf>>
tile.kernel @limit_x50_time(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (32) at dram pipeline(2) {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      // expected-note@+1 {{this stands between the loop and the pipelined one around it, and is no loop on threads without reduce}}
      tile.for (%w) in (64) by (32) at smem {
        // expected-error@+1 {{cannot begin ahead, in the iteration before of the loop that stages what it loads}}
        tile.for (%k1) in (32) by (16) at smem pipeline(2) begin(ahead) {
          %rA = tile.stage %sA[0, %k1] : !sA to !rA
          %rB = tile.stage %sB[%k1, %w] : !sB to !rB
          tile.for (%m1, %n1) in (32, 32) by (16, 8) at rf on unroll {
            %a = tile.part %rA[%m1, 0] : !rA to !iA
            %b = tile.part %rB[0, %n1] : !rB to !iB
            %s = tile.part %c[%m1, %w + %n1] : !c to !iC
            linalg.matmul ins(%a, %b : !iA, !iB) outs(%s : !iC)
          }
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to memref<?x?xf32>
  }
}

// -----

!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<32x32xbf16, #tile.level<smem>>
!sB = memref<32x64xbf16, #tile.level<smem>>
!rA = memref<32x16xbf16, #tile.level<rf>>
!rB = memref<16x32xbf16, #tile.level<rf>>
!iA = memref<16x16xbf16, #tile.level<rf>>
!iB = memref<16x8xbf16, #tile.level<rf>>
!iC = memref<16x8xf32, #tile.level<rf>>
!c = memref<32x64xf32, #tile.level<rf>>
tile.kernel @limit_x50_end(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (32) at dram pipeline(2) {
      // expected-note@+1 {{this has elements past the last iteration of the pipelined loop, which are not copied}}
      %sA = tile.stage %A[%m0, %k0 - 8] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      tile.for (%w) in (64) by (32) at smem on warp {
        // expected-error@+1 {{cannot begin ahead, in the iteration before of the loop that stages what it loads}}
        tile.for (%k1) in (32) by (16) at smem pipeline(2) begin(ahead) {
          %rA = tile.stage %sA[0, %k1] : !sA to !rA
          %rB = tile.stage %sB[%k1, %w] : !sB to !rB
          tile.for (%m1, %n1) in (32, 32) by (16, 8) at rf on unroll {
            %a = tile.part %rA[%m1, 0] : !rA to !iA
            %b = tile.part %rB[0, %n1] : !rB to !iB
            %s = tile.part %c[%m1, %w + %n1] : !c to !iC
            linalg.matmul ins(%a, %b : !iA, !iB) outs(%s : !iC)
          }
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to memref<?x?xf32>
  }
}

// -----

!G = memref<?x?xbf16, strided<[?, 1]>>
!s = memref<32x32xbf16, #tile.level<smem>>
!r = memref<32x16xbf16, #tile.level<rf>>
tile.kernel @limit_x50_outside(%A: !G[%M, %K], %M: index, %K: index) {
  tile.for (%m0) in (%M) by (32) at dram on block {
    %s = tile.stage %A[%m0, 0] : !G to !s
    tile.for (%k0) in (%K) by (32) at dram pipeline(2) {
      %t = tile.stage %A[%m0, %k0] : !G to !s
      // expected-error@+1 {{cannot begin ahead, in the iteration before of the loop that stages what it loads}}
      tile.for (%k1) in (32) by (16) at smem pipeline(2) begin(ahead) {
        // expected-note@+1 {{this loads what the pipelined loop around does not stage in smem}}
        %r = tile.stage %s[0, %k1] : !s to !r
      }
    }
  }
}
