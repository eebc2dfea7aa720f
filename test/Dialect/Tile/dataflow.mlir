// RUN: tilec-opt %s --split-input-file --verify-diagnostics
// RUN: tilec-opt %S/../../../examples/weight_stationary.mlir
// RUN: tilec-opt %S/../../../examples/split_k.mlir
// A dataflow that is declared is what the loops do (K5).

// Every block of a row of blocks brings the same rows of A again.
!G = memref<?x?xf32, strided<[?, ?]>>
!sA = memref<32x16xf32, #tile.level<smem>>
!sB = memref<16x32xf32, #tile.level<smem>>
!c = memref<32x32xf32, #tile.level<rf>>
!a = memref<1x16xf32, strided<[16, 1], offset: ?>, #tile.level<smem>>
!b = memref<16x1xf32, strided<[32, 1], offset: ?>, #tile.level<smem>>
!r = memref<1x1xf32, #tile.level<rf>>
// expected-error@+1 {{declares dataflow input_stationary, but input #0 is brought again in each iteration of induction variable 1, which does not move it}}
tile.kernel @output_is_stationary(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(input_stationary) {
  // expected-note@+1 {{the loop}}
  tile.for (%m0, %n0) in (%M, %N) by (32, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (16) at dram {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      tile.for (%m, %n) in (32, 32) by (1, 1) at smem on thread {
        %a = tile.part %sA[%m, 0] : !sA to !a
        %b = tile.part %sB[0, %n] : !sB to !b
        %r = tile.part %c[%m, %n] : !c to !r
        // expected-note@+1 {{the computation}}
        linalg.matmul ins(%a, %b : !a, !b) outs(%r : !r)
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}

// -----

// B is staged inside of the loop over rows, which does not move it.
!G = memref<?x?xf32, strided<[?, ?]>>
!sA = memref<32x16xf32, #tile.level<smem>>
!sB = memref<16x32xf32, #tile.level<smem>>
!c = memref<32x32xf32, #tile.level<rf>>
!a = memref<1x16xf32, strided<[16, 1], offset: ?>, #tile.level<smem>>
!b = memref<16x1xf32, strided<[32, 1], offset: ?>, #tile.level<smem>>
!r = memref<1x1xf32, #tile.level<rf>>
// expected-error@+1 {{declares dataflow weight_stationary, but input #1 is brought again in each iteration of induction variable 0, which does not move it}}
tile.kernel @weights_come_again(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(weight_stationary) {
  tile.for (%k0, %n0) in (%K, %N) by (16, 32) at dram on block {
    // expected-note@+1 {{the loop}}
    tile.for (%m0) in (%M) by (32) at dram {
      %c = tile.hold init(0.0 : f32) : !c
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      tile.for (%m, %n) in (32, 32) by (1, 1) at smem on thread {
        %a = tile.part %sA[%m, 0] : !sA to !a
        %b = tile.part %sB[0, %n] : !sB to !b
        %r = tile.part %c[%m, %n] : !c to !r
        // expected-note@+1 {{the computation}}
        linalg.matmul ins(%a, %b : !a, !b) outs(%r : !r)
      }
      tile.store %c to %C[%m0, %n0] combine(add) unordered : !c to !G
    }
  }
}

// -----

// The weight is what the rows of the result do not move, wherever it stands.
!G = memref<?x?xf32, strided<[?, ?]>>
!sA = memref<32x16xf32, #tile.level<smem>>
!sB = memref<16x32xf32, #tile.level<smem>>
!c = memref<32x32xf32, #tile.level<rf>>
!a = memref<1x16xf32, strided<[16, 1], offset: ?>, #tile.level<smem>>
!b = memref<16x1xf32, strided<[32, 1], offset: ?>, #tile.level<smem>>
!r = memref<1x1xf32, #tile.level<rf>>
// expected-error@+1 {{declares dataflow weight_stationary, but input #0 is brought again in each iteration of induction variable 0, which does not move it}}
tile.kernel @weights_come_first(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(weight_stationary) {
  tile.for (%k0, %n0) in (%K, %N) by (16, 32) at dram on block {
    // expected-note@+1 {{the loop}}
    tile.for (%m0) in (%M) by (32) at dram {
      %c = tile.hold init(0.0 : f32) : !c
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      tile.for (%m, %n) in (32, 32) by (1, 1) at smem on thread {
        %a = tile.part %sA[%m, 0] : !sA to !a
        %b = tile.part %sB[0, %n] : !sB to !b
        %r = tile.part %c[%m, %n] : !c to !r
        // expected-note@+1 {{the computation}}
        linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>],
                        iterator_types = ["parallel", "parallel", "reduction"]} ins(%b, %a : !b, !a) outs(%r : !r) {
        ^bb0(%y: f32, %x: f32, %sum: f32):
          %p = arith.mulf %x, %y : f32
          %z = arith.addf %sum, %p : f32
          linalg.yield %z : f32
        }
      }
      tile.store %c to %C[%m0, %n0] combine(add) unordered : !c to !G
    }
  }
}

// -----

// Partial results would leave the block.
!G = memref<?x?xf32, strided<[?, ?]>>
!t = memref<16x16xf32, #tile.level<rf>>
// expected-error@+1 {{declares dataflow split_reduction, but no loop on block or cluster reduces}}
tile.kernel @nothing_is_split(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(split_reduction) {
  tile.for (%m0, %n0) in (%M, %N) by (16, 16) at dram on block {
    %c = tile.hold init(0.0 : f32) : !t
    tile.for (%k0) in (%K) by (16) at dram {
      %a = tile.stage %A[%m0, %k0] : !G to !t
      %b = tile.stage %B[%k0, %n0] : !G to !t
      linalg.matmul ins(%a, %b : !t, !t) outs(%c : !t)
    }
    tile.store %c to %C[%m0, %n0] : !t to !G
  }
}

// -----

// What each step adds up goes to a tile that stays.
!G = memref<?x?xf32, strided<[?, ?]>>
!t = memref<16x16xf32, #tile.level<rf>>
tile.kernel @parts_are_added_to_what_stays(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(output_stationary) {
  tile.for (%m0, %n0) in (%M, %N) by (16, 16) at dram on block {
    %c = tile.hold init(0.0 : f32) : !t
    tile.for (%k0) in (%K) by (16) at dram {
      %p = tile.hold init(0.0 : f32) : !t
      %a = tile.stage %A[%m0, %k0] : !G to !t
      %b = tile.stage %B[%k0, %n0] : !G to !t
      linalg.matmul ins(%a, %b : !t, !t) outs(%p : !t)
      linalg.add ins(%p, %c : !t, !t) outs(%c : !t)
    }
    tile.store %c to %C[%m0, %n0] : !t to !G
  }
}

// -----

// Here it leaves the block in each step.
!G = memref<?x?xf32, strided<[?, ?]>>
!t = memref<16x16xf32, #tile.level<rf>>
// expected-error@+1 {{declares dataflow output_stationary, but induction variable 0 of a reduction lies outside of the held result}}
tile.kernel @parts_leave(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(output_stationary) {
  tile.for (%m0, %n0) in (%M, %N) by (16, 16) at dram on block {
    // expected-note@+1 {{the loop}}
    tile.for (%k0) in (%K) by (16) at dram {
      %p = tile.hold init(0.0 : f32) : !t
      %a = tile.stage %A[%m0, %k0] : !G to !t
      %b = tile.stage %B[%k0, %n0] : !G to !t
      // expected-note@+1 {{the computation}}
      linalg.matmul ins(%a, %b : !t, !t) outs(%p : !t)
      tile.store %p to %C[%m0, %n0] combine(add) unordered : !t to !G
    }
  }
}
