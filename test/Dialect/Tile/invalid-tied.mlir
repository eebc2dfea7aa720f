// RUN: tilec-opt %s -split-input-file -verify-diagnostics

// Loops that tie tiles together: one kernel for each rule that just breaks it, named after the rule; see valid-tied.mlir.

!e = memref<1xf32, #tile.level<rf>>
tile.kernel @for_f18() {
  %m = tile.hold init(0.0 : f32) : !e
  // expected-error@+1 {{has 0 combine and 1 tiles in reduce; expected one combine where tiles are named, and none elsewhere}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(%m : !e) {
  }
}

// -----

tile.kernel @for_f18_kind(%x: f32) {
  // expected-error@+1 {{has 1 combine and 0 tiles in reduce beside a kind; expected one combine where tiles are named}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(add) {
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
  }
}

// -----

!e = memref<1xf32, #tile.level<rf>>
tile.kernel @for_f18_number() {
  %m = tile.hold init(0.0 : f32) : !e
  // expected-error@+1 {{combine has 1 arguments; expected 2, two tuples of an element of each tile}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(%m : !e) {
  } combine (%a: f32) {
    tile.yield %a : f32
  }
}

// -----

!e = memref<1xf32, #tile.level<rf>>
!i = memref<1xi32, #tile.level<rf>>
tile.kernel @for_f18_type() {
  %m = tile.hold init(0.0 : f32) : !e
  %n = tile.hold init(0 : i32) : !i
  // expected-error@+1 {{combine has argument #2 of type 'i32'; expected 'f32', as elements of its tile}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(%m, %n : !e, !i) {
  } combine (%a: f32, %p: i32, %b: i32, %q: f32) {
    tile.yield %a, %p : f32, i32
  }
}

// -----

!e = memref<1xf32, #tile.level<rf>>
tile.kernel @for_f18_end() {
  %m = tile.hold init(0.0 : f32) : !e
  // expected-error@+1 {{combine does not end in tile.yield, which says what the tuple is that it makes}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(%m : !e) {
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
  }
}

// -----

!e = memref<1xf32, #tile.level<rf>>
!t = memref<1x1xf32, #tile.level<rf>>
tile.kernel @for_f19() {
  %m = tile.hold init(0.0 : f32) : !e
  %n = tile.hold init(0.0 : f32) : !t
  // expected-error@+1 {{ties tiles of types 'memref<1xf32, #tile.level<rf>>' and 'memref<1x1xf32, #tile.level<rf>>' together; expected one static shape}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(%m, %n : !e, !t) {
  } combine (%a: f32, %p: f32, %b: f32, %q: f32) {
    tile.yield %a, %p : f32, f32
  }
}

// -----

!e = memref<1xf32, #tile.level<rf>>
tile.kernel @for_f19_twice() {
  %m = tile.hold init(0.0 : f32) : !e
  // expected-error@+1 {{ties a tile to itself; each stands once in reduce}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(%m, %m : !e, !e) {
  } combine (%a: f32, %p: f32, %b: f32, %q: f32) {
    tile.yield %a, %p : f32, f32
  }
}

// -----

!e = memref<1xf32, #tile.level<rf>>
tile.kernel @yield_y1() {
  %m = tile.hold init(0.0 : f32) : !e
  // expected-note@+1 {{the loop that ties them together}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(%m : !e) {
  } combine (%a: f32, %b: f32) {
    // expected-error@+1 {{gives ('f32', 'f32'); expected ('f32'), an element of each tile}}
    tile.yield %a, %b : f32, f32
  }
}

// -----

tile.kernel @yield_y1_loop(%x: f32) {
  tile.for (%t) in (32) by (1) at dram on thread {
    // expected-error@+1 {{ends no combine; a loop's iterations give nothing}}
    tile.yield %x : f32
  }
}

// -----

// What a combine computes with is scalars, as in the body of a computation.
!e = memref<1xf32, #tile.level<rf>>
tile.kernel @kernel_c1_combine() {
  %m = tile.hold init(0.0 : f32) : !e
  tile.for (%t) in (32) by (1) at dram on thread reduce(%m : !e) {
  } combine (%a: f32, %b: f32) {
    // expected-error@+1 {{'tile.hold' is no scalar op, which is all that the body of a computation computes with (rule C1)}}
    %h = tile.hold init(0.0 : f32) : !e
    tile.yield %a : f32
  }
}

// -----

!e = memref<1xf8E4M3FN, #tile.level<rf>>
tile.kernel @kernel_c3_tied() {
  %m = tile.hold init(0.0 : f8E4M3FN) : !e
  // expected-error@+1 {{ties a tile of 'f8E4M3FN', which only arith.extf takes (rule C3): no combine makes one of two}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(%m : !e) {
  } combine (%a: f8E4M3FN, %b: f8E4M3FN) {
    tile.yield %a : f8E4M3FN
  }
}

// -----

!V = memref<4xf32>
!e = memref<1xf32, #tile.level<rf>>
tile.kernel @rule_r4(%X: !V[4]) {
  tile.for (%i) in (1) by (1) at dram on block {
    // expected-note@+1 {{it comes from here}}
    %m = tile.stage %X[0] : !V to !e
    // expected-error@+1 {{ties what is not held in rf, or is a part; only whole held tiles are combined when a loop ends}}
    tile.for (%t) in (32) by (1) at dram on thread reduce(%m : !e) {
    } combine (%a: f32, %b: f32) {
      tile.yield %a : f32
    }
  }
}

// -----

!G = memref<?x?xf32>
!c = memref<4xf32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<rf>>
!x = memref<1x1xf32, #tile.level<rf>>
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
tile.kernel @rule_r4_parts(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%b) in (%M) by (4) at dram on block {
    // expected-note@+1 {{one of the tiles}}
    %m = tile.hold init(0xFF800000 : f32) : !c
    // expected-note@+1 {{the other}}
    %s = tile.hold init(0.0 : f32) : !c
    // expected-error@+1 {{ties tiles together that threads hold otherwise}}
    tile.for (%i, %j) in (4, 4) by (1, 1) at dram on thread reduce(%m, %s : !c, !c) {
      %x = tile.stage %X[%b + %i, %j] : !G to !x
      %p = tile.part %m[%i] : !c to !e
      %q = tile.part %s[%j] : !c to !e
      linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%p, %q : !e, !e) {
      ^bb0(%v: f32, %most: f32, %sum: f32):
        %a = arith.maximumf %v, %most : f32
        %c = arith.addf %v, %sum : f32
        linalg.yield %a, %c : f32, f32
      }
    } combine (%m0: f32, %s0: f32, %m1: f32, %s1: f32) {
      %a = arith.maximumf %m0, %m1 : f32
      %c = arith.addf %s0, %s1 : f32
      tile.yield %a, %c : f32, f32
    }
  }
}

// -----

!V = memref<?xf32>
!e = memref<1xf32, #tile.level<rf>>
tile.kernel @rule_r5(%X: !V[%N], %Y: !V[%N], %N: index) {
  %m = tile.hold init(0xFF800000 : f32) : !e
  // expected-note@+1 {{the result is complete after this loop}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(%m : !e) {
    %x = tile.stage %X[%t] : !V to !e
    linalg.max ins(%x, %m : !e, !e) outs(%m : !e)
    // expected-error@+1 {{stores a held tile inside of the loop that reduces it, where each unit has a part of the result only}}
    tile.store %m to %Y[%t] : !e to !V
  } combine (%a: f32, %b: f32) {
    %r = arith.maximumf %a, %b : f32
    tile.yield %r : f32
  }
}

// -----

!V = memref<?xf32>
!e = memref<1xf32, #tile.level<rf>>
tile.kernel @rule_r1_tied(%X: !V[%N], %N: index) {
  %m = tile.hold init(0xFF800000 : f32) : !e
  // expected-note@+1 {{let this loop tie them, too}}
  tile.for (%w) in (64) by (32) at dram on warp reduce(max) {
    // expected-error@+1 {{ties a held tile to others, of which a loop around it reduces each by max}}
    tile.for (%t) in (32) by (1) at dram on thread reduce(%m : !e) {
      %x = tile.stage %X[%w + %t] : !V to !e
      linalg.max ins(%x, %m : !e, !e) outs(%m : !e)
    } combine (%a: f32, %b: f32) {
      tile.yield %b : f32
    }
  }
}

// -----

// What is written and not tied has several owners.
!V = memref<?xf32>
!e = memref<1xf32, #tile.level<rf>>
tile.kernel @hold_h3_tied(%X: !V[%N], %N: index) {
  %m = tile.hold init(0xFF800000 : f32) : !e
  // expected-note@+1 {{the tile}}
  %s = tile.hold init(0.0 : f32) : !e
  // expected-note@+1 {{induction variable 0 of this loop is not in the part's subscripts}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(%m : !e) {
    %x = tile.stage %X[%t] : !V to !e
    linalg.max ins(%x, %m : !e, !e) outs(%m : !e)
    // expected-error@+1 {{writes an element of a register tile from 32 threads; each written element has one owner, or the loop says reduce}}
    linalg.add ins(%x, %s : !e, !e) outs(%s : !e)
  } combine (%a: f32, %b: f32) {
    %r = arith.maximumf %a, %b : f32
    tile.yield %r : f32
  }
}

// -----

!e = memref<1xf32, #tile.level<rf>>
tile.kernel @rule_r6() {
  // expected-note@+1 {{the tile is held with it, and so begins each iteration}}
  %m = tile.hold init(1.0 : f32) : !e
  // expected-error@+1 {{combine makes 2.000000e+00 : f32 of 1.000000e+00 : f32 and 1.000000e+00 : f32; what tiles are held with must change nothing}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(%m : !e) {
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
}

// -----

// Two threads without elements divide by none, and differ by infinities.
!e = memref<1xf32, #tile.level<rf>>
tile.kernel @rule_r6_nan() {
  // expected-note@+1 {{the tile is held with it, and so begins each iteration}}
  %m = tile.hold init(0xFF800000 : f32) : !e
  // expected-error@+1 {{combine makes 0x7FC00000 : f32 of 0xFF800000 : f32 and 0xFF800000 : f32; what tiles are held with must change nothing}}
  tile.for (%t) in (32) by (1) at dram on thread reduce(%m : !e) {
  } combine (%a: f32, %b: f32) {
    %m2 = arith.maximumf %a, %b : f32
    %d = arith.subf %a, %m2 : f32
    %e = math.exp %d : f32
    tile.yield %e : f32
  }
}
