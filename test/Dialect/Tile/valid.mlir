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

// Each thread writes 4 elements, 4 apart.
!t = memref<4xf32, #tile.level<rf>>
!e = memref<4xf32, strided<[1], offset: ?>>
tile.kernel @kernel_k7(%A: memref<64xf32>[64], %Y: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (4) at dram on thread {
    %a = tile.stage %A[%i] : memref<64xf32> to !t
    %y = tile.part %Y[%i] : memref<64xf32> to !e
    linalg.add ins(%a, %a : !t, !t) outs(%y : !e)
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

// Blocks write 4 x 4 elements each, 4 apart; in time, 2 tiles of 4 lie as far apart as blocks are.
!t = memref<4x4xf32, #tile.level<rf>>
tile.kernel @store_w4(%Y: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%m, %n) in (%M, %N) by (4, 8) at dram on block {
    tile.for (%i) in (8) by (4) at dram {
      %c = tile.hold init(0.0 : f32) : !t
      tile.store %c to %Y[%m, %n + %i] : !t to memref<?x?xf32>
    }
  }
}

// -----

// All blocks write the same elements, which are added up.
!t = memref<4xf32, #tile.level<rf>>
tile.kernel @store_w4_combine(%Y: memref<4xf32>[4]) {
  tile.for (%m) in (64) by (4) at dram on block {
    %c = tile.hold init(1.0 : f32) : !t
    tile.store %c to %Y[0] combine(add) : !t to memref<4xf32>
  }
}

// -----

// 28 + 4 = 32 in the tile; a store to an operand may reach beyond it.
!t = memref<4xf32, #tile.level<rf>>
!s = memref<32xf32, #tile.level<smem>>
tile.kernel @store_w5(%X: memref<64xf32>[64]) {
  %s = tile.stage %X[0] : memref<64xf32> to !s
  tile.for (%i) in (32) by (4) at smem on thread {
    %c = tile.hold init(0.0 : f32) : !t
    tile.store %c to %s[%i] : !t to !s
    tile.store %c to %X[%i + 62] : !t to memref<64xf32>
  }
}
