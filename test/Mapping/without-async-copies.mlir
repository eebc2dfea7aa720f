// Machines without cp.async: threads copy step by step, and only what comes from shared memory to registers is loaded ahead, which needs nothing.
// RUN: tilec %s --target=v100 --shape=M=4096,N=4096,K=4096 --emit=nest -o %t.v100 && FileCheck %s --input-file=%t.v100
// RUN: tilec %t.v100 --target=h100 --arch=sm_75 --run=cpu --verify --shape=M=131,N=150,K=37 | FileCheck %s --check-prefix=RAN
// RUN: tilec %s --target=h100 --arch=sm_75 --shape=M=4096,N=4096,K=4096 --emit=nest,cubin -o %t.dir/ && FileCheck %s --input-file=%t.dir/without-async-copies.nest.mlir
// RUN: sed 's/at dram {/at dram pipeline(2) {/' %t.v100 > %t.ring
// RUN: not tilec %t.ring --target=v100 --shape=M=4096,N=4096,K=4096 --emit=report -o - 2>&1 | FileCheck %s --check-prefix=RING
// CHECK: tile.for ({{.*}}) in (%K) by ({{[0-9]+}}) at dram {
// CHECK-COUNT-2: tile.stage {{.*}} #tile.level<smem>>
// CHECK: at smem on warp
// CHECK: by (1) at smem pipeline(2) {
// CHECK-COUNT-2: tile.stage {{.*}} #tile.level<rf>>
// RAN: integers: all 19650 elements of C agree, largest error 0
// RING: error: pipelines its copies to shared memory, which needs cp_async, which v100 (sm_70) lacks
// RING-NOT: pipelines its copies
!G = memref<?x?xf32>
tile.kernel @product(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : !G)
  linalg.matmul ins(%A, %B : !G, !G) outs(%C : !G)
}
