// Y[n, p, q, c] = the greatest of X[n, 2 p + r - 1, 2 q + s - 1, c], 3x3 of them: max pooling in the order NHWC, stride 2. What lies beyond the edges is none of them.
!X = memref<?x?x?x?xf32, strided<[?, ?, ?, 1]>>
!x = memref<1x3x5x4xf32, #tile.level<rf>>
!y = memref<1x1x2x4xf32, #tile.level<rf>>
tile.kernel @max_pool(%X: !X[%J, %M, %N, %K], %Y: !X[%J, %P, %Q, %K], %J: index, %M: index, %N: index, %K: index, %P: index, %Q: index) {
  tile.for (%n, %p, %q, %c) in (%J, %P, %Q, %K) by (1, 4, 8, 64) at dram on block {
    tile.for (%p1, %q1, %c1) in (4, 8, 64) by (1, 2, 4) at dram on thread {
      %x = tile.stage %X[%n, 2 * %p + 2 * %p1 - 1, 2 * %q + 2 * %q1 - 1, %c + %c1] : !X to !x
      %y = tile.hold init(0xFF800000 : f32) : !y
      %taps = tile.hold init(0.0 : f32) : memref<3x3xf32, #tile.level<rf>> // Says how many taps there are.
      linalg.generic {indexing_maps = [affine_map<(n, p, q, c, r, s) -> (n, 2 * p + r, 2 * q + s, c)>, affine_map<(n, p, q, c, r, s) -> (r, s)>,
                                       affine_map<(n, p, q, c, r, s) -> (n, p, q, c)>],
                      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %taps : !x, memref<3x3xf32, #tile.level<rf>>) outs(%y : !y) {
      ^bb0(%a: f32, %u: f32, %b: f32):
        %m = arith.maximumf %b, %a : f32
        linalg.yield %m : f32
      }
      tile.store %y to %Y[%n, %p + %p1, %q + %q1, %c + %c1] : !y to !X
    }
  }
}
