// Rows of copies ahead begin at whole lines of 128 bytes, or of fewer where that would add more than an eighth: 73 elements of 2 bytes
// take up 160 bytes for 146, where 64 would make it 192. And operands whose rows begin at multiples of 16 bytes, but inside of a sector, are copied ahead where boxes of them
// would take L2 longer than that: 8200 * 2 = 512 * 32 + 16 bytes. Half as many columns are predicted to be faster by boxes of what is there.
// RUN: sed 's/DEPTH/8200/g;s/COLUMNS/8200/g' %s | tilec - --target=h200 --emit=nest -o %t && FileCheck %s --input-file=%t
// RUN: sed 's/DEPTH/8200/g;s/COLUMNS/8200/g' %s | tilec - --target=h200 --explain --emit=nest -o %t 2>&1 | FileCheck %s --check-prefix=COPIED
// RUN: sed 's/DEPTH/4104/g;s/COLUMNS/4104/g' %s | tilec - --target=h200 --explain --emit=nest -o %t 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: sed 's/DEPTH/8208/g;s/COLUMNS/8208/g' %s | tilec - --target=h200 --emit=nest | FileCheck %s --check-prefix=APART
// RUN: sed 's/DEPTH/4104/g;s/COLUMNS/4104/g' %s | tilec - --target=h200 --emit=nest | FileCheck %s --check-prefix=APART
// RUN: sed 's/DEPTH/8200/g;s/COLUMNS/8200/g' %s | tilec - --target=l40s --emit=nest | FileCheck %s --check-prefix=APART
// RUN: sed 's/DEPTH/73/g;s/COLUMNS/8193/g' %s | tilec - --target=h200 --emit=nest -o %t && FileCheck %s --check-prefix=SHORT --input-file=%t
// CHECK: tile.workspace [4096, 8200] rows(128)
// CHECK: tile.workspace [8200, 8200] rows(128)
// COPIED: not taken: operands as they are
// KEPT: not taken: operands copied ahead
// APART-NOT: tile.workspace
// APART: at dram on block
// APART-NOT: tile.program
// SHORT: tile.workspace [4096, 73] rows(32)
// SHORT: tile.workspace [73, 8193] rows(128)
func.func @product(%a: memref<4096xDEPTHxbf16>, %b: memref<DEPTHxCOLUMNSxbf16>, %c: memref<4096xCOLUMNSxf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<4096xCOLUMNSxf32>)
  linalg.matmul ins(%a, %b : memref<4096xDEPTHxbf16>, memref<DEPTHxCOLUMNSxbf16>) outs(%c : memref<4096xCOLUMNSxf32>)
  return
}
