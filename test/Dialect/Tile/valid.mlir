// RUN: tilec-opt %s -split-input-file --verify-roundtrip > /dev/null

// One kernel for each numbered rule that just satisfies it, named after the rule (descriptions.test compares them with
// the rules described); invalid.mlir has those that just break one.

tile.kernel @kernel_k1(%A: memref<?x4xf32>[%M, 4], %M: index) {
}

// -----

tile.kernel @kernel_k2(%A: memref<?x4x?xf32>[%M, 4, %M], %M: index) {
}

// -----

// Strides that nobody knows, and every kind of scalar.
tile.kernel @kernel_k3(%A: memref<4x4xf32, strided<[?, ?]>>[4, 4], %B: memref<4x4xf32, #tile.layout<"(4,4):(1,4)">>[4, 4],
                       %n: i32, %a: f64) {
}

// -----

"tile.kernel"() <{sym_name = "kernel_k4", function_type = () -> (), shapes = []}> ({
^bb0:
}) : () -> ()

// -----

// The loop of the reduction lies inside of the loop that holds the result.
!t = memref<1xf32, #tile.level<rf>>
!e = memref<1x1xf32, #tile.level<rf>>
tile.kernel @kernel_k5(%A: memref<?x?xf32>[%M, %K], %Y: memref<?xf32>[%M], %M: index, %K: index)
    dataflow(output_stationary) {
  tile.for (%m) in (%M) by (1) at dram on block {
    %c = tile.hold init(0.0 : f32) : !t
    tile.for (%k) in (%K) by (1) at dram {
      %a = tile.stage %A[%m, %k] : memref<?x?xf32> to !e
      linalg.reduce { arith.addf } ins(%a : !e) outs(%c : !t) dimensions = [1]
    }
    tile.store %c to %Y[%m] : !t to memref<?xf32>
  }
}

// -----

tile.kernel @kernel_k6(%A: memref<?xf32>[%M], %M: index) {
}

// -----

tile.kernel @kernel_k7() {
  %c = tile.hold init(0.0 : f32) : memref<4xf32, #tile.level<rf>>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%c : memref<4xf32, #tile.level<rf>>) {
  ^bb0(%x: f32):
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  }
}

// -----

tile.kernel @for_f1(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i, %j, %k) in (4, %M, 4) by (1, 8, 2) at dram {
  }
}

// -----

tile.kernel @for_f2() {
  tile.for (%i) in (0) by (1) at dram {
  }
}

// -----

// Extents are multiples of steps, but for those of DRAM in time and on blocks.
tile.kernel @for_f3(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%b) in (10) by (4) at dram on block {
    tile.for (%i) in (10) by (4) at dram {
      tile.for (%j) in (12) by (4) at smem {
        tile.for (%t) in (12) by (4) at dram on thread {
        }
      }
    }
  }
}

// -----

tile.kernel @for_f4() {
  tile.for (%c) in (2) by (1) at dram on cluster {
    tile.for (%b) in (2) by (1) at dram on block {
      tile.for (%w) in (2) by (1) at dram on warp {
        tile.for (%v) in (2) by (1) at dram on warp {
          tile.for (%t) in (8) by (1) at dram on thread {
            tile.for (%s) in (4) by (1) at dram on thread {
            }
          }
        }
      }
    }
  }
}

// -----

tile.kernel @for_f5() {
  tile.for (%i, %j) in (4, 4) by (1, 1) at dram on cluster raster(boxes = 1x2147483647) {
  }
}

// -----

// Rows and columns are orders of any number of induction variables.
tile.kernel @for_f5_column() {
  tile.for (%i, %j, %k) in (4, 4, 4) by (1, 1, 1) at dram on block raster(column) {
  }
}

// -----

tile.kernel @for_f6(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram pipeline(2) {
  }
}

// -----

!t = memref<1xf32, #tile.level<rf>>
tile.kernel @for_f7(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%c) in (%M) by (4) at dram on cluster {
    tile.for (%b) in (4) by (1) at dram on block reduce(add) {
      tile.for (%w) in (2) by (1) at dram on warp reduce(max) {
        tile.for (%t) in (32) by (1) at dram on thread reduce(min) {
        }
      }
    }
  }
}

// -----

// Extents of loops on block, cluster and time may be dynamic.
tile.kernel @for_f8(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%b) in (%M) by (4) at dram on block {
    tile.for (%u) in (4) by (4) at dram on unroll {
      tile.for (%i) in (%M) by (4) at dram {
        tile.for (%t) in (32) by (1) at dram on thread {
        }
      }
    }
  }
}

// -----

tile.kernel @for_f9(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on cluster persistent {
    tile.for (%j) in (4) by (2) at dram on block {
    }
  }
}

// -----

tile.kernel @for_f10(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on cluster persistent {
    tile.for (%b) in (4) by (2) at dram on block {
      tile.for (%j) in (%M) by (4) at dram tail(cut) {
      }
    }
  }
}

// -----

// Everything that a cut loop may do: stage and read operands, compute on its own tiles, add to a held one and
// subtract from it.
!c = memref<4xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @for_f11(%A: memref<?xf32>[%M], %Y: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block persistent {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%j) in (%M) by (4) at dram tail(cut) {
      %a = tile.stage %A[%j] : memref<?xf32> to !c
      linalg.mul ins(%a, %a : !c, !c) outs(%a : !c)
      linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%a : !c) outs(%c : !c) {
      ^bb0(%x: f32, %sum: f32):
        %s = arith.addf %x, %sum : f32
        %t = arith.subf %s, %x : f32
        linalg.yield %t : f32
      }
    }
    %y = tile.stage %Y[%i] : memref<?xf32> to !c
    linalg.add ins(%c, %y : !c, !c) outs(%c : !c)
    tile.store %c to %Y[%i] : !c to memref<?xf32>
  }
}

// -----

tile.kernel @for_f12(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block {
    tile.for (%j) in (%M) by (32) at dram {
      tile.for (%k) in (%M) by (32) at dram pipeline(2) producers(1) {
      }
    }
  }
}

// -----

tile.kernel @for_f13(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%k) in (%M) by (32) at dram pipeline(2) producers(4) registers(24, 256) {
  }
}

// -----

tile.kernel @for_f14(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%k) in (%M) by (32) at dram pipeline(2) producers(4) smem_at(0, 2147483520) {
  }
}

// -----

// Any sum of multiples, in any order.
tile.kernel @stage_s1(%A: memref<?x8xf32>[%M, 8], %M: index) {
  tile.for (%i, %j) in (%M, 8) by (4, 4) at dram {
    %a = tile.stage %A[%i * 3 - %j * 2 + 7, -%i + %M] : memref<?x8xf32> to memref<4x4xf32, #tile.level<smem>>
  }
}

// -----

tile.kernel @stage_s2(%A: memref<8xf16>[8]) {
  %a = tile.stage %A[0] : memref<8xf16> to memref<4xf16, #tile.level<smem>>
}

// -----

tile.kernel @stage_s3(%A: memref<8xf32>[8]) {
  %s = tile.stage %A[0] : memref<8xf32> to memref<8xf32, #tile.level<smem>>
  %a = tile.stage %s[0] : memref<8xf32, #tile.level<smem>> to memref<8xf32, #tile.level<rf>>
  %b = tile.stage %A[0] : memref<8xf32> to memref<8xf32, #tile.level<rf>>
}

// -----

tile.kernel @stage_s4(%A: memref<?xf32>[%M], %M: index) {
  %a = tile.stage %A[0] : memref<?xf32> to memref<1xf32, #tile.level<smem>>
}

// -----

// From the first element, 28 + 4 = 32, and down to it; a place in an operand may lie anywhere.
tile.kernel @stage_s5(%A: memref<?xf32>[%M], %M: index) {
  %s = tile.stage %A[%M - 1000] : memref<?xf32> to memref<32xf32, #tile.level<smem>>
  tile.for (%i) in (32) by (4) at smem {
    %a = tile.stage %s[%i] : memref<32xf32, #tile.level<smem>> to memref<4xf32, #tile.level<rf>>
    %b = tile.stage %s[%i * -1 + 28] : memref<32xf32, #tile.level<smem>> to memref<4xf32, #tile.level<rf>>
  }
}

// -----

!s = memref<32xf32, #tile.level<smem>>
tile.kernel @stage_s6(%X: memref<64xf32>[64]) {
  tile.for (%k) in (64) by (32) at dram pipeline(2) producers(1) {
    %s = tile.stage %X[%k] copy(tma) : memref<64xf32> to !s
  }
}

// -----

tile.kernel @stage_s7(%X: memref<64xf32>[64]) {
  tile.for (%k) in (64) by (32) at dram {
    %s = tile.stage %X[%k] pad(zero) smem_at(2147483520) : memref<64xf32> to memref<32xf32, #tile.level<smem>>
  }
}

// -----

tile.kernel @part_p1(%A: memref<8x8xf32>[8, 8]) {
  %a = tile.part %A[0, 4] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: ?>>
}

// -----

tile.kernel @part_p2(%A: memref<8xf16>[8]) {
  %s = tile.stage %A[0] : memref<8xf16> to memref<8xf16, #tile.level<smem>>
  %a = tile.part %s[0] : memref<8xf16, #tile.level<smem>> to memref<4xf16, #tile.level<smem>>
}

// -----

tile.kernel @part_p3(%A: memref<?xf32>[%M], %M: index) {
  %a = tile.part %A[0] : memref<?xf32> to memref<1xf32>
}

// -----

// The source's strides, or none said.
tile.kernel @part_p4(%A: memref<8x8xf32>[8, 8]) {
  %a = tile.part %A[0, 0] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1]>>
  %b = tile.part %A[0, 0] : memref<8x8xf32> to memref<4x4xf32, strided<[?, ?], offset: ?>>
}

// -----

// 28 + 4 = 32.
tile.kernel @part_p5() {
  %c = tile.hold init(0.0 : f32) : memref<32xf32, #tile.level<rf>>
  tile.for (%i) in (32) by (4) at rf on thread {
    %p = tile.part %c[%i] : memref<32xf32, #tile.level<rf>> to memref<4xf32, #tile.level<rf>>
  }
}

// -----

tile.kernel @hold_h1() {
  %c = tile.hold init(0.0 : f32) : memref<1xf32, #tile.level<rf>>
}

// -----

tile.kernel @hold_h2() {
  %c = tile.hold init(0 : i8) : memref<4xi8, #tile.level<rf>>
}

// -----

// One thread writes an element; others may read it.
!t = memref<4x1xf32, #tile.level<rf>>
!r = memref<4x8xf32, #tile.level<rf>>
!p = memref<1x1xf32, #tile.level<rf>>
tile.kernel @hold_h3() {
  %c = tile.hold init(0.0 : f32) : !t
  %d = tile.hold init(0.0 : f32) : !r
  tile.for (%i, %j) in (4, 8) by (1, 1) at rf on thread {
    %p = tile.part %c[%i, 0] : !t to !p
    %q = tile.part %d[%i, %j] : !r to !p
    linalg.add ins(%p, %q : !p, !p) outs(%q : !p)
  }
}

// -----

// Two loops that part a tile alike.
!t = memref<8xf32, #tile.level<rf>>
!p = memref<2xf32, #tile.level<rf>>
tile.kernel @hold_h4() {
  %c = tile.hold init(0.0 : f32) : !t
  tile.for (%i) in (8) by (2) at rf on thread {
    %p = tile.part %c[%i] : !t to !p
    linalg.add ins(%p, %p : !p, !p) outs(%p : !p)
  }
  tile.for (%i) in (8) by (2) at rf on thread {
    %p = tile.part %c[%i] : !t to !p
    linalg.add ins(%p, %p : !p, !p) outs(%p : !p)
  }
}

// -----

// What several threads hold together, stored after their loop; what one holds for itself, in it.
!V = memref<?xf32>
!c = memref<32xf32, #tile.level<rf>>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @hold_h5(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%j) in (32) by (1) at dram on thread {
      %own = tile.hold init(0.0 : f32) : !r
      %p = tile.part %c[%j] : !c to !r
      %x = tile.stage %X[%i + %j] : !V to !r
      linalg.add ins(%x, %p : !r, !r) outs(%p : !r)
      tile.store %own to %X[%i + %j] : !r to !V
    }
    tile.store %c to %Y[%i] : !c to !V
  }
}

// -----

!t = memref<1x4xf32, #tile.level<rf>>
tile.kernel @store_w1(%Y: memref<8x8xf32>[8, 8]) {
  %c = tile.hold init(0.0 : f32) : !t
  tile.store %c to %Y[7, 4] : !t to memref<8x8xf32>
}

// -----

!t = memref<4xf16, #tile.level<rf>>
tile.kernel @store_w2(%Y: memref<8xf16>[8]) {
  %c = tile.hold init(0.0 : f16) : !t
  tile.store %c to %Y[0] : !t to memref<8xf16>
}

// -----

!t = memref<4xf32, #tile.level<rf>>
!s = memref<4xf32, #tile.level<smem>>
tile.kernel @store_w3(%Y: memref<4xf32>[4]) {
  %s = tile.stage %Y[0] : memref<4xf32> to !s
  %c = tile.hold init(0.0 : f32) : !t
  tile.store %c to %s[0] : !t to !s
  tile.store %s to %Y[0] : !s to memref<4xf32>
}

// -----

// 28 + 4 = 32 in the tile; a store to an operand may reach beyond it.
!t = memref<4xf32, #tile.level<rf>>
!s = memref<32xf32, #tile.level<smem>>
tile.kernel @store_w4(%X: memref<64xf32>[64]) {
  %s = tile.stage %X[0] : memref<64xf32> to !s
  tile.for (%i) in (32) by (4) at smem on thread {
    %c = tile.hold init(0.0 : f32) : !t
    tile.store %c to %s[%i] : !t to !s
    tile.store %c to %X[%i + 62] : !t to memref<64xf32>
  }
}

// -----

// A thread reads and overwrites its own element, and reads its neighbours' elements of what nobody writes.
!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @rule_i1(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (32) at dram on block {
    tile.for (%j) in (32) by (1) at dram on thread {
      %y = tile.stage %Y[%i + %j] : !V to !r
      %x = tile.stage %X[%i + %j + 1] : !V to !r
      linalg.add ins(%x, %y : !r, !r) outs(%y : !r)
      tile.store %y to %Y[%i + %j] : !r to !V
    }
  }
}

// -----

// Each thread writes 4 elements, 4 apart.
!t = memref<4xf32, #tile.level<rf>>
!e = memref<4xf32, strided<[1], offset: ?>>
tile.kernel @rule_i1_compute(%A: memref<64xf32>[64], %Y: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (4) at dram on thread {
    %a = tile.stage %A[%i] : memref<64xf32> to !t
    %y = tile.part %Y[%i] : memref<64xf32> to !e
    linalg.add ins(%a, %a : !t, !t) outs(%y : !e)
  }
}

// -----

// Blocks write 4 x 4 elements each, 4 apart, and within a block 2 tiles of 4 lie as far apart as blocks are.
!t = memref<4x4xf32, #tile.level<rf>>
tile.kernel @rule_i1_store(%Y: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%m, %n) in (%M, %N) by (4, 8) at dram on block {
    tile.for (%i) in (8) by (4) at dram {
      %c = tile.hold init(0.0 : f32) : !t
      tile.store %c to %Y[%m, %n + %i] : !t to memref<?x?xf32>
    }
  }
}

// -----

// Two stores of each iteration to halves of what it has for itself.
!r = memref<4xf32, #tile.level<rf>>
tile.kernel @rule_i1_two_stores(%X: memref<?xf32>[%N], %Y: memref<?xf32>[%N], %N: index) {
  tile.for (%i) in (%N) by (8) at dram on block {
    %x = tile.stage %X[%i] pad(zero) : memref<?xf32> to !r
    tile.store %x to %Y[%i] : !r to memref<?xf32>
    tile.store %x to %Y[%i + 4] : !r to memref<?xf32>
  }
}

// -----

// All blocks write the same elements, which are added up.
!t = memref<4xf32, #tile.level<rf>>
tile.kernel @rule_i1_combine(%Y: memref<4xf32>[4]) {
  tile.for (%m) in (64) by (4) at dram on block {
    %c = tile.hold init(1.0 : f32) : !t
    tile.store %c to %Y[0] combine(add) unordered : !t to memref<4xf32>
  }
}

// -----

// Neighbours are read from a tile in shared memory in one loop, and written in the next.
!t = memref<32xf32, #tile.level<smem>>
!c = memref<32xf32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<smem>>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @rule_i1_shared(%X: memref<?xf32>[%N], %N: index) {
  tile.for (%i) in (%N) by (32) at dram on block {
    %s = tile.stage %X[%i] pad(zero) : memref<?xf32> to !t
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%j) in (32) by (1) at smem on thread {
      %a = tile.stage %s[%j * -1 + 31] : !t to !r
      %p = tile.part %c[%j] : !c to !r
      linalg.add ins(%a, %p : !r, !r) outs(%p : !r)
    }
    tile.for (%j) in (32) by (1) at smem on thread {
      %b = tile.part %s[%j] : !t to !e
      %p = tile.part %c[%j] : !c to !r
      linalg.add ins(%p, %p : !r, !r) outs(%b : !e)
    }
  }
}

// -----

// After a loop on block stands what its blocks only read, and what they hold and reduce.
!r = memref<4xf32, #tile.level<rf>>
tile.kernel @rule_i2(%X: memref<?xf32>[%N], %Y: memref<?xf32>[%N], %N: index) {
  tile.for (%i) in (%N) by (4) at dram on cluster {
    %c = tile.hold init(0.0 : f32) : !r
    tile.for (%j) in (8) by (4) at dram on block reduce(add) {
      %x = tile.stage %X[%i + %j] : memref<?xf32> to !r
      linalg.add ins(%x, %c : !r, !r) outs(%c : !r)
    }
    %x = tile.stage %X[%i] : memref<?xf32> to !r
    linalg.add ins(%x, %c : !r, !r) outs(%c : !r)
    tile.store %c to %Y[%i] : !r to memref<?xf32>
  }
}

// -----

// What is copied ahead is written after the loop.
!s = memref<4xf32, #tile.level<smem>>
!r = memref<4xf32, #tile.level<rf>>
tile.kernel @rule_i3(%X: memref<?xf32>[%N], %N: index) {
  tile.for (%i) in (4) by (4) at dram on block {
    %c = tile.hold init(0.0 : f32) : !r
    tile.for (%k) in (%N) by (4) at dram pipeline(2) {
      %x = tile.stage %X[%k] : memref<?xf32> to !s
      %y = tile.stage %x[0] : !s to !r
      linalg.add ins(%y, %c : !r, !r) outs(%c : !r)
    }
    tile.store %c to %X[%i] : !r to memref<?xf32>
  }
}

// -----

// The old value less something that depends on no old value.
!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @rule_r1(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !r
    tile.for (%j) in (32) by (1) at dram on thread reduce(add) {
      %x = tile.stage %X[%i + %j] : !V to !r
      linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : !r) outs(%c : !r) {
      ^bb0(%a: f32, %old: f32):
        %square = arith.mulf %a, %a : f32
        %new = arith.subf %old, %square : f32
        linalg.yield %new : f32
      }
    }
    tile.store %c to %Y[%i] combine(add) unordered : !r to !V
  }
}

// -----

!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @rule_r2(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (1) at dram on block {
    %c = tile.hold init(0xFF800000 : f32) : !r
    tile.for (%j) in (32) by (1) at dram on thread reduce(max) {
      %x = tile.stage %X[%i + %j] : !V to !r
      linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : !r) outs(%c : !r) {
      ^bb0(%a: f32, %old: f32):
        %new = arith.maximumf %old, %a : f32
        linalg.yield %new : f32
      }
    }
    tile.store %c to %Y[%i] : !r to !V
  }
}

// -----

// Inside of the loop a thread reads what it holds for itself; outside the sum of all is read and stored.
!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @rule_r3(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (1) at dram on block {
    %c = tile.hold init(0.0 : f32) : !r
    tile.for (%j) in (32) by (1) at dram on thread reduce(add) {
      %own = tile.hold init(0.0 : f32) : !r
      %x = tile.stage %X[%i + %j] : !V to !r
      linalg.add ins(%x, %own : !r, !r) outs(%own : !r)
      linalg.add ins(%own, %c : !r, !r) outs(%c : !r)
    }
    linalg.mul ins(%c, %c : !r, !r) outs(%c : !r)
    tile.store %c to %Y[%i] : !r to !V
  }
}

// -----

// Elements are where those of the destination are, or there are no absent ones.
!V = memref<?xf32>
!r = memref<4xf32, #tile.level<rf>>
tile.kernel @rule_a1(%X: !V[%N], %Y: !V[%N], %Z: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (4) at dram on block {
    %x = tile.stage %X[%i] : !V to !r
    tile.store %x to %Y[%i] : !r to !V
    %z = tile.stage %X[%i - 1] pad(zero) : !V to !r
    tile.store %z to %Z[%i] : !r to !V
  }
}

// -----

// A result that is stored by way of another tile, here a narrower one, is complete as well.
!G = memref<?x?xf32>
!H = memref<?x?xf16>
!c = memref<4x4xf32, #tile.level<rf>>
!h = memref<4x4xf16, #tile.level<rf>>
!a = memref<4x1xf32, #tile.level<rf>>
!b = memref<1x4xf32, #tile.level<rf>>
tile.kernel @narrow_result(%A: !G[%M, %K], %B: !G[%K, %N], %C: !H[%M, %N], %M: index, %N: index, %K: index)
    dataflow(output_stationary) {
  tile.for (%m, %n) in (%M, %N) by (4, 4) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (1) at dram {
      %a = tile.stage %A[%m, %k] : !G to !a
      %b = tile.stage %B[%k, %n] : !G to !b
      linalg.matmul ins(%a, %b : !a, !b) outs(%c : !c)
    }
    %h = tile.hold init(0.0 : f16) : !h
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]} ins(%c : !c) outs(%h : !h) {
    ^bb0(%x: f32, %old: f16):
      %y = arith.truncf %x : f32 to f16
      linalg.yield %y : f16
    }
    tile.store %h to %C[%m, %n] : !h to !H
  }
}

// -----

// CHECK-LABEL: @for_f17
// CHECK: on block persistent teams(15) raster(column) {
tile.kernel @for_f17(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block persistent teams(15) raster(column) {
    tile.for (%j) in (%M) by (32) at dram {
    }
    tile.for (%k) in (%M) by (32) at dram pipeline(2) producers(1) {
    }
  }
}

// -----

// CHECK-LABEL: @for_f17_cluster
// CHECK: on cluster persistent teams(2) {
tile.kernel @for_f17_cluster(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on cluster persistent teams(2) {
    tile.for (%j) in (4) by (2) at dram on block {
      tile.for (%k) in (%M) by (32) at dram pipeline(2) producers(1) {
      }
    }
  }
}

// -----

// CHECK-LABEL: @store_w10
// CHECK: combine(add) unordered :
tile.kernel @store_w10(%Y: memref<4xf32>[4]) {
  %c = tile.hold init(1.0 : f32) : memref<4xf32, #tile.level<rf>>
  tile.store %c to %Y[0] combine(add) unordered : memref<4xf32, #tile.level<rf>> to memref<4xf32>
}
