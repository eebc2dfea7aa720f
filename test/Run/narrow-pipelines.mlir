// f16, bf16 and i8 in pipelines: groups of 4, 8 or 16 bytes by cp.async, boxes by TMA, and through registers where a launch
// allows neither. Where producers store, they arrive once more, for their stores.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t
// RUN: tilec %t/async.mlir --target=sm80 --emit=cuda -o - | FileCheck %s --check-prefix=ASYNC
// RUN: tilec %t/async.mlir --target=sm80 --run=cpu --verify --schedule=ahead --shape=m=70,n=45,k=37 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: tilec %t/async.mlir --target=sm80 --run=cpu --verify --schedule=ahead --shape=m=64,n=72,k=88 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: tilec %t/async.mlir --target=sm80 --run=cpu --verify --shape=m=64,n=46,k=88 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: tilec %t/async.mlir --target=sm80 --run=cpu --verify --shape=m=5,n=3,k=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/pipeline(3)/pipeline(3) choose(copy)/' %t/async.mlir > %t/choose.mlir
// RUN: tilec %t/choose.mlir --target=sm80 --emit=cuda -o - | FileCheck %s --check-prefix=CHOOSE
// RUN: tilec %t/choose.mlir --target=sm80 --run=cpu --verify --schedule=ahead --shape=m=70,n=48,k=37 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: sed 's/pipeline(3)/pipeline(3) producers(1)/' %t/async.mlir > %t/ring.mlir
// RUN: tilec %t/ring.mlir --target=h100-sxm --emit=cuda -o - | FileCheck %s --check-prefix=RING
// RUN: tilec %t/ring.mlir --target=h100-sxm --run=cpu --verify --schedule=reversed --shape=m=70,n=45,k=131 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: tilec %t/ring.mlir --target=h100-sxm --run=cpu --verify --schedule=ahead --shape=m=64,n=72,k=88 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: tilec %t/ring.mlir --target=h100-sxm --run=cpu --verify --schedule=ahead --shape=m=70,n=48,k=131 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: sed 's/\] : !\([AB]\) to !s/] copy(tma) : !\1 to !s/' %t/ring.mlir > %t/boxes.mlir
// RUN: tilec %t/boxes.mlir --target=h100-sxm --emit=cuda -o - | FileCheck %s --check-prefix=BOXES
// RUN: tilec %t/boxes.mlir --target=h100-sxm --run=cpu --verify --schedule=reversed --shape=m=70,n=45,k=131 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: tilec %t/boxes.mlir --target=h100-sxm --run=cpu --verify --schedule=ahead --shape=m=64,n=72,k=88 --emit=report -o - 2>&1 | FileCheck %s --check-prefix=COUNTED
// RUN: tilec %t/boxes.mlir --target=h100-sxm --run=cpu --verify --shape=m=5,n=3,k=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: tilec %t/bytes.mlir --target=h100-sxm --emit=cuda -o - | FileCheck %s --check-prefix=BYTES
// RUN: tilec %t/bytes.mlir --target=h100-sxm --run=cpu --verify --schedule=ahead --shape=m=70,n=208 2>&1 | FileCheck %s --check-prefix=SUMS
// RUN: tilec %t/bytes.mlir --target=h100-sxm --run=cpu --verify --schedule=reversed --shape=m=70,n=37 2>&1 | FileCheck %s --check-prefix=SUMS
// RUN: tilec %t/bytes.mlir --target=h100-sxm --run=cpu --verify --shape=m=70,n=0 2>&1 | FileCheck %s --check-prefix=SUMS
// RUN: tilec %t/clamp.mlir --target=sm80 --run=cpu --verify --schedule=ahead --shape=m=39,n=203 2>&1 | FileCheck %s --check-prefix=CLAMP

// In the loop that few launches take, copies go through registers; nobody waits between reading a slot and filling another.
// ASYNC: cp_async<8>(sA
// ASYNC: cp_async<8>(sB
// ASYNC: ldg(&A[
// ODD: random: all 3150 elements of C agree
// WHOLE: random: all 4608 elements of C agree
// HALF: random: all 2944 elements of C agree
// NONE: all 15 elements of C agree
// MIXED: random: all 3360 elements of C agree
// CHOOSE: cp_async_wait<1>();
// CHOOSE: sync_block();
// CHOOSE-NOT: sync_block();
// CHOOSE: cp_async_commit();

// 32 producers arrive twice.
// RING: mbarrier_init(&full[i], 64);
// RING: cp_async_mbarrier_arrive(&full[use]);
// RING-NEXT: mbarrier_arrive(&full[use]);
// One thread asks for boxes; where a launch takes none all 64 producers copy.
// BOXES: = inside ? 1 : 64;
// BOXES: mbarrier_init(&full[i], 
// BOXES: mbarrier_arrive_expect_tx(&full[use], 2048);
// BOXES: tma_load_2d(&sA[{{.*}}], &A_map, k0, m0, &full[use]);
// BOXES-NEXT: tma_load_2d(&sB[{{.*}}], &B_map, n0, k0, &full[use]);
// BOXES: ldg(&A[

// 6 tiles of 6 iterations: boxes hold 88 columns of A three times, 72 of B twice.
// COUNTED: random: all 4608 elements of C agree
// COUNTED: bytes, predicted and counted
// COUNTED: A dram -> smem 33792 33792
// COUNTED: B dram -> smem 25344 25344

// BYTES: tma_load_2d(&s[use * 1024]
// SUMS: all 70 elements of Y agree
// CLAMP: integers: all 7917 elements of Y agree, largest error 0

//--- async.mlir
!A = memref<?x?xf16, strided<[?, 1]>>
!B = memref<?x?xbf16, strided<[?, 1]>>
!C = memref<?x?xf32, strided<[?, 1]>>
!sA = memref<32x16xf16, #tile.layout<"(32,16):(16,1)">, #tile.level<smem>>
!sB = memref<16x32xbf16, #tile.layout<"(16,32):(32,1)">, #tile.level<smem>>
!c = memref<32x32xf32, #tile.level<rf>>
!rA = memref<4x1xf16, #tile.level<rf>>
!rB = memref<1x4xbf16, #tile.level<rf>>
!r = memref<4x4xf32, #tile.level<rf>>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
tile.kernel @gemm(%A: !A[%M, %K], %B: !B[%K, %N], %C: !C[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (16) at dram pipeline(3) {
      %sA = tile.stage %A[%m0, %k0] : !A to !sA
      %sB = tile.stage %B[%k0, %n0] : !B to !sB
      tile.for (%m1, %n1) in (32, 32) by (4, 4) at smem on thread {
        %p = tile.part %c[%m1, %n1] : !c to !r
        tile.for (%k1) in (16) by (1) at smem on unroll {
          %a = tile.stage %sA[%m1, %k1] : !sA to !rA
          %b = tile.stage %sB[%k1, %n1] : !sB to !rB
          linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
              ins(%a, %b : !rA, !rB) outs(%p : !r) {
          ^bb0(%x: f16, %y: bf16, %z: f32):
            %u = arith.extf %x : f16 to f32
            %v = arith.extf %y : bf16 to f32
            %w = arith.mulf %u, %v : f32
            %s = arith.addf %z, %w : f32
            linalg.yield %s : f32
          }
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !C
  }
}

//--- bytes.mlir
// Sums of rows of bytes: 32 of them in a row of a box.
!X = memref<?x?xi8, strided<[?, 1]>>
!s = memref<32x32xi8, #tile.level<smem>>
!e = memref<1x32xi8, #tile.level<smem>>
!c = memref<32xi32, #tile.level<rf>>
!r = memref<1xi32, #tile.level<rf>>
tile.kernel @sums(%X: !X[%M, %N], %Y: memref<?xi32>[%M], %M: index, %N: index) {
  tile.for (%m0) in (%M) by (32) at dram on block {
    %y = tile.hold init(0 : i32) : !c
    tile.for (%n0) in (%N) by (32) at dram pipeline(4) producers(1) {
      %s = tile.stage %X[%m0, %n0] copy(tma) : !X to !s
      tile.for (%m1) in (32) by (1) at smem on thread {
        %p = tile.part %s[%m1, 0] : !s to !e
        %q = tile.part %y[%m1] : !c to !r
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                        iterator_types = ["parallel", "reduction"]} ins(%p : !e) outs(%q : !r) {
        ^bb0(%x: i8, %z: i32):
          %w = arith.extsi %x : i8 to i32
          %t = arith.addi %w, %z : i32
          linalg.yield %t : i32
        }
      }
    }
    tile.store %y to %Y[%m0] : !c to memref<?xi32>
  }
}

//--- clamp.mlir
// Differences of neighbours along rows, that of the edge being 0: padding other than with zero, copied ahead through registers.
!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<8x36xf32, #tile.level<smem>>
!y = memref<1x1xf32, #tile.level<rf>>
tile.kernel @clamp(%X: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i0) in (%M) by (8) at dram on block {
    tile.for (%j0) in (%N) by (32) at dram pipeline(3) {
      %s = tile.stage %X[%i0, %j0 - 1] pad(clamp) : !G to !s
      tile.for (%i1, %j1) in (8, 32) by (1, 1) at smem on thread {
        %y = tile.hold init(0.0 : f32) : !y
        %l = tile.stage %s[%i1, %j1] : !s to !y
        %r = tile.stage %s[%i1, %j1 + 2] : !s to !y
        linalg.sub ins(%r, %l : !y, !y) outs(%y : !y)
        tile.store %y to %Y[%i0 + %i1, %j0 + %j1] : !y to !G
      }
    }
  }
}
