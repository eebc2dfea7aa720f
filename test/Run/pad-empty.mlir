// An operand without elements is padded with zero, whatever the pad: there is nothing to repeat or mirror. The kernel
// asks only where the extent may be zero: in a block there is an element of what the grid walks.
// REQUIRES: host-compiler
// RUN: tilec %s --emit=cuda -o - | FileCheck %s --check-prefix=TEXT
// RUN: tilec %s --run=cpu --verify --shape=m=0,n=5 2>&1 | FileCheck %s
// RUN: tilec %s --run=cpu --verify --shape=m=2,n=9 2>&1 | FileCheck %s
// CHECK: integers: all {{[59]}} elements of Y agree
// TEXT: M > 0 ? ldg(&X
// TEXT-NOT: N > 0
!V = memref<?xf32>
!e = memref<1xf32, #tile.level<rf>>

tile.kernel @pads(%X: !V[%M], %W: !V[%N], %Y: !V[%N], %M: index, %N: index) {
  tile.for (%i0) in (%N) by (4) at dram on block {
    tile.for (%i1) in (4) by (1) at dram on thread {
      %y = tile.hold init(1.0 : f32) : !e
      %x = tile.stage %X[%i0 + %i1 - 2] pad(reflect) : !V to !e
      %w = tile.stage %W[%i0 + %i1 - 2] pad(clamp) : !V to !e
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                      iterator_types = ["parallel"]} ins(%x, %w : !e, !e) outs(%y : !e) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %s = arith.addf %a, %c : f32
        %t = arith.addf %s, %b : f32
        linalg.yield %t : f32
      }
      tile.store %y to %Y[%i0 + %i1] : !e to !V
    }
  }
}
