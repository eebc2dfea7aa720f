// Groups of 16 bytes of a tile that is padded with zero: those of its halo that the operand does not have are zero as a whole, in two types and rings of both kinds.
// REQUIRES: host-compiler
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=M=13,N=72 --emit=report -o %t.report | FileCheck %s
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=M=9,N=36 --emit=report -o %t.report | FileCheck %s
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=M=13,N=67 --emit=report -o %t.report | FileCheck %s
// RUN: sed 's/pipeline(3)/pipeline(3) producers(2)/' %s > %t.mlir
// RUN: tilec %t.mlir --target=h100 --run=cpu --verify --shape=M=13,N=72 --emit=report -o %t.report | FileCheck %s
// RUN: tilec %t.mlir --target=h100 --run=cpu --verify --shape=M=1,N=4 --emit=report -o %t.report | FileCheck %s
// RUN: tilec %s --target=sm80 --emit=cuda -o - | FileCheck %s --check-prefix=TEXT
// CHECK: integers: all {{[0-9]+}} elements of Y agree, largest error 0
// CHECK: random: all {{[0-9]+}} elements of Y agree
// TEXT: cp_async<4>(s, {{.*}}gk >= 0 && gk < N);
// TEXT: cp_async<8>(h, {{.*}}gk >= 0 && gk < N);
!G = memref<?x?xf32>
!H = memref<?x?xf16>
!s = memref<8x40xf32, #tile.level<smem>>
!h = memref<8x48xf16, #tile.level<smem>>
!r = memref<1x1xf32, #tile.level<rf>>
!q = memref<1x1xf16, #tile.level<rf>>
#id = affine_map<(i, j) -> (i, j)>
tile.kernel @wide_pads(%X: !G[%M, %N], %Z: !H[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (8) at dram on block {
    tile.for (%k) in (%N) by (32) at dram pipeline(3) {
      %s = tile.stage %X[%i, %k - 4] pad(zero) : !G to !s
      %h = tile.stage %Z[%i - 1, %k - 8] pad(zero) : !H to !h
      tile.for (%a, %b) in (8, 32) by (1, 1) at smem on thread {
        %l = tile.stage %s[%a, %b] : !s to !r
        %m = tile.stage %s[%a, %b + 8] : !s to !r
        %z = tile.stage %h[%a, %b + 3] : !h to !q
        %y = tile.hold init(0.0 : f32) : !r
        linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%l, %m, %z : !r, !r, !q) outs(%y : !r) {
        ^bb0(%p: f32, %q: f32, %zz: f16, %o: f32):
          %w = arith.extf %zz : f16 to f32
          %t = arith.addf %p, %q : f32
          %u = arith.addf %t, %w : f32
          linalg.yield %u : f32
        }
        tile.store %y to %Y[%i + %a, %k + %b] : !r to !G
      }
    }
  }
}
