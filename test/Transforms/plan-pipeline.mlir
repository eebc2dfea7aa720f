// RUN: tilec-opt %s -split-input-file -tile-plan-copy -tile-plan-pipeline | FileCheck %s
// RUN: tilec-opt %s -split-input-file -tile-plan-copy -tile-plan-pipeline=remarks=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// All forms go along dimension 1: the loop stands twice.
!s = memref<32x16xf32, #tile.level<smem>>
// CHECK-LABEL: @widths
tile.kernel @widths(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // CHECK: pipeline(2) choose(loop) issue(after_loads) {
    // WHY: remark: stands twice, for launches that take the first form of each copy and for others: a branch in an iteration would keep loads and arithmetic apart
    // WHY: remark: asks for copies after its first loads to registers, which arithmetic waits for
    tile.for (%k) in (%N) by (16) at dram pipeline(2) {
      %s = tile.stage %A[%i, %k] : memref<?x?xf32> to !s
      tile.for (%t) in (64) by (1) at smem on thread {
      }
    }
  }
}

// -----

// Forms along two dimensions: none is the usual one.
!G = memref<?x?xf32, strided<[?, ?]>>
!s = memref<32x16xf32, #tile.level<smem>>
// CHECK-LABEL: @dimensions
tile.kernel @dimensions(%A: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // CHECK: pipeline(2) choose(copy) issue(after_loads) {
    tile.for (%k) in (%N) by (16) at dram pipeline(2) {
      %s = tile.stage %A[%i, %k] : !G to !s
    }
  }
}

// -----

// A tile of its own in the body would be there twice.
!s = memref<32x16xf32, #tile.level<smem>>
// CHECK-LABEL: @own
tile.kernel @own(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // CHECK: pipeline(2) choose(copy) issue(after_loads) {
    tile.for (%k) in (%N) by (16) at dram pipeline(2) {
      %s = tile.stage %A[%i, %k] : memref<?x?xf32> to !s
      tile.for (%j) in (2) by (1) at smem {
        %o = tile.stage %A[%i, %k + %j] : memref<?x?xf32> to !s
      }
    }
  }
}

// -----

!s = memref<32x16xf32, #tile.level<smem>>
// CHECK-LABEL: @producers
tile.kernel @producers(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // CHECK: pipeline(2) producers(1) release(next) {
    // WHY: remark: gives a slot back in the next iteration, when its loads have returned
    tile.for (%k) in (%N) by (16) at dram pipeline(2) producers(1) {
      %s = tile.stage %A[%i, %k] : memref<?x?xf32> to !s
    }
    // CHECK: pipeline(3) choose(copy) issue(first) {
    tile.for (%k) in (%N) by (16) at dram pipeline(3) choose(copy) issue(first) {
      %s = tile.stage %A[%i, %k] : memref<?x?xf32> to !s
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
// Instructions of warps: their operands are loaded across the iterations of the ring.
// CHECK-LABEL: @instructions
tile.kernel @instructions(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (32) at dram pipeline(2) {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      tile.for (%w) in (64) by (32) at smem on warp {
        // CHECK: pipeline(2) begin(ahead) {
        // WHY: remark: loads what its first products multiply beside the last ones of the run before, which hide the wait for the next slot
        tile.for (%k1) in (32) by (16) at smem pipeline(2) {
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
// What it says is kept.
// CHECK-LABEL: @stated
tile.kernel @stated(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (32) at dram pipeline(2) {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      tile.for (%w) in (64) by (32) at smem on warp {
        // CHECK: pipeline(2) begin(here) {
        tile.for (%k1) in (32) by (16) at smem pipeline(2) begin(here) {
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
// Three tiles and two iterations: in the next run each would be another tile's.
// CHECK-LABEL: @uneven
tile.kernel @uneven(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (32) at dram pipeline(2) {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      tile.for (%w) in (64) by (32) at smem on warp {
        // CHECK: pipeline(3) begin(here) {
        tile.for (%k1) in (32) by (16) at smem pipeline(3) {
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
// Producers say themselves when slots are full.
// CHECK-LABEL: @ring_of_producers
tile.kernel @ring_of_producers(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (32) at dram pipeline(2) producers(1) {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      tile.for (%w) in (64) by (32) at smem on warp {
        // CHECK: at smem pipeline(2) {
        tile.for (%k1) in (32) by (16) at smem pipeline(2) {
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

// Threads that multiply by element have other loads in flight: as the nest stands.
!s = memref<32x16xf32, #tile.level<smem>>
!r = memref<32x1xf32, #tile.level<rf>>
!p = memref<1x1xf32, #tile.level<rf>>
!y = memref<32xf32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<rf>>
// CHECK-LABEL: @elements
tile.kernel @elements(%A: memref<?x?xf32>[%M, %N], %Y: memref<?xf32>[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    %y = tile.hold init(0.0 : f32) : !y
    tile.for (%k) in (%N) by (16) at dram pipeline(2) {
      %s = tile.stage %A[%i, %k] : memref<?x?xf32> to !s
      // CHECK: at smem pipeline(2) begin(here) {
      tile.for (%k1) in (16) by (1) at smem pipeline(2) {
        %r = tile.stage %s[0, %k1] : !s to !r
        tile.for (%t) in (32) by (1) at rf on thread {
          %p = tile.part %r[%t, 0] : !r to !p
          %e = tile.part %y[%t] : !y to !e
          linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%p : !p) outs(%e : !e) {
          ^bb0(%x: f32, %o: f32):
            %z = arith.addf %o, %x : f32
            linalg.yield %z : f32
          }
        }
      }
    }
    tile.store %y to %Y[%i] : !y to memref<?xf32>
  }
}
