// RUN: tilec-opt %s -split-input-file -verify-diagnostics

// Loops with prefix: one kernel for each rule that just breaks it, named after the rule; see valid-prefix.mlir.

tile.kernel @for_f20_warp() {
  // expected-error@+1 {{prefix needs reduce by a kind on a loop on thread, not on warp}}
  tile.for (%w) in (4) by (1) at dram on warp reduce(add) prefix {
  }
}

// -----

tile.kernel @for_f20_alone() {
  // expected-error@+1 {{prefix needs reduce by a kind on a loop on thread}}
  tile.for (%t) in (32) by (1) at dram on thread prefix {
  }
}

// -----

!e = memref<1xf32, #tile.level<rf>>
tile.kernel @for_f20_tied() {
  %m = tile.hold init(0.0 : f32) : !e
  // expected-error@+1 {{prefix needs reduce by a kind on a loop on thread}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(%m : !e) prefix {
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
}

// -----

tile.kernel @for_f20_parted() {
  // expected-error@+1 {{with prefix is parted further among threads; expected each iteration to be one thread's}}
  tile.for (%t) in (4) by (1) at dram on thread reduce(add) prefix {
    // expected-note@+1 {{by this loop}}
    tile.for (%u) in (8) by (1) at dram on thread {
    }
  }
}

// -----

!x = memref<4xf32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
#0 = affine_map<(i) -> (0)>
tile.kernel @rule_r7_inside(%X: memref<?xf32>[%N], %N: index) {
  %s = tile.hold init(0.0 : f32) : !e // expected-note {{the tile}}
  // expected-note@+1 {{the loop with prefix is here}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(add) prefix {
    tile.for (%k) in (%N) by (128) at dram {
      %x = tile.stage %X[4 * %t + %k] : memref<?xf32> to !x
      // expected-error@+1 {{combines with a tile of a loop with prefix, but does not stand directly in it}}
      linalg.generic {indexing_maps = [#0, #i], iterator_types = ["reduction"]} outs(%s, %x : !e, !x) {
      ^bb0(%old: f32, %v: f32):
        %sum = arith.addf %old, %v : f32
        linalg.yield %sum, %sum : f32, f32
      }
    }
  }
}

// -----

!x = memref<4xf32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
#0 = affine_map<(i) -> (0)>
tile.kernel @rule_r7_two_ops(%X: memref<128xf32>[128]) {
  %s = tile.hold init(0.0 : f32) : !e
  tile.for (%t) in (32) by (1) at dram on thread reduce(add) prefix {
    %x = tile.stage %X[4 * %t] : memref<128xf32> to !x
    // expected-note@+1 {{the first one is here}}
    linalg.generic {indexing_maps = [#0, #i], iterator_types = ["reduction"]} outs(%s, %x : !e, !x) {
    ^bb0(%old: f32, %v: f32):
      %sum = arith.addf %old, %v : f32
      linalg.yield %sum, %sum : f32, f32
    }
    // expected-error@+1 {{is the second op that combines with a tile of a loop with prefix; expected one}}
    linalg.generic {indexing_maps = [#0, #i], iterator_types = ["reduction"]} outs(%s, %x : !e, !x) {
    ^bb0(%old: f32, %v: f32):
      %sum = arith.addf %old, %v : f32
      linalg.yield %sum, %sum : f32, f32
    }
  }
}

// -----

!x = memref<4xf32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
#0 = affine_map<(i) -> (0)>
tile.kernel @rule_r7_two_tiles(%X: memref<128xf32>[128]) {
  %s = tile.hold init(0.0 : f32) : !e // expected-note {{the tile}}
  %q = tile.hold init(0.0 : f32) : !e
  // expected-note@+1 {{the loop with prefix is here}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(add) prefix {
    %x = tile.stage %X[4 * %t] : memref<128xf32> to !x
    // expected-error@+1 {{combines with two tiles of a loop with prefix; expected an op for each}}
    linalg.generic {indexing_maps = [#i, #0, #0], iterator_types = ["reduction"]} ins(%x : !x) outs(%s, %q : !e, !e) {
    ^bb0(%v: f32, %old: f32, %before: f32):
      %sum = arith.addf %old, %v : f32
      %sums = arith.addf %before, %sum : f32
      linalg.yield %sum, %sums : f32, f32
    }
  }
}

// -----

!x = memref<4xf32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
#0 = affine_map<(i) -> (0)>
tile.kernel @rule_r7_kind(%X: memref<128xf32>[128]) {
  %s = tile.hold init(0.0 : f32) : !e // expected-note {{the tile}}
  // expected-note@+1 {{the loop with prefix is here}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(max) prefix {
    %x = tile.stage %X[4 * %t] : memref<128xf32> to !x
    // expected-error@+1 {{does something else to a tile of a loop with prefix than to combine it by max, once a point, with what depends on no point before}}
    linalg.generic {indexing_maps = [#0, #i], iterator_types = ["reduction"]} outs(%s, %x : !e, !x) {
    ^bb0(%old: f32, %v: f32):
      %sum = arith.addf %old, %v : f32
      linalg.yield %sum, %sum : f32, f32
    }
  }
}

// -----

// h[i] = a h[i - 1] + x[i] is no sum of what does not depend on h.
!x = memref<4xf32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
#0 = affine_map<(i) -> (0)>
tile.kernel @rule_r7_recurrence(%X: memref<128xf32>[128], %a: f32) {
  %s = tile.hold init(0.0 : f32) : !e // expected-note {{the tile}}
  // expected-note@+1 {{the loop with prefix is here}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(add) prefix {
    %x = tile.stage %X[4 * %t] : memref<128xf32> to !x
    // expected-error@+1 {{does something else to a tile of a loop with prefix than to combine it by add}}
    linalg.generic {indexing_maps = [#0, #i], iterator_types = ["reduction"]} outs(%s, %x : !e, !x) {
    ^bb0(%old: f32, %v: f32):
      %less = arith.mulf %old, %a : f32
      %sum = arith.addf %less, %v : f32
      linalg.yield %sum, %sum : f32, f32
    }
  }
}

// -----

// What is added depends on a result that all points write.
!x = memref<4xf32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
#0 = affine_map<(i) -> (0)>
tile.kernel @rule_r7_points(%X: memref<128xf32>[128]) {
  %s = tile.hold init(0.0 : f32) : !e // expected-note {{the tile}}
  // expected-note@+1 {{the loop with prefix is here}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(add) prefix {
    %x = tile.stage %X[4 * %t] : memref<128xf32> to !x
    %own = tile.hold init(0.0 : f32) : !e
    // expected-error@+1 {{does something else to a tile of a loop with prefix than to combine it by add, once a point, with what depends on no point before}}
    linalg.generic {indexing_maps = [#i, #0, #0], iterator_types = ["reduction"]} ins(%x : !x) outs(%s, %own : !e, !e) {
    ^bb0(%v: f32, %old: f32, %part: f32):
      %more = arith.addf %part, %v : f32
      %sum = arith.addf %old, %more : f32
      linalg.yield %sum, %more : f32, f32
    }
  }
}

// -----

!x = memref<4xf32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
#0 = affine_map<(i) -> (0)>
tile.kernel @rule_r8(%X: memref<128xf32>[128]) {
  %s = tile.hold init(0.0 : f32) : !e
  // expected-note@+1 {{the loop}}
  tile.for (%t, %u) in (4, 8) by (1, 1) at dram on thread reduce(add) prefix {
    %x = tile.stage %X[32 * %t + 4 * %u] : memref<128xf32> to !x
    // expected-error@+1 {{combines with an element in the iterations of 2 induction variables of a loop with prefix; expected one, in whose order they stand}}
    linalg.generic {indexing_maps = [#0, #i], iterator_types = ["reduction"]} outs(%s, %x : !e, !x) {
    ^bb0(%old: f32, %v: f32):
      %sum = arith.addf %old, %v : f32
      linalg.yield %sum, %sum : f32, f32
    }
  }
}

// -----

// Nobody else may read what the loop reduces there, after the op either.
!x = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @rule_r3_prefix(%X: memref<128xf32>[128], %Y: memref<128xf32>[128]) {
  %s = tile.hold init(0.0 : f32) : !x
  // expected-note@+1 {{the result is complete after this loop}}
  tile.for (%t) in (128) by (1) at dram on thread reduce(add) prefix {
    %x = tile.stage %X[%t] : memref<128xf32> to !x
    linalg.generic {indexing_maps = [#i, #i], iterator_types = ["reduction"]} outs(%s, %x : !x, !x) {
    ^bb0(%old: f32, %v: f32):
      %sum = arith.addf %old, %v : f32
      linalg.yield %sum, %sum : f32, f32
    }
    // expected-error@+1 {{stores a held tile inside of the loop that reduces it}}
    tile.store %s to %Y[%t] : !x to memref<128xf32>
  }
}

// -----

!x = memref<?xf32, #tile.level<rf>>
tile.kernel @rule_o2_prefix(%X: memref<?xf32>[%N], %N: index) {
  tile.for (%i) in (%N) by (?) at dram on block {
    // expected-error@+1 {{scans, in a kernel with open sizes (rule O2)}}
    tile.for (%t) in (32) by (1) at dram on thread reduce(add) prefix {
    }
  }
}
