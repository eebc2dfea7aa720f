// RUN: tilec-opt %s -split-input-file -verify-diagnostics

// Kernels that leave sizes open and break one rule (docs/language.md, 11); valid-open.mlir has those that satisfy it.

// Without an open loop a part has a static shape.
!G = memref<?x?xf32>
!p = memref<?x8xf32, strided<[?, ?], offset: ?>>
tile.kernel @rule_o1_part(%A: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (8, 8) at dram on block {
    // expected-error@+1 {{a part needs a static shape, got 'memref<?x8xf32}}
    %p = tile.part %A[%i, %j] : !G to !p
  }
}

// -----

!r = memref<?xf32, #tile.level<rf>>
tile.kernel @rule_o1_hold() {
  // expected-error@+1 {{holds a static memref in rf or smem, got 'memref<?xf32}}
  %r = tile.hold init(0.0 : f32) : !r
}

// -----

!G = memref<?xf32>
tile.kernel @rule_o2_if(%A: !G[%M], %M: index) {
  %yes = arith.constant true
  tile.for (%i) in (%M) by (?) at dram on block {
    // expected-error@+1 {{stands in a kernel with open sizes (rule O2)}}
    scf.if %yes {
    }
  }
}

// -----

!G = memref<?x?xf32>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @rule_o2_tied(%A: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (?) at dram on block {
    %r = tile.hold init(0.0 : f32) : !r
    // expected-error@+1 {{ties tiles together, in a kernel with open sizes (rule O2)}}
    tile.for (%j) in (32) by (1) at dram on thread reduce(%r : !r) {
    } combine (%a: f32, %b: f32) {
      tile.yield %a : f32
    }
  }
}

// -----

!G = memref<?xf32>
!r = memref<?xf32, #tile.level<rf>>
tile.kernel @rule_o2_combine(%A: !G[%M], %M: index) {
  tile.for (%i) in (%M) by (?) at dram on block {
    %r = tile.hold init(0.0 : f32) : !r
    // expected-error@+1 {{combines with what its operand holds, in a kernel with open sizes (rule O2)}}
    tile.store %r to %A[%i] combine(add) unordered : !r to !G
  }
}

// -----

!G = memref<?xf32>
tile.kernel @rule_o2_launch(%A: !G[%M], %M: index) {
  tile.for (%i) in (%M) by (?) at dram on block {
  }
  // expected-error@+1 {{stands in a kernel with open sizes (rule O2)}}
  tile.launch grid [%M] by [8] threads(32)
}

// -----

!G = memref<?xf32>
tile.kernel @rule_o3(%A: !G[%M], %M: index) {
  // expected-error@+1 {{leaves an extent open (rule O3), but no loop around says of what it walks a tile}}
  tile.for (%i) in (?) by (8) at dram on block {
  }
}

// -----

// Numbers are held to their rules beside what is open.
tile.kernel @steps(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  // expected-error@+1 {{loop 0 has step 0; expected from 1 to 65536 for a dynamic extent}}
  tile.for (%i, %j) in (%M, %N) by (0, ?) at dram on block {
  }
}

// -----

tile.kernel @extents(%A: memref<?xf32>[%M], %M: index) {
  // expected-error@+1 {{on thread needs static extents, but extent 0 is dynamic}}
  tile.for (%i) in (%M) by (?) at dram on thread {
  }
}

// -----

!G = memref<?xf32>
!r = memref<?xf32, #tile.level<rf>>
tile.kernel @rule_o2_gather(%A: !G[%M], %I: memref<?xi32>[%M], %M: index) {
  tile.for (%i) in (%M) by (?) at dram on block {
    // expected-error@+1 {{gathers, in a kernel with open sizes (rule O2)}}
    %r = tile.stage %A[%i] gather(%I : memref<?xi32> along 0) : !G to !r
  }
}
