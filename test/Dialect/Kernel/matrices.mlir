// RUN: tilec-opt %s --verify-roundtrip | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt --verify-roundtrip | FileCheck %s

#smem = #tile.level<smem>
#rf = #tile.level<rf>

// CHECK-LABEL: func.func @warp
// CHECK-SAME: (%[[S:.*]]: memref<1024xf16, #tile.level<smem>>, %[[I:.*]]: index)
func.func @warp(%s: memref<1024xf16, #smem>, %i: index) {
  // CHECK: %[[A:.*]] = kernel.registers : memref<2x8xf16, #tile.level<rf>>
  %a = kernel.registers : memref<2x8xf16, #rf>
  // CHECK: %[[B:.*]] = kernel.registers : memref<4xf16, #tile.level<rf>>
  %b = kernel.registers : memref<4xf16, #rf>
  // CHECK: %[[C:.*]] = kernel.registers
  %c = kernel.registers init(0.0 : f32) : memref<2x4xf32, #rf>
  // CHECK: kernel.ldmatrix %[[A]][%[[I]], %[[I]]], %[[S]][%[[I]]] thread_loop -1 {count = 4 : i64} : memref<2x8xf16, #tile.level<rf>>[index, index], memref<1024xf16, #tile.level<smem>>[index]
  kernel.ldmatrix %a[%i, %i], %s[%i] thread_loop -1 {count = 4} : memref<2x8xf16, #rf>[index, index], memref<1024xf16, #smem>[index]
  // CHECK: kernel.ldmatrix %[[B]][%[[I]]], %[[S]][%[[I]]] {count = 2 : i64, transpose} : memref<4xf16, #tile.level<rf>>[index], memref<1024xf16, #tile.level<smem>>[index]
  kernel.ldmatrix %b[%i], %s[%i] {count = 2, transpose} : memref<4xf16, #rf>[index], memref<1024xf16, #smem>[index]
  // CHECK: kernel.mma %[[C]][%[[I]]], %[[A]][%[[I]], %[[I]]], %[[B]][] {type = f16} : memref<2x4xf32, #tile.level<rf>>, memref<2x8xf16, #tile.level<rf>>, memref<4xf16, #tile.level<rf>>
  kernel.mma %c[%i], %a[%i, %i], %b[] {type = f16} : memref<2x4xf32, #rf>, memref<2x8xf16, #rf>, memref<4xf16, #rf>
  // CHECK: kernel.stmatrix %[[S]][%[[I]]], %[[A]][%[[I]], %[[I]]] {count = 4 : i64, transpose} : memref<1024xf16, #tile.level<smem>>[index], memref<2x8xf16, #tile.level<rf>>[index, index]
  kernel.stmatrix %s[%i], %a[%i, %i] {count = 4, transpose} : memref<1024xf16, #smem>[index], memref<2x8xf16, #rf>[index, index]
  return
}

// CHECK-LABEL: func.func @stores
// CHECK-SAME: (%[[S:.*]]: memref<1024xf16, #tile.level<smem>>, %[[MAP:.*]]: !kernel.tensor_map, %[[I:.*]]: index)
func.func @stores(%s: memref<1024xf16, #smem>, %map: !kernel.tensor_map, %i: index) {
  // CHECK: kernel.tma_store %[[MAP]][%[[I]], %[[I]]], %[[S]][%[[I]]] : memref<1024xf16, #tile.level<smem>>[index]
  kernel.tma_store %map[%i, %i], %s[%i] : memref<1024xf16, #smem>[index]
  // CHECK: kernel.bulk_commit
  kernel.bulk_commit
  // CHECK: kernel.bulk_wait_read 1
  kernel.bulk_wait_read 1
  // CHECK: kernel.bulk_wait 0
  kernel.bulk_wait 0
  return
}
