// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-plan-copy -tile-plan-pipeline -tile-plan-compute -tile-plan-raster -tile-plan-smem -tile-plan-launch -tile-lower-to-kernel -tile-place-barriers

// Producers and boxes of TMA that the language allows and the lowering refuses (docs/limits.md).

tile.kernel @limit_x8_producers_of_nothing(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // expected-error@+1 {{has producers but stages no tile in smem for them to fill}}
    tile.for (%k) in (%M) by (32) at dram pipeline(2) producers(1) {
      tile.for (%t) in (32) by (1) at smem on thread {
      }
    }
  }
}

// -----

!s = memref<32xf32, #tile.layout<"Sw<1,2,2> o 0 o 32:1">, #tile.level<smem>>
tile.kernel @limit_x12_box_swizzled(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    tile.for (%k) in (%M) by (32) at dram pipeline(2) producers(1) {
      // expected-error@+1 {{copy(tma) needs a tile without swizzle, or with one of rows of 32, 64 or 128 bytes, which is Sw<1,M,3>, Sw<2,M,3> or Sw<3,M,3> of 2^M elements in 16 bytes; got}}
      %s = tile.stage %A[%k] copy(tma) : memref<?xf32> to !s
      tile.for (%t) in (32) by (1) at smem on thread {
      }
    }
  }
}

// -----

// Rows of 64 bytes in a swizzle of rows of 128.
!s = memref<32x16xf32, #tile.layout<"Sw<3,2,3> o 0 o (32,16):(16,1)">, #tile.level<smem>>
tile.kernel @limit_x12_half_rows(%A: memref<?x?xf32, strided<[?, 1]>>[%M, %M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    tile.for (%k) in (%M) by (16) at dram pipeline(2) producers(1) {
      // expected-error@+1 {{copy(tma) swizzles rows of 128 bytes in this layout; those of the tile have 64}}
      %s = tile.stage %A[%i, %k] copy(tma) : memref<?x?xf32, strided<[?, 1]>> to !s
      tile.for (%t) in (32) by (1) at smem on thread {
      }
    }
  }
}

// -----

// The second of 4 rows of 128 bytes would begin in the middle of the pattern.
!s = memref<4x32xf32, #tile.layout<"Sw<3,2,3> o 0 o (4,32):(32,1)">, #tile.level<smem>>
tile.kernel @limit_x12_half_pattern(%A: memref<?x?xf32, strided<[?, 1]>>[%M, %M], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block {
    tile.for (%k) in (%M) by (32) at dram pipeline(2) producers(1) {
      // expected-error@+1 {{copy(tma) needs tiles whose size is a multiple of 1024 bytes, so that each slot starts at one; this one has 512}}
      %s = tile.stage %A[%i, %k] copy(tma) : memref<?x?xf32, strided<[?, 1]>> to !s
      tile.for (%t) in (32) by (1) at smem on thread {
      }
    }
  }
}

// -----

!s = memref<3x32xf32, #tile.layout<"(3,(16,2)):(16,(1,48))">, #tile.level<smem>>
tile.kernel @limit_x12_small_boxes(%A: memref<?x?xf32, strided<[?, 1]>>[%M, %M], %M: index) {
  tile.for (%i) in (%M) by (3) at dram on block {
    tile.for (%k) in (%M) by (32) at dram pipeline(2) producers(1) {
      // expected-error@+1 {{copy(tma) needs boxes whose size is a multiple of 128 bytes, so that each box starts at one; this one has 192}}
      %s = tile.stage %A[%i, %k] copy(tma) : memref<?x?xf32, strided<[?, 1]>> to !s
      tile.for (%t) in (32) by (1) at smem on thread {
      }
    }
  }
}

// -----

!s = memref<32x64xf32, #tile.layout<"((16,2),(32,2)):((32,1024),(1,512))">, #tile.level<smem>>
tile.kernel @limit_x12_boxes_both_ways(%A: memref<?x?xf32, strided<[?, 1]>>[%M, %M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    tile.for (%k) in (%M) by (64) at dram pipeline(2) producers(1) {
      // expected-error@+1 {{copy(tma) needs a tile of one nested mode at most, of two parts, which is copied in several boxes; got}}
      %s = tile.stage %A[%i, %k] copy(tma) : memref<?x?xf32, strided<[?, 1]>> to !s
      tile.for (%t) in (32) by (1) at smem on thread {
      }
    }
  }
}

// -----

!s = memref<32xf32, #tile.level<smem>>
tile.kernel @limit_x12_box_clamped(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    tile.for (%k) in (%M) by (32) at dram pipeline(2) producers(1) {
      // expected-error@+1 {{copy(tma) fills with zero, not with clamp}}
      %s = tile.stage %A[%k] pad(clamp) copy(tma) : memref<?xf32> to !s
      tile.for (%t) in (32) by (1) at smem on thread {
      }
    }
  }
}

// -----

!s = memref<1x1x1x1x1x32xf32, #tile.level<smem>>
!G = memref<?x?x?x?x?x?xf32>
tile.kernel @limit_x12_box_of_6_dimensions(%A: !G[%M, %M, %M, %M, %M, %M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    tile.for (%k) in (%M) by (32) at dram pipeline(2) producers(1) {
      // expected-error@+1 {{copy(tma) copies 1 to 5 dimensions, not 6}}
      %s = tile.stage %A[0, 0, 0, 0, 0, %k] copy(tma) : !G to !s
      tile.for (%t) in (32) by (1) at smem on thread {
      }
    }
  }
}

// -----

// Whether blocks walk the loop is settled by a scalar.
!s = memref<32xf32, #tile.level<smem>>
!r = memref<1xf32, #tile.level<rf>>
tile.kernel @limit_x9_producers_in_if(%A: memref<?xf32>[%M], %B: memref<?xf32>[%M], %a: f32, %M: index) {
  %zero = arith.constant 0.0 : f32
  %some = arith.cmpf une, %a, %zero : f32
  tile.for (%i) in (%M) by (32) at dram on block {
    scf.if %some {
      // expected-error@+1 {{has producers in a place that they cannot walk to}}
      tile.for (%k) in (%M) by (32) at dram pipeline(2) producers(1) {
        %s = tile.stage %A[%k] : memref<?xf32> to !s
        tile.for (%t) in (32) by (1) at smem on thread {
          %r = tile.stage %s[%t] : !s to !r
        }
      }
    }
  }
}

// -----

!s = memref<32xf32, #tile.level<smem>>
tile.kernel @limit_x9_producers_without_grid(%A: memref<?xf32>[%M], %M: index) {
  // expected-error@+1 {{has producers, which a kernel without a loop on block does not have yet}}
  tile.for (%i) in (%M) by (32) at dram pipeline(2) producers(1) {
    %s = tile.stage %A[%i] : memref<?xf32> to !s
    tile.for (%t) in (32) by (1) at smem on thread {
    }
  }
}

// -----

!s = memref<32xf32, #tile.level<smem>>
tile.kernel @limit_x10_producers_beside_half_a_warp(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%b) in (%M) by (64) at dram on block {
    // expected-error@+1 {{producers need whole warps beside them; the others are 16 threads}}
    tile.for (%i) in (64) by (32) at dram pipeline(2) producers(1) {
      %s = tile.stage %A[%b + %i] : memref<?xf32> to !s
      tile.for (%t) in (16) by (1) at smem on thread {
      }
    }
  }
}

// -----

!s = memref<4x6xf32, #tile.level<smem>>
tile.kernel @limit_x12_short_rows(%A: memref<?x?xf32, strided<[?, 1]>>[%M, %N], %M: index, %N: index) {
  tile.for (%b) in (%M) by (4) at dram on block {
    tile.for (%i) in (%N) by (6) at dram pipeline(2) producers(1) {
      // expected-error@+1 {{copy(tma) copies rows whose length is a multiple of 16 bytes; those of the tile have 24}}
      %s = tile.stage %A[%b, %i] copy(tma) : memref<?x?xf32, strided<[?, 1]>> to !s
      tile.for (%t) in (32) by (1) at smem on thread {
      }
    }
  }
}

// -----

!s = memref<3x4xf32, #tile.level<smem>>
tile.kernel @limit_x12_odd_box(%A: memref<?x?xf32, strided<[?, 1]>>[%M, %N], %M: index, %N: index) {
  tile.for (%b) in (%M) by (3) at dram on block {
    tile.for (%i) in (%N) by (4) at dram pipeline(2) producers(1) {
      // expected-error@+1 {{copy(tma) needs tiles whose size is a multiple of 128 bytes, so that each slot starts at one; this one has 48}}
      %s = tile.stage %A[%b, %i] copy(tma) : memref<?x?xf32, strided<[?, 1]>> to !s
      tile.for (%t) in (32) by (1) at smem on thread {
      }
    }
  }
}

// -----

!s = memref<32xf32, #tile.level<smem>>
tile.kernel @limit_x7_producers(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // expected-error@+1 {{pipelines 2 induction variables; one is lowered yet}}
    tile.for (%k, %l) in (%M, %M) by (32, 32) at dram pipeline(2) producers(1) {
      %s = tile.stage %A[%k] : memref<?xf32> to !s
      tile.for (%t) in (32) by (1) at smem on thread {
      }
    }
  }
}

// -----

!s = memref<32xf32, #tile.level<smem>>
tile.kernel @limit_x9_unroll(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // expected-error@+1 {{on unroll stands around a loop with producers; only loops on time are lowered there yet}}
    tile.for (%u) in (2) by (1) at dram on unroll {
      tile.for (%k) in (%M) by (32) at dram pipeline(2) producers(1) {
        %s = tile.stage %A[%k] : memref<?xf32> to !s
        tile.for (%t) in (32) by (1) at smem on thread {
        }
      }
    }
  }
}

// -----

!s = memref<32xf32, #tile.level<smem>>
!p = memref<1xf32, strided<[1], offset: ?>, #tile.level<smem>>
tile.kernel @limit_x11(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    tile.for (%k) in (%M) by (32) at dram pipeline(2) producers(1) {
      // expected-note@+1 {{the tile}}
      %s = tile.stage %A[%k] : memref<?xf32> to !s
      tile.for (%t) in (32) by (1) at smem on thread {
        %p = tile.part %s[%t] : !s to !p
        // expected-error@+1 {{writes a tile that producers fill; not lowered yet, stage it to rf and compute there}}
        linalg.add ins(%p, %p : !p, !p) outs(%p : !p)
      }
    }
  }
}

// -----

!G = memref<?x?xbf16, strided<[?, 1]>>
!F = memref<?x?xf32, strided<[?, 1]>>
!sA = memref<64x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (64,64):(64,1)">, #tile.level<smem>>
!f = memref<1x64xf32, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!u = memref<1x64xf32, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>
tile.kernel @limit_x53_release(%A: !G[%M, %K], %B: !G[%N, %K], %U: !F[%S, %M], %C: !F[%M, %N], %M: index, %N: index, %K: index, %S: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    // expected-error@+1 {{has release(end), which gives a slot back right after threads read it, and nothing waits for their values; with release(next) they have come by then}}
    tile.for (%s) in (%S) by (1) at dram pipeline(2) producers(1) release(end) {
      %a = tile.stage %A[%m, 64 * %s] copy(tma) : !G to !sA
      %b = tile.stage %B[%n, 64 * %s] copy(tma) : !G to !sA
      %f = tile.stage %U[%s, %m] copy(tma) : !F to !f
      // expected-note@+1 {{this reads a tile in the slot}}
      %u = tile.stage %f[0, 0] : !f to !u
      %p = tile.hold init(0.0 : f32) : !c
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k) in (64) by (16) at smem on unroll {
          %x = tile.part %a[0, %k] : !sA to !iA
          %y = tile.part %b[0, %k] : !sA to !iA
          linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
              ins(%x, %y : !iA, !iA) outs(%p : !c)
        }
      }
      linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> (0, m)>, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %u : !c, !u) outs(%c : !c) {
      ^bb0(%part: f32, %scale: f32, %sum: f32):
        %scaled = arith.mulf %part, %scale : f32
        %total = arith.addf %sum, %scaled : f32
        linalg.yield %total : f32
      }
    }
    tile.store %c to %C[%m, %n] : !c to !F
  }
}
