// Loops of one thread that walk neighbours make one digit of an array: 2 by 2 on a part of 2 is a run of 4, which is
// loaded and stored whole.
// RUN: tilec-opt %s -tile-kernel-pipeline | FileCheck %s
!G = memref<64x4xf32>
!s = memref<64x4xf32, #tile.level<smem>>
!r = memref<64x4xf32, #tile.level<rf>>
!p = memref<1x2xf32, #tile.level<rf>>

// CHECK-LABEL: kernel.func @double
// CHECK: kernel.registers {{.*}}: memref<4xf32, #tile.level<rf>>
// CHECK: kernel.registers : memref<4xf32, #tile.level<rf>>
// CHECK: kernel.lds_vector {{.*}}4
// CHECK: kernel.for{{.*}} %[[J:[a-z0-9]+]] =
// CHECK: %[[J2:.*]] = arith.muli %[[J]], %c2
// CHECK: kernel.for{{.*}} %[[I:[a-z0-9]+]] =
// CHECK: %[[AT:.*]] = arith.addi %[[J2]], %[[I]]
// CHECK: memref.load %{{.*}}[%[[AT]]] : memref<4xf32, #tile.level<rf>>
// CHECK: kernel.stg_vector {{.*}}4
tile.kernel @double(%X: !G[64, 4], %Y: !G[64, 4]) {
  tile.for (%b) in (64) by (64) at dram on block {
    %s = tile.stage %X[%b, 0] : !G to !s
    %y = tile.hold init(0.0 : f32) : !r
    %x = tile.stage %s[0, 0] : !s to !r
    tile.for (%i) in (64) by (1) at smem on thread {
      tile.for (%j) in (4) by (2) at rf on unroll {
        %xp = tile.part %x[%i, %j] : !r to !p
        %yp = tile.part %y[%i, %j] : !r to !p
        linalg.add ins(%xp, %xp : !p, !p) outs(%yp : !p)
      }
    }
    tile.store %y to %Y[%b, 0] : !r to !G
  }
}
