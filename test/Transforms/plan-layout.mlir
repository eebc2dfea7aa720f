// RUN: tilec-opt %s --tile-plan-layout --split-input-file | FileCheck %s
// RUN: tilec-opt %s --tile-plan-layout=remarks --split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// Planned again nothing changes: what is written is kept.
// RUN: tilec-opt %s --split-input-file --tile-plan-layout > %t.once
// RUN: tilec-opt %t.once --split-input-file --tile-plan-layout | diff %t.once -
// A swizzle would save some wavefronts of conv2d, and take 2 instructions more for each load of its inner loop.
// RUN: tilec-opt %tilec_root/examples/conv2d.mlir --tile-plan-layout=remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=PAID --implicit-check-not=lies
// PAID: remark: no padding or swizzle is better than rows side by side: 4478976 wavefronts instead of 2316288

// Warps write rows of A and read columns: lane i reads word 32 * i, all of bank 0. A row of 33 words
// puts it into bank i. 128 x 128 x 128 blocks of 32x32x32 with 1024 threads = 32 warps; each warp
// writes one row in one wavefront and reads 32 columns in 32 each: 128^3 * 32 * (1 + 32 * 32) =
// 68786585600, and with the padding 128^3 * 32 * (1 + 32) = 2214592512, one for each request. The part
// says nothing of strides any more.
!G = memref<4096x4096xf32>
!s = memref<32x32xf32, #tile.level<smem>>
!p = memref<1x32xf32, strided<[32, 1], offset: ?>, #tile.level<smem>>
!c = memref<32x32xf32, #tile.level<rf>>
!r = memref<1x1xf32, #tile.level<rf>>
// REMARK: plan-layout.mlir:[[#@LINE+8]]:12: remark: lies as (32,32):(33,1): 2214592512 wavefronts of 2214592512 requests instead of 68786585600 of 2214592512, none collides
// CHECK-LABEL: tile.kernel @columns
// CHECK: tile.stage %{{.*}} to memref<32x32xf32, #tile.layout<"(32,32):(33,1)">, #tile.level<smem>>
// CHECK: tile.part %{{.*}} : memref<32x32xf32, #tile.layout<"(32,32):(33,1)">, #tile.level<smem>> to memref<1x32xf32, #tile.level<smem>>
tile.kernel @columns(%A: !G[4096, 4096], %C: !G[4096, 4096]) {
  tile.for (%m0, %n0) in (4096, 4096) by (32, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (4096) by (32) at dram {
      %s = tile.stage %A[%m0, %k0] : !G to !s
      tile.for (%n1, %m1) in (32, 32) by (1, 1) at smem on thread {
        %p = tile.part %s[%m1, 0] : !s to !p
        %r = tile.part %c[%m1, %n1] : !c to !r
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>],
                        iterator_types = ["parallel", "reduction"]} ins(%p : !p) outs(%r : !r) {
        ^bb0(%a: f32, %x: f32):
          %y = arith.addf %a, %x : f32
          linalg.yield %y : f32
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}

// -----

// The same with rows of 32 words written down: kept, though they collide.
!G = memref<4096x4096xf32>
!s = memref<32x32xf32, #tile.layout<"(32,32):(32,1)">, #tile.level<smem>>
!p = memref<1x1xf32, #tile.level<smem>>
!e = memref<1x1xf32>
// CHECK-LABEL: tile.kernel @written
// CHECK: tile.stage {{.*}} #tile.layout<"(32,32):(32,1)">
tile.kernel @written(%A: !G[4096, 4096], %B: !G[4096, 4096]) {
  tile.for (%i0, %j0) in (4096, 4096) by (32, 32) at dram on block {
    %s = tile.stage %A[%i0, %j0] : !G to !s
    tile.for (%j1, %i1) in (32, 32) by (1, 1) at smem on thread {
      %p = tile.part %s[%i1, %j1] : !s to !p
      %b = tile.part %B[%j0 + %j1, %i0 + %i1] : !G to !e
      linalg.transpose ins(%p : !p) outs(%b : !e) permutation = [1, 0]
    }
  }
}

// -----

// Nothing collides: left as it is.
!G = memref<4096x4096xf32>
!s = memref<32x32xf32, #tile.level<smem>>
!p = memref<1x1xf32, #tile.level<smem>>
!e = memref<1x1xf32>
// CHECK-LABEL: tile.kernel @rows
// CHECK: tile.stage {{.*}} to memref<32x32xf32, #tile.level<smem>>
tile.kernel @rows(%A: !G[4096, 4096], %B: !G[4096, 4096]) {
  tile.for (%i0, %j0) in (4096, 4096) by (32, 32) at dram on block {
    %s = tile.stage %A[%i0, %j0] : !G to !s
    tile.for (%i1, %j1) in (32, 32) by (1, 1) at smem on thread {
      %p = tile.part %s[%i1, %j1] : !s to !p
      %b = tile.part %B[%i0 + %i1, %j0 + %j1] : !G to !e
      linalg.copy ins(%p : !p) outs(%b : !e)
    }
  }
}

// -----

// 163 rows of 256 floats fill the 166912 bytes of a block on an A100: no padding fits, a swizzle does. Loops that are written out move by 32 rows and by 8 columns: of columns side by side,
// 163 elements each, both are whole periods of Sw<1,0,1>, four elements, and addresses are computed once; of rows 8 elements are no period of a swizzle that keeps banks apart.
!G = memref<4096x4096xf32>
!s = memref<163x256xf32, #tile.level<smem>>
!p = memref<1x1xf32, #tile.level<smem>>
!e = memref<1x1xf32>
// REMARK: remark: lies as Sw<1,0,1> o 0 o (163,256):(1,163): {{.*}}, none collides
// CHECK-LABEL: tile.kernel @large
tile.kernel @large(%A: !G[4096, 4096], %B: !G[4096, 4096]) {
  tile.for (%i0, %j0) in (4096, 4096) by (163, 256) at dram on block {
    %s = tile.stage %A[%i0, %j0] : !G to !s
    tile.for (%q, %r) in (160, 256) by (32, 8) at smem on unroll {
      tile.for (%j1, %i1) in (8, 32) by (1, 1) at smem on thread {
        %p = tile.part %s[%q + %i1, %r + %j1] : !s to !p
        %b = tile.part %B[%j0 + %r + %j1, %i0 + %q + %i1] : !G to !e
        linalg.transpose ins(%p : !p) outs(%b : !e) permutation = [1, 0]
      }
    }
  }
}
