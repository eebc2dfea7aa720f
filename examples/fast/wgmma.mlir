// C = A*B of row-major bf16 matrices on Hopper's tensor cores: two warpgroups multiply 64 rows each of a tile of 128x256 by
// wgmma.m64n256k16, which reads both operands from shared memory while it computes; four warps copy, by TMA in boxes whose
// rows of 128 bytes are swizzled as wgmma wants them: the plan chooses the layout, and the way of C by shared memory. Sums stay in
// registers in f32 and are rounded once, at the end.
// An iteration's instructions are one group; the slot that they read is given back in the next iteration, when they are done.
// Blocks of 16 tiles down share what L2 has: the tiles of a wave make nearly a square.
!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<128x64xbf16, #tile.level<smem>>
!sB = memref<64x256xbf16, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<16x256xbf16, #tile.level<smem>>
!iC = memref<64x256xf32, #tile.level<rf>>
!c = memref<128x256xf32, #tile.level<rf>>
!r = memref<128x256xbf16, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>

tile.kernel @wgmma(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(output_stationary) {
  tile.for (%m0, %n0) in (%M, %N) by (128, 256) at dram on block persistent raster(grouped = 16) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (64) at dram pipeline(4) producers(4) registers(56, 224) {
      %sA = tile.stage %A[%m0, %k0] copy(tma) : !G to !sA
      %sB = tile.stage %B[%k0, %n0] copy(tma) : !G to !sB
      tile.for (%mw) in (128) by (64) at smem on warpgroup {
        tile.for (%k1) in (64) by (16) at smem on unroll {
          %a = tile.part %sA[%mw, %k1] : !sA to !iA
          %b = tile.part %sB[%k1, 0] : !sB to !iB
          %s = tile.part %c[%mw, 0] : !c to !iC
          linalg.matmul ins(%a, %b : !iA, !iB) outs(%s : !iC)
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
// RUN: tilec %s --target=sm90 --run=cpu --verify --shape=M=130,N=264,K=136 | FileCheck %s
// RUN: tilec %s --target=sm90 --run=cpu --verify --shape=M=65,N=257,K=67 | FileCheck %s
// CHECK: integers: all {{[0-9]+}} elements of C agree, largest error 0
