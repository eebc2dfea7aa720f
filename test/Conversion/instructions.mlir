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

// -----

!G = memref<?x?xbf16, strided<[?, 1]>>
!F = memref<?x?xf32, strided<[?, 1]>>
!sA = memref<64x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (64,64):(64,1)">, #tile.level<smem>>
!f = memref<1x64xf32, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!u = memref<1x64xf32, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>
// The partial sums of a step are waited for, multiplied by the factors of their rows, of which a thread has loaded two ahead of the instructions, and added.
// CHECK-LABEL: kernel.func @scaled
// CHECK: %[[C:.*]] = kernel.registers {{.*}} : memref<8x2x2xf32, #tile.level<rf>>
// CHECK: kernel.mbarrier_wait
// CHECK: %[[U:.*]] = kernel.registers : memref<2xf32, #tile.level<rf>>
// CHECK: kernel.lds
// CHECK: %[[P:.*]] = kernel.registers {{.*}} : memref<8x2x2xf32, #tile.level<rf>>
// CHECK: kernel.wgmma_fence
// CHECK: kernel.wgmma %[[P]]
// CHECK: kernel.wgmma_commit
// CHECK-NEXT: kernel.wgmma_wait %[[P]][] {pending = 0 : i64}
// CHECK: memref.load %[[P]][%{{.*}}, %[[ROW:.*]], %{{.*}}]
// CHECK-NEXT: memref.load %[[U]][%[[ROW]]]
// CHECK-NEXT: memref.load %[[C]]
// CHECK: memref.store %{{.*}}, %[[C]]
tile.kernel @scaled(%A: !G[%M, %K], %B: !G[%N, %K], %U: !F[%S, %M], %C: !F[%M, %N], %M: index, %N: index, %K: index, %S: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%s) in (%S) by (1) at dram pipeline(2) producers(1) {
      %a = tile.stage %A[%m, 64 * %s] copy(tma) : !G to !sA
      %b = tile.stage %B[%n, 64 * %s] copy(tma) : !G to !sA
      %f = tile.stage %U[%s, %m] copy(tma) : !F to !f
      %u = tile.stage %f[0, 0] : !f to !u
      %p = tile.hold init(0.0 : f32) : !c
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k) in (64) by (16) at smem on unroll {
          %x = tile.part %a[0, %k] : !sA to !iA
          %y = tile.part %b[0, %k] : !sA to !iA
          linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
              ins(%x, %y : !iA, !iA) outs(%p : !c)
        }
      }
      linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> (0, m)>, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %u : !c, !u) outs(%c : !c) {
      ^bb0(%part: f32, %scale: f32, %sum: f32):
        %scaled = arith.mulf %part, %scale : f32
        %total = arith.addf %sum, %scaled : f32
        linalg.yield %total : f32
      }
    }
    tile.store %c to %C[%m, %n] : !c to !F
  }
}

// -----

!G = memref<?x?xbf16, strided<[?, 1]>>
!sB = memref<64x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (64,64):(64,1)">, #tile.level<smem>>
!rA = memref<128x64xi8, #tile.level<rf>>
!hA = memref<128x64xbf16, #tile.level<rf>>
!iA = memref<64x16xbf16, #tile.level<rf>>
!iB = memref<16x64xbf16, #tile.level<smem>>
!c = memref<128x64xf32, #tile.level<rf>>
!iC = memref<64x64xf32, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>
// The threads hold A, 2 instructions of 64 rows and 4 of 16 columns each: 4 times two pieces of 8 columns are one digit. What they make anew in each step is
// waited for at its end.
// CHECK-LABEL: kernel.func @held
// CHECK: %[[C:.*]] = kernel.registers init(0.000000e+00 : f32) : memref<2x8x2x2xf32, #tile.level<rf>>
// CHECK: %[[A:.*]] = kernel.registers {{.*}} : memref<2x8x2x2xbf16, #tile.level<rf>>
// CHECK: kernel.registers : memref<2x8x2x2xi8, #tile.level<rf>>
// CHECK: memref.store %{{.*}}, %[[A]][%[[H:.*]], %[[I:.*]], %[[J:.*]], %[[K:.*]]]
// CHECK: kernel.wgmma_fence
// CHECK: kernel.for unroll thread_loop -1 %[[M1:[a-z0-9]+]] = %c0 to %c2
// CHECK: kernel.for unroll thread_loop -1 %[[K1:[a-z0-9]+]] = %c0 to %c4
// CHECK: %[[AT:.*]] = arith.muli %[[K1]], %c2
// CHECK: %[[B:.*]] = kernel.matrix_descriptor
// CHECK: kernel.wgmma_registers %[[C]][%[[M1]]], %[[A]][%[[M1]], %[[AT]], %c0, %c0], %[[B]] {n = 64 : i64, transpose_b, type = bf16}
// CHECK: kernel.wgmma_commit
// CHECK-NEXT: kernel.wgmma_wait %[[C]][] {pending = 0 : i64}
tile.kernel @held(%A: memref<?x?xi8>[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (128, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (64) at dram pipeline(2) producers(4) {
      %b = tile.stage %B[%k, %n] pad(zero) copy(tma) : !G to !sB
      %r = tile.stage %A[%m, %k] : memref<?x?xi8> to !rA
      %a = tile.hold init(0.0 : bf16) : !hA
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%r : !rA) outs(%a : !hA) {
      ^bb0(%x: i8, %old: bf16):
        %y = arith.sitofp %x : i8 to bf16
        linalg.yield %y : bf16
      }
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%m1, %k1) in (128, 64) by (64, 16) at smem on unroll {
          %x = tile.part %a[%m1, %k1] : !hA to !iA
          %y = tile.part %b[%k1, 0] : !sB to !iB
          %z = tile.part %c[%m1, 0] : !c to !iC
          linalg.matmul ins(%x, %y : !iA, !iB) outs(%z : !iC)
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to memref<?x?xf32>
  }
}

