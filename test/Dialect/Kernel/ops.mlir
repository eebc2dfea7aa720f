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

// CHECK-LABEL: func.func @barriers
func.func @barriers(%i: index, %n: index, %parity: index, %rank: index) {
  // CHECK: %[[B:.*]] = kernel.shared : memref<4xi64, #tile.level<smem>>
  %b = kernel.shared : memref<4xi64, #smem>
  // CHECK: kernel.mbarrier_init %[[B]][%{{.*}}], %{{.*}} : memref<4xi64, #tile.level<smem>>, index
  kernel.mbarrier_init %b[%i], %n : memref<4xi64, #smem>, index
  // CHECK: kernel.fence_mbarrier_init
  kernel.fence_mbarrier_init
  // CHECK: kernel.mbarrier_arrive %[[B]][%{{.*}}] : memref<4xi64, #tile.level<smem>>, index
  kernel.mbarrier_arrive %b[%i] : memref<4xi64, #smem>, index
  // CHECK: kernel.mbarrier_arrive_expect_tx %[[B]][%{{.*}}], %{{.*}} : memref<4xi64, #tile.level<smem>>, index
  kernel.mbarrier_arrive_expect_tx %b[%i], %n : memref<4xi64, #smem>, index
  // CHECK: kernel.mbarrier_arrive_remote %[[B]][%{{.*}}], %{{.*}} : memref<4xi64, #tile.level<smem>>, index
  kernel.mbarrier_arrive_remote %b[%i], %rank : memref<4xi64, #smem>, index
  // CHECK: kernel.cp_async_mbarrier_arrive %[[B]][%{{.*}}] : memref<4xi64, #tile.level<smem>>, index
  kernel.cp_async_mbarrier_arrive %b[%i] : memref<4xi64, #smem>, index
  // CHECK: kernel.mbarrier_wait %[[B]][%{{.*}}], %{{.*}} : memref<4xi64, #tile.level<smem>>, index
  kernel.mbarrier_wait %b[%i], %parity : memref<4xi64, #smem>, index
  // CHECK: kernel.sync_named %{{.*}}, %{{.*}}
  kernel.sync_named %i, %n
  // CHECK: kernel.sync_warp
  kernel.sync_warp
  // CHECK: kernel.setmaxnreg_inc 216
  kernel.setmaxnreg_inc 216
  // CHECK: kernel.setmaxnreg_dec 72
  kernel.setmaxnreg_dec 72
  return
}

// CHECK-LABEL: func.func @cluster
// CHECK-SAME: (%[[MAP:.*]]: !kernel.tensor_map, %[[G:.*]]: memref<?xi32>, %[[I:.*]]: index, %[[MASK:.*]]: index, %[[V:.*]]: i32)
func.func @cluster(%map: !kernel.tensor_map, %g: memref<?xi32>, %i: index, %mask: index, %v: i32) {
  %b = kernel.shared : memref<1xi64, #smem>
  %s = kernel.shared : memref<512xf32, #smem>
  // CHECK: kernel.tma_load %[[S:.*]][%[[I]]], %[[MAP]][%[[I]], %[[I]]], %[[B:.*]][%[[I]]] : memref<512xf32, #tile.level<smem>>[index], memref<1xi64, #tile.level<smem>>[index]
  kernel.tma_load %s[%i], %map[%i, %i], %b[%i] : memref<512xf32, #smem>[index], memref<1xi64, #smem>[index]
  // CHECK: kernel.tma_load_multicast %[[S]][%[[I]]], %[[MAP]][%[[I]]], %[[B]][%[[I]]], %[[MASK]] : memref<512xf32, #tile.level<smem>>[index], memref<1xi64, #tile.level<smem>>[index]
  kernel.tma_load_multicast %s[%i], %map[%i], %b[%i], %mask : memref<512xf32, #smem>[index], memref<1xi64, #smem>[index]
  // CHECK: kernel.fence_proxy_async
  kernel.fence_proxy_async
  // CHECK: kernel.fence_gpu
  kernel.fence_gpu
  // CHECK: kernel.cluster_sync
  kernel.cluster_sync
  // CHECK: %[[RANK:.*]] = kernel.cluster_rank
  %r = kernel.cluster_rank
  // CHECK: kernel.lds_cluster 4, %{{.*}}[%[[I]]], %[[S]][%[[I]]], %[[RANK]] : memref<4xf32>, memref<512xf32, #tile.level<smem>>
  %d = memref.alloca() : memref<4xf32>
  kernel.lds_cluster 4, %d[%i], %s[%i], %r : memref<4xf32>, memref<512xf32, #smem>
  // CHECK: kernel.block_count
  %c = kernel.block_count
  // CHECK: kernel.atomic_fetch_add %[[V]], %[[G]][%[[I]]] : memref<?xi32>, index
  %old = kernel.atomic_fetch_add %v, %g[%i] : memref<?xi32>, index
  return
}

// CHECK-LABEL: func.func @extrema
func.func @extrema(%a: f32, %b: f32, %c: f64) {
  // CHECK: kernel.max_nan %{{.*}}, %{{.*}} : f32
  %x = kernel.max_nan %a, %b : f32
  // CHECK: kernel.min_nan %{{.*}}, %{{.*}} : f64
  %y = kernel.min_nan %c, %c : f64
  return
}
