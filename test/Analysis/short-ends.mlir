// A product of a few steps that adds to its result waits for what it adds to for longer than it computes: one block of 8 warps takes about what it costs to start it, 3 to 4 us.
// RUN: tilec %s --target=h100-sxm --emit=report --advice=off | FileCheck %s
// CHECK: predicted: 3.{{[0-9]+}} us
func.func @short(%x: memref<8x12xf32>, %w: memref<12x10xf32, strided<[?, 1]>>, %c: memref<8x10xf32>) {
  linalg.matmul ins(%x, %w : memref<8x12xf32>, memref<12x10xf32, strided<[?, 1]>>) outs(%c : memref<8x10xf32>)
  return
}
