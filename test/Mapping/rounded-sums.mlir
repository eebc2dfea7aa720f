// Products that are added up in 16 bits are computed as they say, and not by tensor cores, which add up in f32: a warning says so, once for each, and what would be.
// RUN: split-file %s %t
// RUN: tilec %t/narrow.mlir --target=h200 --emit=nest -o %t/narrow.nest 2>&1 | FileCheck %s
// RUN: tilec %t/narrow.mlir --target=sm80 --emit=nest -o %t/narrow.nest 2>&1 | FileCheck %s
// RUN: tilec %t/narrow.mlir --target=h200 --family=m=64..256 --emit=nest -o %t/narrow.nest 2>&1 | FileCheck %s
// RUN: tilec %t/wide.mlir --target=h200 --emit=nest -o %t/wide.nest 2>&1 | FileCheck %s --check-prefix=WIDE --allow-empty
// CHECK: narrow.mlir:{{[0-9]+}}:8: warning: adds up in 'bf16' and rounds each sum, which no instruction of tensor cores does; a result of f32 that arith.truncf rounds to 'bf16' at the end is computed by them
// CHECK-NOT: rounds each sum
// WIDE-NOT: rounds each sum
//--- narrow.mlir
tile.kernel @narrow(%a: memref<?x256xbf16>[%m, 256], %b: memref<256x256xbf16>[256, 256], %c: memref<?x256xbf16>[%m, 256], %m: index) {
       linalg.matmul ins(%a, %b : memref<?x256xbf16>, memref<256x256xbf16>) outs(%c : memref<?x256xbf16>)
}
//--- wide.mlir
tile.kernel @wide(%a: memref<256x256xbf16>[256, 256], %b: memref<256x256xbf16>[256, 256], %c: memref<256x256xf32>[256, 256]) {
  linalg.matmul ins(%a, %b : memref<256x256xbf16>, memref<256x256xbf16>) outs(%c : memref<256x256xf32>)
}
tile.kernel @vector(%a: memref<256x256xbf16>[256, 256], %x: memref<256xbf16>[256], %y: memref<256xbf16>[256]) {
  linalg.matvec ins(%a, %x : memref<256x256xbf16>, memref<256xbf16>) outs(%y : memref<256xbf16>)
}
tile.kernel @integers(%a: memref<256x256xi8>[256, 256], %b: memref<256x256xi8>[256, 256], %c: memref<256x256xi32>[256, 256]) {
  linalg.matmul ins(%a, %b : memref<256x256xi8>, memref<256x256xi8>) outs(%c : memref<256x256xi32>)
}
