// A warpgroup multiplies by wgmma what its threads load from slots that a warp fills, and convert.
!A = memref<?x?xi8, strided<[?, 1]>>
!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<64x32xi8, #tile.level<smem>>
!sB = memref<32x64xbf16, #tile.level<smem>>
!r = memref<64x32xi8, #tile.level<rf>>
!h = memref<64x32xbf16, #tile.level<rf>>
!iA = memref<64x16xbf16, #tile.level<rf>>
!iB = memref<16x64xbf16, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>
tile.kernel @tensor(%A: !A[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (32) at dram pipeline(2) producers(1) {
      %sA = tile.stage %A[%m, %k] copy(tma) : !A to !sA
      %sB = tile.stage %B[%k, %n] pad(zero) copy(tma) : !G to !sB
      %r = tile.stage %sA[0, 0] : !sA to !r
      %h = tile.hold init(0.0 : bf16) : !h
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%r : !r) outs(%h : !h) {
      ^bb0(%x: i8, %old: bf16):
        %y = arith.sitofp %x : i8 to bf16
        linalg.yield %y : bf16
      }
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (32) by (16) at smem on unroll {
          %a = tile.part %h[0, %k1] : !h to !iA
          %b = tile.part %sB[%k1, 0] : !sB to !iB
          linalg.matmul ins(%a, %b : !iA, !iB) outs(%c : !c)
        }
      }
    }
    tile.store %c to %C[%m, %n] through(0) : !c to memref<?x?xf32>
  }
}
