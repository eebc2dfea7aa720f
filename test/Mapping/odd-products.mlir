// Products in f32 whose rows begin anywhere. B is copied ahead, to rows that boxes of TMA take; A, which lies along the depth, is turned on the way element by element, wherever its
// rows begin, and not copied. 16 * 33 tiles of 256x128 are four waves of 132 blocks, 32 * 17 of 128x256 are more; a step copies 256 * 16 elements of A by 4 bytes, for which one
// warpgroup would take 32 * 149 cycles, longer than the 256 * 128 * 16 products at 128 a cycle, so that two copy. Tiles leave by way of shared memory in slices of 32 columns of each
// of 2 warps: of 232448 bytes 256 * (2 * 128 + 16) = 69632 are theirs, and 162816 hold 6 steps of (256 + 128) * 16 * 4 = 24576.
// RUN: tilec %s --target=h100-sxm --emit=nest -o - | FileCheck %s --check-prefix=NEST
// RUN: tilec %s --target=h100-sxm --emit=plan -o - | FileCheck %s --check-prefix=PLAN
// NEST: tile.kernel @odd_rest(%A: memref<4095x1001xf32>[4095, 1001], %B: memref<1001x4097xf32, strided<[?, 1]>>[1001, 4097]
// NEST: in (4095, 4097) by (256, 128) at dram on block persistent
// NEST: in (1001) by (16) at dram tail(cut) pipeline(6) producers(8)
// NEST: tile.stage %A[{{.*}}] forms(1) : memref<4095x1001xf32>
// NEST: tile.stage %B[{{.*}}] copy(tma)
// NEST: tile.program @odd
// NEST-NEXT: %[[ROWS:.*]] = tile.workspace [1001, 4097] rows(128)
// NEST-NEXT: tile.run @odd_rows0(%B, %[[ROWS]])
// NEST-NEXT: tile.run @odd_rest(%A, %[[ROWS]], %C)
// PLAN: tile.store %{{.*}} wide(1) through(64)
func.func @odd(%A: memref<4095x1001xf32>, %B: memref<1001x4097xf32>, %C: memref<4095x4097xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<4095x4097xf32>)
  linalg.matmul ins(%A, %B : memref<4095x1001xf32>, memref<1001x4097xf32>) outs(%C : memref<4095x4097xf32>)
  return
}
