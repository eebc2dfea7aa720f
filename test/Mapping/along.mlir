// Operands whose neighbours lie along the reduction are staged as they lie, and threads load four steps of their rows at once; nothing is turned. Each section is a
// file of its own.
// RUN: split-file %s %t
// RUN: tilec %t/both.mlir --target=h100 --shape=M=384,N=960,K=4672 --emit=nest -o %t/both.nest && FileCheck %s --check-prefix=BOTH --input-file=%t/both.nest
// RUN: tilec %t/both.nest --target=h100 --run=cpu --verify --shape=M=130,N=100,K=39 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/one.mlir --target=h100 --shape=M=1232,N=704,K=2672 --emit=nest -o %t/one.nest && FileCheck %s --check-prefix=ONE --input-file=%t/one.nest
// RUN: tilec %t/one.nest --target=h100 --run=cpu --verify --shape=M=130,N=100,K=44 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/both.mlir --target=h100 --shape=M=384,N=960,K=4672 --explain --emit=report 2>&1 | FileCheck %s --check-prefix=TOLD
// RAN: integers: all {{[0-9]+}} elements of C agree, largest error 0

// Lines of 64 elements and 4 more, so that lanes beside each other read other banks; a lane has rows 4 and columns 8 apart. Two groups of warps have a half of the
// 64 steps each, and add up what they have in the end.
// BOTH: tile.stage %A[{{.*}} to memref<128x64xf32, #tile.layout<"(128,64):(68,1)">, #tile.level<smem>>
// BOTH: tile.stage %B[{{.*}} to memref<64x64xf32, #tile.layout<"(64,64):(68,1)">, #tile.level<smem>>
// BOTH: tile.for (%{{.*}}, %{{.*}}, %{{.*}}) in (64, 128, 64) by (32, 32, 64) at smem on warp reduce(add)
// BOTH: tile.for (%{{.*}}) in (32) by (16) at smem
// BOTH: tile.for (%[[K:.*]]) in (16) by (4) at smem pipeline(2)
// BOTH-NEXT: tile.stage %sA[{{.*}} + %[[K]]] : {{.*}} to memref<32x4xf32, #tile.level<rf>>
// BOTH-NEXT: tile.stage %sB[{{.*}} + %[[K]]] : {{.*}} to memref<64x4xf32, #tile.level<rf>>
// BOTH-NEXT: tile.for (%{{.*}}) in (4) by (1) at smem
// BOTH-NEXT: tile.for (%{{.*}}, %{{.*}}) in (4, 8) by (1, 1) at rf on thread
// BOTH-NEXT: tile.for (%{{.*}}, %{{.*}}) in (64, 32) by (8, 4) at rf on unroll
// TOLD: block 128x64x64, warp 32x64, 4 steps at once, steps parted by 2, 4 stages, 4 producers
//--- both.mlir
tile.kernel @product(%A: memref<?x?xf32>[%M, %K], %B: memref<?x?xf32>[%N, %K], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<?x?xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?x?xf32>)
}

// The other operand lies along the columns: it comes in boxes, and of it threads load one step at a time, four columns at once.
// ONE: tile.stage %A[{{.*}} to memref<128x64xf32, #tile.layout<"(128,64):(68,1)">, #tile.level<smem>>
// ONE: tile.stage %B[{{.*}} copy(tma)
// ONE: tile.stage %sA[{{.*}} to memref<32x4xf32, #tile.level<rf>>
// ONE-NEXT: tile.for (%{{.*}}) in (4) by (1) at smem
// ONE-NEXT: tile.stage %sB[{{.*}} to memref<1x64xf32, #tile.level<rf>>
// ONE-NEXT: tile.for (%{{.*}}, %{{.*}}) in (4, 32) by (1, 4) at rf on thread
//--- one.mlir
tile.kernel @product(%A: memref<?x?xf32>[%M, %K], %B: memref<?x?xf32>[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<?x?xf32>)
  linalg.matmul ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?x?xf32>)
}
