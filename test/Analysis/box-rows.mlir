// Rows of boxes that begin inside of a sector, and of a line, take L2 longer (formula 22). 16 x 32 boxes of 64 rows of 128 bytes of an operand whose rows are 4,112 bytes
// apart: every other one begins in the middle of a sector and touches 5 for 4, 16,384 in all, and 7 of 8 touch two lines, 28,672. 143 * 16,384 + 28 * 28,672 = 3,145,728
// bytes, 635 cycles of 4,950 bytes, beside those of the operand (0.7 of 4 MiB) and of the result (4 MiB), 1,440 in all.
// RUN: sed 's/PITCH/1028/' %s | tilec - --target=h100 --emit=report | FileCheck %s --check-prefix=INSIDE
// RUN: sed 's/PITCH/1024/' %s | tilec - --target=h100 --emit=report | FileCheck %s --check-prefix=WHOLE
// INSIDE: predicted: {{.*}} l2 2.08e+03
// WHOLE: predicted: {{.*}} l2 1.44e+03
!G = memref<1024x1024xf32, strided<[PITCH, 1]>>
!D = memref<1024x1024xf32>
!s = memref<64x32xf32, #tile.level<smem>>
!x = memref<1x4xf32, #tile.level<rf>>
tile.kernel @copy(%X: !G[1024, 1024], %Y: !D[1024, 1024]) {
  tile.for (%j0) in (1024) by (32) at dram on block {
    tile.for (%i0) in (1024) by (64) at dram pipeline(4) producers(1) {
      %s = tile.stage %X[%i0, %j0] copy(tma) : !G to !s
      tile.for (%i1, %j1) in (16, 32) by (1, 4) at smem on thread {
        tile.for (%i2) in (64) by (16) at smem on unroll {
          %x = tile.stage %s[%i1 + %i2, %j1] : !s to !x
          tile.store %x to %Y[%i0 + %i1 + %i2, %j0 + %j1] : !x to !D
        }
      }
    }
  }
}
