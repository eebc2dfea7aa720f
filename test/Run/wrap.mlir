// Elements beyond an edge come from the other end: rolled by less and by more than the operand, in windows that lie across both ends, of few elements and of none.
// REQUIRES: host-compiler
// RUN: tilec %s --emit=cuda -o %t/
// RUN: FileCheck %s --check-prefix=TEXT < %t/wrap.rolled.cu
// RUN: tilec %s --run=cpu --verify --shape=m=37,n=700 2>&1 | FileCheck %s
// RUN: tilec %s --run=cpu --verify --shape=m=1,n=3 2>&1 | FileCheck %s
// RUN: tilec %s --run=cpu --verify --shape=m=0,n=5 2>&1 | FileCheck %s
// What is predicted of their sectors is counted.
// RUN: tilec %s --run=cpu --emit=report --advice=off --shape=m=37,n=700 -o %t/
// CHECK-COUNT-3: random: all
// TEXT: % max(M, 1)
// TEXT: < 0 ? {{.*}} + M
!V = memref<?xf32>
!G = memref<?x?xf32>
!e = memref<1xf32, #tile.level<rf>>

tile.kernel @rolled(%X: !V[%M], %Y: !V[%N], %M: index, %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t - 300] pad(wrap) : !V to !e
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}

tile.kernel @ahead(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t + 5001] pad(wrap) : !V to !e
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}

tile.kernel @windows(%X: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (8, 32) at dram on block {
    %s = tile.stage %X[%i - 1, %j - 2] pad(wrap) : !G to memref<10x36xf32, #tile.level<smem>>
    tile.for (%t, %u) in (8, 32) by (1, 1) at smem on thread {
      %x = tile.stage %s[%t, %u] : memref<10x36xf32, #tile.level<smem>> to memref<3x5xf32, #tile.level<rf>>
      %y = tile.hold init(0.0 : f32) : memref<1x1xf32, #tile.level<rf>>
      linalg.generic {indexing_maps = [affine_map<(p, q) -> (p, q)>, affine_map<(p, q) -> (0, 0)>], iterator_types = ["reduction", "reduction"]}
          ins(%x : memref<3x5xf32, #tile.level<rf>>) outs(%y : memref<1x1xf32, #tile.level<rf>>) {
      ^bb0(%a: f32, %b: f32):
        %r = arith.addf %a, %b : f32
        linalg.yield %r : f32
      }
      tile.store %y to %Y[%i + %t, %j + %u] : memref<1x1xf32, #tile.level<rf>> to !G
    }
  }
}
