// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-kernel-pipeline | FileCheck %s

// Four producer warps after two that compute. A slot is full when 128 producers, and one of them once more for
// the bytes of the bulk copy, have arrived; empty when a lane of each of the two other warps has. X comes by
// cp.async; Y in boxes of 32x8, where its base and strides allow it.
// CHECK-LABEL: kernel.func @ring
// CHECK-SAME: %[[MAP:[a-z0-9]+]]: !kernel.tensor_map) reads(%{{.*}}, %{{.*}}) threads(192)
// CHECK: %[[FULL:.*]] = kernel.shared {{.*}}: memref<4xi64
// CHECK: %[[EMPTY:.*]] = kernel.shared {{.*}}: memref<4xi64
// CHECK: kernel.mbarrier_init %[[FULL]][%{{.*}}], %c129
// CHECK: kernel.mbarrier_init %[[EMPTY]][%{{.*}}], %c2
// CHECK: kernel.fence_mbarrier_init
// CHECK: kernel.sync_block
// CHECK: kernel.roles %{{.*}} threads [128, 64]
// CHECK: kernel.for
// CHECK: kernel.mbarrier_wait %[[EMPTY]]
// CHECK: kernel.cp_async 4
// CHECK: scf.if
// CHECK: scf.if
// 8 * 32 * 4 bytes.
// CHECK: kernel.mbarrier_arrive_expect_tx %[[FULL]][%{{.*}}], %c1024
// CHECK: kernel.tma_load %{{.*}}, %[[MAP]]
// CHECK: } else {
// CHECK: kernel.mbarrier_arrive %[[FULL]]
// CHECK: kernel.cp_async 1
// CHECK: kernel.cp_async_mbarrier_arrive %[[FULL]]
// CHECK: } else {
// CHECK-NOT: kernel.sync_block
// CHECK: kernel.for
// CHECK: kernel.mbarrier_wait %[[FULL]]
// The slot of the iteration before is given back when its loads have returned.
// CHECK: kernel.sync_warp
// CHECK: scf.if
// CHECK: kernel.mbarrier_arrive %[[EMPTY]]
// CHECK: kernel.lds
// CHECK-NOT: kernel.mbarrier_arrive
// CHECK: kernel.return
!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<8x32xf32, #tile.level<smem>>
!c = memref<8x32xf32, #tile.level<rf>>
!e = memref<1x4xf32, #tile.level<smem>>
!f = memref<1x4xf32, #tile.level<rf>>
tile.kernel @ring(%X: !G[%M, %K], %Y: !G[%M, %K], %Z: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0) in (%M) by (8) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (32) at dram pipeline(4) producers(4) {
      %x = tile.stage %X[%m0, %k0] : !G to !s
      %y = tile.stage %Y[%m0, %k0] copy(tma) : !G to !s
      tile.for (%m1, %n1) in (8, 32) by (1, 4) at smem on thread {
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

// -----

// Nothing walks the extent of X, which may be 0: then there is no map, and no box is asked for.
// CHECK-LABEL: kernel.func @maybe_empty
// CHECK: kernel.is_aligned
// CHECK: arith.cmpi sgt, %{{.*}}, %c0
// CHECK: kernel.tma_load
!V = memref<?xf32>
!s = memref<32xf32, #tile.level<smem>>
!r = memref<32xf32, #tile.level<rf>>
tile.kernel @maybe_empty(%X: !V[%L], %Y: !V[%N], %L: index, %N: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    tile.for (%i0) in (%N) by (32) at dram pipeline(2) producers(1) {
      %x = tile.stage %X[%i0] pad(zero) copy(tma) : !V to !s
      tile.for (%i1) in (32) by (1) at smem on thread {
        %a = tile.stage %x[%i1] : !s to memref<1xf32, #tile.level<rf>>
        tile.store %a to %Y[%i0 + %i1] : memref<1xf32, #tile.level<rf>> to !V
      }
    }
  }
}

// -----

// Registers by role: the launch has one block on each SM, and both sides say what they need.
// CHECK-LABEL: kernel.func @registers
// CHECK-SAME: min_blocks(1)
// CHECK: kernel.setmaxnreg_dec 40
// CHECK: kernel.setmaxnreg_inc 120
!V = memref<?xf32>
!s = memref<128xf32, #tile.level<smem>>
!e = memref<1xf32, #tile.level<smem>>
!h = memref<128xf32, #tile.level<rf>>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @registers(%X: !V[%N], %Y: memref<128xf32>[128], %N: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    %y = tile.hold init(0.0 : f32) : !h
    tile.for (%i0) in (%N) by (128) at dram pipeline(2) producers(4) registers(40, 120) {
      %x = tile.stage %X[%i0] : !V to !s
      tile.for (%i1) in (128) by (1) at smem on thread {
        %a = tile.part %x[%i1] : !s to !e
        %d = tile.part %y[%i1] : !h to !r
        linalg.add ins(%a, %d : !e, !r) outs(%d : !r)
      }
    }
    tile.store %y to %Y[0] : !h to memref<128xf32>
  }
}

// -----

!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<8x32xf32, strided<[36, 1]>, #tile.level<smem>>
tile.kernel @limit_x12_padded(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%m0) in (%M) by (8) at dram on block {
    tile.for (%n0) in (%N) by (32) at dram pipeline(2) producers(1) {
      // expected-error@+1 {{writes a box without gaps; dimension 0 of the tile has stride 36, the box 32}}
      %x = tile.stage %X[%m0, %n0] copy(tma) : !G to !s
    }
  }
}

// -----

!G = memref<?x?xf32, strided<[?, ?]>>
!s = memref<8x32xf32, #tile.level<smem>>
// expected-note@+1 {{the operand is of type}}
tile.kernel @limit_x13_strides(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%m0) in (%M) by (8) at dram on block {
    tile.for (%n0) in (%N) by (32) at dram pipeline(2) producers(1) {
      // expected-error@+1 {{copies along a dimension of stride 1; dimension 1, which is contiguous in the tile, is not known to be so in the operand}}
      %x = tile.stage %X[%m0, %n0] copy(tma) : !G to !s
    }
  }
}

// -----

!G = memref<?x17xf32>
!s = memref<8x32xf32, #tile.level<smem>>
// expected-note@+1 {{the operand is of type 'memref<?x17xf32>'}}
tile.kernel @limit_x13_rows(%X: !G[%M, 17], %M: index) {
  tile.for (%m0) in (%M) by (8) at dram on block {
    tile.for (%n0) in (17) by (32) at dram pipeline(2) producers(1) {
      // expected-error@+1 {{copy(tma) needs strides that are multiples of 16 bytes; that of dimension 0 of the operand is 68 bytes}}
      %x = tile.stage %X[%m0, %n0] copy(tma) : !G to !s
    }
  }
}

// -----

!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<8x32xf32, #tile.level<smem>>
tile.kernel @limit_x13_shifted(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%m0) in (%M) by (8) at dram on block {
    tile.for (%n0) in (%N) by (24) at dram pipeline(2) producers(1) {
      // expected-error@+1 {{copy(tma) needs tiles that begin at multiples of 16 bytes along the operand's contiguous dimension; along dimension 1 this one begins at multiples of 8 bytes; a halo may begin at the multiple before it}}
      %x = tile.stage %X[%m0 + 1, %n0 - 2] copy(tma) : !G to !s
    }
  }
}

// -----

!V = memref<?xf32>
!s = memref<512xf32, #tile.level<smem>>
tile.kernel @limit_x12_wide(%X: !V[%N], %N: index) {
  tile.for (%i0) in (%N) by (512) at dram on block {
    tile.for (%i1) in (512) by (512) at dram pipeline(2) producers(1) {
      // expected-error@+1 {{copies at most 256 elements along a dimension; dimension 0 of the tile has 512}}
      %x = tile.stage %X[%i0 + %i1] copy(tma) : !V to !s
    }
  }
}

// -----

// Warpgroups of four warps share what setmaxnreg says.
!V = memref<?xf32>
!s = memref<128xf32, #tile.level<smem>>
tile.kernel @limit_x10_groups(%X: !V[%N], %N: index) {
  tile.for (%i0) in (%N) by (128) at dram on block {
    // expected-error@+1 {{registers are dealt out to whole warpgroups of 128 threads; producers are 32, the others 32}}
    tile.for (%i1) in (128) by (128) at dram pipeline(2) producers(1) registers(40, 120) {
      %x = tile.stage %X[%i0 + %i1] : !V to !s
      tile.for (%i2) in (32) by (1) at smem on thread {
      }
    }
  }
}

// -----

// Boxes begin where an index says, which is loaded once for both of them; one that is not there is -1, of which boxes have zeros.
!B = memref<?x?x256xf32, strided<[?, 256, 1]>>
!s = memref<1x8x64xf32, #tile.layout<"(1,8,(32,2)):(0,32,(1,256))">, #tile.level<smem>>
!r = memref<1x8x1xf32, #tile.level<rf>>
// CHECK-LABEL: kernel.func @numbered
// CHECK: %[[THERE:.*]] = arith.cmpi slt
// CHECK: %[[NUMBER:.*]] = scf.if %[[THERE]] -> (index) {
// CHECK-NEXT: arith.index_cast
// CHECK-NEXT: kernel.ldg_index
// CHECK: scf.yield %c-1
// CHECK: kernel.tma_load %{{.*}}[%{{.*}}, %{{.*}}, %[[NUMBER]]]
// CHECK-NOT: kernel.ldg_index
// CHECK: kernel.tma_load %{{.*}}[%{{.*}}, %{{.*}}, %[[NUMBER]]]
tile.kernel @numbered(%X: !B[%E, %K, 256], %I: memref<?xi32>[%T], %Y: memref<?x64xf32>[%R, 64], %E: index, %K: index, %T: index, %R: index) {
  tile.for (%t) in (%R) by (8) at dram on block {
    %c = tile.hold init(0.0 : f32) : memref<8x64xf32, #tile.level<rf>>
    tile.for (%k) in (%K) by (8) at dram pipeline(2) producers(1) {
      %s = tile.stage %X[%t, %k, 0] gather(%I : memref<?xi32> along 0) copy(tma) : !B to !s
      tile.for (%n) in (64) by (1) at smem on thread {
        %x = tile.stage %s[0, 0, %n] : !s to !r
        %p = tile.part %c[0, %n] : memref<8x64xf32, #tile.level<rf>> to memref<8x1xf32, #tile.level<rf>>
        linalg.generic {indexing_maps = [affine_map<(e, i, j) -> (e, i, j)>, affine_map<(e, i, j) -> (i, j)>], iterator_types = ["reduction", "parallel", "parallel"]}
            ins(%x : !r) outs(%p : memref<8x1xf32, #tile.level<rf>>) {
        ^bb0(%v: f32, %old: f32):
          %sum = arith.addf %old, %v : f32
          linalg.yield %sum : f32
        }
      }
    }
    tile.store %c to %Y[%t, 0] : memref<8x64xf32, #tile.level<rf>> to memref<?x64xf32>
  }
}
