// A convolution of several channels is a product of what its window holds with the filters: rows of it are places along w, columns filters.
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=N=2,H=14,W=12,P=16,Q=26 2>&1 | FileCheck %s
// RUN: tilec %s --target=h100 --emit=nest --shape=N=32,H=56,W=64,P=58,Q=130 | FileCheck %s --check-prefix=NEST
!X = memref<?x?x?x24xf32>
!F = memref<3x3x24x40xf32>
!Y = memref<?x?x?x40xf32>

// NEST: tile.stage %X[{{.*}}#tile.level<smem>>
// NEST: tile.stage %F[{{.*}}#tile.level<smem>>
// NEST: on warp
// CHECK: convolution on the emulator
// CHECK: integers: all 13440 elements of Y agree, largest error 0
tile.kernel @convolution(%X: !X[%N, %P, %Q, 24], %F: !F[3, 3, 24, 40], %Y: !Y[%N, %H, %W, 40], %N: index, %H: index, %W: index, %P: index, %Q: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%Y : !Y)
  linalg.generic {indexing_maps = [affine_map<(n, h, w, f, p, q, c) -> (n, h + p, 2 * w + q, c)>, affine_map<(n, h, w, f, p, q, c) -> (p, q, c, f)>,
                                   affine_map<(n, h, w, f, p, q, c) -> (n, h, w, f)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%X, %F : !X, !F) outs(%Y : !Y) {
  ^bb0(%x: f32, %w: f32, %y: f32):
    %p = arith.mulf %x, %w : f32
    %s = arith.addf %y, %p : f32
    linalg.yield %s : f32
  }
}
