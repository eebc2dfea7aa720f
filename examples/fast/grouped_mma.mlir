// C = A * B[expert of each row] of bf16 on the tensor cores of machines since sm_80 (see ../grouped_gemm.mlir and mma.mlir): rows are padded so that each expert has whole
// tiles of 128, and copies by cp.async ask once a tile whose weights they are.
!G = memref<?x?xbf16, strided<[?, 1]>>
!B = memref<?x?x?xbf16, strided<[?, ?, 1]>>
!E = memref<?xi32>
!sA = memref<128x32xbf16, #tile.layout<"Sw<2,3,3> o 0 o (128,32):(32,1)">, #tile.level<smem>>
!sB = memref<1x32x256xbf16, #tile.layout<"Sw<3,3,3> o 0 o (1,32,(64,4)):(0,64,(1,2048))">, #tile.level<smem>>
!rA = memref<64x16xbf16, #tile.level<rf>>
!rB = memref<1x16x64xbf16, #tile.level<rf>>
!iA = memref<16x16xbf16, #tile.level<rf>>
!iB = memref<1x16x8xbf16, #tile.level<rf>>
!iC = memref<16x8xf32, #tile.level<rf>>
!c = memref<128x256xf32, #tile.level<rf>>
!r = memref<128x256xbf16, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>
tile.kernel @grouped(%A: !G[%M, %K], %B: !B[%X, %K, %N], %E: !E[%M], %C: !G[%M, %N], %M: index, %N: index, %K: index, %X: index) {
  tile.for (%m0, %n0) in (%M, %N) by (128, 256) at dram on block raster(grouped = 8) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (32) at dram pipeline(4) {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%m0, %k0, %n0] gather(%E : !E along 0) : !B to !sB
      tile.for (%mw, %nw) in (128, 256) by (64, 64) at smem on warp {
        tile.for (%k1) in (32) by (16) at smem pipeline(2) {
          %rA = tile.stage %sA[%mw, %k1] : !sA to !rA
          %rB = tile.stage %sB[0, %k1, %nw] : !sB to !rB
          tile.for (%m1, %n1) in (64, 64) by (16, 8) at rf on unroll {
            %a = tile.part %rA[%m1, 0] : !rA to !iA
            %b = tile.part %rB[0, 0, %n1] : !rB to !iB
            %s = tile.part %c[%mw + %m1, %nw + %n1] : !c to !iC
            linalg.generic {indexing_maps = [affine_map<(e, m, n, k) -> (m, k)>, affine_map<(e, m, n, k) -> (e, k, n)>, affine_map<(e, m, n, k) -> (m, n)>],
                            iterator_types = ["reduction", "parallel", "parallel", "reduction"]} ins(%a, %b : !iA, !iB) outs(%s : !iC) {
            ^bb0(%x: bf16, %w: bf16, %sum: f32):
              %x32 = arith.extf %x : bf16 to f32
              %w32 = arith.extf %w : bf16 to f32
              %product = arith.mulf %x32, %w32 : f32
              %next = arith.addf %sum, %product : f32
              linalg.yield %next : f32
            }
          }
        }
      }
    }
    %r = tile.hold init(0.0 : bf16) : !r
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : !c) outs(%r : !r) {
    ^bb0(%sum: f32, %old: bf16):
      %rounded = arith.truncf %sum : f32 to bf16
      linalg.yield %rounded : bf16
    }
    tile.store %r to %C[%m0, %n0] : !r to !G
  }
}
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=M=256,N=264,K=72,X=3 | FileCheck %s
// RUN: tilec %s --target=sm90 --run=cpu --verify --shape=M=129,N=257,K=67,X=2 | FileCheck %s
// CHECK: integers: all {{[0-9]+}} elements of C agree, largest error 0
