// RUN: tilec-opt %s --verify-roundtrip | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt --verify-roundtrip | FileCheck %s

#smem = #tile.level<smem>
#rf = #tile.level<rf>

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
  // CHECK: kernel.sts %[[W]], %[[S]][%[[J]]] ahead : f32, memref<2112xf32, #tile.level<smem>>, i32
  kernel.sts %w, %s[%j] ahead : f32, memref<2112xf32, #smem>, i32
  // CHECK: %[[C:.*]] = kernel.constant 1 : memref<25xf32, #tile.level<constant>>
  %c = kernel.constant 1 : memref<25xf32, #tile.level<constant>>
  // CHECK: kernel.ldc %[[C]][%[[J]]] : memref<25xf32, #tile.level<constant>>, i32 -> f32
  %l = kernel.ldc %c[%j] : memref<25xf32, #tile.level<constant>>, i32 -> f32
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
  // CHECK: kernel.wait_grid
  kernel.wait_grid
  // CHECK: kernel.fence_gpu
  kernel.fence_gpu
  // CHECK: kernel.cluster_sync
  kernel.cluster_sync
  // CHECK: %[[RANK:.*]] = kernel.cluster_rank
  %r = kernel.cluster_rank
  // CHECK: kernel.lds_cluster 4, %{{.*}}[%[[I]]], %[[S]][%[[I]]], %[[RANK]] : memref<4xf32, #tile.level<rf>>, memref<512xf32, #tile.level<smem>>
  %d = kernel.registers : memref<4xf32, #rf>
  kernel.lds_cluster 4, %d[%i], %s[%i], %r : memref<4xf32, #rf>, memref<512xf32, #smem>
  // CHECK: kernel.block_count
  %c = kernel.block_count
  // CHECK: kernel.atomic_fetch_add %[[V]], %[[G]][%[[I]]] : memref<?xi32>, index
  %old = kernel.atomic_fetch_add %v, %g[%i] : memref<?xi32>, index
  return
}

// CHECK-LABEL: func.func @extrema
func.func @extrema(%a: f32, %b: f32, %c: f64) {
  // CHECK: kernel.exp2_flushed %{{.*}}
  %power = kernel.exp2_flushed %a
  // CHECK: kernel.tf32_from %{{.*}}
  %tf32 = kernel.tf32_from %a
  // CHECK: kernel.max_nan %{{.*}}, %{{.*}} : f32
  %x = kernel.max_nan %a, %b : f32
  // CHECK: kernel.min_nan %{{.*}}, %{{.*}} : f64
  %y = kernel.min_nan %c, %c : f64
  return
}

// CHECK-LABEL: func.func @vectors
// CHECK-SAME: (%[[G:.*]]: memref<?xf32>, %[[I:.*]]: index, %[[J:.*]]: i64, %[[P:.*]]: i1)
func.func @vectors(%g: memref<?xf32>, %i: index, %j: i64, %p: i1) {
  // CHECK: %[[R:.*]] = kernel.registers : memref<2x4xf32, #tile.level<rf>>
  %r = kernel.registers : memref<2x4xf32, #rf>
  // CHECK: %[[S:.*]] = kernel.shared guarded : memref<512xf32, #tile.level<smem>>
  %s = kernel.shared guarded : memref<512xf32, #smem>
  // CHECK: kernel.shared at 2048 guarded : memref<512xf32, #tile.level<smem>>
  %t = kernel.shared at 2048 guarded : memref<512xf32, #smem>
  // CHECK: kernel.ldg_vector 4, %[[R]][%[[I]], %[[I]]], %[[G]][%[[J]]] : memref<2x4xf32, #tile.level<rf>>[index, index], memref<?xf32>[i64]
  kernel.ldg_vector 4, %r[%i, %i], %g[%j] : memref<2x4xf32, #rf>[index, index], memref<?xf32>[i64]
  // CHECK: kernel.stg_vector 2, %[[G]][%[[J]]], %[[R]][%[[I]], %[[I]]] : memref<?xf32>[i64], memref<2x4xf32, #tile.level<rf>>[index, index]
  kernel.stg_vector 2, %g[%j], %r[%i, %i] : memref<?xf32>[i64], memref<2x4xf32, #rf>[index, index]
  // CHECK: kernel.lds_vector 4, %[[R]][%[[I]], %[[I]]], %[[S]][%[[I]]] thread_loop 3 : memref<2x4xf32, #tile.level<rf>>[index, index], memref<512xf32, #tile.level<smem>>[index]
  kernel.lds_vector 4, %r[%i, %i], %s[%i] thread_loop 3 : memref<2x4xf32, #rf>[index, index], memref<512xf32, #smem>[index]
  // CHECK: kernel.sts_vector 4, %[[S]][%[[I]]], %[[R]][%[[I]], %[[I]]] : memref<512xf32, #tile.level<smem>>[index], memref<2x4xf32, #tile.level<rf>>[index, index]
  kernel.sts_vector 4, %s[%i], %r[%i, %i] : memref<512xf32, #smem>[index], memref<2x4xf32, #rf>[index, index]
  // CHECK: kernel.cp_async 4, %[[S]][%[[I]]], %[[G]][%[[J]]] if %[[P]] thread_loop -1 : memref<512xf32, #tile.level<smem>>[index], memref<?xf32>[i64]
  kernel.cp_async 4, %s[%i], %g[%j] if %p thread_loop -1 : memref<512xf32, #smem>[index], memref<?xf32>[i64]
  return
}

// CHECK-LABEL: kernel.func @launch(
// CHECK-SAME: %[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xf32>, %[[N:.*]]: index, %[[S:.*]]: f32, %{{.*}}: !kernel.tensor_map)
// CHECK-SAME: reads(%[[A]]) threads(192) min_blocks(1) cluster(2) static_shared(128) dynamic_shared(2048) {
kernel.func @launch(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %s: f32, %map: !kernel.tensor_map)
    reads(%A) threads(192) min_blocks(1) cluster(2) static_shared(128) dynamic_shared(2048) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = arith.cmpi eq, %n, %c0 : index
  %fixed = kernel.shared : memref<32xf32, #smem>
  %placed = kernel.shared at 0 : memref<512xf32, #smem>
  // CHECK: %[[SUM:.*]] = kernel.registers init(0.000000e+00 : f32) : memref<8xf32, #tile.level<rf>>
  %sum = kernel.registers init(0.0 : f32) : memref<8xf32, #rf>
  // CHECK: kernel.registers init(-1 : index) : memref<index, #tile.level<rf>>
  %slot = kernel.registers init(-1 : index) : memref<index, #rf>
  // CHECK: kernel.roles %{{.*}} threads [64, 128] {
  kernel.roles %first threads [64, 128] {
    // CHECK: kernel.for %[[I:.*]] = %{{.*}} to %[[N]] step %{{.*}} {
    kernel.for %i = %c0 to %n step %c1 {
      // CHECK: memref.store %[[S]], %[[SUM]][%[[I]]]
      memref.store %s, %sum[%i] : memref<8xf32, #rf>
    }
  // CHECK: } else {
  } else {
    %j0 = arith.constant 0 : i64
    // CHECK: kernel.for unroll %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i64 {
    kernel.for unroll %i = %j0 to %j0 step %j0 : i64 {
      // CHECK: kernel.for unroll(2) pipeline thread_loop 1 %{{.*}} =
      kernel.for unroll(2) pipeline thread_loop 1 %k = %c0 to %n step %c1 {
      }
    }
  }
  // CHECK: kernel.return
  kernel.return
}
