// RUN: tilec-opt %s -split-input-file --verify-roundtrip > /dev/null

// The rules on computation, C1 to C4 of tile.kernel, just satisfied; see valid.mlir.

// Scalar ops of each kind in a body, and between loops.
#i = affine_map<(i) -> (i)>
!G = memref<?xf32>
!t = memref<4xf32, #tile.level<rf>>
tile.kernel @kernel_c1(%X: !G[%N], %Y: !G[%N], %N: index, %a: f32) {
  %limit = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %uses = arith.cmpf une, %a, %zero : f32
  tile.for (%m) in (%N) by (128) at dram on block {
    tile.for (%j) in (128) by (4) at dram on thread {
      %x = tile.stage %X[%m + %j] : !G to !t
      %root = math.sqrt %a : f32
      scf.if %uses {
        linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%x : !t) {
        ^bb0(%v: f32):
          %place = linalg.index 0 : index
          %first = arith.cmpi ult, %place, %limit : index
          %number = arith.index_cast %place : index to i32
          %real = arith.sitofp %number : i32 to f32
          %p = math.fma %v, %root, %real : f32
          %r = arith.select %first, %p, %zero : f32
          linalg.yield %r : f32
        }
      }
      tile.store %x to %Y[%m + %j] : !t to !G
    }
  }
}

// -----

// An element is read by the map and from the part that it is written by.
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
!G = memref<64x64xf32>
!t = memref<4x4xf32, #tile.level<rf>>
!c = memref<4xf32, #tile.level<rf>>
tile.kernel @kernel_c2(%X: !G[64, 64], %Y: !G[64, 64]) {
  tile.for (%m, %n) in (64, 64) by (4, 4) at dram on thread {
    %x = tile.stage %X[%m, %n] : !G to !t
    %c = tile.hold init(0.0 : f32) : !c
    linalg.generic {indexing_maps = [#ij, #ij, #i], iterator_types = ["parallel", "reduction"]} ins(%x : !t) outs(%x, %c : !t, !c) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %s = arith.addf %sum, %a : f32
      linalg.yield %s, %s : f32, f32
    }
    tile.store %x to %Y[%m, %n] : !t to !G
  }
}

// -----

// Parts of one operand that only touch each other.
!G = memref<?xf32>
!p = memref<4xf32, strided<[1], offset: ?>>
tile.kernel @kernel_c2_parts(%X: !G[%N], %N: index) {
  tile.for (%i) in (%N) by (8) at dram {
    %a = tile.part %X[%i] : !G to !p
    %b = tile.part %X[%i + 4] : !G to !p
    linalg.add ins(%a, %a : !p, !p) outs(%b : !p)
  }
}

// -----

// Elements of each type, and what i1 may do.
#i = affine_map<(i) -> (i)>
tile.kernel @kernel_c3(%A: memref<4xf64>[4], %B: memref<4xf16>[4], %C: memref<4xbf16>[4], %D: memref<4xi64>[4], %E: memref<4xi16>[4],
                       %F: memref<4xi8>[4], %a: i32, %b: i1) {
  tile.for (%m) in (4) by (4) at dram on block {
    linalg.generic {indexing_maps = [#i, #i, #i, #i, #i, #i], iterator_types = ["parallel"]} ins(%D, %E, %F : memref<4xi64>, memref<4xi16>, memref<4xi8>) outs(%A, %B, %C : memref<4xf64>, memref<4xf16>, memref<4xbf16>) {
    ^bb0(%d: i64, %e: i16, %f: i8, %x: f64, %y: f16, %z: bf16):
      %wide = arith.sitofp %d : i64 to f64
      %half = arith.uitofp %e : i16 to f16
      %same = arith.cmpi eq, %b, %b : i1
      %both = arith.andi %same, %b : i1
      %byte = arith.sitofp %f : i8 to bf16
      %brain = arith.select %both, %byte, %z : bf16
      linalg.yield %wide, %half, %brain : f64, f16, bf16
    }
  }
}

// -----

// An operand, a part of a part, a tile, and a scalar that is read.
!G = memref<64xf32>
!p = memref<8xf32, strided<[1], offset: ?>>
!q = memref<4xf32, strided<[1], offset: ?>>
tile.kernel @kernel_c4(%X: !G[64], %a: f32) {
  tile.for (%i) in (64) by (8) at dram on block {
    %p = tile.part %X[%i] : !G to !p
    %q = tile.part %p[4] : !p to !q
    linalg.fill ins(%a : f32) outs(%q : !q)
  }
}
