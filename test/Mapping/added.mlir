// A product that is added to what its result has begins at zero, and adds it at the end, a quad of each lane after the other: accumulators that are loaded get
// registers of worse banks, and a wave may be cut. Each section is a file of its own.
// RUN: split-file %s %t
// RUN: tilec %t/product.mlir --target=h100 --shape=M=2048,N=2048,K=2048 --emit=nest -o %t/product.nest && FileCheck %s --input-file=%t/product.nest
// RUN: tilec %t/product.mlir --target=h100 --shape=M=2048,N=2048,K=2048 --explain --emit=report 2>&1 | FileCheck %s --check-prefix=TOLD
// RUN: tilec %t/product.nest --target=h100 --run=cpu --verify --shape=M=301,N=262,K=39 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/product.nest --target=h100 --emit=cuda -o %t/product.cu && FileCheck %s --check-prefix=TEXT --input-file=%t/product.cu
// RUN: tilec %t/after.mlir --target=h100 --shape=M=512,N=512,K=512 --emit=nest -o %t/after.nest && FileCheck %s --check-prefix=AFTER --input-file=%t/after.nest
// RUN: tilec %t/after.nest --target=h100 --run=cpu --verify --shape=M=70,N=66,K=20 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/along.mlir --target=h100 --shape=M=384,N=960,K=4672 --emit=nest -o %t/along.nest && FileCheck %s --check-prefix=ALONG --input-file=%t/along.nest
// RUN: tilec %t/along.nest --target=h100 --run=cpu --verify --shape=M=130,N=100,K=39 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/integers.mlir --target=h100 --shape=M=130,N=100,K=39 --run=cpu --verify | FileCheck %s --check-prefix=RAN
// RAN: integers: all {{[0-9]+}} elements of C agree, largest error 0

// CHECK: %tC = tile.hold init(-0.000000e+00 : f32)
// CHECK: tile.for (%{{.*}}) in (%K) by ({{[0-9]+}}) at dram tail(cut)
// CHECK: tile.for (%{{.*}}, %{{.*}}) in (128, 256) by (64, 64) at smem on warp {
// CHECK: linalg.matmul
// CHECK: tile.for (%{{.*}}, %{{.*}}) in (128, 256) by (64, 64) at smem on warp {
// CHECK: tile.for (%[[J:.*]], %[[I:.*]]) in (64, 64) by (32, 16) at rf on unroll {
// CHECK-NEXT: %[[HELD:.*]] = tile.part %eC[{{.*}} + %[[I]], {{.*}} + %[[J]]] : {{.*}} to memref<4x4xf32, #tile.level<rf>>
// CHECK-NEXT: %[[MORE:.*]] = tile.stage %C[{{.*}}] edges(element) : memref<?x?xf32> to memref<4x4xf32, #tile.level<rf>>
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[MORE]] : {{.*}}) outs(%[[HELD]] : {{.*}})
// CHECK: tile.store %tC to %C
// TOLD: added to the result at the end
// What lies outside of the result is multiplied, too: nobody stores it.
// TEXT: const int x = j == 0 ? i : 3 - i;
// TEXT-NEXT: tC[{{.*}}] += rA[{{.*}}] * rB[
//--- product.mlir
tile.kernel @product(%A: memref<?x?xf32>[%M, %K], %B: memref<?x?xf32>[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  linalg.matmul ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?x?xf32>)
}

// What follows element by element comes after it.
// AFTER: tile.hold init(-0.000000e+00 : f32)
// AFTER: arith.addf
// AFTER: arith.maximumf
// AFTER: tile.store
//--- after.mlir
tile.kernel @after(%A: memref<?x?xf32>[%M, %K], %B: memref<?x?xf32>[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  linalg.matmul ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?x?xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%C : memref<?x?xf32>) {
  ^bb0(%c: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %c, %zero : f32
    linalg.yield %r : f32
  }
}

// Where operands are staged as they lie lanes have single elements.
// ALONG: tile.stage %C[{{.*}}] edges(element) : memref<?x?xf32> to memref<1x1xf32, #tile.level<rf>>
//--- along.mlir
tile.kernel @along(%A: memref<?x?xf32>[%M, %K], %B: memref<?x?xf32>[%N, %K], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?x?xf32>)
}

//--- integers.mlir
tile.kernel @integers(%A: memref<?x?xi32>[%M, %K], %B: memref<?x?xi32>[%K, %N], %C: memref<?x?xi32>[%M, %N], %M: index, %N: index, %K: index) {
  linalg.matmul ins(%A, %B : memref<?x?xi32>, memref<?x?xi32>) outs(%C : memref<?x?xi32>)
}
