// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-plan-copy -tile-plan-pipeline -tile-plan-compute -tile-plan-raster -tile-plan-smem -tile-plan-launch -tile-lower-to-kernel -tile-place-barriers

// Nests that the language allows and the lowering refuses (docs/limits.md): each with an error at the op in question.

tile.kernel @limit_x4_two_grids(%A: memref<?xf32>[%M], %M: index) {
  // expected-error@+1 {{on block must be the kernel's only outermost loop}}
  tile.for (%i) in (%M) by (32) at dram on block {
  }
  tile.for (%i) in (%M) by (32) at dram on block {
  }
}

// -----

tile.kernel @limit_x4_grid_inside(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%k) in (%M) by (32) at dram {
    // expected-error@+1 {{on block must be the kernel's outermost loop}}
    tile.for (%i) in (%M) by (32) at dram on block {
    }
  }
}

// -----

// Which thread should write the tile?
!s = memref<32xf32, #tile.level<smem>>
tile.kernel @limit_x28_compute_outside(%A: memref<?xf32>[%M], %B: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    %s = tile.stage %A[%i] : memref<?xf32> to !s
    // expected-error@+1 {{computes outside of a loop on thread in a block of 32 threads; put it inside of one that says who computes what}}
    linalg.add ins(%s, %s : !s, !s) outs(%s : !s)
    tile.for (%t) in (32) by (1) at smem on thread {
      %r = tile.stage %s[%t] : !s to memref<1xf32, #tile.level<rf>>
      tile.store %r to %B[%i + %t] : memref<1xf32, #tile.level<rf>> to memref<?xf32>
    }
  }
}

// -----

#div = affine_map<(i) -> (i floordiv 2)>
#i = affine_map<(i) -> (i)>
!r = memref<2xf32, #tile.level<rf>>
!t = memref<4xf32, #tile.level<rf>>
tile.kernel @limit_x29_map_divides(%A: memref<?xf32>[%M], %B: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block {
    %a = tile.stage %A[%i] : memref<?xf32> to !r
    %b = tile.hold init(0.0 : f32) : !t
    // expected-error@+1 {{has an indexing map that is not a sum of multiples of its dimensions}}
    linalg.generic {indexing_maps = [#div, #i], iterator_types = ["parallel"]} ins(%a : !r) outs(%b : !t) {
    ^bb0(%x: f32, %y: f32):
      linalg.yield %x : f32
    }
    tile.store %b to %B[%i] : !t to memref<?xf32>
  }
}

// -----

!s = memref<32xf32, #tile.level<smem>>
tile.kernel @limit_x19_shared_in_thread(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      // expected-error@+1 {{stages to smem inside of a loop on thread; a tile in shared memory belongs to the block}}
      %s = tile.stage %A[%i] : memref<?xf32> to !s
    }
  }
}

// -----

!s = memref<f32, #tile.level<smem>>
tile.kernel @limit_x21_rank_0(%A: memref<f32>[], %B: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // expected-error@+1 {{a staged tile of rank 0 is not lowered}}
    %s = tile.stage %A[] : memref<f32> to !s
  }
}

// -----

tile.kernel @limit_x8_empty_pipeline(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // expected-error@+1 {{pipelines nothing: its body stages no tile}}
    tile.for (%k) in (%M) by (32) at dram pipeline(2) {
    }
  }
}

// -----

tile.kernel @limit_x7_pipeline_of_two(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // expected-error@+1 {{pipelines 2 induction variables; one is lowered yet}}
    tile.for (%k, %l) in (%M, %M) by (32, 32) at dram pipeline(2) {
    }
  }
}

// -----

// Some lanes of a warp do not come to the end of the inner loop.
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x17_reduce_in_threads_of_threads(%A: memref<?xf32>[%M], %B: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (3) at dram on block {
    tile.for (%u) in (3) by (1) at dram on thread {
      %s = tile.hold init(0.0 : f32) : !r
      // expected-error@+1 {{reduces over threads inside of a loop on 48 threads, which is not a multiple of 32}}
      tile.for (%t) in (16) by (1) at dram on thread reduce(add) {
        %a = tile.stage %A[%t] : memref<?xf32> to !r
        linalg.add ins(%s, %a : !r, !r) outs(%s : !r)
      }
      tile.store %s to %B[%i + %u] : !r to memref<?xf32>
    }
  }
}

// -----

// 32 lanes are no groups of 12.
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x17_reduce_over_some_lanes(%A: memref<?xf32>[%M], %B: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (1) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !r
    // expected-note@+1 {{an iteration of this loop has that many}}
    tile.for (%w) in (24) by (12) at dram on warp reduce(add) {
      // expected-error@+1 {{reduces over 12 threads of the 32 of a warp, which is not a multiple of them}}
      tile.for (%t) in (12) by (1) at dram on thread reduce(add) {
        %a = tile.stage %A[%w + %t] : memref<?xf32> to !r
        linalg.add ins(%s, %a : !r, !r) outs(%s : !r)
      }
    }
    tile.store %s to %B[0] : !r to memref<?xf32>
  }
}

// -----

// Lanes of a warp have other rows.
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x17_some_rows(%A: memref<?xf32>[%M], %B: memref<?xf32>[%M], %M: index) {
  %c1 = arith.constant 1 : index
  tile.for (%i) in (%M) by (32) at dram on block {
    tile.for (%u) in (32) by (8) at dram on thread {
      %more = arith.cmpi sgt, %u, %c1 : index
      // expected-note@+1 {{this condition differs between them}}
      scf.if %more {
        %s = tile.hold init(0.0 : f32) : !r
        // expected-error@+1 {{reduces over threads where not all lanes of a warp may come}}
        tile.for (%t) in (8) by (1) at dram on thread reduce(add) {
          %a = tile.stage %A[%i + %u + %t] : memref<?xf32> to !r
          linalg.add ins(%s, %a : !r, !r) outs(%s : !r)
        }
        tile.store %s to %B[%i + %u] : !r to memref<?xf32>
      }
    }
  }
}

// -----

// Only one of two warps reaches the barrier between its writes to the tile and its reads.
!s = memref<64xf32, #tile.level<smem>>
!p = memref<1xf32, #tile.level<smem>>
!e = memref<1xf32, strided<[1], offset: ?>>
tile.kernel @limit_x15_exchange_in_if(%A: memref<?xf32>[%M], %B: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (64) at dram on block {
    %s = tile.stage %A[%i] pad(zero) : memref<?xf32> to !s
    tile.for (%w) in (64) by (32) at smem on warp {
      %limit = arith.constant 32 : index
      %first = arith.cmpi ult, %w, %limit : index
      // expected-error@+1 {{threads that exchange data through shared memory may not all come here}}
      scf.if %first {
        tile.for (%t) in (32) by (1) at smem on thread {
          %p = tile.part %s[%w + %t] : !s to !p
          linalg.add ins(%p, %p : !p, !p) outs(%p : !p)
        }
        tile.for (%t) in (32) by (1) at smem on thread {
          %p = tile.part %s[%w + %t * -1 + 31] : !s to !p
          %b = tile.part %B[%i + %w + %t] : memref<?xf32> to !e
          linalg.add ins(%p, %p : !p, !p) outs(%b : !e)
        }
      }
    }
  }
}

// -----

// Register tiles are indexed by constants, in every thread: subscripts are digits of loops.
!t = memref<8xf32, #tile.level<rf>>
!p = memref<2xf32, #tile.level<rf>>
tile.kernel @registers_by_a_size(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (8) at dram on block {
    %c = tile.hold init(0.0 : f32) : !t
    tile.for (%j) in (%M) by (2) at dram {
      // expected-error@+1 {{subscript 0 has no static bounds, but must stay inside of a tile of 8 elements}}
      %p = tile.part %c[%j] : !t to !p
    }
    tile.store %c to %A[%i] : !t to memref<?xf32>
  }
}

// -----

!t = memref<8xf32, #tile.level<rf>>
!p = memref<2xf32, #tile.level<rf>>
tile.kernel @limit_x27_registers_at_a_constant(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (8) at dram on block {
    %c = tile.hold init(0.0 : f32) : !t
    // expected-error@+1 {{reads a register tile at constant 2 of dimension 0; its parts are the iterations of loops}}
    %p = tile.part %c[2] : !t to !p
    linalg.add ins(%p, %p : !p, !p) outs(%p : !p)
    tile.store %c to %A[%i] : !t to memref<?xf32>
  }
}

// -----

!t = memref<8xf32, #tile.level<rf>>
!p = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x27_registers_with_holes(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (8) at dram on block {
    %c = tile.hold init(0.0 : f32) : !t
    tile.for (%j) in (8) by (2) at rf {
      // expected-error@+1 {{dimension 0: a loop of step 2 walks parts that span 1}}
      %p = tile.part %c[%j] : !t to !p
      linalg.add ins(%p, %p : !p, !p) outs(%p : !p)
    }
    tile.store %c to %A[%i] : !t to memref<?xf32>
  }
}

// -----

!t = memref<8xf32, #tile.level<rf>>
!p = memref<2xf32, #tile.level<rf>>
tile.kernel @limit_x27_registers_in_part(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (8) at dram on block {
    %c = tile.hold init(0.0 : f32) : !t
    tile.for (%j) in (4) by (2) at rf {
      // expected-error@+1 {{dimension 0: loops and part cover 4 of 8 elements}}
      %p = tile.part %c[%j] : !t to !p
      linalg.add ins(%p, %p : !p, !p) outs(%p : !p)
    }
    tile.store %c to %A[%i] : !t to memref<?xf32>
  }
}

// -----

!t = memref<8xf32, #tile.level<rf>>
!p = memref<2xf32, #tile.level<rf>>
tile.kernel @limit_x27_registers_backwards(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (8) at dram on block {
    %c = tile.hold init(0.0 : f32) : !t
    tile.for (%j) in (8) by (2) at rf {
      // expected-error@+1 {{walks a register tile with a loop whose extent is dynamic or whose factor is -1; registers are indexed by constants}}
      %p = tile.part %c[%j * -1 + 6] : !t to !p
      linalg.add ins(%p, %p : !p, !p) outs(%p : !p)
    }
    tile.store %c to %A[%i] : !t to memref<?xf32>
  }
}

// -----

tile.kernel @limit_x29_whole_operand(%A: memref<?xf32>[%M], %v: f32, %M: index) {
  // expected-error@+1 {{needs tiles of static shape}}
  linalg.fill ins(%v : f32) outs(%A : memref<?xf32>)
}

// -----

// Where the tile lies is known when the kernel runs only.
!s = memref<32xf32, strided<[?]>, #tile.level<smem>>
tile.kernel @limit_x20_dynamic_strides(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // expected-error@+1 {{a tile in shared memory needs static strides, got}}
    %s = tile.stage %A[%i] : memref<?xf32> to !s
  }
}

// -----

!c = memref<4xf32, #tile.level<rf>>
!p = memref<2xf32, #tile.level<rf>>
tile.kernel @limit_x24_stores_a_part(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block {
    tile.for (%t) in (1) by (1) at dram on thread {
      %c = tile.hold init(0.0 : f32) : !c
      tile.for (%j) in (4) by (2) at dram on unroll {
        %p = tile.part %c[%j] : !c to !p
        // expected-error@+1 {{stores a part of a register tile; store the tile itself}}
        tile.store %p to %A[%i + %j] : !p to memref<?xf32>
      }
    }
  }
}

// -----

!r = memref<1xf16, #tile.level<rf>>
tile.kernel @limit_x25_adds_halves(%A: memref<?xf16>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %r = tile.hold init(0.0 : f16) : !r
      // expected-error@+1 {{combine(add) of 'f16', which the hardware does for f32, f64 and i32 only; store elements of one of these}}
      tile.store %r to %A[%i + %t] combine(add) unordered : !r to memref<?xf16>
    }
  }
}

// -----

!c = memref<4xf32, #tile.level<rf>>
!p = memref<1xf32, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @limit_x26_spread_as_a_whole(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%t) in (4) by (1) at dram on thread {
      %p = tile.part %c[%t] : !c to !p
      linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%p : !p) {
      ^bb0(%x: f32):
        linalg.yield %x : f32
      }
    }
    tile.for (%j) in (1) by (1) at dram on thread {
      // expected-error@+1 {{uses a register tile as a whole that is spread over threads or loops; part it as they do}}
      linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%c : !c) {
      ^bb0(%x: f32):
        linalg.yield %x : f32
      }
    }
    tile.store %c to %A[%i] : !c to memref<?xf32>
  }
}

// -----

!G = memref<?x?xf32>
!c = memref<16x16xf32, #tile.level<rf>>
!p = memref<4x2xf32, #tile.level<rf>>
!u = memref<16xf32, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>
// What is read along the rows of one tile is no factor of the columns of another: threads hold others.
tile.kernel @limit_x26_both_ways(%A: memref<?xf32>[%M], %C: !G[%M, %M], %M: index) {
  tile.for (%i) in (%M) by (16) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    %u = tile.stage %A[%i] : memref<?xf32> to !u
    // expected-error@+1 {{works on tiles that threads hold together, but operand #0 is no whole tile that they hold alike}}
    linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, #id], iterator_types = ["parallel", "parallel"]} ins(%u : !u) outs(%c : !c) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      linalg.yield %z : f32
    }
    linalg.generic {indexing_maps = [affine_map<(m, n) -> (n)>, #id], iterator_types = ["parallel", "parallel"]} ins(%u : !u) outs(%c : !c) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      linalg.yield %z : f32
    }
    tile.for (%m, %n) in (16, 16) by (4, 2) at rf on thread {
      %p = tile.part %c[%m, %n] : !c to !p
      linalg.add ins(%p, %p : !p, !p) outs(%p : !p)
    }
    tile.store %c to %C[%i, 0] : !c to !G
  }
}

// -----

!G = memref<?x?xf32>
!c = memref<16x16xf32, #tile.level<rf>>
!p = memref<4x2xf32, #tile.level<rf>>
!u = memref<16x2xf32, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>
tile.kernel @limit_x26_one_of_two(%A: !G[%M, %M], %C: !G[%M, %M], %M: index) {
  tile.for (%i) in (%M) by (16) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    %u = tile.stage %A[%i, 0] : !G to !u
    // expected-error@+1 {{works on tiles that threads hold together, but operand #0 is no whole tile that they hold alike}}
    linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, 1)>, #id], iterator_types = ["parallel", "parallel"]} ins(%u : !u) outs(%c : !c) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      linalg.yield %z : f32
    }
    tile.for (%m, %n) in (16, 16) by (4, 2) at rf on thread {
      %p = tile.part %c[%m, %n] : !c to !p
      linalg.add ins(%p, %p : !p, !p) outs(%p : !p)
    }
    tile.store %c to %C[%i, 0] : !c to !G
  }
}

// -----

!G = memref<?x?xf32>
!c = memref<4x64xf32, #tile.level<rf>>
!v = memref<4xf32, #tile.level<rf>>
tile.kernel @limit_x55_across_warps(%A: !G[%M, %N], %C: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (4, 64) at dram on block {
    %c = tile.stage %A[%i, %j] : !G to !c
    %v = tile.hold init(0.0 : f32) : !v
    // expected-error@+1 {{puts together what 64 threads, 1 apart, hold of a row; expected lanes of one warp, a power of two of them}}
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%c : !c) outs(%v : !v) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %y, %x : f32
      linalg.yield %z : f32
    }
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%v : !v) outs(%c : !c) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %y, %x : f32
      linalg.yield %z : f32
    }
    tile.for (%k) in (64) by (1) at rf on thread {
      %p = tile.part %c[0, %k] : !c to memref<4x1xf32, #tile.level<rf>>
      linalg.add ins(%p, %p : memref<4x1xf32, #tile.level<rf>>, memref<4x1xf32, #tile.level<rf>>) outs(%p : memref<4x1xf32, #tile.level<rf>>)
    }
    tile.store %c to %C[%i, %j] : !c to !G
  }
}

// -----

!G = memref<?x?xf32>
!c = memref<4x12xf32, #tile.level<rf>>
!v = memref<4xf32, #tile.level<rf>>
tile.kernel @limit_x55_twelve_lanes(%A: !G[%M, %N], %C: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (4, 12) at dram on block {
    %c = tile.stage %A[%i, %j] : !G to !c
    %v = tile.hold init(0.0 : f32) : !v
    // expected-error@+1 {{puts together what 12 threads, 1 apart, hold of a row; expected lanes of one warp, a power of two of them}}
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%c : !c) outs(%v : !v) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %y, %x : f32
      linalg.yield %z : f32
    }
    tile.for (%k) in (12) by (1) at rf on thread {
      %p = tile.part %c[0, %k] : !c to memref<4x1xf32, #tile.level<rf>>
      linalg.add ins(%p, %p : memref<4x1xf32, #tile.level<rf>>, memref<4x1xf32, #tile.level<rf>>) outs(%p : memref<4x1xf32, #tile.level<rf>>)
    }
    tile.store %c to %C[%i, %j] : !c to !G
  }
}

// -----

!G = memref<?x?xf32>
!c = memref<4x8xf32, #tile.level<rf>>
!v = memref<4xf32, #tile.level<rf>>
// Each element twice: what is no kind is put together in a loop on thread, by none.
tile.kernel @limit_x26_no_kind(%A: !G[%M, %N], %C: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (4, 8) at dram on block {
    %c = tile.stage %A[%i, %j] : !G to !c
    %v = tile.hold init(0.0 : f32) : !v
    // expected-error@+1 {{uses a register tile as a whole that is spread over threads or loops; part it as they do}}
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%c : !c) outs(%v : !v) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.mulf %y, %x : f32
      %w = arith.addf %z, %x : f32
      linalg.yield %w : f32
    }
    tile.for (%k) in (8) by (1) at rf on thread {
      %p = tile.part %c[0, %k] : !c to memref<4x1xf32, #tile.level<rf>>
      linalg.add ins(%p, %p : memref<4x1xf32, #tile.level<rf>>, memref<4x1xf32, #tile.level<rf>>) outs(%p : memref<4x1xf32, #tile.level<rf>>)
    }
    tile.store %c to %C[%i, %j] : !c to !G
  }
}

// -----

// A launch computes its grid from sizes.
tile.kernel @limit_x34_grid(%A: memref<?xf32>[%M], %M: index) {
  %m = arith.addi %M, %M : index
  // expected-error@+1 {{the extent of induction variable 0 is neither a constant nor a size argument; a launch needs its value}}
  tile.for (%i) in (%m) by (1) at dram on block {
  }
}

// -----

!c = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x34_cut(%A: memref<?xf32>[%M], %M: index) {
  %m = arith.addi %M, %M : index
  tile.for (%i) in (%M) by (1) at dram on block persistent {
    %c = tile.hold init(0.0 : f32) : !c
    // expected-error@+1 {{the extent of induction variable 0 is neither a constant nor a size argument; a launch needs its value}}
    tile.for (%k) in (%m) by (1) at dram tail(cut) {
    }
    tile.store %c to %A[%i] : !c to memref<?xf32>
  }
}

// -----

!r = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x5_dynamic(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    // expected-error@+1 {{pipelines registers over a dynamic extent; registers are indexed by constants}}
    tile.for (%k) in (%M) by (1) at dram pipeline(2) {
      %r = tile.stage %A[%k] : memref<?xf32> to !r
    }
  }
}

// -----

// Lanes of a warp read what others write.
!s = memref<64xf32, #tile.level<smem>>
!p = memref<32xf32, strided<[1], offset: ?>, #tile.level<smem>>
tile.kernel @limit_x15_warp(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (64) at dram on block {
    %s = tile.stage %A[%i] pad(zero) : memref<?xf32> to !s
    tile.for (%w) in (64) by (32) at smem on warp {
      %p = tile.part %s[%w] : !s to !p
      // expected-error@+1 {{threads that exchange data through shared memory may not all come here}}
      linalg.add ins(%p, %p : !p, !p) outs(%p : !p)
    }
  }
}

// -----

tile.kernel @limit_x18(%A: memref<?xf32>[%M], %a: f32, %M: index) {
  %zero = arith.constant 0.0 : f32
  %some = arith.cmpf une, %a, %zero : f32
  tile.for (%i) in (%M) by (1) at dram on block {
    // expected-error@+1 {{with results is not lowered; store to a held tile instead}}
    %v = scf.if %some -> f32 {
      scf.yield %a : f32
    } else {
      scf.yield %zero : f32
    }
  }
}

// -----

!s = memref<32xf32, #tile.level<smem>>
tile.kernel @limit_x24_shared(%A: memref<?xf32>[%M], %B: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    %s = tile.stage %A[%i] : memref<?xf32> to !s
    // expected-error@+1 {{stores from smem to dram; stage it to rf, in a loop on thread, and store that}}
    tile.store %s to %B[%i] : !s to memref<?xf32>
  }
}

// -----

!r = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x25_max(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %r = tile.hold init(0.0 : f32) : !r
    // expected-error@+1 {{combine(max) of 'f32', which the hardware does for i32 only; store elements of that}}
    tile.store %r to %A[%i] combine(max) : !r to memref<?xf32>
  }
}

// -----

// expected-error@+1 {{argument #0 has type 'i1'; kernels take f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i64, i32, i16 and i8}}
tile.kernel @limit_x30(%s: i1) {
}

// -----

!c = memref<4xf32, #tile.level<rf>>
tile.kernel @limit_x31(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    // expected-error@+1 {{is to be computed by 'mma.m16n8k8.tf32', but its threads compute it by element: 'fma'}}
    linalg.add {tile.instruction = "mma.m16n8k8.tf32"} ins(%c, %c : !c, !c) outs(%c : !c)
  }
}

// -----

!a = memref<16x16xf16, #tile.level<rf>>
!b = memref<16x8xf16, #tile.level<rf>>
!c = memref<16x8xf16, #tile.level<rf>>
tile.kernel @limit_x31_sums(%C: memref<16x8xf16>[16, 8]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %c = tile.hold init(0.0 : f16) : !c
    tile.for (%w) in (1) by (1) at smem on warp {
      %a = tile.hold init(1.0 : f16) : !a
      %b = tile.hold init(1.0 : f16) : !b
      // expected-error@+1 {{is 'mma.m16n8k16.16' of 'f16' added up in 'f16', which is not lowered yet; those of 32 bytes along k added up in 32 bits are}}
      linalg.matmul ins(%a, %b : !a, !b) outs(%c : !c)
    }
    tile.store %c to %C[0, 0] : !c to memref<16x8xf16>
  }
}

// -----

!sA = memref<64x16xbf16, #tile.level<smem>>
!sB = memref<16x8xbf16, #tile.level<smem>>
!c = memref<64x8xf32, #tile.level<rf>>
tile.kernel @limit_x36(%A: memref<64x16xbf16>[64, 16], %B: memref<16x8xbf16>[16, 8]) {
  tile.for (%i) in (1) by (1) at dram on block {
    // expected-note@+1 {{the tile}}
    %a = tile.stage %A[0, 0] : memref<64x16xbf16> to !sA
    %b = tile.stage %B[0, 0] : memref<16x8xbf16> to !sB
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%w) in (1) by (1) at smem on warpgroup {
      // expected-error@+1 {{operand #0 of 'wgmma.m64n8k16' is no tile that producers fill by copy(tma); others are not lowered yet}}
      linalg.matmul ins(%a, %b : !sA, !sB) outs(%c : !c)
    }
  }
}

// -----

!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<64x64xbf16, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!sB = memref<64x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (64,64):(64,1)">, #tile.level<smem>>
!iB = memref<16x64xbf16, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
tile.kernel @limit_x36_layout(%A: !G[%M, %K], %B: !G[%K, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (64) at dram pipeline(2) producers(4) {
      // expected-note@+1 {{the tile}}
      %a = tile.stage %A[%m, %k] copy(tma) : !G to !sA
      %b = tile.stage %B[%k, %n] copy(tma) : !G to !sB
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (64) by (16) at smem {
          %x = tile.part %a[0, %k1] : !sA to !iA
          %y = tile.part %b[%k1, 0] : !sB to !iB
          // expected-error@+1 {{operand #0 of 'wgmma.m64n64k16': wgmma reads no tile with layout (64,64):(64,1)}}
          linalg.matmul ins(%x, %y : !iA, !iB) outs(%c : !c)
        }
      }
    }
  }
}

// -----

!G = memref<?x?xi8, strided<[?, 1]>>
!sA = memref<64x64xi8, #tile.layout<"Sw<2,4,3> o 0 o (64,64):(64,1)">, #tile.level<smem>>
!iA = memref<64x32xi8, #tile.level<smem>>
!iB = memref<32x64xi8, #tile.level<smem>>
!c = memref<64x64xi32, #tile.level<rf>>
tile.kernel @limit_x36_depth(%A: !G[%M, %K], %B: !G[%K, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0 : i32) : !c
    tile.for (%k) in (%K) by (64) at dram pipeline(2) producers(4) {
      %a = tile.stage %A[%m, %k] copy(tma) : !G to !sA
      // expected-note@+1 {{the tile}}
      %b = tile.stage %B[%k, %n] copy(tma) : !G to !sA
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (64) by (32) at smem {
          %x = tile.part %a[0, %k1] : !sA to !iA
          %y = tile.part %b[%k1, 0] : !sA to !iB
          // expected-error@+1 {{operand #1 of 'wgmma.m64n64k32': wgmma reads elements of 8 bits where they lie side by side along k}}
          linalg.matmul ins(%x, %y : !iA, !iB) outs(%c : !c)
        }
      }
    }
  }
}

// -----

!G = memref<?x?xbf16, strided<[?, 1]>>
!s = memref<64x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (64,64):(64,1)">, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<16x64xbf16, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!one = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x37(%A: !G[%M, %K], %B: !G[%K, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (64) at dram pipeline(2) producers(4) {
      %a = tile.stage %A[%m, %k] copy(tma) : !G to !s
      %b = tile.stage %B[%k, %n] copy(tma) : !G to !s
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (64) by (16) at smem {
          %x = tile.part %a[0, %k1] : !s to !iA
          %y = tile.part %b[%k1, 0] : !s to !iB
          // expected-error@+1 {{is an instruction that is waited for after its loop on warpgroup, but something else stands there}}
          linalg.matmul ins(%x, %y : !iA, !iB) outs(%c : !c)
        }
        // expected-note@+1 {{this stands in the loop}}
        %h = tile.hold init(0.0 : f32) : !one
      }
    }
  }
}

// -----

// C has more rows than A: those that A does not have are not computed, but an instruction adds to all.
!G = memref<?x?xbf16, strided<[?, 1]>>
!F = memref<?x?xf32>
!s = memref<64x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (64,64):(64,1)">, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<16x64xbf16, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
tile.kernel @limit_x38(%A: !G[%L, %K], %B: !G[%K, %N], %C: !F[%M, %N], %M: index, %N: index, %K: index, %L: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (64) at dram pipeline(2) producers(4) {
      %a = tile.stage %A[%m, %k] copy(tma) : !G to !s
      %b = tile.stage %B[%k, %n] copy(tma) : !G to !s
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (64) by (16) at smem {
          %x = tile.part %a[0, %k1] : !s to !iA
          %y = tile.part %b[%k1, 0] : !s to !iB
          // expected-error@+1 {{is an instruction for all of its points, but some may have to be left out}}
          linalg.matmul ins(%x, %y : !iA, !iB) outs(%c : !c)
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to !F
  }
}

// -----

// Row m of C is stored to row m - 1 of D: where A has no row, D has one, whose sum nothing is added to.
!G = memref<?x?xbf16, strided<[?, 1]>>
!F = memref<?x?xf32>
!s = memref<64x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (64,64):(64,1)">, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<16x64xbf16, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
tile.kernel @limit_x38_moved(%A: !G[%M, %K], %B: !G[%K, %N], %C: !F[%M, %N], %D: !F[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (64) at dram pipeline(2) producers(4) {
      %a = tile.stage %A[%m, %k] copy(tma) : !G to !s
      %b = tile.stage %B[%k, %n] copy(tma) : !G to !s
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (64) by (16) at smem {
          %x = tile.part %a[0, %k1] : !s to !iA
          %y = tile.part %b[%k1, 0] : !s to !iB
          // expected-error@+1 {{is an instruction for all of its points, but some may have to be left out}}
          linalg.matmul ins(%x, %y : !iA, !iB) outs(%c : !c)
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to !F
    tile.store %c to %D[%m - 1, %n] : !c to !F
  }
}

// -----

// A thread holds a column of 64 elements: no slice of 32 columns has elements of all threads.
!c = memref<64x64xf32, #tile.level<rf>>
tile.kernel @limit_x39(%Y: memref<64x64xf32>[64, 64]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %z = arith.constant 1.0 : f32
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%n) in (64) by (1) at rf on thread {
      %p = tile.part %c[0, %n] : !c to memref<64x1xf32, #tile.level<rf>>
      linalg.fill ins(%z : f32) outs(%p : memref<64x1xf32, #tile.level<rf>>)
    }
    // expected-error@+1 {{through(32) needs threads that hold the same of each slice of 32 columns}}
    tile.store %c to %Y[0, 0] through(32) : !c to memref<64x64xf32>
  }
}

// -----

// Of two warps beside each other a slice of 8 columns has 4 each, half of an instruction's.
!sA = memref<32x16xbf16, #tile.level<smem>>
!sB = memref<16x128xbf16, #tile.level<smem>>
!rA = memref<16x16xbf16, #tile.level<rf>>
!rB = memref<16x64xbf16, #tile.level<rf>>
!c = memref<32x128xf32, #tile.level<rf>>
!r = memref<32x128xbf16, #tile.level<rf>>
!C = memref<?x?xbf16, strided<[?, 1]>>
#id = affine_map<(m, n) -> (m, n)>
tile.kernel @limit_x39_beside(%A: memref<?x?xbf16>[%M, %K], %B: memref<?x?xbf16>[%K, %N], %C: !C[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (32, 128) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (16) at dram pipeline(2) {
      %x = tile.stage %A[%m, %k] : memref<?x?xbf16> to !sA
      %y = tile.stage %B[%k, %n] : memref<?x?xbf16> to !sB
      tile.for (%mw, %nw) in (32, 128) by (16, 64) at smem on warp {
        %a = tile.stage %x[%mw, 0] : !sA to !rA
        %b = tile.stage %y[0, %nw] : !sB to !rB
        tile.for (%i, %j) in (16, 64) by (16, 8) at rf on unroll {
          %p = tile.part %a[%i, 0] : !rA to !rA
          %q = tile.part %b[0, %j] : !rB to memref<16x8xbf16, #tile.level<rf>>
          %s = tile.part %c[%mw + %i, %nw + %j] : !c to memref<16x8xf32, #tile.level<rf>>
          linalg.matmul ins(%p, %q : !rA, memref<16x8xbf16, #tile.level<rf>>) outs(%s : memref<16x8xf32, #tile.level<rf>>)
        }
      }
    }
    %r = tile.hold init(0.0 : bf16) : !r
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : !c) outs(%r : !r) {
    ^bb0(%sum: f32, %old: bf16):
      %rounded = arith.truncf %sum : f32 to bf16
      linalg.yield %rounded : bf16
    }
    // expected-error@+1 {{through(8) needs threads that hold the same of each slice of 8 columns}}
    tile.store %r to %C[%m, %n] through(8) : !r to !C
  }
}

// -----

// Threads that hold whole columns hold no boxes of a warp's.
!c = memref<64x64xf32, #tile.level<rf>>
tile.kernel @limit_x44(%Y: memref<64x64xf32>[64, 64]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %z = arith.constant 1.0 : f32
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%n) in (64) by (1) at rf on thread {
      %p = tile.part %c[0, %n] : !c to memref<64x1xf32, #tile.level<rf>>
      linalg.fill ins(%z : f32) outs(%p : memref<64x1xf32, #tile.level<rf>>)
    }
    // expected-error@+1 {{copy(tma) needs warps that hold boxes of 16 columns, of whole 8 rows, each element once; this tile is not held so}}
    tile.store %c to %Y[0, 0] through(16) copy(tma) : !c to memref<64x64xf32>
  }
}

// -----

!c = memref<64x32xf32, #tile.level<rf>>
// expected-note@+1 {{the operand is of type 'memref<64x64xf32, strided<[66, 1]>>'}}
tile.kernel @limit_x44_stride(%Y: memref<64x64xf32, strided<[66, 1]>>[64, 64]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %z = arith.constant 1.0 : f32
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%n) in (32) by (1) at rf on thread {
      %p = tile.part %c[0, %n] : !c to memref<64x1xf32, #tile.level<rf>>
      linalg.fill ins(%z : f32) outs(%p : memref<64x1xf32, #tile.level<rf>>)
    }
    // expected-error@+1 {{copy(tma) stores rows of stride 1 to places, and an operand whose other static strides, are multiples of 16 bytes}}
    tile.store %c to %Y[0, 0] through(32) copy(tma) : !c to memref<64x64xf32, strided<[66, 1]>>
  }
}

// -----

!c = memref<64x32xf32, #tile.level<rf>>
tile.kernel @limit_x44_slots(%Y: memref<64x64xf32>[64, 64]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %z = arith.constant 1.0 : f32
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%n) in (32) by (1) at rf on thread {
      %p = tile.part %c[0, %n] : !c to memref<64x1xf32, #tile.level<rf>>
      linalg.fill ins(%z : f32) outs(%p : memref<64x1xf32, #tile.level<rf>>)
    }
    // expected-error@+1 {{slots(2) does not part the 1 slices of a warp}}
    tile.store %c to %Y[0, 0] through(32) copy(tma) slots(2) : !c to memref<64x64xf32>
  }
}

// -----

!s = memref<8xf32, #tile.level<smem>>
tile.kernel @limit_x45_producers(%A: memref<?xf32>[%M], %M: index) {
  %c8 = arith.constant 8 : index
  tile.for (%z) in (%M) by (16) at dram on cluster {
    // expected-note@+1 {{this loop on block moves the extent of induction variable 0}}
    tile.for (%b) in (16) by (8) at dram on block {
      %end = arith.addi %b, %c8 : index
      // expected-error@+1 {{has producers, and another number of iterations for each block of a cluster, which wait for one another}}
      tile.for (%k) in (%end) by (8) at dram pipeline(2) producers(1) {
        %s = tile.stage %A[%k] : memref<?xf32> to !s
      }
    }
  }
}

// -----

!r = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x45_threads(%A: memref<?xf32>[%M], %Y: memref<?xf32>[%M], %M: index) {
  %c1 = arith.constant 1 : index
  tile.for (%b) in (%M) by (8) at dram on block {
    // expected-note@+1 {{this loop on thread moves the extent of induction variable 0}}
    tile.for (%i) in (8) by (1) at dram on thread {
      %end = arith.addi %i, %c1 : index
      %s = tile.hold init(0.0 : f32) : !r
      // expected-error@+1 {{has another number of iterations for each thread, and a loop on threads in it, whose threads may wait for one another}}
      tile.for (%k) in (%end) by (1) at dram {
        tile.for (%t) in (32) by (1) at dram on thread reduce(add) {
          %x = tile.stage %A[%k + %t] : memref<?xf32> to !r
          linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : !r) outs(%s : !r) {
          ^bb0(%v: f32, %old: f32):
            %r = arith.addf %old, %v : f32
            linalg.yield %r : f32
          }
        }
      }
      tile.store %s to %Y[%b + %i] : !r to memref<?xf32>
    }
  }
}

// -----

// Eight warps of sixteen: the others would not come to where these wait for each other.
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x51_some_threads(%A: memref<?xf32>[%M], %B: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (512) at dram on block {
    %s = tile.hold init(0.0 : f32) : !r
    // expected-error@+1 {{with prefix has 256 threads of the block's 512; expected all of them, which wait for each other in it}}
    tile.for (%t) in (256) by (1) at dram on thread reduce(add) prefix {
      %a = tile.stage %A[%i + %t] : memref<?xf32> to !r
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["reduction"]} outs(%s, %a : !r, !r) {
      ^bb0(%old: f32, %v: f32):
        %sum = arith.addf %old, %v : f32
        linalg.yield %sum, %sum : f32, f32
      }
    }
    tile.for (%t) in (512) by (1) at dram on thread {
      %a = tile.stage %A[%i + %t] : memref<?xf32> to !r
      tile.store %a to %B[%i + %t] : !r to memref<?xf32>
    }
  }
}

// -----

!r = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x52_in_shared(%A: memref<?xf32>[%M], %B: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (128) at dram on block {
    %s = tile.hold init(0.0 : f32) : !r
    %t = tile.stage %A[%i] pad(zero) : memref<?xf32> to memref<128xf32, #tile.level<smem>>
    tile.for (%j) in (128) by (1) at dram on thread reduce(add) prefix {
      %a = tile.part %t[%j] : memref<128xf32, #tile.level<smem>> to memref<1xf32, strided<[1], offset: ?>, #tile.level<smem>>
      %y = tile.hold init(0.0 : f32) : !r
      // expected-error@+1 {{is gone over twice in a loop with prefix, but operand #0 is not in rf; stage it there}}
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["reduction"]}
          ins(%a : memref<1xf32, strided<[1], offset: ?>, #tile.level<smem>>) outs(%s, %y : !r, !r) {
      ^bb0(%v: f32, %old: f32, %w: f32):
        %sum = arith.addf %old, %v : f32
        linalg.yield %sum, %sum : f32, f32
      }
      tile.store %y to %B[%i + %j] : !r to memref<?xf32>
    }
  }
}
