// What computes nothing has a time, too: 10^8 elements of f32 are read and written, 8 10^8 bytes, without the 1.5 10^7 of results that L2 keeps in the end, and with
// 0.46 of its 50 MiB that others left to be written: 4 10^8 bytes read, by 0.94, and 4.09 10^8 written, by 1.06, at 0.89 of DRAM's 3350 GB/s are 271.5 us, 98 % of the time.
// RUN: tilec %s --target=h100 --shape=N=100000000 --emit=report | FileCheck %s
// CHECK: Limited by dram: busy for 98 % of the time.
// CHECK: limiter: dram
// CHECK: all waves DRAM
// CHECK-NEXT: row {{.*}} 748.7 MiB
// CHECK: predicted: 276.6 us
!V = memref<?xf32>
!q = memref<4xf32, #tile.level<rf>>
tile.kernel @copy(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (1024) at dram on block {
    tile.for (%k) in (1024) by (4) at dram on thread {
      %x = tile.stage %X[%i + %k] : !V to !q
      tile.store %x to %Y[%i + %k] : !q to !V
    }
  }
}
