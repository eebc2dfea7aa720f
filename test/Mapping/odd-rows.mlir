// Products in f32 whose rows begin anywhere. B is copied ahead, to rows that boxes of TMA take; A, which lies along the depth, is turned on the way element by element, wherever its
// rows begin, and not copied. Tiles leave by way of shared memory in slices of 32 columns of each of 4 warps: of 232448 bytes 128 * (4 * 128 + 16) = 67584 are theirs, and 164864
// hold 6 steps of (128 + 256) * 16 * 4 = 24576.
// RUN: tilec %s --target=h100-sxm --emit=nest -o - | FileCheck %s --check-prefix=NEST
// RUN: tilec %s --target=h100-sxm --emit=plan -o - | FileCheck %s --check-prefix=PLAN
// NEST: tile.kernel @odd_rest(%A: memref<4095x1001xf32>[4095, 1001], %B: memref<1001x4097xf32, strided<[?, 1]>>[1001, 4097]
// NEST: in (4095, 4097) by (128, 256) at dram on block persistent
// NEST: in (1001) by (16) at dram tail(cut) pipeline(6) producers(4)
// NEST: tile.stage %A[{{.*}}] forms(1) : memref<4095x1001xf32>
// NEST: tile.stage %B[{{.*}}] copy(tma)
// NEST: tile.program @odd
// NEST-NEXT: %[[ROWS:.*]] = tile.workspace [1001, 4097] rows(16)
// NEST-NEXT: tile.run @odd_rows0(%B, %[[ROWS]])
// NEST-NEXT: tile.run @odd_rest(%A, %[[ROWS]], %C)
// PLAN: tile.store %{{.*}} wide(1) through(128)
func.func @odd(%A: memref<4095x1001xf32>, %B: memref<1001x4097xf32>, %C: memref<4095x4097xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<4095x4097xf32>)
  linalg.matmul ins(%A, %B : memref<4095x1001xf32>, memref<1001x4097xf32>) outs(%C : memref<4095x4097xf32>)
  return
}
