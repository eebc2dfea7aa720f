// RUN: tilec-opt %s --verify-roundtrip | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt --verify-roundtrip | FileCheck %s

#smem = #tile.level<smem>

// CHECK-LABEL: func.func @memory
// CHECK-SAME: (%[[G:.*]]: memref<?xf32>, %[[J:.*]]: i32)
func.func @memory(%g: memref<?xf32>, %j: i32) {
  // CHECK: %[[S:.*]] = kernel.shared : memref<2112xf32, #tile.level<smem>>
  %s = kernel.shared : memref<2112xf32, #smem>
  // CHECK: kernel.shared at 8448 : memref<64xf16, #tile.level<smem>>
  %d = kernel.shared at 8448 : memref<64xf16, #smem>
  // CHECK: %[[V:.*]] = kernel.ldg %[[G]][%[[J]]] : memref<?xf32>, i32 -> f32
  %v = kernel.ldg %g[%j] : memref<?xf32>, i32 -> f32
  // CHECK: kernel.stg %[[V]], %[[G]][%[[J]]] : f32, memref<?xf32>, i32
  kernel.stg %v, %g[%j] : f32, memref<?xf32>, i32
  // CHECK: kernel.atomic_add %[[V]], %[[G]][%[[J]]] : f32, memref<?xf32>, i32
  kernel.atomic_add %v, %g[%j] : f32, memref<?xf32>, i32
  // CHECK: %[[W:.*]] = kernel.lds %[[S]][%[[J]]] : memref<2112xf32, #tile.level<smem>>, i32 -> f32
  %w = kernel.lds %s[%j] : memref<2112xf32, #smem>, i32 -> f32
  // CHECK: kernel.sts %[[W]], %[[S]][%[[J]]] : f32, memref<2112xf32, #tile.level<smem>>, i32
  kernel.sts %w, %s[%j] : f32, memref<2112xf32, #smem>, i32
  // CHECK: kernel.cp_async_commit
  kernel.cp_async_commit
  // CHECK: kernel.cp_async_wait 1
  kernel.cp_async_wait 1
  return
}

// CHECK-LABEL: func.func @sync
func.func @sync(%v: f32, %mask: index) {
  // CHECK: kernel.block
  %b = kernel.block
  // CHECK: kernel.thread
  %t = kernel.thread
  // CHECK: kernel.sync_block
  kernel.sync_block
  // CHECK: kernel.shfl_xor %{{.*}}, %{{.*}} : f32
  %w = kernel.shfl_xor %v, %mask : f32
  return
}
