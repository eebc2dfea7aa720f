// C = A*B of row-major bf16 matrices on Hopper's tensor cores, as in wgmma.mlir, but two warpgroups have tiles of their own, 128x192, and take turns: while one
// rounds and stores its tile, the other's instructions run. Four warps copy the tiles of both, one after the other, into one ring.
// Sums of a tile have 192 registers of each thread; tiles of this size ask L2 for a ninth more bytes a product than those of 128x256.
!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<128x64xbf16, #tile.level<smem>>
!sB = memref<64x192xbf16, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<16x192xbf16, #tile.level<smem>>
!iC = memref<64x192xf32, #tile.level<rf>>
!c = memref<128x192xf32, #tile.level<rf>>
!r = memref<128x192xbf16, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>

tile.kernel @wgmma_pingpong(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(output_stationary) {
  tile.for (%m0, %n0) in (%M, %N) by (128, 192) at dram on block persistent teams(2) raster(grouped = 16) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (64) at dram pipeline(4) producers(4) registers(40, 232) {
      %sA = tile.stage %A[%m0, %k0] copy(tma) : !G to !sA
      %sB = tile.stage %B[%k0, %n0] copy(tma) : !G to !sB
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1, %m1) in (64, 128) by (16, 64) at smem on unroll {
          %a = tile.part %sA[%m1, %k1] : !sA to !iA
          %b = tile.part %sB[%k1, 0] : !sB to !iB
          %s = tile.part %c[%m1, 0] : !c to !iC
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
