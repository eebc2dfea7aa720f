// Three teams in clusters of 2x2 blocks, which share what they copy of both operands.
!A = memref<?x?xbf16, strided<[?, 1]>>
!C = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<64x32xbf16, #tile.level<smem>>
!sB = memref<64x32xbf16, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<64x16xbf16, #tile.level<smem>>
!iC = memref<64x64xf32, #tile.level<rf>>
!c = memref<64x64xf32, #tile.level<rf>>
!r = memref<64x64xbf16, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>
tile.kernel @teams_cluster(%A: !A[%M, %K], %B: !A[%N, %K], %C: !C[%M, %N], %M: index, %N: index, %K: index)
    dataflow(output_stationary) {
  tile.for (%mc, %nc) in (%M, %N) by (128, 128) at dram on cluster persistent teams(3) raster(grouped = 16) {
    tile.for (%mb, %nb) in (128, 128) by (64, 64) at dram on block {
      %c = tile.hold init(0.0 : f32) : !c
      tile.for (%k0) in (%K) by (32) at dram pipeline(3) producers(4) release(next) {
        %a = tile.stage %A[%mc + %mb, %k0] copy(tma) : !A to !sA
        %b = tile.stage %B[%nc + %nb, %k0] copy(tma) : !A to !sB
        tile.for (%mw) in (64) by (64) at smem on warpgroup {
          tile.for (%k1, %m1) in (32, 64) by (16, 64) at smem on unroll {
            %x = tile.part %a[%mw + %m1, %k1] : !sA to !iA
            %y = tile.part %b[0, %k1] : !sB to !iB
            %s = tile.part %c[%mw + %m1, 0] : !c to !iC
            linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%x, %y : !iA, !iB) outs(%s : !iC)
          }
        }
      }
      %r = tile.hold init(0.0 : bf16) : !r
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : !c) outs(%r : !r) {
      ^bb0(%v: f32, %o: bf16):
        %w = arith.truncf %v : f32 to bf16
        linalg.yield %w : bf16
      }
      tile.store %r to %C[%mc + %mb, %nc + %nb] through(64) copy(tma) slots(1) : !r to !C
    }
  }
}
