// RUN: tilec-opt %s --verify-roundtrip | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt --verify-roundtrip | FileCheck %s

#smem = #tile.level<smem>
#rf = #tile.level<rf>

// CHECK-LABEL: func.func @one_role
func.func @one_role() {
  // CHECK: %[[P:.*]] = kernel.pipeline_create slots(3)
  %p = kernel.pipeline_create slots(3)
  // CHECK: %[[T:.*]] = kernel.pipeline_enter %[[P]]
  %t = kernel.pipeline_enter %p
  // CHECK: %[[USE:.*]] = kernel.pipeline_wait %[[T]]
  %use = kernel.pipeline_wait %t
  // CHECK: %[[FILL:.*]] = kernel.pipeline_acquire %[[T]] before %[[USE]]
  %fill = kernel.pipeline_acquire %t before %use
  // CHECK: kernel.pipeline_commit %[[P]][%[[FILL]]]
  kernel.pipeline_commit %p[%fill]
  // CHECK: kernel.pipeline_advance %[[T]][%[[USE]]]
  kernel.pipeline_advance %t[%use]
  // CHECK: %[[KNOWN:.*]] = kernel.pipeline_slot %[[T]]
  %known = kernel.pipeline_slot %t
  // CHECK: kernel.pipeline_advance %[[T]][%[[KNOWN]]]
  kernel.pipeline_advance %t[%known]
  // CHECK: kernel.pipeline_drain %[[P]]
  kernel.pipeline_drain %p
  return
}

// CHECK-LABEL: func.func @two_roles
func.func @two_roles(%lane: index, %held: memref<index, #rf>) {
  // CHECK: %[[FULL:.*]] = kernel.shared
  %full = kernel.shared : memref<4xi64, #smem>
  // CHECK: %[[EMPTY:.*]] = kernel.shared
  %empty = kernel.shared : memref<4xi64, #smem>
  // CHECK: %[[P:.*]] = kernel.pipeline_create slots(4) full(%[[FULL]], 129) empty(%[[EMPTY]], 2) : memref<4xi64, #tile.level<smem>>, memref<4xi64, #tile.level<smem>>
  %p = kernel.pipeline_create slots(4) full(%full, 129) empty(%empty, 2) : memref<4xi64, #smem>, memref<4xi64, #smem>
  %producer = kernel.pipeline_enter %p
  // CHECK: kernel.pipeline_acquire %{{[^ ]*$}}
  %fill = kernel.pipeline_acquire %producer
  // CHECK: kernel.pipeline_expect %[[P]][%{{.*}}] bytes(1024)
  kernel.pipeline_expect %p[%fill] bytes(1024)
  // CHECK: kernel.pipeline_commit %[[P]][%{{.*}}] stores{{$}}
  kernel.pipeline_commit %p[%fill] stores
  // CHECK: kernel.pipeline_commit %[[P]][%{{.*}}] proxy_fence{{$}}
  kernel.pipeline_commit %p[%fill] proxy_fence
  kernel.pipeline_advance %producer[%fill]
  %consumer = kernel.pipeline_enter %p
  %use = kernel.pipeline_wait %consumer
  // CHECK: kernel.pipeline_release %{{.*}}[%{{.*}}] by %{{[^ ]*$}}
  kernel.pipeline_release %consumer[%use] by %lane
  // CHECK: kernel.pipeline_release %{{.*}}[%{{.*}}] by %{{.*}} late(%{{.*}} : memref<index, #tile.level<rf>>)
  kernel.pipeline_release %consumer[%use] by %lane late(%held : memref<index, #rf>)
  // Gives back what is held, and holds nothing.
  %none = arith.constant -1 : index
  kernel.pipeline_release %consumer[%none] by %lane late(%held : memref<index, #rf>)
  return
}

// CHECK-LABEL: func.func @alone
func.func @alone(%c: i1) {
  %full = kernel.shared : memref<2xi64, #smem>
  %empty = kernel.shared : memref<2xi64, #smem>
  // CHECK: kernel.pipeline_create slots(2) full(%{{.*}}, 128) empty(%{{.*}}, 8) alone(%{{.*}}) :
  %p = kernel.pipeline_create slots(2) full(%full, 128) empty(%empty, 8) alone(%c) : memref<2xi64, #smem>, memref<2xi64, #smem>
  return
}

// CHECK-LABEL: func.func @cluster
func.func @cluster(%lane: index, %rank: index) {
  %full = kernel.shared : memref<2xi64, #smem>
  %empty = kernel.shared : memref<2xi64, #smem>
  // CHECK: kernel.pipeline_create slots(2) full(%{{.*}}, 1) empty(%{{.*}}, 8) cluster :
  %p = kernel.pipeline_create slots(2) full(%full, 1) empty(%empty, 8) cluster : memref<2xi64, #smem>, memref<2xi64, #smem>
  %t = kernel.pipeline_enter %p
  %use = kernel.pipeline_wait %t
  // CHECK: kernel.pipeline_release %{{.*}}[%{{.*}}] by %{{.*}} to %{{.*}} of 4
  kernel.pipeline_release %t[%use] by %lane to %rank of 4
  kernel.pipeline_drain %p
  return
}

// CHECK-LABEL: func.func @teams
func.func @teams(%lane: index, %steps: index) {
  %full = kernel.shared : memref<4xi64, #smem>
  %empty = kernel.shared : memref<4xi64, #smem>
  %order = kernel.shared : memref<2xi64, #smem>
  // CHECK: %[[P:.*]] = kernel.pipeline_create slots(4) full(%{{.*}}, 1) empty(%{{.*}}, 4) order(%{{.*}}, 4 : memref<2xi64, #tile.level<smem>>) :
  %p = kernel.pipeline_create slots(4) full(%full, 1) empty(%empty, 4) order(%order, 4 : memref<2xi64, #smem>) : memref<4xi64, #smem>, memref<4xi64, #smem>
  // CHECK: %[[TEAM:.*]] = kernel.team of(128)
  %team = kernel.team of(128)
  // CHECK: %[[T:.*]] = kernel.pipeline_enter %[[P]] team(%[[TEAM]]) steps(%{{.*}})
  %t = kernel.pipeline_enter %p team(%team) steps(%steps)
  // CHECK: kernel.pipeline_begin %[[T]]
  kernel.pipeline_begin %t
  // CHECK: kernel.pipeline_end %[[T]] by %{{.*}}
  kernel.pipeline_end %t by %lane
  return
}
