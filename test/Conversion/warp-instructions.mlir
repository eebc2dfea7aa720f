// Products of warps: operands loaded by ldmatrix as the plan says, each lane's share of an instruction side by side.
// RUN: tilec-opt %s -split-input-file -tile-set-target="target=sm80" -tile-kernel-pipeline | FileCheck %s
// RUN: tilec-opt %s -split-input-file -tile-set-target="target=sm80" -tile-kernel-pipeline | FileCheck %s --check-prefix=AHEAD

!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<32x32xbf16, #tile.layout<"Sw<2,3,3> o 0 o (32,32):(32,1)">, #tile.level<smem>>
!sB = memref<32x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (32,64):(64,1)">, #tile.level<smem>>
!rA = memref<32x16xbf16, #tile.level<rf>>
!rB = memref<16x32xbf16, #tile.level<rf>>
!iA = memref<16x16xbf16, #tile.level<rf>>
!iB = memref<16x8xbf16, #tile.level<rf>>
!iC = memref<16x8xf32, #tile.level<rf>>
!c = memref<32x64xf32, #tile.level<rf>>
// Of A one load has the four matrices of an instruction; of B, whose rows run along n, those of two, transposed. Each index but the last three
// (of B two) numbers instructions; the first one of A and B is the slot.
// CHECK-LABEL: kernel.func @by_n
// CHECK: %[[C:.*]] = kernel.registers {{.*}} : memref<2x4x2x2xf32, #tile.level<rf>>
// CHECK: %[[A:.*]] = kernel.registers : memref<2x2x2x2x2xbf16, #tile.level<rf>>
// CHECK: %[[B:.*]] = kernel.registers : memref<2x4x2x2xbf16, #tile.level<rf>>
// CHECK: kernel.ldmatrix %[[A]][%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}], %{{.*}}[%{{.*}}] thread_loop -1 {count = 4 : i64}
// CHECK: kernel.for {{.*}} step %[[TWO:.*]]
// CHECK: kernel.ldmatrix %[[B]][%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}], %{{.*}}[%{{.*}}] thread_loop -1 {count = 4 : i64, transpose}
// CHECK: kernel.mma %[[C]][%{{.*}}, %{{.*}}], %[[A]][%{{.*}}, %{{.*}}, %c0{{.*}}, %c0{{.*}}, %c0{{.*}}], %[[B]][%{{.*}}, %{{.*}}] {type = bf16}
// What the first product of the ring multiplies is loaded ahead of it, what that of another slot does beside the last product of the slot before: after
// the wait for that slot and the only barrier of an iteration, before the copies to the slot that all have read.
// AHEAD-LABEL: kernel.func @by_n
// AHEAD: kernel.cp_async_commit
// AHEAD: kernel.cp_async_wait 0
// AHEAD: kernel.cp_async_commit
// AHEAD: %[[A:.*]] = kernel.registers : memref<2x2x2x2x2xbf16, #tile.level<rf>>
// AHEAD: %[[B:.*]] = kernel.registers : memref<2x4x2x2xbf16, #tile.level<rf>>
// AHEAD: kernel.sync_block
// AHEAD: kernel.ldmatrix %[[A]][%c0
// AHEAD: kernel.ldmatrix %[[B]][%c0
// AHEAD: kernel.for pipeline
// AHEAD-NOT: kernel.sync_block
// AHEAD: kernel.ldmatrix %[[A]][%c1
// AHEAD-NOT: kernel.sync_block
// AHEAD: kernel.ldmatrix %[[B]][%c1
// AHEAD-NOT: kernel.sync_block
// AHEAD: kernel.mma %{{.*}}, %[[A]][%c0, %{{.*}}, %c0, %c0, %c0], %[[B]][%c0,
// AHEAD: kernel.cp_async_wait 0
// AHEAD: kernel.sync_block
// AHEAD: kernel.ldmatrix %[[A]][%c0
// AHEAD: kernel.ldmatrix %[[B]][%c0
// AHEAD-NOT: kernel.sync_block
// AHEAD: kernel.cp_async_commit
// AHEAD-NOT: kernel.sync_block
// AHEAD: kernel.mma %{{.*}}, %[[A]][%c1, %{{.*}}, %c0, %c0, %c0], %[[B]][%c1,
// AHEAD-NOT: kernel.sync_block
// AHEAD: } else {
tile.kernel @by_n(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (32) at dram pipeline(2) {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      tile.for (%w) in (64) by (32) at smem on warp {
        tile.for (%k1) in (32) by (16) at smem pipeline(2) {
          %rA = tile.stage %sA[0, %k1] : !sA to !rA
          %rB = tile.stage %sB[%k1, %w] : !sB to !rB
          tile.for (%m1, %n1) in (32, 32) by (16, 8) at rf on unroll {
            %a = tile.part %rA[%m1, 0] : !rA to !iA
            %b = tile.part %rB[0, %n1] : !rB to !iB
            %s = tile.part %c[%m1, %w + %n1] : !c to !iC
            linalg.matmul ins(%a, %b : !iA, !iB) outs(%s : !iC)
          }
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to memref<?x?xf32>
  }
}

// -----

!s = memref<16x16xbf16, strided<[18, 1]>, #tile.level<smem>>
!sB = memref<8x16xbf16, #tile.level<smem>>
!a = memref<16x16xbf16, #tile.level<rf>>
!b = memref<8x16xbf16, #tile.level<rf>>
!c = memref<16x8xf32, #tile.level<rf>>
#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
// Rows of 36 bytes are loaded by each lane, two elements at a time; of B as [n, k] there are two matrices.
// CHECK-LABEL: kernel.func @by_lane
// CHECK: kernel.lds_vector 2
// CHECK: kernel.ldmatrix {{.*}} {count = 2 : i64} : memref<2x2xbf16
// CHECK: kernel.mma %{{.*}}[], %{{.*}}[%c0{{.*}}, %c0{{.*}}, %c0{{.*}}], %{{.*}}[] {type = bf16} : memref<2x2xf32, {{.*}}>, memref<2x2x2xbf16, {{.*}}>, memref<2x2xbf16
tile.kernel @by_lane(%A: memref<16x16xbf16>[16, 16], %B: memref<8x16xbf16>[8, 16], %C: memref<16x8xf32>[16, 8]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    %sA = tile.stage %A[0, 0] : memref<16x16xbf16> to !s
    %sB = tile.stage %B[0, 0] : memref<8x16xbf16> to !sB
    tile.for (%w) in (1) by (1) at smem on warp {
      %a = tile.stage %sA[0, 0] : !s to !a
      %b = tile.stage %sB[0, 0] : !sB to !b
      linalg.matmul indexing_maps = #maps ins(%a, %b : !a, !b) outs(%c : !c)
    }
    tile.store %c to %C[0, 0] : !c to memref<16x8xf32>
  }
}

// -----

!a = memref<16x16xbf16, #tile.level<rf>>
!b = memref<32x16xbf16, #tile.level<rf>>
!d = memref<16x8xbf16, #tile.level<rf>>
!iB = memref<8x16xbf16, #tile.level<rf>>
!iC = memref<16x8xf32, #tile.level<rf>>
!s = memref<16x32xf32, #tile.level<rf>>
!p = memref<16x32xbf16, #tile.level<rf>>
!c = memref<16x8xf32, #tile.level<rf>>
#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
#id = affine_map<(m, n) -> (m, n)>
// What a product became, rounded, is the first matrix of the next one as it lies: 4 instructions of 8 columns are 2 of 16 along k, and the first value of the second one
// is the third instruction's.
// CHECK-LABEL: kernel.func @chained
// CHECK: %[[S:.*]] = kernel.registers {{.*}} : memref<4x2x2xf32, #tile.level<rf>>
// CHECK: kernel.mma %[[S]][
// CHECK: %[[P:.*]] = kernel.registers {{.*}} : memref<4x2x2xbf16, #tile.level<rf>>
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c2
// CHECK: kernel.mma %{{.*}}[], %[[P]][%[[FIRST]], %c0{{.*}}, %c0{{.*}}], %{{.*}}[] {type = bf16}
tile.kernel @chained(%A: memref<16x16xbf16>[16, 16], %B: memref<32x16xbf16>[32, 16], %D: memref<32x8xbf16>[32, 8], %C: memref<16x8xf32>[16, 8]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !s
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%w) in (1) by (1) at smem on warp {
      %a = tile.stage %A[0, 0] : memref<16x16xbf16> to !a
      %b = tile.stage %B[0, 0] : memref<32x16xbf16> to !b
      tile.for (%n) in (32) by (8) at rf on unroll {
        %y = tile.part %b[%n, 0] : !b to !iB
        %z = tile.part %s[0, %n] : !s to !iC
        linalg.matmul indexing_maps = #maps ins(%a, %y : !a, !iB) outs(%z : !iC)
      }
    }
    %p = tile.hold init(0.0 : bf16) : !p
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : !s) outs(%p : !p) {
    ^bb0(%x: f32, %old: bf16):
      %rounded = arith.truncf %x : f32 to bf16
      linalg.yield %rounded : bf16
    }
    tile.for (%w) in (1) by (1) at smem on warp {
      tile.for (%k) in (32) by (16) at smem on unroll {
        %x = tile.part %p[0, %k] : !p to !a
        %y = tile.stage %D[%k, 0] : memref<32x8xbf16> to !d
        linalg.matmul ins(%x, %y : !a, !d) outs(%c : !c)
      }
    }
    tile.store %c to %C[0, 0] : !c to memref<16x8xf32>
  }
}
