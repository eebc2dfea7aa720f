// RUN: tilec-opt %s -split-input-file -tile-kernel-pipeline | FileCheck %s

// A pipeline of 3 stages: 2 iterations are copied ahead; each iteration waits, loads its first fragments,
// and only then copies. Rows of B may or may not take 16-byte copies: one loop for launches that do, one
// that asks. Registers are loaded one step ahead, and stored four at a time where C allows it.
!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<8x32xf32, #tile.layout<"(8,32):(32,1)">, #tile.level<smem>>
!c = memref<32x32xf32, #tile.level<rf>>
!r = memref<1x32xf32, #tile.level<rf>>
!ra = memref<32x1xf32, #tile.level<rf>>
!sA = memref<32x8xf32, #tile.layout<"(32,8):(8,1)">, #tile.level<smem>>
!pa = memref<4x1xf32, #tile.level<rf>>
!pb = memref<1x4xf32, #tile.level<rf>>
!pc = memref<4x4xf32, #tile.level<rf>>

// CHECK-LABEL: kernel.func @gemm
// CHECK: scf.if
// CHECK-NOT: scf.if
// CHECK: kernel.for{{.*}} %{{.*}} = %c0{{.*}} to %c2{{.*}} step %c1
// CHECK: kernel.cp_async 4
// CHECK: kernel.cp_async_commit
// CHECK: kernel.for pipeline
// CHECK: kernel.cp_async_wait 1
// CHECK: kernel.sync_block
// CHECK: kernel.lds_vector 4
// CHECK: kernel.cp_async 4
// CHECK: kernel.cp_async_commit
// CHECK-NOT: kernel.sync_block
// CHECK: kernel.lds_vector 4
// CHECK: arith.mulf
// CHECK: } else {
// CHECK: kernel.for pipeline
// CHECK: scf.if
// CHECK: kernel.cp_async 4
// CHECK: } else {
// CHECK: kernel.for unroll(2)
// CHECK: kernel.cp_async 1
// CHECK: scf.if
// CHECK: kernel.stg_vector 4
// CHECK: } else {
// CHECK: kernel.stg %
tile.kernel @gemm(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (8) at dram pipeline(3) {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !s
      tile.for (%k1) in (8) by (1) at smem pipeline(2) {
        %rA = tile.stage %sA[0, %k1] : !sA to !ra
        %rB = tile.stage %sB[%k1, 0] : !s to !r
        tile.for (%m1, %n1) in (32, 32) by (4, 4) at rf on thread {
          %pa = tile.part %rA[%m1, 0] : !ra to !pa
          %pb = tile.part %rB[0, %n1] : !r to !pb
          %pc = tile.part %c[%m1, %n1] : !c to !pc
          linalg.matmul ins(%pa, %pb : !pa, !pb) outs(%pc : !pc)
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}

// -----

// Operands whose contiguous dimension is known only at launch: the copies ask in the one loop.
// CHECK-LABEL: kernel.func @any_strides
// CHECK: kernel.for pipeline
// CHECK: kernel.cp_async_wait 1
// CHECK: kernel.sync_block
// CHECK: scf.if
// CHECK-NOT: pipeline
!V = memref<?x?xf32, strided<[?, ?]>>
!t = memref<32x32xf32, #tile.level<smem>>
!o = memref<32x32xf32, #tile.level<rf>>
!e = memref<1x1xf32, #tile.level<smem>>
!f = memref<1x1xf32, #tile.level<rf>>
tile.kernel @any_strides(%X: !V[%M, %N], %Y: !V[%M, %P], %M: index, %N: index, %P: index) {
  tile.for (%m0) in (%M) by (32) at dram on block {
    %y = tile.hold init(0.0 : f32) : !o
    tile.for (%n0) in (%N) by (32) at dram pipeline(3) {
      %x = tile.stage %X[%m0, %n0] : !V to !t
      tile.for (%m1, %n1) in (32, 32) by (1, 1) at smem on thread {
        %a = tile.part %x[%m1, %n1] : !t to !e
        %b = tile.part %y[%m1, %n1] : !o to !f
        linalg.add ins(%a, %b : !e, !f) outs(%b : !f)
      }
    }
    tile.store %y to %Y[%m0, 0] : !o to !V
  }
}

// -----

// Rows that the pipelined loop itself walks: 16 bytes at a time only where a launch's rows are multiples of 16 bytes.
// CHECK-LABEL: kernel.func @rows
// CHECK-SAME: %[[M:[a-z0-9]+]]: index, %[[N:[a-z0-9]+]]: index
// CHECK: arith.remsi %[[N]], %c4
// CHECK: scf.if
// CHECK: kernel.cp_async 4
// CHECK: kernel.for pipeline
// CHECK: } else {
// CHECK-NOT: kernel.cp_async 4
// CHECK: kernel.cp_async 1
// CHECK: kernel.for pipeline
!V = memref<?x?xf32, strided<[?, 1]>>
!W = memref<?xf32>
!t = memref<32x32xf32, #tile.level<smem>>
!o = memref<32xf32, #tile.level<rf>>
!e = memref<1x32xf32, #tile.level<smem>>
!f = memref<1xf32, #tile.level<rf>>
tile.kernel @rows(%X: !V[%M, %N], %Y: !W[%M], %M: index, %N: index) {
  tile.for (%m0) in (%M) by (32) at dram on block {
    %y = tile.hold init(0.0 : f32) : !o
    tile.for (%n0) in (%N) by (32) at dram pipeline(2) {
      %x = tile.stage %X[%m0, %n0] : !V to !t
      tile.for (%m1) in (32) by (1) at smem on thread {
        %a = tile.part %x[%m1, 0] : !t to !e
        %b = tile.part %y[%m1] : !o to !f
        linalg.reduce ins(%a : !e) outs(%b : !f) dimensions = [1] (%p: f32, %q: f32) {
          %s = arith.addf %p, %q : f32
          linalg.yield %s : f32
        }
      }
    }
    tile.store %y to %Y[%m0] : !o to !W
  }
}
