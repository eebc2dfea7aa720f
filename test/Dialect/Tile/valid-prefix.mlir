// RUN: tilec-opt %s -split-input-file -verify-roundtrip -verify-diagnostics

// Loops with prefix: one kernel for each rule that just satisfies it, named after the rule.

!x = memref<4xf32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
#0 = affine_map<(i) -> (0)>

// Time and unrolled loops may stand in it.
tile.kernel @for_f20(%X: memref<128xf32>[128]) {
  tile.for (%t) in (32) by (1) at dram on thread reduce(maxnum) prefix smem_at(128) {
    tile.for (%k) in (128) by (4) at dram {
      tile.for (%u) in (4) by (1) at dram on unroll {
      }
    }
  }
}

// In place and not, inclusive, exclusive and anything else; and what several points write, as long as nothing that is added depends on it.
tile.kernel @rule_r7(%X: memref<128xf32>[128]) {
  %s = tile.hold init(0.0 : f32) : !e
  %q = tile.hold init(0.0 : f32) : !e
  tile.for (%t) in (32) by (1) at dram on thread reduce(add) prefix {
    %x = tile.stage %X[4 * %t] : memref<128xf32> to !x
    %y = tile.hold init(0.0 : f32) : !x
    %own = tile.hold init(0.0 : f32) : !e
    linalg.generic {indexing_maps = [#0, #i, #0, #i], iterator_types = ["reduction"]} outs(%s, %x, %own, %y : !e, !x, !e, !x) {
    ^bb0(%old: f32, %v: f32, %all: f32, %other: f32):
      %square = arith.mulf %v, %v : f32
      %sum = arith.subf %old, %square : f32
      %more = arith.addf %all, %old : f32
      %product = arith.mulf %old, %other : f32
      linalg.yield %sum, %sum, %more, %product : f32, f32, f32, f32
    }
    linalg.generic {indexing_maps = [#i, #0], iterator_types = ["reduction"]} ins(%y : !x) outs(%q : !e) {
    ^bb0(%v: f32, %old: f32):
      %sum = arith.addf %v, %old : f32
      linalg.yield %sum : f32
    }
  }
}

// Two induction variables, of which one parts the tile, and one has a single value.
tile.kernel @rule_r8(%X: memref<128xf32>[128]) {
  %s = tile.hold init(0.0 : f32) : !x
  tile.for (%r, %t, %u) in (4, 8, 4) by (1, 1, 4) at dram on thread reduce(add) prefix {
    %x = tile.stage %X[32 * %r + 4 * %t] : memref<128xf32> to !x
    %p = tile.part %s[%r] : !x to !e
    linalg.generic {indexing_maps = [#0, #i], iterator_types = ["reduction"]} outs(%p, %x : !e, !x) {
    ^bb0(%old: f32, %v: f32):
      %sum = arith.addf %old, %v : f32
      linalg.yield %sum, %old : f32, f32
    }
  }
}
