// edges(block): the block asks once, ahead of its loops on unroll and thread, whether all that is loaded and stored in them is present, and aligned; then no branch is between two
// loads of 16 bytes, so that both are under way at one time. Where some is absent each thread asks for itself. Rows of a block are %b to %b + 63; of 21 columns those from 1 to 15,
// from 4 less the most of %i to 4 more than the most of %j and 3 beside it, are always there.
// RUN: split-file %s %t
// RUN: tilec %t/loads.mlir --target=sm80 --emit=cuda -o - 2>/dev/null | FileCheck %s
// RUN: tilec %t/loads.mlir --target=sm80 --run=cpu --verify --shape=N=1 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/loads.mlir --target=sm80 --run=cpu --verify --shape=N=64 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/loads.mlir --target=sm80 --run=cpu --verify --shape=N=300 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/exchange.mlir --target=sm80 --run=cpu --verify --shape=N=1 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/exchange.mlir --target=sm80 --run=cpu --verify --shape=N=64 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/exchange.mlir --target=sm80 --run=cpu --verify --shape=N=70 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/sums.mlir --target=sm80 --run=cpu --verify --shape=N=1 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/sums.mlir --target=sm80 --run=cpu --verify --shape=N=3 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/sums.mlir --target=sm80 --run=cpu --verify --shape=N=70 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/steps.mlir --target=sm80 --run=cpu --verify --shape=N=5 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/steps.mlir --target=sm80 --run=cpu --verify --shape=N=64 | FileCheck %s --check-prefix=RAN
// RAN: random: all {{[0-9]+}} elements of Y agree

// CHECK-LABEL: by_block(
// CHECK: const int b = block * 64;
// CHECK: const bool [[X:.*]] = is_aligned<16>(&X[0]);
// CHECK: const bool [[Y:.*]] = is_aligned<16>(&Y[0]);
// CHECK: if (b + 63 < N && [[X]] && [[Y]]) {
// CHECK: for (int q = 0; q < 2; ++q) {
// CHECK-NOT: if
// CHECK: ldg_vector<4>(
// CHECK-NOT: if
// CHECK: stg_vector<4>(
// CHECK: } else {
// CHECK: for (int q = 0; q < 2; ++q) {
// CHECK: if (gb < N) {
// CHECK: if ([[X]]) {
// CHECK-NEXT: ldg_vector<4>(
// CHECK: ldg(
//--- loads.mlir
!G = memref<?x21xf32>
!r = memref<1x4xf32, #tile.level<rf>>

tile.kernel @by_block(%X: !G[%N, 21], %Y: !G[%N, 21], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%q) in (64) by (32) at dram on unroll {
      tile.for (%h, %i, %j) in (32, 4, 12) by (4, 1, 4) at dram on thread {
        %r = tile.stage %X[%b + %q + %h + %i, -%i + %j + 4] edges(block) : !G to !r
        tile.store %r to %Y[%b + %q + %h + %i, -%i + %j + 4] edges(block) : !r to !G
      }
    }
  }
}

// All threads take the same way, so that they wait for each other in it.
//--- exchange.mlir
!G = memref<?x32xf32>
!s = memref<16x32xf32, #tile.level<smem>>
!r = memref<1x4xf32, #tile.level<rf>>
tile.kernel @ex(%X: !G[%N, 32], %Y: !G[%N, 32], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    %s = tile.hold init(0.0 : f32) : !s
    tile.for (%q) in (32) by (16) at dram on unroll {
      tile.for (%i, %j) in (16, 32) by (1, 4) at dram on thread {
        %r = tile.stage %X[%b + %q + %i, %j] pad(zero) edges(block) : !G to !r
        tile.store %r to %s[%i, %j] : !r to !s
      }
      tile.for (%i, %j) in (16, 32) by (1, 4) at smem on thread {
        %t = tile.stage %s[-%i + 15, %j] : !s to !r
        tile.store %t to %Y[%b + %q + %i, %j] edges(block) : !r to !G
      }
    }
  }
}

// A loop on threads that reduces is among those for which the block asks.
//--- sums.mlir
!G = memref<?x32xf32>
!r = memref<1x4xf32, #tile.level<rf>>
!a = memref<1xf32, #tile.level<rf>>
tile.kernel @ex(%X: !G[%N, 32], %Y: memref<?xf32>[%N], %N: index) {
  tile.for (%b) in (%N) by (8) at dram on block {
    tile.for (%q) in (8) by (4) at dram on unroll {
      tile.for (%i) in (4) by (1) at dram on warp {
        %a = tile.hold init(0.0 : f32) : !a
        tile.for (%j) in (32) by (4) at dram on thread reduce(add) {
          %r = tile.stage %X[%b + %q + %i, %j] edges(block) : !G to !r
          linalg.reduce {arith.addf} ins(%r : !r) outs(%a : !a) dimensions = [1]
        }
        tile.store %a to %Y[%b + %q + %i] : !a to memref<?xf32>
      }
    }
  }
}

// With a loop on time between, rows of 8 lanes end at different places: lanes of a warp would exchange elements in two branches. Each thread asks for itself.
//--- steps.mlir
!G = memref<?x64xf32>
!r = memref<1x4xf32, #tile.level<rf>>
!a = memref<1xf32, #tile.level<rf>>
tile.kernel @ex(%X: !G[%N, 64], %Y: memref<?xf32>[%N], %N: index) {
  tile.for (%b) in (%N) by (16) at dram on block {
    tile.for (%i) in (16) by (2) at dram on thread {
      tile.for (%k) in (2) by (1) at dram {
        %a = tile.hold init(0.0 : f32) : !a
        tile.for (%j) in (32) by (4) at dram on thread reduce(add) {
          tile.for (%u) in (64) by (32) at dram on unroll {
            %r = tile.stage %X[%b + %i + %k, %j + %u] edges(block) : !G to !r
            linalg.reduce {arith.addf} ins(%r : !r) outs(%a : !a) dimensions = [1]
          }
        }
        tile.store %a to %Y[%b + %i + %k] : !a to memref<?xf32>
      }
    }
  }
}
