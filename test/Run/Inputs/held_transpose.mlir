// A tile that threads hold together is transposed by way of shared memory, and back, in halves.
!G = memref<?x?xf16, strided<[?, ?]>>
!c = memref<32x48xf16, #tile.level<rf>>
!t = memref<48x32xf16, #tile.level<smem>>
!p = memref<1x4xf16, #tile.level<rf>>
!q = memref<4x1xf16, #tile.level<rf>>
!o = memref<2x8xf16, #tile.level<rf>>
tile.kernel @held_transpose(%X: !G[%M, %N], %Y: !G[%N, %M], %M: index, %N: index) {
  tile.for (%m, %n) in (%M, %N) by (32, 48) at dram on block {
    %t = tile.hold init(0.0 : f16) : !t
    tile.for (%i, %j) in (32, 48) by (1, 4) at smem on thread {
      %x = tile.stage %X[%m + %i, %n + %j] pad(zero) : !G to !p
      %y = tile.hold init(1.0 : f16) : !q
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]} ins(%x : !p) outs(%y : !q) {
      ^bb0(%a: f16, %b: f16):
        linalg.yield %a : f16
      }
      tile.store %y to %t[%j, %i] : !q to !t
    }
    tile.for (%j, %i) in (48, 32) by (2, 8) at smem on thread {
      %o = tile.stage %t[%j, %i] : !t to !o
      tile.store %o to %Y[%n + %j, %m + %i] : !o to !G
    }
  }
}
