// RUN: tilec-opt %s --verify-roundtrip | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt --verify-roundtrip | FileCheck %s

#smem = #tile.level<smem>
#rf = #tile.level<rf>

// CHECK-LABEL: func.func @groups
// CHECK-SAME: (%[[A:.*]]: memref<8192xbf16, #tile.level<smem>>, %[[I:.*]]: index)
func.func @groups(%a: memref<8192xbf16, #smem>, %i: index) {
  // CHECK: %[[C:.*]] = kernel.registers
  %c = kernel.registers init(0.0 : f32) : memref<2x2x64xf32, #rf>
  // CHECK: %[[D:.*]] = kernel.matrix_descriptor %[[A]][%[[I]]] {leading_bytes = 16 : i64, stride_bytes = 1024 : i64, swizzle = 128 : i64} : memref<8192xbf16, #tile.level<smem>>, index
  %d = kernel.matrix_descriptor %a[%i] {leading_bytes = 16, stride_bytes = 1024, swizzle = 128} : memref<8192xbf16, #smem>, index
  // CHECK: kernel.wgmma_fence
  kernel.wgmma_fence
  // CHECK: kernel.wgmma %[[C]][%[[I]]], %[[D]], %[[D]] {a = bf16, b = bf16, n = 256 : i64, transpose_b} : memref<2x2x64xf32, #tile.level<rf>>
  kernel.wgmma %c[%i], %d, %d {n = 256, a = bf16, b = bf16, transpose_b} : memref<2x2x64xf32, #rf>
  // CHECK: kernel.wgmma %[[C]][%[[I]], %[[I]]], %[[D]], %[[D]] {a = f8E4M3FN, b = f8E5M2, n = 128 : i64} : memref<2x2x64xf32, #tile.level<rf>>
  kernel.wgmma %c[%i, %i], %d, %d {n = 128, a = f8E4M3FN, b = f8E5M2} : memref<2x2x64xf32, #rf>
  // CHECK: %[[F:.*]] = kernel.registers : memref<4x2x2xf16, #tile.level<rf>>
  %f = kernel.registers : memref<4x2x2xf16, #rf>
  // CHECK: kernel.wgmma_registers %[[C]][%[[I]], %[[I]]], %[[F]][%[[I]], %[[I]], %[[I]]], %[[D]] {n = 128 : i64, transpose_b, type = f16} : memref<2x2x64xf32, #tile.level<rf>>, memref<4x2x2xf16, #tile.level<rf>>
  kernel.wgmma_registers %c[%i, %i], %f[%i, %i, %i], %d {n = 128, type = f16, transpose_b} : memref<2x2x64xf32, #rf>, memref<4x2x2xf16, #rf>
  // CHECK: kernel.wgmma_commit
  kernel.wgmma_commit
  // CHECK: kernel.wgmma_wait {pending = 1 : i64}
  kernel.wgmma_wait {pending = 1}
  // CHECK: kernel.wgmma_wait %[[C]][] {pending = 0 : i64} : memref<2x2x64xf32, #tile.level<rf>>
  kernel.wgmma_wait %c[] {pending = 0} : memref<2x2x64xf32, #rf>
  return
}
