// Blocks of a cluster add up rows that their producers copy, each every other one; all threads of the cluster wait for each other meanwhile.
!s = memref<1x64xf32, #tile.level<smem>>
!x = memref<1x1xf32, #tile.level<smem>>
!c = memref<64xf32, #tile.level<rf>>
!p = memref<1xf32, #tile.level<rf>>
tile.kernel @rows(%X: memref<?x?xf32>[%K, %M], %Y: memref<?xf32>[%M], %K: index, %M: index) {
  tile.for (%m0) in (%M) by (64) at dram on cluster persistent {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%b) in (2) by (1) at dram on block reduce(add) {
      tile.for (%k) in (%K) by (2) at dram pipeline(3) producers(1) {
        %s = tile.stage %X[%k + %b, %m0] : memref<?x?xf32> to !s
        tile.for (%m1) in (64) by (1) at rf on thread {
          %x = tile.part %s[0, %m1] : !s to !x
          %p = tile.part %c[%m1] : !c to !p
          linalg.generic {indexing_maps = [affine_map<(k, m) -> (k, m)>, affine_map<(k, m) -> (m)>], iterator_types = ["reduction", "parallel"]} ins(%x : !x) outs(%p : !p) {
          ^bb0(%v: f32, %old: f32):
            %sum = arith.addf %old, %v : f32
            linalg.yield %sum : f32
          }
        }
      }
    }
    tile.store %c to %Y[%m0] : !c to memref<?xf32>
  }
}
