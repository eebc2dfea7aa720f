// A loop on warpgroup whose iterations are instructions: fenced, run as a group, and waited for; the accumulators are an array in the
// instruction's order of values.
// RUN: tilec-opt %s -split-input-file -tile-set-target="target=h100-sxm" -tile-kernel-pipeline | FileCheck %s

!G = memref<?x?xf16, strided<[?, 1]>>
!sA = memref<128x64xf16, #tile.layout<"Sw<3,3,3> o 0 o (128,64):(64,1)">, #tile.level<smem>>
!sB = memref<64x64xf16, #tile.layout<"Sw<3,3,3> o 0 o (64,64):(64,1)">, #tile.level<smem>>
!iA = memref<64x16xf16, #tile.level<smem>>
!iB = memref<64x16xf16, #tile.level<smem>>
!iC = memref<64x64xf32, #tile.level<rf>>
!c = memref<128x64xf32, #tile.level<rf>>
// B is given as [n, k]: both operands run along k.
// CHECK-LABEL: kernel.func @by_k
// CHECK: %[[C:.*]] = kernel.registers {{.*}} : memref<8x2x2xf32, #tile.level<rf>>
// CHECK: kernel.wgmma_fence
// CHECK: %[[A:.*]] = kernel.matrix_descriptor %{{.*}} {leading_bytes = 0 : i64, stride_bytes = 1024 : i64, swizzle = 128 : i64}
// CHECK: %[[B:.*]] = kernel.matrix_descriptor %{{.*}} {leading_bytes = 0 : i64, stride_bytes = 1024 : i64, swizzle = 128 : i64}
// CHECK: kernel.wgmma %[[C]][], %[[A]], %[[B]] {a = f16, b = f16, n = 64 : i64}
// CHECK: kernel.wgmma_commit
// The group of this iteration stays in flight: that of the one before is done, and its slot is given back.
// CHECK-NEXT: kernel.wgmma_wait {pending = 1 : i64}
// CHECK: kernel.mbarrier_arrive
// CHECK: kernel.wgmma_wait %[[C]][] {pending = 0 : i64}
tile.kernel @by_k(%A: !G[%M, %K], %B: !G[%N, %K], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (128, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (64) at dram pipeline(2) producers(4) {
      %sA = tile.stage %A[%m0, %k0] copy(tma) : !G to !sA
      %sB = tile.stage %B[%n0, %k0] copy(tma) : !G to !sB
      tile.for (%mw) in (128) by (64) at smem on warpgroup {
        tile.for (%k1) in (64) by (16) at smem on unroll {
          %a = tile.part %sA[%mw, %k1] : !sA to !iA
          %b = tile.part %sB[0, %k1] : !sB to !iB
          %s = tile.part %c[%mw, 0] : !c to !iC
          linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
              ins(%a, %b : !iA, !iB) outs(%s : !iC)
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to memref<?x?xf32>
  }
}

// -----

!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<128x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (128,64):(64,1)">, #tile.level<smem>>
!sB = memref<64x32xbf16, #tile.layout<"Sw<2,3,3> o 0 o (64,32):(32,1)">, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<16x32xbf16, #tile.level<smem>>
!iC = memref<64x32xf32, #tile.level<rf>>
!c = memref<128x32xf32, #tile.level<rf>>
// One warpgroup, two instructions beside each other: the first index of the array tells them apart. B's rows are 64 bytes along n.
// A slot that is given back at the end of its iteration is not read any more.
// CHECK-LABEL: kernel.func @one_group
// CHECK: %[[C:.*]] = kernel.registers {{.*}} : memref<2x4x2x2xf32, #tile.level<rf>>
// CHECK: kernel.matrix_descriptor %{{.*}} {leading_bytes = 0 : i64, stride_bytes = 512 : i64, swizzle = 64 : i64}
// CHECK: kernel.wgmma %[[C]][%{{.*}}], %{{.*}}, %{{.*}} {a = bf16, b = bf16, n = 32 : i64, transpose_b}
// CHECK: kernel.wgmma_commit
// CHECK-NEXT: kernel.wgmma_wait %[[C]][] {pending = 0 : i64}
tile.kernel @one_group(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (128, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (64) at dram pipeline(2) producers(4) release(end) {
      %sA = tile.stage %A[%m0, %k0] copy(tma) : !G to !sA
      %sB = tile.stage %B[%k0, %n0] copy(tma) : !G to !sB
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%m1) in (128) by (64) at smem on unroll {
          tile.for (%k1) in (64) by (16) at smem {
            %a = tile.part %sA[%m1, %k1] : !sA to !iA
            %b = tile.part %sB[%k1, 0] : !sB to !iB
            %s = tile.part %c[%m1, 0] : !c to !iC
            linalg.matmul ins(%a, %b : !iA, !iB) outs(%s : !iC)
          }
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to memref<?x?xf32>
  }
}
