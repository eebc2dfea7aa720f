// Three teams of two warpgroups, in turn, multiply by wgmma what a warp copies for all, wait for each product, and store their rounded sums by way of shared memory of their own, in two slices.
!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<128x32xbf16, #tile.level<smem>>
!sB = memref<32x64xbf16, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<16x64xbf16, #tile.level<smem>>
!iC = memref<64x64xf32, #tile.level<rf>>
!c = memref<128x64xf32, #tile.level<rf>>
!r = memref<128x64xbf16, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>
tile.kernel @tensor(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (128, 64) at dram on block persistent teams(3) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (32) at dram pipeline(2) producers(1) release(end) {
      %sA = tile.stage %A[%m, %k] copy(tma) : !G to !sA
      %sB = tile.stage %B[%k, %n] copy(tma) : !G to !sB
      tile.for (%w) in (128) by (64) at smem on warpgroup {
        tile.for (%k1) in (32) by (16) at smem on unroll {
          %a = tile.part %sA[%w, %k1] : !sA to !iA
          %b = tile.part %sB[%k1, 0] : !sB to !iB
          %s = tile.part %c[%w, 0] : !c to !iC
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
    tile.store %r to %C[%m, %n] through(32) : !r to !G
  }
}
