// C = A*B of row-major bf16 matrices on the tensor cores of machines since sm_80: eight warps multiply 64x64 each of a tile of 128x256
// by mma.m16n8k16, whose operands a warp holds in registers. It loads them by ldmatrix, four matrices of 8x8 at a time, those of B
// transposed, while it multiplies what it loaded before, from the next tile too (begin(ahead)); copies by cp.async are three tiles ahead.
// Both tiles are swizzled, so that rows of 16 bytes meet no bank twice. Sums stay in registers in f32 and are rounded once, at the end.
!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<128x32xbf16, #tile.layout<"Sw<2,3,3> o 0 o (128,32):(32,1)">, #tile.level<smem>>
!sB = memref<32x256xbf16, #tile.layout<"Sw<3,3,3> o 0 o (32,(64,4)):(64,(1,2048))">, #tile.level<smem>>
!rA = memref<64x16xbf16, #tile.level<rf>>
!rB = memref<16x64xbf16, #tile.level<rf>>
!iA = memref<16x16xbf16, #tile.level<rf>>
!iB = memref<16x8xbf16, #tile.level<rf>>
!iC = memref<16x8xf32, #tile.level<rf>>
!c = memref<128x256xf32, #tile.level<rf>>
!r = memref<128x256xbf16, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>

tile.kernel @mma(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(output_stationary) {
  tile.for (%m0, %n0) in (%M, %N) by (128, 256) at dram on block raster(grouped = 8) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (32) at dram pipeline(4) {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      tile.for (%mw, %nw) in (128, 256) by (64, 64) at smem on warp {
        tile.for (%k1) in (32) by (16) at smem pipeline(2) begin(ahead) {
          %rA = tile.stage %sA[%mw, %k1] : !sA to !rA
          %rB = tile.stage %sB[%k1, %nw] : !sB to !rB
          tile.for (%m1, %n1) in (64, 64) by (16, 8) at rf on unroll {
            %a = tile.part %rA[%m1, 0] : !rA to !iA
            %b = tile.part %rB[0, %n1] : !rB to !iB
            %s = tile.part %c[%mw + %m1, %nw + %n1] : !c to !iC
            linalg.matmul ins(%a, %b : !iA, !iB) outs(%s : !iC)
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
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=M=130,N=264,K=72 | FileCheck %s
// RUN: tilec %s --target=sm90 --run=cpu --verify --shape=M=65,N=257,K=67 | FileCheck %s
// CHECK: integers: all {{[0-9]+}} elements of C agree, largest error 0
