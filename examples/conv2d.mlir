// Y[n, o, p, q] = sum over c, r, s of X[n, c, 2 p + r - 1, 2 q + 2 s - 2] W[o, c, r, s]: a convolution of 3x3 taps in the order NCHW, stride 2, dilation 2 along the
// rows' elements, zeros beyond the edges. A block makes 8x16 results of 32 channels; a thread 4 of 4 channels.
!X = memref<?x?x?x?xf32, strided<[?, ?, ?, 1]>>
!W = memref<?x?x3x3xf32, strided<[?, ?, ?, 1]>>
!x = memref<1x4x17x35xf32, #tile.level<smem>>
!w = memref<32x4x3x3xf32, #tile.level<smem>>
!c = memref<1x32x8x16xf32, #tile.level<rf>>
!p = memref<1x4x1x4xf32, #tile.level<rf>>
!rx = memref<1x1x3x11xf32, #tile.level<rf>>
!rw = memref<4x1x3x3xf32, #tile.level<rf>>
tile.kernel @conv2d(%X: !X[%J, %K, %M, %N], %W: !W[%O, %K, 3, 3], %Y: !X[%J, %O, %P, %Q], %J: index, %K: index, %M: index, %N: index, %O: index, %P: index, %Q: index) {
  tile.for (%n, %o, %p, %q) in (%J, %O, %P, %Q) by (1, 32, 8, 16) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (4) at dram {
      %x = tile.stage %X[%n, %k, 2 * %p - 1, 2 * %q - 2] pad(zero) : !X to !x
      %w = tile.stage %W[%o, %k, 0, 0] pad(zero) : !W to !w
      tile.for (%o1, %p1, %q1) in (32, 8, 16) by (4, 1, 4) at smem on thread {
        %cp = tile.part %c[0, %o1, %p1, %q1] : !c to !p
        tile.for (%k1) in (4) by (1) at smem {
          %rx = tile.stage %x[0, %k1, 2 * %p1, 2 * %q1] : !x to !rx
          %rw = tile.stage %w[%o1, %k1, 0, 0] : !w to !rw
          linalg.generic {indexing_maps = [affine_map<(n, o, p, q, c, r, s) -> (n, c, 2 * p + r, 2 * q + 2 * s)>, affine_map<(n, o, p, q, c, r, s) -> (o, c, r, s)>,
                                           affine_map<(n, o, p, q, c, r, s) -> (n, o, p, q)>],
                          iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%rx, %rw : !rx, !rw) outs(%cp : !p) {
          ^bb0(%a: f32, %b: f32, %s: f32):
            %m = arith.mulf %a, %b : f32
            %t = arith.addf %s, %m : f32
            linalg.yield %t : f32
          }
        }
      }
    }
    tile.store %c to %Y[%n, %o, %p, %q] : !c to !X
  }
}
