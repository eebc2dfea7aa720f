// C = S * W * X on Hopper's tensor cores, of weights W in bytes, with a factor for each row, and bf16 X: half the bytes of weights come from DRAM. wgmma multiplies elements of one
// type, but takes its first matrix from registers, too: the threads load the bytes that they hold of a tile from shared memory, convert them, and multiply.
// Lanes load pairs from 8 rows at a time: chunks of these change places, so that they lie in different banks.
// While a warpgroup does so, the other one's instructions run.
// The factors are applied to the sums in f32, two rows a thread.
!W = memref<?x?xi8, strided<[?, 1]>>
!G = memref<?x?xbf16, strided<[?, 1]>>
!sW = memref<128x128xi8, #tile.layout<"Sw<3,4,3> o 0 o (128,128):(128,1)">, #tile.level<smem>>
!sX = memref<128x128xbf16, #tile.level<smem>>
!b = memref<128x128xi8, #tile.level<rf>>
!w = memref<128x128xbf16, #tile.level<rf>>
!iW = memref<64x16xbf16, #tile.level<rf>>
!iX = memref<16x128xbf16, #tile.level<smem>>
!iC = memref<64x128xf32, #tile.level<rf>>
!c = memref<128x128xf32, #tile.level<rf>>
!f = memref<128xf32, #tile.level<rf>>
!r = memref<128x128xbf16, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>

tile.kernel @wgmma_mixed(%W: !W[%M, %K], %S: memref<?xf32>[%M], %X: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) dataflow(output_stationary) {
  tile.for (%m0, %n0) in (%M, %N) by (128, 128) at dram on block persistent raster(grouped = 16) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (128) at dram pipeline(4) producers(4) registers(56, 224) {
      %sW = tile.stage %W[%m0, %k0] pad(zero) copy(tma) : !W to !sW
      %sX = tile.stage %X[%k0, %n0] pad(zero) copy(tma) : !G to !sX
      %b = tile.stage %sW[0, 0] : !sW to !b
      %w = tile.hold init(0.0 : bf16) : !w
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : !b) outs(%w : !w) {
      ^bb0(%x: i8, %old: bf16):
        %y = arith.sitofp %x : i8 to bf16
        linalg.yield %y : bf16
      }
      tile.for (%mw) in (128) by (64) at smem on warpgroup {
        tile.for (%k1) in (128) by (16) at smem on unroll {
          %a = tile.part %w[%mw, %k1] : !w to !iW
          %x = tile.part %sX[%k1, 0] : !sX to !iX
          %s = tile.part %c[%mw, 0] : !c to !iC
          linalg.matmul ins(%a, %x : !iW, !iX) outs(%s : !iC)
        }
      }
    }
    %f = tile.stage %S[%m0] : memref<?xf32> to !f
    %r = tile.hold init(0.0 : bf16) : !r
    linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> (m)>, #id], iterator_types = ["parallel", "parallel"]} ins(%c, %f : !c, !f) outs(%r : !r) {
    ^bb0(%sum: f32, %factor: f32, %old: bf16):
      %scaled = arith.mulf %sum, %factor : f32
      %rounded = arith.truncf %scaled : f32 to bf16
      linalg.yield %rounded : bf16
    }
    tile.store %r to %C[%m0, %n0] : !r to !G
  }
}
// RUN: tilec %s --target=sm90 --run=cpu --verify --shape=M=130,N=264,K=272 | FileCheck %s
// RUN: tilec %s --target=sm90 --run=cpu --verify --shape=M=65,N=257,K=67 | FileCheck %s
// CHECK: integers: all {{[0-9]+}} elements of C agree, largest error 0
// CHECK: random: all {{[0-9]+}} elements of C agree
