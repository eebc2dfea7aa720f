// A team has more threads than multiply: a second warpgroup doubles a tile of X beside the first one's sums, to which a column and a row are added.
!G = memref<?x?xbf16, strided<[?, 1]>>
!F = memref<?x?xf32, strided<[?, 1]>>
!V = memref<?xf32>
!sA = memref<64x32xbf16, #tile.level<smem>>
!sB = memref<32x64xbf16, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<16x64xbf16, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!x = memref<1x16xf32, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
tile.kernel @beside(%A: !G[%M, %K], %B: !G[%K, %N], %V: !V[%N], %X: !F[%M, %N], %Y: !F[%M, %N], %C: !F[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block persistent teams(2) {
    %c = tile.hold init(1.0 : f32) : !c
    tile.for (%k) in (%K) by (32) at dram pipeline(2) producers(1) {
      %sA = tile.stage %A[%m, %k] copy(tma) : !G to !sA
      %sB = tile.stage %B[%k, %n] copy(tma) : !G to !sB
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (32) by (16) at smem on unroll {
          %a = tile.part %sA[0, %k1] : !sA to !iA
          %b = tile.part %sB[%k1, 0] : !sB to !iB
          linalg.matmul ins(%a, %b : !iA, !iB) outs(%c : !c)
        }
      }
    }
    tile.for (%i, %j) in (64, 64) by (1, 16) at dram on thread {
      %x = tile.stage %X[%m + %i, %n + %j] : !F to !x
      linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%x : !x) {
      ^bb0(%v: f32):
        %twice = arith.addf %v, %v : f32
        linalg.yield %twice : f32
      }
      tile.store %x to %Y[%m + %i, %n + %j] : !x to !F
    }
    %v = tile.part %V[%n] : !V to memref<64xf32>
    linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%v : memref<64xf32>) outs(%c : !c) {
    ^bb0(%bias: f32, %sum: f32):
      %both = arith.addf %sum, %bias : f32
      linalg.yield %both : f32
    }
    tile.store %c to %C[%m, %n] : !c to !F
  }
}
