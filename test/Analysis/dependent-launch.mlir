// What a launch costs: 2.3 us at 1.98 GHz are 4,554 cycles, and 1.1 us, 2,178, where the kernel is launched while the one ahead ends.
// RUN: tilec %s --target=h100 --advice=off --emit=report | FileCheck %s --check-prefix=DEPENDENT
// RUN: sed "s/ dependent$//" %s | tilec - --target=h100 --advice=off --emit=report | FileCheck %s
// DEPENDENT: predicted: 2.222 us, {{.*}} busy for launch 2.18e+03
// CHECK: predicted: 3.422 us, {{.*}} busy for launch 4.55e+03
!t = memref<1xf32, #tile.level<rf>>
tile.kernel @copy(%X: memref<256xf32>[256], %Y: memref<256xf32>[256]) {
  tile.for (%i) in (256) by (256) at dram on block {
    tile.for (%k) in (256) by (1) at dram on thread {
      %x = tile.stage %X[%i + %k] : memref<256xf32> to !t
      tile.store %x to %Y[%i + %k] : !t to memref<256xf32>
    }
  }
  tile.launch grid [256] by [256] threads(256) dependent
}
