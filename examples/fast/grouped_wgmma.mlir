// C = A * B[expert of each row] of bf16 on Hopper's tensor cores (see ../grouped_gemm.mlir and wgmma.mlir): rows are padded so that each expert has whole tiles of 128. The
// thread that asks TMA for boxes of B reads once a tile whose weights they are.
!G = memref<?x?xbf16, strided<[?, 1]>>
!B = memref<?x?x?xbf16, strided<[?, ?, 1]>>
!E = memref<?xi32>
!sA = memref<128x64xbf16, #tile.level<smem>>
!sB = memref<1x64x256xbf16, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<1x16x256xbf16, #tile.level<smem>>
!iC = memref<64x256xf32, #tile.level<rf>>
!c = memref<128x256xf32, #tile.level<rf>>
!r = memref<128x256xbf16, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>
tile.kernel @grouped(%A: !G[%M, %K], %B: !B[%X, %K, %N], %E: !E[%M], %C: !G[%M, %N], %M: index, %N: index, %K: index, %X: index) {
  tile.for (%m0, %n0) in (%M, %N) by (128, 256) at dram on block persistent raster(grouped = 16) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (64) at dram pipeline(4) producers(4) registers(56, 224) {
      %sA = tile.stage %A[%m0, %k0] copy(tma) : !G to !sA
      %sB = tile.stage %B[%m0, %k0, %n0] gather(%E : !E along 0) copy(tma) : !B to !sB
      tile.for (%mw) in (128) by (64) at smem on warpgroup {
        tile.for (%k1) in (64) by (16) at smem on unroll {
          %a = tile.part %sA[%mw, %k1] : !sA to !iA
          %b = tile.part %sB[0, %k1, 0] : !sB to !iB
          %s = tile.part %c[%mw, 0] : !c to !iC
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
    %r = tile.hold init(0.0 : bf16) : !r
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : !c) outs(%r : !r) {
    ^bb0(%sum: f32, %old: bf16):
      %rounded = arith.truncf %sum : f32 to bf16
      linalg.yield %rounded : bf16
    }
    tile.store %r to %C[%m0, %n0] : !r to !G
  }
}
// RUN: tilec %s --target=sm90 --run=cpu --verify --shape=M=384,N=264,K=136,X=3 | FileCheck %s
// RUN: tilec %s --target=sm90 --run=cpu --verify --shape=M=200,N=257,K=67,X=2 | FileCheck %s
// CHECK: integers: all {{[0-9]+}} elements of C agree, largest error 0
