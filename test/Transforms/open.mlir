// Passes and analyses need numbers.
// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-plan-layout
// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-lower-to-kernel
// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-check-machine

!G = memref<?xf32>
!r = memref<?xf32, #tile.level<rf>>
tile.kernel @limit_x40(%A: !G[%M], %B: !G[%M], %M: index) {
  // expected-error@+1 {{leaves sizes open (`?`), which tilec fills in when it compiles the nest}}
  tile.for (%i) in (%M) by (?) at dram on block {
    %r = tile.hold init(0.0 : f32) : !r
    %a = tile.stage %A[%i] : !G to !r
    linalg.abs ins(%a : !r) outs(%r : !r)
    tile.store %r to %B[%i] : !r to !G
  }
}
