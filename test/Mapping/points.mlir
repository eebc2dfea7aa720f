// In which order a thread walks the points of its product follows from how many sums it has, and from who copies; what the input states stays.
// RUN: tilec %s --target=h100 --shape=M=4096,N=4096,K=4096 --emit=nest -o %t.large && FileCheck %s --check-prefix=LARGE --input-file=%t.large
// RUN: tilec %s --target=h100 --shape=M=64,N=4096,K=4096 --emit=nest -o %t.few && FileCheck %s --check-prefix=FEW --input-file=%t.few
// RUN: tilec %s --target=h100 --arch=sm_80 --shape=M=4672,N=2048,K=448 --emit=nest -o %t.plain && FileCheck %s --check-prefix=PLAIN --input-file=%t.plain
// RUN: tilec %s --target=h100 --arch=sm_80 --shape=M=4096,N=4096,K=4096 --emit=nest -o %t.whole && FileCheck %s --check-prefix=WHOLE --input-file=%t.whole
// RUN: sed 's/linalg.matmul ins/linalg.matmul {tile.order = array<i64: 2, 0, 1>} ins/' %s > %t.mlir
// RUN: tilec %t.mlir --target=h100 --shape=M=4096,N=4096,K=4096 --emit=nest -o %t.stated && FileCheck %s --check-prefix=STATED --input-file=%t.stated
// RUN: tilec %t.large --target=h100 --run=cpu --verify --shape=M=130,N=100,K=33 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t.whole --target=h100 --arch=sm_80 --run=cpu --verify --shape=M=130,N=261,K=37 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t.few --target=h100 --run=cpu --verify --shape=M=65,N=257,K=97 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t.stated --target=h100 --run=cpu --verify --shape=M=130,N=100,K=33 | FileCheck %s --check-prefix=RAN
// RAN: integers: all {{[0-9]+}} elements of C agree, largest error 0

// 64 x 64 / 32 = 128 sums: by columns, forth and back.
// LARGE: by (64, 64) at smem on warp
// LARGE: tile.for (%{{.*}}, %{{.*}}, %{{.*}}) in (64, 4, 64) by (32, 2, 16) at rf on unroll
// LARGE: linalg.matmul {tile.order = array<i64: 1, 0, 2>, tile.snake}

// 32 x 64 / 32 = 64: by rows. A step that groups of warps part has three slots or more.
// FEW: pipeline({{[3-9]}}) producers(4)
// FEW: by ({{[0-9]+}}, 32, 64) at smem on warp reduce(add)
// FEW: linalg.matmul {tile.order = array<i64: 0, 1, 2>, tile.snake}

// 64 of threads that copy as well: by columns.
// PLAIN-NOT: producers
// PLAIN: by (32, 64) at smem on warp
// PLAIN: linalg.matmul {tile.order = array<i64: 1, 0, 2>, tile.snake}

// 16 warps that leave no room for another block have a slot more.
// WHOLE: by (128, 256) at dram on block
// WHOLE: by (16) at dram pipeline(4) {
// WHOLE: in (128, 256) by (32, 64) at smem on warp
// WHOLE: linalg.matmul {tile.order = array<i64: 1, 0, 2>, tile.snake}

// STATED: linalg.matmul {tile.order = array<i64: 2, 0, 1>} ins
!G = memref<?x?xf32>
tile.kernel @product(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : !G)
  linalg.matmul ins(%A, %B : !G, !G) outs(%C : !G)
}
