// Along the last dimension points are walked forth in even rows and back in odd ones, written out, so that registers are subscripted by numbers.
// RUN: tilec-opt %s -tile-set-target="target=sm80" -tile-kernel-pipeline | FileCheck %s
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=m=45,n=37,k=11 2>&1 | FileCheck %s --check-prefix=RIGHT
!G = memref<?x?xf32>
!a = memref<4x1xf32, #tile.level<rf>>
!b = memref<1x3xf32, #tile.level<rf>>
!q = memref<4x3xf32, #tile.level<rf>>
!c = memref<32x24xf32, #tile.level<rf>>

// CHECK-LABEL: kernel.func @product
// CHECK: %[[ODD:.*]] = arith.remsi %[[I:.*]], %c2
// CHECK-NEXT: %[[EVEN:.*]] = arith.cmpi eq, %[[ODD]], %c0
// CHECK-NEXT: kernel.for unroll thread_loop 1 %[[J:.*]] = %c0 to %c3
// CHECK-NEXT: %[[BACK:.*]] = arith.subi %c2, %[[J]]
// CHECK-NEXT: %[[AT:.*]] = arith.select %[[EVEN]], %[[J]], %[[BACK]]
// CHECK-NEXT: memref.load %{{.*}}[%[[I]]]
// CHECK-NEXT: memref.load %{{.*}}[%[[AT]]]
// CHECK-NEXT: memref.load %{{.*}}[%[[I]], %[[AT]]]
// RIGHT: all 1665 elements of C agree
// RIGHT: all 1665 elements of C agree
tile.kernel @product(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 24) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (1) at dram {
      tile.for (%m1, %n1) in (32, 24) by (4, 3) at rf on thread {
        %a = tile.stage %A[%m0 + %m1, %k] : !G to !a
        %b = tile.stage %B[%k, %n0 + %n1] : !G to !b
        %q = tile.part %c[%m1, %n1] : !c to !q
        linalg.matmul {tile.order = array<i64: 0, 1, 2>, tile.snake} ins(%a, %b : !a, !b) outs(%q : !q)
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}
