// A product without loops becomes the nest that an expert would write: staged tiles, producers, fragments, a cut last wave.
// RUN: tilec %s --target=h100 --emit=nest | FileCheck %s
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=M=130,N=100,K=33 | FileCheck %s --check-prefix=RAN
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=M=65,N=257,K=40 | FileCheck %s --check-prefix=RAN
// At sizes whose rows no wide copy takes, none is written beside the narrow one.
// RUN: tilec %s --target=sm80 --emit=nest --shape=M=515,N=1027,K=701 | FileCheck %s --check-prefix=ODD
// The same question has the same answer.
// RUN: tilec %s --target=h100 --emit=plan -o %t.1 && tilec %s --target=h100 --emit=plan -o %t.2 && diff %t.1 %t.2
// The nest is a nest as any other.
// RUN: tilec %s --target=h100 --emit=nest -o %t.mlir && tilec %t.mlir --target=h100 --emit=plan | diff - %t.1
!G = memref<?x?xf32>

// CHECK-LABEL: tile.kernel @product
// CHECK: tile.for (%{{.*}}, %{{.*}}) in (%M, %N) by ({{[0-9]+}}, {{[0-9]+}}) at dram on {{block|cluster}} persistent raster(grouped
// CHECK: tile.hold init(0.000000e+00 : f32)
// CHECK: tile.for (%{{.*}}) in (%K) by ({{[0-9]+}}) at dram tail(cut) pipeline({{[0-9]+}}) producers(4)
// CHECK: tile.stage %A[{{.*}}] : memref<?x?xf32> to memref<{{.*}}#tile.layout<"{{.*}}:(1,{{[0-9]+}})">, #tile.level<smem>>
// CHECK: tile.stage %B[{{.*}}] copy(tma)
// CHECK: on warp
// CHECK: on thread
// CHECK: linalg.matmul
// CHECK: tile.store
// ODD: tile.stage %B[{{[^ ]*}} {{[^ ]*}} forms(1) : memref<?x?xf32> to memref<{{.*}}#tile.level<smem>>
// RAN: integers: all {{[0-9]+}} elements of C agree, largest error 0
tile.kernel @product(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : !G)
  linalg.matmul ins(%A, %B : !G, !G) outs(%C : !G)
}
