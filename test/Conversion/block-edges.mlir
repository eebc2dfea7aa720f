// edges(block): the block asks once, ahead of its loops on unroll and thread, whether all that is loaded and stored in them is present, and aligned; then no branch is between two
// loads of 16 bytes, so that both are under way at one time. Where some is absent each thread asks for itself. Rows of a block are %b to %b + 63; of 21 columns those from 1 to 15,
// from 4 less the most of %i to 4 more than the most of %j and 3 beside it, are always there.
// RUN: tilec %s --target=sm80 --emit=cuda -o - 2>/dev/null | FileCheck %s
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=N=300 | FileCheck %s --check-prefix=RAN
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=N=64 | FileCheck %s --check-prefix=RAN
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=N=1 | FileCheck %s --check-prefix=RAN
// RAN: random: all {{[0-9]+}} elements of Y agree
!G = memref<?x21xf32>
!r = memref<1x4xf32, #tile.level<rf>>

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
