// RUN: tilec-opt %s -split-input-file --verify-roundtrip > /dev/null

// Kernels that leave sizes open and just satisfy the rules (docs/language.md, 11); invalid-open.mlir has those that break one.

!G = memref<?x?xf32>
!p = memref<?x8xf32, strided<[?, ?], offset: ?>>
!s = memref<?x?xf32, #tile.level<smem>>
!r = memref<?x?xf32, #tile.level<rf>>
tile.kernel @rule_o1(%A: !G[%M, %N], %B: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (?, 8) at dram on block {
    %p = tile.part %A[%i, %j] : !G to !p
    %s = tile.stage %A[%i, %j] : !G to !s
    %r = tile.hold init(0.0 : f32) : !r
    tile.store %r to %B[%i, %j] : !r to !G
  }
}

// -----

!G = memref<?xf32>
!r = memref<?xf32, #tile.level<rf>>
tile.kernel @rule_o2(%A: !G[%M], %B: !G[%M], %M: index) {
  tile.for (%i) in (%M) by (?) at dram on block raster(row) {
    %r = tile.hold init(0.0 : f32) : !r
    %a = tile.stage %A[%i] : !G to !r
    linalg.abs ins(%a : !r) outs(%r : !r)
    tile.store %r to %B[%i] : !r to !G
  }
}

// -----

!G = memref<?xf32>
!r = memref<?xf32, #tile.level<rf>>
tile.kernel @rule_o3(%A: !G[%M], %M: index) {
  tile.for (%i) in (%M) by (?) at dram on block {
    tile.for (%j) in (?) by (4) at dram on thread {
      tile.for (%k) in (4) by (?) at dram on unroll {
        %a = tile.stage %A[%i + %j + %k] : !G to !r
      }
    }
  }
}
