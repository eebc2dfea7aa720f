// What rounds of all threads leave over of a tile is walked by the same digits of the thread's number: 44 rows of 32 elements by 256 threads are 5 rounds of 8 rows, and 4 rows of the
// first 128 threads, 40 further on. No element's number is divided anew.
// RUN: tilec %s --target=sm80 --emit=cuda -o - 2>/dev/null | FileCheck %s
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=n=75 | FileCheck %s --check-prefix=RAN
// RAN: random: all 2400 elements of Y agree
!G = memref<?x32xf32>
!s = memref<44x32xf32, #tile.layout<"(44,32):(36,1)">, #tile.level<smem>>
!r = memref<5x1xf32, #tile.level<rf>>

// CHECK-LABEL: left_over(
// CHECK-DAG: const int {{[a-z_0-9]+}} = thread / 32;
// CHECK-DAG: const int {{[a-z_0-9]+}} = thread % 32;
// CHECK: for (int e = 0; e < 5; ++e) {
// CHECK-NOT: {{%|/ }}
// CHECK: if (thread < 128) {
// CHECK-NEXT: const int gb = {{[a-z_0-9]+}} + 40;
// CHECK-NOT: {{%|/ }}
// CHECK: sync_block();
tile.kernel @left_over(%X: !G[%N, 32], %Y: !G[%N, 32], %N: index) {
  tile.for (%b) in (%N) by (40) at dram on block {
    %s = tile.stage %X[%b, 0] : !G to !s
    tile.for (%i, %j) in (40, 32) by (5, 1) at smem on thread {
      %t = tile.stage %s[%i, %j] : !s to !r
      tile.store %t to %Y[%b + %i, %j] : !r to !G
    }
  }
}
