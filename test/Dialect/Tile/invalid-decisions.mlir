// RUN: tilec-opt %s -split-input-file -verify-diagnostics

// Decisions of a planned nest that contradict the op they stand on.

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
!r = memref<32x16xf32, #tile.level<rf>>
tile.kernel @stage_s8(%X: !G[64, 64]) {
  // expected-error@+1 {{forms is for a tile in smem, got}}
  %r = tile.stage %X[0, 0] forms(1) : !G to !r
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @stage_s8_none(%X: !G[64, 64]) {
  // expected-error@+1 {{has 0 forms; expected from 1 to 8}}
  %s = "tile.stage"(%X) {map = affine_map<() -> (0, 0)>, operandSegmentSizes = array<i32: 1, 0, 0>, forms = []} : (!G) -> !s
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @stage_s8_rank(%X: !G[64, 64]) {
  // expected-error@+1 {{form 0 walks dimension 2 of a tile of rank 2}}
  %s = tile.stage %X[0, 0] forms(2, 1) : !G to !s
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @stage_s8_negative(%X: !G[64, 64]) {
  // expected-error@+1 {{a form walks dimension -1, which no tile has}}
  %s = tile.stage %X[0, 0] forms(-1, 1) : !G to !s
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @stage_s8_width(%X: !G[64, 64]) {
  // expected-error@+1 {{form 0 moves 8 elements of 'f32'; expected 1, or as many as take 4, 8 or 16 bytes}}
  %s = tile.stage %X[0, 0] forms(1 by 8, 1) : !G to !s
}

// -----

!G = memref<64x64xf32>
!s = memref<32x18xf32, #tile.level<smem>>
tile.kernel @stage_s8_extent(%X: !G[64, 64]) {
  // expected-error@+1 {{form 0 moves 4 elements along dimension 1, which has 18 of them}}
  %s = tile.stage %X[0, 0] forms(1 by 4, 1) : !G to !s
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @stage_s8_twice(%X: !G[64, 64]) {
  // expected-error@+1 {{form 1 is there twice}}
  %s = tile.stage %X[0, 0] forms(0, 0, 1) : !G to !s
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @stage_s8_last(%X: !G[64, 64]) {
  // expected-error@+1 {{the last form moves 4 elements, which some launches do not allow; expected 1}}
  %s = tile.stage %X[0, 0] forms(1 by 4) : !G to !s
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @stage_s9(%X: !G[64, 64]) {
  // expected-error@+1 {{edges is for a copy that says its forms}}
  %s = tile.stage %X[0, 0] edges(element) : !G to !s
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @stage_s9_unpipelined(%X: !G[64, 64]) {
  // expected-error@+1 {{edges(tile) needs a pipelined loop right around the stage}}
  %s = tile.stage %X[0, 0] forms(1) edges(tile) : !G to !s
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @stage_s9_unroll(%X: !G[64, 64]) {
  // expected-error@+1 {{unroll(0, 2) has no numbers from 1 to 1024}}
  %s = tile.stage %X[0, 0] forms(1) unroll(0, 2) : !G to !s
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @stage_s9_numbers(%X: !G[64, 64]) {
  // expected-error@+1 {{unroll needs two numbers, got 1}}
  %s = "tile.stage"(%X) {map = affine_map<() -> (0, 0)>, operandSegmentSizes = array<i32: 1, 0, 0>, forms = [#tile.form<1 by 1>], unroll = array<i64: 4>} : (!G) -> !s
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @stage_s10(%X: !G[64, 64]) {
  // expected-error@+1 {{slices are parts of a box of copy(tma)}}
  %s = tile.stage %X[0, 0] slices(2) : !G to !s
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @stage_s10_many(%X: !G[64, 64]) {
  tile.for (%k) in (64) by (32) at dram pipeline(2) producers(1) {
    // expected-error@+1 {{has 17 slices; expected from 1 to 16, the blocks of the largest cluster}}
    %s = tile.stage %X[%k, 0] copy(tma) slices(17) : !G to !s
  }
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @stage_s11(%X: !G[64, 64]) {
  // expected-error@+1 {{wide is for a tile in rf}}
  %s = tile.stage %X[0, 0] wide(4) : !G to !s
}

// -----

!G = memref<64x64xf32>
!r = memref<1x16xf32, #tile.level<rf>>
tile.kernel @stage_s13(%X: !G[64, 64]) {
  // expected-error@+1 {{unroll is for a tile in smem}}
  %r = tile.stage %X[0, 0] unroll(4, 4) : !G to !r
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
!r = memref<1x16xf32, #tile.level<rf>>
tile.kernel @stage_s13_near(%X: !G[64, 64]) {
  %s = tile.stage %X[0, 0] : !G to !s
  // expected-error@+1 {{edges is for a tile that is staged from dram}}
  %r = tile.stage %s[0, 0] edges(element) : !s to !r
}

// -----

!G = memref<64x64xf32>
!r = memref<1x16xf32, #tile.level<rf>>
tile.kernel @stage_s13_block(%X: !G[64, 64]) {
  // expected-error@+1 {{edges(block) is for threads, which ask so for what they load, but the stage is in no loop on warpgroup, warp or thread}}
  %r = tile.stage %X[0, 0] edges(block) : !G to !r
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @stage_s9_block(%X: !G[64, 64]) {
  // expected-error@+1 {{edges(block) is for a tile in rf}}
  %s = tile.stage %X[0, 0] forms(1 by 1) edges(block) : !G to !s
}

// -----

!G = memref<64x64xf32>
!r = memref<1x16xf32, #tile.level<rf>>
tile.kernel @store_w5_block(%Y: !G[64, 64]) {
  %r = tile.hold init(0.0 : f32) : !r
  // expected-error@+1 {{edges(block) is for threads, which ask so for what they store, but the store is in no loop on warpgroup, warp or thread}}
  tile.store %r to %Y[0, 0] edges(block) : !r to !G
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
!r = memref<1x16xf32, #tile.level<rf>>
tile.kernel @stage_s14(%X: !G[64, 64]) {
  // expected-note@+1 {{elements of this tile that have no value get one where it is staged itself}}
  %s = tile.stage %X[0, 0] : !G to !s
  // expected-error@+1 {{pad(clamp) is for a tile that is staged from dram, got one from smem}}
  %r = tile.stage %s[0, 0] pad(clamp) : !s to !r
}

// -----

!s = memref<32x16xf32, #tile.level<smem>>
!r = memref<1x16xf32, #tile.level<rf>>
tile.kernel @stage_s14_held() {
  // expected-note@+1 {{elements of this tile that have no value get one where it is staged itself}}
  %s = tile.hold init(0.0 : f32) : !s
  // expected-error@+1 {{pad(zero) is for a tile that is staged from dram, got one from smem}}
  %r = tile.stage %s[0, 0] pad(zero) : !s to !r
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
!r = memref<1x16xf32, #tile.level<rf>>
tile.kernel @stage_s11_width(%X: !G[64, 64]) {
  %s = tile.stage %X[0, 0] : !G to !s
  // expected-error@+1 {{wide(3) of 'f32'; expected 1, or as many as take 4, 8 or 16 bytes}}
  %r = tile.stage %s[0, 0] wide(3) : !s to !r
}

// -----

!G = memref<64x64xf32>
!s = memref<32x16xf32, #tile.level<smem>>
tile.kernel @store_w5(%X: !G[64, 64]) {
  %s = tile.stage %X[0, 0] : !G to !s
  // expected-error@+1 {{wide is for a tile in rf}}
  tile.store %s to %X[0, 0] wide(4) : !s to !G
}

// -----

!G = memref<64x64xf32>
!r = memref<1x16xf32, #tile.level<rf>>
tile.kernel @store_w5_edges(%Y: !G[64, 64]) {
  %r = tile.hold init(0.0 : f32) : !r
  // expected-error@+1 {{edges is for a tile in rf that is stored to dram without combine and through}}
  tile.store %r to %Y[0, 0] combine(add) unordered edges(tile) : !r to !G
}

// -----

!G = memref<64x64xf32>
!r = memref<1x16xf32, #tile.level<rf>>
tile.kernel @store_w5_width(%X: !G[64, 64]) {
  %r = tile.hold init(0.0 : f32) : !r
  // expected-error@+1 {{wide(0) of 'f32'; expected 1, or as many as take 4, 8 or 16 bytes}}
  tile.store %r to %X[0, 0] wide(0) : !r to !G
}

// -----

!G = memref<64x64xf32>
!r = memref<1x16xf32, #tile.level<rf>>
tile.kernel @store_w5_combine(%X: !G[64, 64]) {
  %r = tile.hold init(0.0 : f32) : !r
  // expected-error@+1 {{wide(4) beside combine, which is done element by element}}
  tile.store %r to %X[0, 0] combine(add) unordered wide(4) : !r to !G
}

// -----

tile.kernel @for_f15(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{choose is for a pipeline without producers}}
  tile.for (%k) in (64) by (32) at dram choose(loop) {
  }
}

// -----

tile.kernel @for_f15_issue(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{issue is for a pipeline without producers}}
  tile.for (%k) in (64) by (32) at dram pipeline(2) producers(1) issue(first) {
  }
}

// -----

tile.kernel @for_f15_release(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{release is for a pipeline with producers, which wait for slots}}
  tile.for (%k) in (64) by (32) at dram pipeline(2) release(end) {
  }
}

// -----

tile.kernel @for_f15_begin(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{begin is for a pipeline without producers}}
  tile.for (%k) in (64) by (32) at dram begin(ahead) {
  }
}

// -----

tile.kernel @for_f15_begin_producers(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{begin is for a pipeline without producers}}
  tile.for (%k) in (64) by (32) at dram pipeline(2) producers(1) begin(here) {
  }
}

// -----

tile.kernel @for_f15_begin_word(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{unknown place 'there'; expected here or ahead}}
  tile.for (%k) in (64) by (32) at dram pipeline(2) begin(there) {
  }
}

// -----

tile.kernel @for_f15_word(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{unknown time 'later'; expected first or after_loads}}
  tile.for (%k) in (64) by (32) at dram pipeline(2) issue(later) {
  }
}

// -----

tile.kernel @for_f16(%X: memref<64xf32>[64]) {
  tile.for (%i) in (64) by (32) at dram on block persistent {
    // expected-error@+1 {{tail(cut, 16, 0, 1) has no numbers from 1 to 65536}}
    tile.for (%k) in (64) by (32) at dram tail(cut, 16, 0, 1) {
    }
  }
}

// -----

tile.kernel @for_f16_alone(%X: memref<64xf32>[64]) {
  // expected-error@+1 {{says with 2 numbers when a last wave is cut; tail(cut) takes three}}
  tile.for (%k) in (64) by (32) at dram attributes {cut_worth = array<i64: 16, 16>} {
  }
}

// -----

!c = memref<4x4xf32, #tile.level<rf>>
tile.kernel @kernel_c5() {
  %a = tile.hold init(0.0 : f32) : !c
  %c = tile.hold init(0.0 : f32) : !c
  // expected-error@+1 {{has tile.order array<i64: 0, 2, 2>; expected array<i64: ...> with each number below 3 once}}
  linalg.matmul {tile.order = array<i64: 0, 2, 2>} ins(%a, %a : !c, !c) outs(%c : !c)
}

// -----

!c = memref<4x4xf32, #tile.level<rf>>
tile.kernel @kernel_c5_snake_alone() {
  %a = tile.hold init(0.0 : f32) : !c
  %c = tile.hold init(0.0 : f32) : !c
  // expected-error@+1 {{has tile.snake; expected a unit beside a tile.order of two dimensions or more that have more than one place}}
  linalg.matmul {tile.snake} ins(%a, %a : !c, !c) outs(%c : !c)
}

// -----

!a = memref<1x1xf32, #tile.level<rf>>
!c = memref<1x4xf32, #tile.level<rf>>
tile.kernel @kernel_c5_snake_in_one_row() {
  %a = tile.hold init(0.0 : f32) : !a
  %b = tile.hold init(0.0 : f32) : !c
  %c = tile.hold init(0.0 : f32) : !c
  // expected-error@+1 {{has tile.snake; expected a unit beside a tile.order of two dimensions or more that have more than one place}}
  linalg.matmul {tile.order = array<i64: 0, 1, 2>, tile.snake} ins(%a, %b : !a, !c) outs(%c : !c)
}

// -----

!c = memref<4x4xf32, #tile.level<rf>>
tile.kernel @kernel_c5_snake_sums() {
  %a = tile.hold init(0.0 : f32) : !c
  %c = tile.hold init(0.0 : f32) : !c
  // expected-error@+1 {{has tile.snake, but dimension 2, the last one, is none of each result, so that the points that write an element would change their order}}
  linalg.matmul {tile.order = array<i64: 0, 1, 2>, tile.snake} ins(%a, %a : !c, !c) outs(%c : !c)
}

// -----

!c = memref<4x4xf32, #tile.level<rf>>
!d = memref<4xf32, #tile.level<rf>>
tile.kernel @kernel_c5_sums() {
  %c = tile.hold init(0.0 : f32) : memref<4x4x4xf32, #tile.level<rf>>
  %d = tile.hold init(0.0 : f32) : !d
  // expected-error@+1 {{has tile.order with dimension 2 outside of 1; neither is a dimension of each result, so that the points that write an element would change their order}}
  linalg.generic {indexing_maps = [affine_map<(i, p, q) -> (i, p, q)>, affine_map<(i, p, q) -> (i)>],
                  iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%c : memref<4x4x4xf32, #tile.level<rf>>) outs(%d : !d) attrs = {tile.order = array<i64: 2, 1, 0>} {
  ^bb0(%x: f32, %sum: f32):
    %y = arith.addf %sum, %x : f32
    linalg.yield %y : f32
  }
}
