// RUN: tilec-opt %s -split-input-file -verify-diagnostics

// One kernel for each numbered rule of the dialect's ops (Tile/*Ops.td), named after it (descriptions.test holds both together).

// expected-error@+1 {{operand #0 has rank 2 but lists 1 extents}}
tile.kernel @kernel_k1(%A: memref<?x4xf32>[%M], %M: index) {
}

// -----

// expected-error@+1 {{operand #0 lists extent 5 for dimension 0, whose extent is 4}}
tile.kernel @kernel_k2_number(%A: memref<4xf32>[5]) {
}

// -----

// expected-error@+1 {{operand #0 lists extent 4 for dimension 0, whose extent is dynamic}}
tile.kernel @kernel_k2_dynamic(%A: memref<?xf32>[4]) {
}

// -----

// expected-error@+1 {{operand #0 lists a size argument for dimension 0, whose extent is 4}}
tile.kernel @kernel_k2_static(%A: memref<4xf32>[%M], %M: index) {
}

// -----

tile.kernel @unknown_extent(%A: memref<?xf32>[
    // expected-error@+1 {{'%N' is not an argument}}
    %N]) {
}

// -----

tile.kernel @unknown_dataflow(%A: memref<4xf32>[4])
    // expected-error@+1 {{unknown dataflow 'stationary'; expected output_stationary, weight_stationary, input_stationary or split_reduction}}
    dataflow(stationary) {
}

// -----

// expected-error@+1 {{operand #0, dimension 0: its extent must be an index argument}}
tile.kernel @kernel_k2_type(%A: memref<?xf32>[%a], %a: f32) {
}

// -----

// expected-error@+1 {{operand #0 must be a strided memref in dram, got 'memref<4xf32, #tile.level<smem>>'}}
tile.kernel @kernel_k3(%A: memref<4xf32, #tile.level<smem>>[4]) {
}

// -----

// expected-error@+1 {{argument #0 must be a memref with extents, an index or a number, got 'vector<4xf32>'}}
tile.kernel @kernel_k3_vector(%a: vector<4xf32>) {
}

// -----

// expected-error@+1 {{returns nothing, but its type has 1 results}}
"tile.kernel"() <{sym_name = "kernel_k4", function_type = () -> index, shapes = []}> ({
^bb0:
}) : () -> ()

// -----

!t = memref<1xf32, #tile.level<rf>>
// expected-error@+1 {{declares dataflow output_stationary, but induction variable 0 of a reduction lies outside of the held result}}
tile.kernel @kernel_k5(%A: memref<?x?xf32>[%M, %K], %Y: memref<?xf32>[%M], %M: index, %K: index)
    dataflow(output_stationary) {
  tile.for (%m) in (%M) by (1) at dram on block {
    // expected-note@+1 {{the loop}}
    tile.for (%k) in (%K) by (1) at dram {
      %c = tile.hold init(0.0 : f32) : !t
      %a = tile.stage %A[%m, %k] : memref<?x?xf32> to memref<1x1xf32, #tile.level<rf>>
      // expected-note@+1 {{the computation}}
      linalg.reduce { arith.addf } ins(%a : memref<1x1xf32, #tile.level<rf>>) outs(%c : !t) dimensions = [1]
      tile.store %c to %Y[%m] combine(add) unordered : !t to memref<?xf32>
    }
  }
}

// -----

// expected-error@+1 {{size argument #1 is not an extent of any operand}}
tile.kernel @kernel_k6(%A: memref<4xf32>[4], %M: index) {
}

// -----

!t = memref<1xf32, #tile.level<rf>>
!e = memref<1xf32, strided<[1], offset: ?>>
tile.kernel @rule_i1_compute(%A: memref<64xf32>[64], %Y: memref<64xf32>[64]) {
  // expected-note@+1 {{induction variable 0 of this loop must move the destination past what others write}}
  tile.for (%i) in (64) by (1) at dram on thread {
    %a = tile.stage %A[%i] : memref<64xf32> to !t
    %y = tile.part %Y[0] : memref<64xf32> to !e
    // expected-error@+1 {{may write one element from several iterations of a loop on thread}}
    linalg.add ins(%a, %a : !t, !t) outs(%y : !e)
  }
}

// -----

// expected-error@+2 {{has 1 induction variables, 2 extents and 1 steps}}
tile.kernel @for_f1() {
  tile.for (%i) in (4, 4) by (1) at dram {
  }
}

// -----

tile.kernel @for_f1_type() {
  // expected-error@+1 {{has an induction variable of type 'f32', expected index}}
  "tile.for"() <{static_extents = array<i64: 4>, steps = array<i64: 1>, level = #tile.level<dram>, unit = 0 : i32, operandSegmentSizes = array<i32: 0, 0>}> ({
  ^bb0(%i: f32):
  }) : () -> ()
}

// -----

tile.kernel @for_f1_operands(%A: memref<?xf32>[%M], %M: index) {
  // expected-error@+1 {{has 1 extent operands}}
  "tile.for"(%M) <{static_extents = array<i64: 4>, steps = array<i64: 1>, level = #tile.level<dram>, unit = 0 : i32, operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%i: index):
  }) : (index) -> ()
}

// -----

tile.kernel @for_f2() {
  // expected-error@+1 {{loop 1 has step 0; expected from 1 to 2147483643 for extent 4}}
  tile.for (%i, %j) in (4, 4) by (1, 0) at dram {
  }
}

// -----

tile.kernel @for_f3() {
  // expected-error@+1 {{extent 10 of loop 0 is not a multiple of its step 4}}
  tile.for (%i) in (10) by (4) at smem {
  }
}

// -----

tile.kernel @for_f3_unit() {
  // expected-error@+1 {{extent 10 of loop 0 is not a multiple of its step 4}}
  tile.for (%i) in (10) by (4) at dram on thread {
  }
}

// -----

tile.kernel @for_f4() {
  // expected-note@+1 {{units nest in the order cluster, block, warpgroup, warp, thread}}
  tile.for (%i) in (4) by (1) at dram on thread {
    // expected-error@+1 {{on block is nested in a loop on thread}}
    tile.for (%j) in (4) by (1) at dram on block {
    }
  }
}

// -----

tile.kernel @for_f4_repeated() {
  // expected-note@+1 {{units nest in the order}}
  tile.for (%i) in (4) by (1) at dram on block {
    // expected-error@+1 {{on block is nested in a loop on block}}
    tile.for (%j) in (4) by (1) at dram on block {
    }
  }
}

// -----

tile.kernel @for_f5() {
  tile.for (%k) in (4) by (1) at dram {
    // expected-error@+1 {{raster orders the outermost loop on block or cluster, not a loop on block inside another loop}}
    tile.for (%i) in (4) by (1) at dram on block raster(column) {
    }
  }
}

// -----

tile.kernel @for_f5_grouped() {
  // expected-error@+1 {{raster grouped = 2 needs 2 induction variables, got 3}}
  tile.for (%i, %j, %k) in (4, 4, 4) by (1, 1, 1) at dram on block raster(grouped = 2) {
  }
}

// -----

tile.kernel @for_f5_boxes() {
  // expected-error@+1 {{raster boxes = 2x3 needs 2 induction variables, got 1}}
  tile.for (%i) in (4) by (1) at dram on cluster raster(boxes = 2x3) {
  }
}

// -----

tile.kernel @for_f5_diagonal() {
  // expected-error@+1 {{raster diagonal needs 2 induction variables, got 3}}
  tile.for (%i, %j, %k) in (4, 4, 4) by (1, 1, 1) at dram on block raster(diagonal) {
  }
}

// -----

tile.kernel @raster_unknown() {
  // expected-error@+1 {{unknown raster 'zigzag'; expected row, column, grouped = N, boxes = NxM or diagonal}}
  tile.for (%i, %j) in (4, 4) by (1, 1) at dram on block raster(zigzag) {
  }
}

// -----

tile.kernel @raster_sides() {
  // expected-error@+1 {{boxes of a raster have 2 sides, got 3}}
  tile.for (%i, %j) in (4, 4) by (1, 1) at dram on block raster(boxes = 2x2x2) {
  }
}

// -----

tile.kernel @raster_group_of_none() {
  // expected-error@+1 {{raster grouped = 0 has a side of 0 tiles; expected from 1 to 2147483647}}
  tile.for (%i, %j) in (4, 4) by (1, 1) at dram on block raster(grouped = 0) {
  }
}

// -----

tile.kernel @raster_box_too_wide() {
  // expected-error@+1 {{raster boxes = 4x2147483648 has a side of 2147483648 tiles; expected from 1 to 2147483647}}
  tile.for (%i, %j) in (4, 4) by (1, 1) at dram on block raster(boxes = 4x2147483648) {
  }
}

// -----

// expected-error@+1 {{raster boxes = 0x4 has a side of 0 tiles; expected from 1 to 2147483647}}
tile.kernel @raster_attribute() attributes {order = #tile.raster<boxes = 0x4>} {
}

// -----

tile.kernel @for_f6() {
  // expected-error@+1 {{pipeline(1) has no depth from 2 to 1024}}
  tile.for (%i) in (4) by (1) at dram pipeline(1) {
  }
}

// -----

tile.kernel @for_f6_unit() {
  // expected-error@+1 {{pipeline(3) needs a loop on time, not on thread}}
  tile.for (%i) in (4) by (1) at dram on thread pipeline(3) {
  }
}

// -----

tile.kernel @for_f7() {
  // expected-error@+1 {{reduce needs a loop on block, warp or thread, not on time}}
  tile.for (%i) in (4) by (1) at dram reduce(add) {
  }
}

// -----

tile.kernel @for_f7_grid(%A: memref<?xf32>[%M], %M: index) {
  // expected-error@+1 {{on block reduces over the blocks of a cluster, but is not directly in a loop on cluster}}
  tile.for (%i) in (%M) by (4) at dram on block reduce(add) {
  }
}

// -----

tile.kernel @for_f8(%A: memref<?xf32>[%M], %M: index) {
  // expected-error@+1 {{on thread needs static extents, but extent 0 is dynamic}}
  tile.for (%i) in (%M) by (4) at dram on thread {
  }
}

// -----

tile.kernel @for_f9(%A: memref<?xf32>[%M], %M: index) {
  // expected-error@+1 {{persistent needs the outermost loop, on block or cluster, not a loop on time}}
  tile.for (%i) in (%M) by (4) at dram persistent {
  }
}

// -----

tile.kernel @for_f9_inside(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram {
    // expected-error@+1 {{persistent needs the outermost loop, on block or cluster, not a loop on block inside another loop}}
    tile.for (%j) in (%M) by (4) at dram on block persistent {
    }
  }
}

// -----

tile.kernel @for_f10_unit(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block persistent {
    // expected-error@+1 {{tail(cut) needs a loop on time with one induction variable, not a loop on unroll with 1}}
    tile.for (%j) in (4) by (1) at dram on unroll tail(cut) {
    }
  }
}

// -----

tile.kernel @for_f10_count(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block persistent {
    // expected-error@+1 {{tail(cut) needs a loop on time with one induction variable, not a loop on time with 2}}
    tile.for (%j, %k) in (4, %M) by (1, 4) at dram tail(cut) {
    }
  }
}

// -----

tile.kernel @for_f10(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block {
    // expected-error@+1 {{tail(cut) needs a loop on block right around the loop, persistent or in a persistent loop on cluster}}
    tile.for (%j) in (%M) by (4) at dram tail(cut) {
    }
  }
}

// -----

tile.kernel @for_f10_cluster(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (8) at dram on cluster {
    tile.for (%h) in (8) by (4) at dram on block {
      // expected-error@+1 {{tail(cut) needs a loop on block right around the loop, persistent or in a persistent loop on cluster}}
      tile.for (%j) in (%M) by (4) at dram tail(cut) {
      }
    }
  }
}

// -----

tile.kernel @for_f10_beside(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (8) at dram on cluster persistent {
    // expected-error@+1 {{tail(cut) needs a loop on block right around the loop, persistent or in a persistent loop on cluster}}
    tile.for (%j) in (%M) by (4) at dram tail(cut) {
    }
  }
}

// -----

tile.kernel @for_f10_cluster_second(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (8) at dram on cluster persistent {
    tile.for (%h) in (8) by (4) at dram on block {
      // expected-note@+1 {{the first one is here}}
      tile.for (%j) in (%M) by (4) at dram tail(cut) {
      }
      // expected-error@+1 {{is the second loop with tail(cut) in its persistent loop}}
      tile.for (%j) in (%M) by (4) at dram tail(cut) {
      }
    }
  }
}

// -----

tile.kernel @for_f10_second(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block persistent {
    // expected-note@+1 {{the first one is here}}
    tile.for (%j) in (%M) by (4) at dram tail(cut) {
    }
    // expected-error@+1 {{is the second loop with tail(cut) in its persistent loop}}
    tile.for (%j) in (%M) by (4) at dram tail(cut) {
    }
  }
}

// -----

tile.kernel @for_f11(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block persistent {
    %c = tile.hold init(0.0 : f32) : memref<4xf32, #tile.level<rf>>
    // expected-error@+1 {{writes an operand before all parts of a tail(cut) loop are added; store after the loop}}
    tile.store %c to %A[%i] : memref<4xf32, #tile.level<rf>> to memref<?xf32>
    // expected-note@+1 {{blocks that have a part of this loop's iterations each run it}}
    tile.for (%j) in (%M) by (4) at dram tail(cut) {
    }
  }
}

// -----

tile.kernel @for_f11_compute(%A: memref<?xf32>[%M], %v: f32, %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block persistent {
    // expected-note@+1 {{blocks that have a part of this loop's iterations each run it}}
    tile.for (%j) in (%M) by (4) at dram tail(cut) {
      %a = tile.part %A[%i] : memref<?xf32> to memref<4xf32, strided<[1], offset: ?>>
      // expected-error@+1 {{writes an operand before all parts of a tail(cut) loop are added; add to a held tile}}
      linalg.fill ins(%v : f32) outs(%a : memref<4xf32, strided<[1], offset: ?>>)
    }
  }
}

// -----

!c = memref<4xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @for_f11_product(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block persistent {
    %c = tile.hold init(0.0 : f32) : !c
    // expected-note@+1 {{blocks that have a part of this loop's iterations each run it}}
    tile.for (%j) in (%M) by (4) at dram tail(cut) {
      %a = tile.stage %A[%j] : memref<?xf32> to !c
      // expected-error@+1 {{does something else than add to a held tile in a tail(cut) loop; parts of it are put together by addition}}
      linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%a : !c) outs(%c : !c) {
      ^bb0(%x: f32, %sum: f32):
        %p = arith.mulf %x, %sum : f32
        linalg.yield %p : f32
      }
    }
    tile.store %c to %A[%i] : !c to memref<?xf32>
  }
}

// -----

// The old value is on the wrong side of the difference.
!c = memref<4xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @for_f11_difference(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block persistent {
    %c = tile.hold init(0.0 : f32) : !c
    // expected-note@+1 {{blocks that have a part of this loop's iterations each run it}}
    tile.for (%j) in (%M) by (4) at dram tail(cut) {
      %a = tile.stage %A[%j] : memref<?xf32> to !c
      // expected-error@+1 {{does something else than add to a held tile in a tail(cut) loop}}
      linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%a : !c) outs(%c : !c) {
      ^bb0(%x: f32, %sum: f32):
        %d = arith.subf %x, %sum : f32
        linalg.yield %d : f32
      }
    }
    tile.store %c to %A[%i] : !c to memref<?xf32>
  }
}

// -----

// A sum, but of the old value twice.
!c = memref<4xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @for_f11_twice(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block persistent {
    %c = tile.hold init(0.0 : f32) : !c
    // expected-note@+1 {{blocks that have a part of this loop's iterations each run it}}
    tile.for (%j) in (%M) by (4) at dram tail(cut) {
      %a = tile.stage %A[%j] : memref<?xf32> to !c
      // expected-error@+1 {{does something else than add to a held tile in a tail(cut) loop}}
      linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%a : !c) outs(%c : !c) {
      ^bb0(%x: f32, %sum: f32):
        %s = arith.addf %x, %sum : f32
        %t = arith.addf %s, %sum : f32
        linalg.yield %t : f32
      }
    }
    tile.store %c to %A[%i] : !c to memref<?xf32>
  }
}

// -----

!c = memref<4xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @for_f11_read(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block persistent {
    %c = tile.hold init(0.0 : f32) : !c
    %d = tile.hold init(0.0 : f32) : !c
    // expected-note@+1 {{blocks that have a part of this loop's iterations each run it}}
    tile.for (%j) in (%M) by (4) at dram tail(cut) {
      %a = tile.stage %A[%j] : memref<?xf32> to !c
      linalg.add ins(%a, %a : !c, !c) outs(%a : !c)
      linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%a : !c) outs(%c : !c) {
      ^bb0(%x: f32, %sum: f32):
        %s = arith.addf %x, %sum : f32
        linalg.yield %s : f32
      }
      // expected-error@+1 {{reads a held tile that is a sum of parts only after the tail(cut) loop}}
      linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%c : !c) outs(%d : !c) {
      ^bb0(%x: f32, %sum: f32):
        %s = arith.subf %sum, %x : f32
        linalg.yield %s : f32
      }
    }
    tile.store %d to %A[%i] : !c to memref<?xf32>
  }
}

// -----

!c = memref<4xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @for_f11_ahead(%A: memref<?xf32>[%M], %v: f32, %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block persistent {
    %c = tile.hold init(0.0 : f32) : !c
    // expected-error@+1 {{uses a held tile before the tail(cut) loop that adds to it; each part would start from it}}
    linalg.fill ins(%v : f32) outs(%c : !c)
    // expected-note@+1 {{blocks that have a part of this loop's iterations each run it}}
    tile.for (%j) in (%M) by (4) at dram tail(cut) {
      %a = tile.stage %A[%j] : memref<?xf32> to !c
      linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%a : !c) outs(%c : !c) {
      ^bb0(%x: f32, %sum: f32):
        %s = arith.addf %x, %sum : f32
        linalg.yield %s : f32
      }
    }
    tile.store %c to %A[%i] : !c to memref<?xf32>
  }
}

// -----

!s = memref<4xf32, #tile.level<smem>>
tile.kernel @for_f11_reads(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block persistent {
    // expected-error@+1 {{reads an operand before a tail(cut) loop, again for each part of a tile; read it in the loop or after it}}
    %s = tile.stage %A[%i] : memref<?xf32> to !s
    // expected-note@+1 {{blocks that have a part of this loop's iterations each run it}}
    tile.for (%j) in (%M) by (4) at dram tail(cut) {
    }
  }
}

// -----

!c = memref<4xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @for_f11_outside(%A: memref<?xf32>[%M], %M: index) {
  %c = tile.hold init(0.0 : f32) : !c
  tile.for (%i) in (%M) by (4) at dram on block persistent {
    // expected-note@+1 {{blocks that have a part of this loop's iterations each run it}}
    tile.for (%j) in (%M) by (4) at dram tail(cut) {
      %a = tile.stage %A[%j] : memref<?xf32> to !c
      // expected-error@+1 {{changes a tile from outside of a tail(cut) loop that is not held in rf right before it}}
      linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%a : !c) outs(%c : !c) {
      ^bb0(%x: f32, %sum: f32):
        %s = arith.addf %x, %sum : f32
        linalg.yield %s : f32
      }
    }
    tile.store %c to %A[%i] : !c to memref<?xf32>
  }
}

// -----

!c = memref<4xf32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @for_f11_reduce(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (1) at dram on block persistent {
    %c = tile.hold init(0.0 : f32) : !e
    // expected-note@+1 {{blocks that have a part of this loop's iterations each run it}}
    tile.for (%j) in (%M) by (128) at dram tail(cut) {
      // expected-error@+1 {{reduces by max in a tail(cut) loop; parts of it are put together by addition}}
      tile.for (%t) in (128) by (1) at dram on thread reduce(max) {
        %a = tile.stage %A[%j + %t] : memref<?xf32> to !e
        linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%a : !e) outs(%c : !e) {
        ^bb0(%x: f32, %sum: f32):
          %s = arith.addf %x, %sum : f32
          linalg.yield %s : f32
        }
      }
    }
    tile.store %c to %A[%i] : !e to memref<?xf32>
  }
}

// -----

tile.kernel @stage_s1(%A: memref<8x8xf32>[8, 8]) {
  // expected-error@+1 {{has 1 subscripts for an operand of rank 2}}
  %a = tile.stage %A[0] : memref<8x8xf32> to memref<4x4xf32, #tile.level<smem>>
}

// -----

tile.kernel @stage_s1_rank(%A: memref<8x8xf32>[8, 8]) {
  // expected-error@+1 {{the tile's rank is 1 but the operand's is 2}}
  %a = tile.stage %A[0, 0] : memref<8x8xf32> to memref<4xf32, #tile.level<smem>>
}

// -----

tile.kernel @stage_s1_division(%A: memref<8xf32>[8]) {
  tile.for (%i) in (8) by (4) at dram {
    // expected-error@+1 {{subscript 0 is not a sum of multiples of values and a constant; divide by arith.divsi and arith.remsi ahead of it}}
    %a = tile.stage %A[%i floordiv 2] : memref<8xf32> to memref<4xf32, #tile.level<smem>>
  }
}

// -----

tile.kernel @stage_s2(%A: memref<8xf16>[8]) {
  // expected-error@+1 {{the tile's elements are 'f32' but the operand's are 'f16'}}
  %a = tile.stage %A[0] : memref<8xf16> to memref<4xf32, #tile.level<smem>>
}

// -----

tile.kernel @stage_s3(%A: memref<8xf32>[8]) {
  // expected-error@+1 {{stages from dram to dram, which is not nearer}}
  %a = tile.stage %A[0] : memref<8xf32> to memref<4xf32>
}

// -----

tile.kernel @stage_s4(%A: memref<8xf32>[8]) {
  // expected-error@+1 {{the staged tile needs a static shape, got 'memref<?xf32, #tile.level<smem>>'}}
  %a = tile.stage %A[0] : memref<8xf32> to memref<?xf32, #tile.level<smem>>
}

// -----

tile.kernel @stage_s4_empty(%A: memref<8xf32>[8]) {
  // expected-error@+1 {{the staged tile has no elements, got 'memref<0xf32, #tile.level<smem>>'; every extent of a tile is at least 1}}
  %a = tile.stage %A[0] : memref<8xf32> to memref<0xf32, #tile.level<smem>>
}

// -----

// %i goes to 28 and takes 3 + 4 - 1 = 6 elements: up to 34, but 32 are staged.
tile.kernel @stage_s5(%A: memref<?xf32>[%M], %M: index) {
  %s = tile.stage %A[0] : memref<?xf32> to memref<32xf32, #tile.level<smem>>
  tile.for (%i) in (32) by (4) at smem {
    // expected-error@+1 {{subscript 0 goes from 0 to 28 and takes 6 elements from there, but the tile has 32}}
    %a = tile.stage %s[%i] : memref<32xf32, #tile.level<smem>> to memref<6xf32, #tile.level<rf>>
  }
}

// -----

tile.kernel @stage_s5_below(%A: memref<?xf32>[%M], %M: index) {
  %s = tile.stage %A[0] : memref<?xf32> to memref<32xf32, #tile.level<smem>>
  tile.for (%i) in (32) by (4) at smem {
    // expected-error@+1 {{subscript 0 goes from -29 to -1 and takes 2 elements from there, but the tile has 32}}
    %a = tile.stage %s[%i * -1 - 1] : memref<32xf32, #tile.level<smem>> to memref<2xf32, #tile.level<rf>>
  }
}

// -----

tile.kernel @stage_s5_dynamic(%A: memref<?xf32>[%M], %M: index) {
  %s = tile.stage %A[0] : memref<?xf32> to memref<32xf32, #tile.level<smem>>
  tile.for (%i) in (%M) by (4) at dram {
    // expected-error@+1 {{subscript 0 has no static bounds, but must stay inside of a tile of 32 elements}}
    %a = tile.stage %s[%i] : memref<32xf32, #tile.level<smem>> to memref<4xf32, #tile.level<rf>>
  }
}

// -----

tile.kernel @part_p1(%A: memref<8x8xf32>[8, 8]) {
  // expected-error@+1 {{has 1 subscripts for an operand of rank 2}}
  %a = tile.part %A[0] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1]>>
}

// -----

tile.kernel @part_p2(%A: memref<8xf32>[8]) {
  // expected-error@+1 {{a part stays where it lies, but goes from dram to smem}}
  %a = tile.part %A[0] : memref<8xf32> to memref<4xf32, #tile.level<smem>>
}

// -----

tile.kernel @part_p2_type(%A: memref<8xf32>[8]) {
  // expected-error@+1 {{the tile's elements are 'f16' but the operand's are 'f32'}}
  %a = tile.part %A[0] : memref<8xf32> to memref<4xf16>
}

// -----

tile.kernel @part_p3(%A: memref<8xf32>[8]) {
  // expected-error@+1 {{a part needs a static shape, got 'memref<?xf32>'}}
  %a = tile.part %A[0] : memref<8xf32> to memref<?xf32>
}

// -----

tile.kernel @part_p3_empty(%A: memref<8x4xf32>[8, 4]) {
  // expected-error@+1 {{a part has no elements, got 'memref<2x0xf32, strided<[4, 1], offset: ?>>'}}
  %a = tile.part %A[0, 0] : memref<8x4xf32> to memref<2x0xf32, strided<[4, 1], offset: ?>>
}

// -----

tile.kernel @part_p4(%A: memref<8x8xf32>[8, 8]) {
  // expected-error@+1 {{states stride 4 for dimension 0 but the source has 8}}
  %a = tile.part %A[0, 0] : memref<8x8xf32> to memref<4x4xf32, strided<[4, 1]>>
}

// -----

tile.kernel @part_p5() {
  %c = tile.hold init(0.0 : f32) : memref<32xf32, #tile.level<rf>>
  tile.for (%i) in (64) by (4) at rf on thread {
    // expected-error@+1 {{subscript 0 goes from 0 to 60 and takes 4 elements from there, but the tile has 32}}
    %p = tile.part %c[%i] : memref<32xf32, #tile.level<rf>> to memref<4xf32, #tile.level<rf>>
  }
}

// -----

// The last iteration starts at 16 and reaches past the extent 20 of the loop: 16 + 8 = 24.
tile.kernel @part_p5_overhang(%A: memref<64xf32>[64]) {
  %s = tile.stage %A[0] : memref<64xf32> to memref<20xf32, #tile.level<smem>>
  tile.for (%i) in (20) by (8) at dram {
    // expected-error@+1 {{subscript 0 goes from 0 to 16 and takes 8 elements from there, but the tile has 20}}
    %p = tile.part %s[%i] : memref<20xf32, #tile.level<smem>> to memref<8xf32, #tile.level<smem>>
  }
}

// -----

tile.kernel @hold_h1() {
  // expected-error@+1 {{holds a static memref in rf or smem, got 'memref<4xf32>'}}
  %c = tile.hold init(0.0 : f32) : memref<4xf32>
}

// -----

tile.kernel @hold_h1_empty() {
  // expected-error@+1 {{holds no elements, got 'memref<4x0xf32, #tile.level<rf>>'; every extent of a tile is at least 1}}
  %c = tile.hold init(0.0 : f32) : memref<4x0xf32, #tile.level<rf>>
}

// -----

tile.kernel @hold_h2() {
  // expected-error@+1 {{starts from 'f16' but its elements are 'f32'}}
  %c = tile.hold init(0.0 : f16) : memref<4xf32, #tile.level<rf>>
}

// -----

!t = memref<4x1xf32, #tile.level<rf>>
!p = memref<1x1xf32, #tile.level<rf>>
tile.kernel @hold_h3() {
  // expected-note@+1 {{the tile}}
  %c = tile.hold init(0.0 : f32) : !t
  // expected-note@+1 {{induction variable 1 of this loop is not in the part's subscripts}}
  tile.for (%i, %j) in (4, 8) by (1, 1) at rf on thread {
    %p = tile.part %c[%i, 0] : !t to !p
    // expected-error@+1 {{writes an element of a register tile from 8 threads; each written element has one owner, or the loop says reduce}}
    linalg.add ins(%p, %p : !p, !p) outs(%p : !p)
  }
}

// -----

!t = memref<4xf32, #tile.level<rf>>
tile.kernel @hold_h3_blocks(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on cluster {
    // expected-note@+1 {{the tile}}
    %c = tile.hold init(0.0 : f32) : !t
    // expected-note@+1 {{induction variable 0 of this loop is not in the part's subscripts}}
    tile.for (%j) in (2) by (1) at dram on block {
      // expected-error@+1 {{writes an element of a register tile from 2 blocks; each written element has one owner, or the loop says reduce}}
      linalg.add ins(%c, %c : !t, !t) outs(%c : !t)
    }
  }
}

// -----

!t = memref<8xf32, #tile.level<rf>>
!p = memref<4xf32, #tile.level<rf>>
tile.kernel @hold_h4_blocks(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (8) at dram on cluster {
    // expected-note@+1 {{the tile}}
    %c = tile.hold init(0.0 : f32) : !t
    // expected-note@+1 {{this loop parts it}}
    tile.for (%j) in (8) by (4) at dram on block {
      %p = tile.part %c[%j] : !t to !p
      // expected-error@+1 {{uses a part of a register tile for each block; blocks have no registers in common}}
      linalg.add ins(%p, %p : !p, !p) outs(%p : !p)
    }
  }
}

// -----

!t = memref<8xf32, #tile.level<rf>>
!p = memref<2xf32, #tile.level<rf>>
!q = memref<4xf32, #tile.level<rf>>
tile.kernel @hold_h4() {
  // expected-note@+1 {{the tile}}
  %c = tile.hold init(0.0 : f32) : !t
  tile.for (%i) in (8) by (2) at rf on thread {
    %p = tile.part %c[%i] : !t to !p
    // expected-note@+1 {{the other loop parts it here}}
    linalg.add ins(%p, %p : !p, !p) outs(%p : !p)
  }
  tile.for (%i) in (8) by (4) at rf on thread {
    %q = tile.part %c[%i] : !t to !q
    // expected-error@+1 {{parts a register tile otherwise than another loop does}}
    linalg.add ins(%q, %q : !q, !q) outs(%q : !q)
  }
}

// -----

!t = memref<4xf32, #tile.level<rf>>
tile.kernel @store_w1(%Y: memref<8x8xf32>[8, 8]) {
  %c = tile.hold init(0.0 : f32) : !t
  // expected-error@+1 {{the tile's rank is 1 but the operand's is 2}}
  tile.store %c to %Y[0, 0] : !t to memref<8x8xf32>
}

// -----

!t = memref<4xf32, #tile.level<rf>>
tile.kernel @store_w2(%Y: memref<8xf16>[8]) {
  %c = tile.hold init(0.0 : f32) : !t
  // expected-error@+1 {{the tile's elements are 'f32' but the operand's are 'f16'}}
  tile.store %c to %Y[0] : !t to memref<8xf16>
}

// -----

!t = memref<4xf32, #tile.level<rf>>
tile.kernel @store_w3() {
  %c = tile.hold init(0.0 : f32) : !t
  %d = tile.hold init(0.0 : f32) : !t
  // expected-error@+1 {{stores from rf to rf, which is not farther}}
  tile.store %c to %d[0] : !t to !t
}

// -----

!t = memref<4x4xf32, #tile.level<rf>>
tile.kernel @rule_i1_store(%Y: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  // expected-note@+1 {{induction variable 1 of this loop must move the destination past what others write}}
  tile.for (%m, %n) in (%M, %N) by (4, 4) at dram on block {
    %c = tile.hold init(0.0 : f32) : !t
    // expected-error@+1 {{may write one element from several iterations of a loop on block}}
    tile.store %c to %Y[%m, 0] : !t to memref<?x?xf32>
  }
}

// -----

!t = memref<4xf32, #tile.level<rf>>
tile.kernel @rule_i1_store_thread(%Y: memref<64xf32>[64]) {
  tile.for (%m) in (64) by (4) at dram on block {
    // expected-note@+1 {{induction variable 0 of this loop must move}}
    tile.for (%i) in (8) by (1) at dram on thread {
      %c = tile.hold init(0.0 : f32) : !t
      // expected-error@+1 {{may write one element from several iterations of a loop on thread}}
      tile.store %c to %Y[%m] : !t to memref<64xf32>
    }
  }
}

// -----

// Blocks are 4 elements apart, but each writes 8.
!t = memref<8xf32, #tile.level<rf>>
tile.kernel @rule_i1_store_overlap(%Y: memref<64xf32>[64]) {
  // expected-note@+1 {{induction variable 0 of this loop must move}}
  tile.for (%m) in (64) by (4) at dram on block {
    %c = tile.hold init(0.0 : f32) : !t
    // expected-error@+1 {{may write one element from several iterations of a loop on block}}
    tile.store %c to %Y[%m] : !t to memref<64xf32>
  }
}

// -----

// Each block writes 2 tiles of 4 in time, 4 elements apart: 8, as far as the blocks are from each other; but the
// tiles overhang the 6 elements that the inner loop walks when blocks are 6 apart.
!t = memref<4xf32, #tile.level<rf>>
tile.kernel @rule_i1_store_overhang(%Y: memref<64xf32>[64]) {
  // expected-note@+1 {{induction variable 0 of this loop must move}}
  tile.for (%m) in (60) by (6) at dram on block {
    tile.for (%i) in (6) by (4) at dram {
      %c = tile.hold init(0.0 : f32) : !t
      // expected-error@+1 {{may write one element from several iterations of a loop on block}}
      tile.store %c to %Y[%m + %i] : !t to memref<64xf32>
    }
  }
}

// -----

!t = memref<4xf32, #tile.level<rf>>
!s = memref<32xf32, #tile.level<smem>>
tile.kernel @rule_i1_store_smem(%X: memref<64xf32>[64]) {
  tile.for (%m) in (64) by (32) at dram on block {
    %s = tile.stage %X[%m] : memref<64xf32> to !s
    // expected-note@+1 {{induction variable 0 of this loop must move}}
    tile.for (%i) in (32) by (4) at smem on thread {
      %c = tile.hold init(0.0 : f32) : !t
      // expected-error@+1 {{may write one element from several iterations of a loop on thread}}
      tile.store %c to %s[0] : !t to !s
    }
  }
}

// -----

!t = memref<4xf32, #tile.level<rf>>
!s = memref<32xf32, #tile.level<smem>>
tile.kernel @store_w4(%X: memref<64xf32>[64]) {
  %s = tile.stage %X[0] : memref<64xf32> to !s
  tile.for (%i) in (32) by (4) at smem on thread {
    %c = tile.hold init(0.0 : f32) : !t
    // expected-error@+1 {{subscript 0 goes from 1 to 29 and takes 4 elements from there, but the tile has 32}}
    tile.store %c to %s[%i + 1] : !t to !s
  }
}

// -----

tile.kernel @for_f12_none(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{has 0 warps of producers; expected from 1 to 1024}}
  tile.for (%k) in (64) by (32) at dram pipeline(2) producers(0) {
  }
}

// -----

tile.kernel @for_f12_pipeline(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{producers needs a pipeline for them to fill}}
  tile.for (%k) in (64) by (32) at dram producers(1) {
  }
}

// -----

tile.kernel @for_f12_inside(%X: memref<64xf32>[64]) {
  // expected-note@+1 {{that loop is here}}
  tile.for (%w) in (2) by (1) at dram on warp {
    // expected-error@+1 {{producers are warps of the block, but this loop is inside of one on warp}}
    tile.for (%k) in (64) by (32) at dram pipeline(2) producers(1) {
    }
  }
}

// -----

tile.kernel @for_f12_second(%X: memref<64xf32>[64]) {
  // expected-note@+1 {{the first one is here}}
  tile.for (%k) in (64) by (32) at dram pipeline(2) producers(1) {
  }
  // expected-error@+1 {{is the second loop with producers in its kernel}}
  tile.for (%l) in (64) by (32) at dram pipeline(2) producers(1) {
  }
}

// -----

tile.kernel @for_f13_alone(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{registers needs producers that take the smaller part}}
  tile.for (%k) in (64) by (32) at dram pipeline(2) registers(40, 232) {
  }
}

// -----

tile.kernel @for_f13_three(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{registers needs two numbers, got 3}}
  "tile.for"() <{static_extents = array<i64: 64>, steps = array<i64: 32>, level = #tile.level<dram>, unit = 0 : i32,
                 operandSegmentSizes = array<i32: 0, 0>, pipeline = 2 : i64, producers = 4 : i64, registers = array<i64: 40, 232, 40>}> ({
  ^bb0(%k: index):
  }) : () -> ()
}

// -----

tile.kernel @for_f13(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{gives threads 20 registers; expected a multiple of 8 from 24 to 256}}
  tile.for (%k) in (64) by (32) at dram pipeline(2) producers(4) registers(20, 232) {
  }
}

// -----

tile.kernel @for_f14(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{smem_at(72) is no multiple of 128 from 0 to 2147483520}}
  tile.for (%k) in (64) by (32) at dram pipeline(2) producers(4) smem_at(128, 72) {
  }
}

// -----

tile.kernel @for_f14_negative(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{smem_at(-128) is no multiple of 128 from 0 to 2147483520}}
  tile.for (%k) in (64) by (32) at dram pipeline(2) producers(4) smem_at(128, -128) {
  }
}

// -----

!s = memref<32xf32, #tile.level<smem>>
tile.kernel @stage_s6(%X: memref<64xf32>[64]) {
  tile.for (%k) in (64) by (32) at dram pipeline(2) {
    // expected-error@+1 {{copy(tma) needs a tile in smem, directly in a loop with producers that wait for it}}
    %s = tile.stage %X[%k] copy(tma) : memref<64xf32> to !s
  }
}

// -----

tile.kernel @stage_s7(%X: memref<64xf32>[64]) {
  tile.for (%k) in (64) by (32) at dram {
    // expected-error@+1 {{smem_at is for a tile in smem, got}}
    %s = tile.stage %X[%k] smem_at(0) : memref<64xf32> to memref<32xf32, #tile.level<rf>>
  }
}

// -----

tile.kernel @stage_s7_odd(%X: memref<64xf32>[64]) {
  tile.for (%k) in (64) by (32) at dram {
    // expected-error@+1 {{smem_at(2147483648) is no multiple of 128 from 0 to 2147483520}}
    %s = tile.stage %X[%k] smem_at(2147483648) : memref<64xf32> to memref<32xf32, #tile.level<smem>>
  }
}

// -----

!r = memref<1xf32, #tile.level<rf>>
tile.kernel @rule_i1_stencil(%Y: memref<?xf32>[%N], %N: index) {
  tile.for (%i) in (%N) by (32) at dram on block {
    // expected-note@+1 {{iterations of this loop have no order}}
    tile.for (%j) in (32) by (1) at dram on thread {
      // expected-error@+1 {{reads elements of operand #0 that other iterations of a loop on thread may write}}
      %a = tile.stage %Y[%i + %j - 1] pad(zero) : memref<?xf32> to !r
      // expected-note@+1 {{the write is here}}
      tile.store %a to %Y[%i + %j] : !r to memref<?xf32>
    }
  }
}

// -----

!r = memref<4xf32, #tile.level<rf>>
tile.kernel @rule_i1_blocks(%X: memref<?xf32>[%N], %Y: memref<?xf32>[%N], %N: index) {
  // expected-note@+1 {{iterations of this loop have no order; end it before elements are used}}
  tile.for (%i) in (%N) by (4) at dram on block {
    %x = tile.stage %X[%i] : memref<?xf32> to !r
    // expected-note@+1 {{the write is here}}
    tile.store %x to %Y[%i] : !r to memref<?xf32>
    // expected-error@+1 {{reads elements of operand #1 that other iterations of a loop on block may write}}
    %y = tile.stage %Y[%i + 1] : memref<?xf32> to !r
    tile.store %y to %X[%i] : !r to memref<?xf32>
  }
}

// -----

!r = memref<4xf32, #tile.level<rf>>
tile.kernel @rule_i1_two_stores(%X: memref<?xf32>[%N], %Y: memref<?xf32>[%N], %N: index) {
  // expected-note@+1 {{iterations of this loop have no order}}
  tile.for (%i) in (%N) by (4) at dram on block {
    %x = tile.stage %X[%i] : memref<?xf32> to !r
    // expected-note@+1 {{the write is here}}
    tile.store %x to %Y[%i] : !r to memref<?xf32>
    // expected-error@+1 {{writes elements of operand #1 that other iterations of a loop on block may write as well}}
    tile.store %x to %Y[%i + 4] : !r to memref<?xf32>
  }
}

// -----

!r = memref<1xf32, #tile.level<rf>>
!t = memref<32xf32, #tile.level<smem>>
!e = memref<1xf32, strided<[1], offset: ?>, #tile.level<smem>>
#i = affine_map<(i) -> (i)>
tile.kernel @rule_i1_shared(%X: memref<?xf32>[%N], %N: index) {
  tile.for (%i) in (%N) by (31) at dram on block {
    %s = tile.stage %X[%i] pad(zero) : memref<?xf32> to !t
    // expected-note@+1 {{iterations of this loop have no order}}
    tile.for (%j) in (31) by (1) at smem on thread {
      // expected-error@+1 {{reads elements of a tile in smem that other iterations of a loop on thread may write}}
      %a = tile.stage %s[%j + 1] : !t to !r
      %b = tile.part %s[%j] : !t to !e
      // expected-note@+1 {{the write is here}}
      linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%a : !r) outs(%b : !e) {
      ^bb0(%x: f32, %y: f32):
        linalg.yield %x : f32
      }
    }
  }
}

// -----

!r = memref<4xf32, #tile.level<rf>>
tile.kernel @rule_i2(%X: memref<?xf32>[%N], %Y: memref<?xf32>[%N], %N: index) {
  tile.for (%i) in (%N) by (8) at dram on cluster {
    // expected-note@+1 {{what the blocks of this loop write is seen by nobody else in this kernel}}
    tile.for (%j) in (8) by (4) at dram on block {
      %x = tile.stage %X[%i + %j] : memref<?xf32> to !r
      // expected-note@+1 {{a block touches them here}}
      tile.store %x to %Y[%i + %j] : !r to memref<?xf32>
    }
    // expected-error@+1 {{touches elements of operand #1 that blocks may write}}
    %y = tile.stage %Y[%i] : memref<?xf32> to !r
  }
}

// -----

!s = memref<4xf32, #tile.level<smem>>
!r = memref<4xf32, #tile.level<rf>>
tile.kernel @rule_i3(%X: memref<?xf32>[%N], %N: index) {
  tile.for (%i) in (4) by (4) at dram on block {
    // expected-note@+1 {{leave out pipeline, or write to another operand}}
    tile.for (%k) in (%N) by (4) at dram pipeline(2) {
      // expected-error@+1 {{copies operand #0 ahead of the iterations of a pipelined loop, but it is written in the loop}}
      %x = tile.stage %X[%k] : memref<?xf32> to !s
      %y = tile.stage %x[0] : !s to !r
      // expected-note@+1 {{the write is here}}
      tile.store %y to %X[%k + 4] : !r to memref<?xf32>
    }
  }
}

// -----

!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @rule_r1(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !r
    // expected-note@+1 {{yield the old value combined with others by arith.addf or addi}}
    tile.for (%j) in (32) by (1) at dram on thread reduce(add) {
      %x = tile.stage %X[%i + %j] : !V to !r
      // expected-error@+1 {{does something else to a held tile than to combine it by add, by which the loop around it reduces}}
      linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : !r) outs(%c : !r) {
      ^bb0(%a: f32, %b: f32):
        %m = arith.maximumf %a, %b : f32
        linalg.yield %m : f32
      }
    }
    tile.store %c to %Y[%i] combine(add) unordered : !r to !V
  }
}

// -----

// What ignores a NaN is another kind than what propagates one.
!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @rule_r1_numbers(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (32) at dram on block {
    %c = tile.hold init(0xFFC00000 : f32) : !r
    // expected-note@+1 {{yield the old value combined with others by arith.maxnumf}}
    tile.for (%j) in (32) by (1) at dram on thread reduce(maxnum) {
      %x = tile.stage %X[%i + %j] : !V to !r
      // expected-error@+1 {{does something else to a held tile than to combine it by maxnum, by which the loop around it reduces}}
      linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : !r) outs(%c : !r) {
      ^bb0(%v: f32, %old: f32):
        %n = arith.maximumf %old, %v : f32
        linalg.yield %n : f32
      }
    }
    tile.store %c to %Y[%i] : !r to !V
  }
}

// -----

!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @rule_r2(%X: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (32) at dram on block {
    // expected-note@+1 {{the tile}}
    %c = tile.stage %X[%i] pad(zero) : !V to !r
    // expected-error@+1 {{reduces a staged tile; only held tiles are combined when a loop ends}}
    tile.for (%j) in (32) by (1) at dram on thread reduce(add) {
      %x = tile.stage %X[%i + %j] : !V to !r
      linalg.add ins(%x, %c : !r, !r) outs(%c : !r)
    }
  }
}

// -----

!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @rule_r3(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !r
    // expected-note@+1 {{the result is complete after this loop}}
    tile.for (%j) in (32) by (1) at dram on thread reduce(add) {
      %x = tile.stage %X[%i + %j] : !V to !r
      linalg.add ins(%x, %c : !r, !r) outs(%c : !r)
      // expected-error@+1 {{stores a held tile inside of the loop that reduces it, where each unit has a part of the result only}}
      tile.store %c to %Y[%i + %j] : !r to !V
    }
  }
}

// -----

!V = memref<?xf32>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @rule_r3_read(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !r
    // expected-note@+1 {{the result is complete after this loop}}
    tile.for (%j) in (32) by (1) at dram on thread reduce(add) {
      %x = tile.stage %X[%i + %j] : !V to !r
      linalg.add ins(%x, %c : !r, !r) outs(%c : !r)
      // expected-error@+1 {{reads a held tile inside of the loop that reduces it, where each unit has a part of the result only}}
      linalg.add ins(%x, %c : !r, !r) outs(%x : !r)
      tile.store %x to %Y[%i + %j] : !r to !V
    }
  }
}

// -----

!V = memref<?xf32>
!c = memref<32xf32, #tile.level<rf>>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @hold_h5(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (1024) at dram on block {
    // expected-note@+1 {{the tile}}
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%j) in (32) by (1) at dram on thread {
      %p = tile.part %c[%j] : !c to !r
      %x = tile.stage %X[%i + %j] : !V to !r
      linalg.add ins(%x, %p : !r, !r) outs(%p : !r)
    }
    // expected-note@+1 {{store it after this loop, or hold it inside of the loop}}
    tile.for (%j) in (32) by (1) at dram on thread {
      // expected-error@+1 {{stores the whole of a register tile in a loop on thread, but several threads hold it together}}
      tile.store %c to %Y[%i + %j * 32] : !c to !V
    }
  }
}

// -----

!V = memref<?xf32>
!r = memref<4xf32, #tile.level<rf>>
tile.kernel @hold_h3_cluster(%X: !V[%N], %Y: !V[%N], %N: index) {
  // expected-note@+1 {{the tile}}
  %c = tile.hold init(0.0 : f32) : !r
  // expected-note@+1 {{induction variable 0 of this loop is not in the part's subscripts}}
  tile.for (%i) in (%N) by (8) at dram on cluster {
    tile.for (%j) in (4) by (4) at dram on block {
      %x = tile.stage %X[%i + %j] : !V to !r
      // expected-error@+1 {{writes an element of a register tile from several clusters}}
      linalg.add ins(%x, %c : !r, !r) outs(%c : !r)
    }
  }
}

// -----

!V = memref<?xf32>
!r = memref<4xf32, #tile.level<rf>>
tile.kernel @rule_a1(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (4) at dram on block {
    // expected-note@+1 {{pad gives absent elements a value, and equal subscripts and extents show that there are none}}
    %x = tile.stage %X[%i - 1] : !V to !r
    // expected-error@+1 {{stores elements that dimension 0 of operand #0 may not have to places that the destination has}}
    tile.store %x to %Y[%i] : !r to !V
  }
}

// -----

!V = memref<?xf32>
!r = memref<4xf32, #tile.level<rf>>
tile.kernel @rule_a1_extents(%X: !V[%M], %Y: !V[%N], %M: index, %N: index) {
  tile.for (%i) in (%N) by (4) at dram on block {
    // expected-note@+1 {{the tile is staged here}}
    %x = tile.stage %X[%i] : !V to !r
    // expected-error@+1 {{stores elements that dimension 0 of operand #0 may not have to places that the destination has}}
    tile.store %x to %Y[%i] : !r to !V
  }
}

// -----

tile.kernel @for_f17_alone(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{teams(2) take a block's tiles in turn, of which a loop that is not persistent has one; write persistent, or leave out teams}}
  tile.for (%i) in (64) by (32) at dram on block teams(2) {
    tile.for (%k) in (64) by (32) at dram pipeline(2) producers(1) {
    }
  }
}

// -----

tile.kernel @for_f17_one(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{teams(1) has no number from 2 to 15}}
  tile.for (%i) in (64) by (32) at dram on block persistent teams(1) {
    tile.for (%k) in (64) by (32) at dram pipeline(2) producers(1) {
    }
  }
}

// -----

tile.kernel @for_f17_many(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{teams(16) has no number from 2 to 15}}
  tile.for (%i) in (64) by (32) at dram on block persistent teams(16) {
    tile.for (%k) in (64) by (32) at dram pipeline(2) producers(1) {
    }
  }
}

// -----

tile.kernel @for_f17_no_producers(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{teams(2) need a loop with producers directly in the loop on block, which copy for all of them; write producers, or leave out teams}}
  tile.for (%i) in (64) by (32) at dram on block persistent teams(2) {
    tile.for (%k) in (64) by (32) at dram pipeline(2) {
    }
  }
}

// -----

tile.kernel @for_f17_further_inside(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{teams(2) need a loop with producers directly in the loop on block}}
  tile.for (%i) in (64) by (32) at dram on block persistent teams(2) {
    tile.for (%j) in (64) by (32) at dram {
      tile.for (%k) in (64) by (32) at dram pipeline(2) producers(1) {
      }
    }
  }
}

// -----

tile.kernel @for_f17_cut(%X: memref<64xf32>[64]) {
  // expected-note@+1 {{the teams are of this loop}}
  tile.for (%i) in (64) by (32) at dram on block persistent teams(2) {
    // expected-error@+1 {{tail(cut) gives tiles other numbers of iterations, but teams(2) know where their tiles begin in the ring by one number for all; leave out one of them}}
    tile.for (%k) in (64) by (32) at dram tail(cut) pipeline(2) producers(1) {
    }
  }
}

// -----

tile.kernel @store_w10_unsaid(%Y: memref<4xf32>[4]) {
  %c = tile.hold init(1.0 : f32) : memref<4xf32, #tile.level<rf>>
  // expected-error@+1 {{combine(add) of 'f32' rounds in an order that varies between runs; write unordered after it to accept that, or put the parts together by reduce}}
  tile.store %c to %Y[0] combine(add) : memref<4xf32, #tile.level<rf>> to memref<4xf32>
}

// -----

tile.kernel @store_w10_integers(%Y: memref<4xi32>[4]) {
  %c = tile.hold init(1 : i32) : memref<4xi32, #tile.level<rf>>
  // expected-error@+1 {{unordered is for combine(add) and combine(mul) of floating-point numbers; nothing else depends on the order}}
  tile.store %c to %Y[0] combine(add) unordered : memref<4xi32, #tile.level<rf>> to memref<4xi32>
}

// -----

tile.kernel @store_w10_maxima(%Y: memref<4xf32>[4]) {
  %c = tile.hold init(1.0 : f32) : memref<4xf32, #tile.level<rf>>
  // expected-error@+1 {{unordered is for combine(add) and combine(mul) of floating-point numbers; nothing else depends on the order}}
  tile.store %c to %Y[0] combine(max) unordered : memref<4xf32, #tile.level<rf>> to memref<4xf32>
}
