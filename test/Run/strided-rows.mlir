// Elements of an operand that its type puts 2 apart are not copied 16 bytes at a time, though they lie side by side in the tile.
// REQUIRES: host-compiler
// RUN: tilec %s --target=sm80 --emit=cuda -o - 2>/dev/null | FileCheck %s --check-prefix=TEXT
// RUN: tilec %s --target=sm80 --shape=m=70,k=37 --run=cpu --verify > %t.out 2>/dev/null
// RUN: FileCheck %s < %t.out
!G = memref<?x?xf32, strided<[1024, 2]>>
!S = memref<32x16xf32, #tile.level<smem>>
!C = memref<?x?xf32>
!r = memref<1x1xf32, #tile.level<rf>>
// TEXT-NOT: cp_async<4>
// TEXT: cp_async<1>(
// TEXT-NOT: cp_async<4>
// CHECK: integers: all 2590 elements of C agree
tile.kernel @apart(%A: !G[%M, %K], %C: !C[%M, %K], %M: index, %K: index) {
  tile.for (%m0) in (%M) by (32) at dram on block {
    tile.for (%k0) in (%K) by (16) at dram pipeline(2) {
      %a = tile.stage %A[%m0, %k0] : !G to !S
      tile.for (%i, %j) in (32, 16) by (1, 1) at smem on thread {
        %x = tile.stage %a[%i, %j] : !S to !r
        tile.store %x to %C[%m0 + %i, %k0 + %j] : !r to !C
      }
    }
  }
}
