// Producers ask no edges of a tile that lies inside of its operand: all rounds of such a copy go out from one element.
// What is rare, edges and narrow copies, is written out for two rounds at a time.
// RUN: tilec-opt %s -tile-kernel-pipeline | FileCheck %s

// CHECK-LABEL: kernel.func @whole
// CHECK: kernel.mbarrier_wait
// CHECK: scf.if
// CHECK: %[[AT:[a-z0-9]+]] = arith.addi {{.*}} : i64
// CHECK: kernel.for unroll %{{.*}} = %c0 to %c2
// CHECK-NOT: arith.cmpi
// CHECK: arith.addi %[[AT]]
// CHECK-NOT: arith.cmpi
// CHECK: kernel.cp_async 4, {{.*}} if %true
// CHECK: } else {
// CHECK: arith.cmpi
// CHECK: kernel.cp_async 4
// CHECK-NOT: if %true
// CHECK: } else {
// CHECK: kernel.for unroll(2) %
// CHECK: kernel.cp_async 1
// CHECK: kernel.cp_async_mbarrier_arrive
!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<32x32xf32, #tile.level<smem>>
!c = memref<32x32xf32, #tile.level<rf>>
!e = memref<4x4xf32, #tile.level<smem>>
!f = memref<4x4xf32, #tile.level<rf>>
tile.kernel @whole(%X: !G[%M, %K], %Y: !G[%M, %K], %Z: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0) in (%M) by (32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (32) at dram pipeline(4) producers(4) {
      %x = tile.stage %X[%m0, %k0] : !G to !s
      %y = tile.stage %Y[%m0, %k0] copy(tma) : !G to !s
      tile.for (%m1, %n1) in (32, 32) by (4, 4) at smem on thread {
        %a = tile.part %x[%m1, %n1] : !s to !e
        %b = tile.part %y[%m1, %n1] : !s to !e
        %d = tile.part %c[%m1, %n1] : !c to !f
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                        iterator_types = ["parallel", "parallel"]} ins(%a, %b : !e, !e) outs(%d : !f) {
        ^bb0(%p: f32, %q: f32, %r: f32):
          %t = arith.mulf %p, %q : f32
          %u = arith.addf %r, %t : f32
          linalg.yield %u : f32
        }
      }
    }
    tile.store %c to %Z[%m0, 0] : !c to !G
  }
}
