// RUN: tilec-opt %s -split-input-file -verify-roundtrip | FileCheck %s

// Operands in constant memory that just satisfy their rules.

// CHECK-LABEL: @kernel_k8
// CHECK-SAME: %{{.*}}: memref<65536xi8, #tile.level<constant>>[65536]
tile.kernel @kernel_k8(%W: memref<65536xi8, #tile.level<constant>>[65536], %V: memref<1x3x5xf64, #tile.level<constant>>[1, 3, 5]) {
}

// -----

!W = memref<8x8xf32, #tile.level<constant>>
!p = memref<1x4xf32, strided<[8, 1], offset: ?>, #tile.level<constant>>
!r = memref<1x4xf32, #tile.level<rf>>
// CHECK-LABEL: @kernel_k9
// CHECK: tile.stage %{{.*}}[-1, 0] pad(clamp) edges(element) wide(1) : memref<8x8xf32, #tile.level<constant>> to
// CHECK: tile.part
// CHECK: tile.store
tile.kernel @kernel_k9(%W: !W[8, 8], %Y: memref<8x8xf32>[8, 8]) {
  %r = tile.stage %W[-1, 0] pad(clamp) edges(element) wide(1) : !W to !r
  %p = tile.part %W[7, 4] : !W to !p
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p : !p) outs(%r : !r) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  }
  tile.store %r to %Y[0, 0] : !r to memref<8x8xf32>
}
