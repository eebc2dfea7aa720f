// Y[m, n] = 0.299 R + 0.587 G + 0.114 B of an image of bytes from 0 to 255 with three channels side by side, rounded to the nearest.
!X = memref<?x?x3xi8, strided<[?, ?, 1]>>
!Y = memref<?x?xi8, strided<[?, 1]>>
!x = memref<1x4x3xi8, #tile.level<rf>>
!y = memref<1x4xi8, #tile.level<rf>>
tile.kernel @gray(%X: !X[%M, %N, 3], %Y: !Y[%M, %N], %M: index, %N: index) {
  tile.for (%m, %n) in (%M, %N) by (8, 128) at dram on block {
    tile.for (%m1, %n1) in (8, 128) by (1, 4) at dram on thread {
      %x = tile.stage %X[%m + %m1, %n + %n1, 0] : !X to !x
      %y = tile.hold init(0 : i8) : !y
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j, 0)>, affine_map<(i, j) -> (i, j, 1)>, affine_map<(i, j) -> (i, j, 2)>, affine_map<(i, j) -> (i, j)>],
                      iterator_types = ["parallel", "parallel"]} ins(%x, %x, %x : !x, !x, !x) outs(%y : !y) {
      ^bb0(%r: i8, %g: i8, %b: i8, %old: i8):
        %wr = arith.constant 0.299 : f32
        %wg = arith.constant 0.587 : f32
        %wb = arith.constant 0.114 : f32
        %half = arith.constant 0.5 : f32
        %fr = arith.uitofp %r : i8 to f32
        %fg = arith.uitofp %g : i8 to f32
        %fb = arith.uitofp %b : i8 to f32
        %pr = arith.mulf %fr, %wr : f32
        %pg = arith.mulf %fg, %wg : f32
        %pb = arith.mulf %fb, %wb : f32
        %s = arith.addf %pr, %pg : f32
        %t = arith.addf %s, %pb : f32
        %u = arith.addf %t, %half : f32
        %v = arith.fptoui %u : f32 to i8
        linalg.yield %v : i8
      }
      tile.store %y to %Y[%m + %m1, %n + %n1] : !y to !Y
    }
  }
}
