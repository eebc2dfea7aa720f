// RUN: tilec-opt %s -split-input-file --verify-roundtrip > /dev/null

// Loops that tie tiles together: a kernel for each rule that just satisfies it; invalid-tied.mlir has those that just break one.

!V = memref<?xf32>
!e = memref<1xf32, #tile.level<rf>>
!i = memref<1xi32, #tile.level<rf>>
tile.kernel @for_f18(%X: !V[%N], %N: index) {
  %m = tile.hold init(0xFF800000 : f32) : !e
  %n = tile.hold init(0 : i32) : !i
  tile.for (%t) in (32) by (1) at dram on thread reduce(%m, %n : !e, !i) {
  } combine (%m0: f32, %n0: i32, %m1: f32, %n1: i32) {
    %m2 = arith.maximumf %m0, %m1 : f32
    %n2 = arith.addi %n0, %n1 : i32
    tile.yield %m2, %n2 : f32, i32
  }
}

// -----

// One tile, of two dimensions; what makes one element of two may read scalars.
!e = memref<2x3xf32, #tile.level<rf>>
tile.kernel @for_f19(%least: f32) {
  %m = tile.hold init(0.0 : f32) : !e
  tile.for (%t) in (32) by (1) at dram on thread reduce(%m : !e) {
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    %r = arith.maximumf %s, %least : f32
    tile.yield %r : f32
  }
}

// -----

!e = memref<1xf32, #tile.level<rf>>
tile.kernel @yield_y1() {
  %m = tile.hold init(0.0 : f32) : !e
  tile.for (%t) in (32) by (1) at dram on thread reduce(%m : !e) {
  } combine (%a: f32, %b: f32) {
    tile.yield %a : f32
  }
}

// -----

// Rows of the tiles are parted, and columns of the operand combined.
!G = memref<?x?xf32>
!c = memref<4xf32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<rf>>
!x = memref<1x1xf32, #tile.level<rf>>
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
tile.kernel @rule_r4(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%b) in (%M) by (4) at dram on block {
    %m = tile.hold init(0xFF800000 : f32) : !c
    %s = tile.hold init(0.0 : f32) : !c
    tile.for (%i, %j) in (4, 8) by (1, 1) at dram on thread reduce(%m, %s : !c, !c) {
      %x = tile.stage %X[%b + %i, %j] : !G to !x
      %p = tile.part %m[%i] : !c to !e
      %q = tile.part %s[%i] : !c to !e
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

// Inside of the loop tied tiles are read and written one by one, and reduced by kinds of their own; after it they are stored.
!V = memref<?xf32>
!e = memref<1xf32, #tile.level<rf>>
#one = affine_map<(i) -> (i)>
tile.kernel @rule_r5(%X: !V[%N], %Y: !V[%N], %N: index) {
  %m = tile.hold init(0xFF800000 : f32) : !e
  %s = tile.hold init(0.0 : f32) : !e
  tile.for (%w) in (64) by (32) at dram on warp reduce(%m, %s : !e, !e) {
    tile.for (%t) in (32) by (1) at dram on thread reduce(max) {
      %x = tile.stage %X[%w + %t] : !V to !e
      linalg.max ins(%x, %m : !e, !e) outs(%m : !e)
    }
    linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%m : !e) outs(%s : !e) {
    ^bb0(%v: f32, %sum: f32):
      %c = arith.addf %v, %sum : f32
      linalg.yield %c : f32
    }
  } combine (%m0: f32, %s0: f32, %m1: f32, %s1: f32) {
    %a = arith.maximumf %m0, %m1 : f32
    %c = arith.addf %s0, %s1 : f32
    tile.yield %a, %c : f32, f32
  }
  tile.store %m to %Y[0] : !e to !V
  tile.store %s to %Y[1] : !e to !V
}

// -----

// Zeros of both signs are one number; of what is read from scalars nothing is computed.
!e = memref<1xf32, #tile.level<rf>>
tile.kernel @rule_r6(%least: f32) {
  %m = tile.hold init(-0.0 : f32) : !e
  %n = tile.hold init(7.0 : f32) : !e
  tile.for (%t) in (32) by (1) at dram on thread reduce(%m, %n : !e, !e) {
  } combine (%a: f32, %p: f32, %b: f32, %q: f32) {
    %zero = arith.constant 0.0 : f32
    %s = arith.addf %a, %b : f32
    %r = arith.addf %s, %zero : f32
    %o = arith.maximumf %p, %least : f32
    tile.yield %r, %o : f32, f32
  }
}
