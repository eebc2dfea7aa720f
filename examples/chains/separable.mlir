// Y = X filtered with W along the columns of what is filtered along the rows, 9 taps each: a block holds the filtered rows, with those of the halo, in
// shared memory. Beyond the edges is the nearest element.
!G = memref<?x?xf32, strided<[?, 1]>>
!x = memref<40x72xf32, #tile.level<smem>>
!h = memref<40x64xf32, #tile.level<smem>>
!w = memref<9xf32, #tile.level<rf>>
!row = memref<1x16xf32, #tile.level<rf>>
!ar = memref<1x8xf32, #tile.level<rf>>
!col = memref<16x1xf32, #tile.level<rf>>
!ac = memref<8x1xf32, #tile.level<rf>>
tile.kernel @separable(%X: !G[%M, %N], %W: memref<9xf32>[9], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (32, 64) at dram on block {
    %x = tile.stage %X[%i - 4, %j - 4] pad(clamp) : !G to !x
    %rows = tile.hold init(0.0 : f32) : !h
    tile.for (%r, %c) in (40, 64) by (1, 8) at smem on thread {
      %w = tile.stage %W[0] : memref<9xf32> to !w
      %in = tile.stage %x[%r, %c] : !x to !row
      %sum = tile.hold init(0.0 : f32) : !ar
      linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j + k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>],
                      iterator_types = ["parallel", "parallel", "reduction"]} ins(%in, %w : !row, !w) outs(%sum : !ar) {
      ^bb0(%a: f32, %b: f32, %s: f32):
        %p = arith.mulf %a, %b : f32
        %t = arith.addf %s, %p : f32
        linalg.yield %t : f32
      }
      tile.store %sum to %rows[%r, %c] : !ar to !h
    }
    tile.for (%r, %c) in (32, 64) by (8, 1) at smem on thread {
      %w = tile.stage %W[0] : memref<9xf32> to !w
      %in = tile.stage %rows[%r, %c] : !h to !col
      %sum = tile.hold init(0.0 : f32) : !ac
      linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i + k, j)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>],
                      iterator_types = ["parallel", "parallel", "reduction"]} ins(%in, %w : !col, !w) outs(%sum : !ac) {
      ^bb0(%a: f32, %b: f32, %s: f32):
        %p = arith.mulf %a, %b : f32
        %t = arith.addf %s, %p : f32
        linalg.yield %t : f32
      }
      tile.store %sum to %Y[%i + %r, %j + %c] : !ac to !G
    }
  }
}
