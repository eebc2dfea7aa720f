// C = A^T B in clusters of 2x2 blocks: each half of a tile of A goes to the two blocks beside each other, each half of a
// tile of B to the two above each other.
!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<8x32xf32, #tile.level<smem>>
!c = memref<32x32xf32, #tile.level<rf>>
!cw = memref<16x32xf32, #tile.level<rf>>
!a = memref<8x2xf32, #tile.level<smem>>
!b = memref<8x8xf32, #tile.level<smem>>
!q = memref<2x8xf32, #tile.level<rf>>
tile.kernel @cluster(%A: !G[%K, %M], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%mc, %nc) in (%M, %N) by (64, 64) at dram on cluster raster(column) {
    tile.for (%m0, %n0) in (64, 64) by (32, 32) at dram on block {
      %c = tile.hold init(0.0 : f32) : !c
      tile.for (%k0) in (%K) by (8) at dram pipeline(3) producers(1) {
        %sA = tile.stage %A[%k0, %mc + %m0] copy(tma) : !G to !s
        %sB = tile.stage %B[%k0, %nc + %n0] copy(tma) : !G to !s
        tile.for (%mw) in (32) by (16) at smem on warp {
          %cw = tile.part %c[%mw, 0] : !c to !cw
          tile.for (%m1, %n1) in (16, 32) by (2, 8) at smem on thread {
            %a = tile.part %sA[0, %mw + %m1] : !s to !a
            %b = tile.part %sB[0, %n1] : !s to !b
            %q = tile.part %cw[%m1, %n1] : !cw to !q
            linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>,
                                             affine_map<(i, j, k) -> (i, j)>],
                            iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : !a, !b) outs(%q : !q) {
            ^bb0(%x: f32, %y: f32, %z: f32):
              %p = arith.mulf %x, %y : f32
              %t = arith.addf %z, %p : f32
              linalg.yield %t : f32
            }
          }
        }
      }
      tile.store %c to %C[%mc + %m0, %nc + %n0] : !c to !G
    }
  }
}
