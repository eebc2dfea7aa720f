// C = A * B[expert of each row]: a mixture of experts, whose rows are sorted by expert and padded so that each expert has whole tiles of 64. E[m] says whose row m is;
// a tile takes that of its first row, where `gather` makes it the first subscript of B.
!G = memref<?x?xf32, strided<[?, 1]>>
!B = memref<?x?x?xf32, strided<[?, ?, 1]>>
!E = memref<?xi32>
!sA = memref<64x16xf32, #tile.level<smem>>
!sB = memref<1x16x64xf32, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!p = memref<4x4xf32, #tile.level<rf>>
!a = memref<4x1xf32, #tile.level<rf>>
!b = memref<1x1x4xf32, #tile.level<rf>>
tile.kernel @grouped(%A: !G[%M, %K], %B: !B[%X, %K, %N], %E: !E[%M], %C: !G[%M, %N], %M: index, %N: index, %K: index, %X: index) {
  tile.for (%m0, %n0) in (%M, %N) by (64, 64) at dram on block raster(grouped = 8) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (16) at dram pipeline(3) {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%m0, %k0, %n0] gather(%E : !E along 0) : !B to !sB
      tile.for (%m1, %n1) in (64, 64) by (4, 4) at smem on thread {
        %cp = tile.part %c[%m1, %n1] : !c to !p
        tile.for (%k1) in (16) by (1) at smem {
          %ra = tile.stage %sA[%m1, %k1] : !sA to !a
          %rb = tile.stage %sB[0, %k1, %n1] : !sB to !b
          linalg.generic {indexing_maps = [affine_map<(e, m, n, k) -> (m, k)>, affine_map<(e, m, n, k) -> (e, k, n)>, affine_map<(e, m, n, k) -> (m, n)>],
                          iterator_types = ["reduction", "parallel", "parallel", "reduction"]} ins(%ra, %rb : !a, !b) outs(%cp : !p) {
          ^bb0(%x: f32, %w: f32, %sum: f32):
            %product = arith.mulf %x, %w : f32
            %next = arith.addf %sum, %product : f32
            linalg.yield %next : f32
          }
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}
