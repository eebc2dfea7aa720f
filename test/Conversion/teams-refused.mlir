// RUN: tilec-opt %s -split-input-file -verify-diagnostics -tile-plan-copy -tile-plan-pipeline -tile-plan-compute -tile-plan-raster -tile-plan-smem -tile-plan-launch -tile-lower-to-kernel -tile-place-barriers

// Teams that the language allows and the lowering refuses (docs/limits.md).

!G = memref<?x?xf32, strided<[?, 1]>>
!s = memref<32x32xf32, #tile.level<smem>>
!r = memref<1x32xf32, #tile.level<rf>>
tile.kernel @limit_x47(%A: !G[%M, %K], %C: !G[%M, %K], %M: index, %K: index) {
  tile.for (%m) in (%M) by (32) at dram on block persistent teams(2) {
    // expected-error@+1 {{computes without instructions of warpgroups, which all threads of the block do as fast together; leave out teams(2)}}
    tile.for (%k) in (%K) by (32) at dram pipeline(2) producers(1) {
      %s = tile.stage %A[%m, %k] : !G to !s
      tile.for (%t) in (32) by (1) at smem on thread {
        %r = tile.stage %s[%t, 0] : !s to !r
        tile.store %r to %C[%m + %t, %k] : !r to !G
      }
    }
  }
}

// -----

!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<64x32xbf16, #tile.layout<"Sw<2,3,3> o 0 o (64,32):(32,1)">, #tile.level<smem>>
!sB = memref<32x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (32,64):(64,1)">, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<16x64xbf16, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
tile.kernel @limit_x48(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32, strided<[?, 1]>>[%M, %N], %V: memref<?xf32>[%N], %M: index, %N: index, %K: index) {
  // expected-note@+1 {{without teams it may}}
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block persistent teams(2) {
    %c = tile.hold init(0.0 : f32) : !c
    // expected-error@+1 {{has an extent that is neither a constant nor a size argument, but teams(2) know where their tiles begin in the ring by one number of iterations}}
    tile.for (%k) in (%m) by (32) at dram pipeline(2) producers(1) {
      %sA = tile.stage %A[%m, %k] copy(tma) : !G to !sA
      %sB = tile.stage %B[%k, %n] copy(tma) : !G to !sB
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (32) by (16) at smem on unroll {
          %a = tile.part %sA[0, %k1] : !sA to !iA
          %b = tile.part %sB[%k1, 0] : !sB to !iB
          linalg.matmul ins(%a, %b : !iA, !iB) outs(%c : !c)
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to memref<?x?xf32, strided<[?, 1]>>
  }
}

// -----

!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<64x32xbf16, #tile.layout<"Sw<2,3,3> o 0 o (64,32):(32,1)">, #tile.level<smem>>
!sB = memref<32x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (32,64):(64,1)">, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<16x64xbf16, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
tile.kernel @limit_x48_computed(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32, strided<[?, 1]>>[%M, %N], %V: memref<?xf32>[%N], %M: index, %N: index, %K: index) {
  // expected-note@+1 {{without teams it may}}
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block persistent teams(2) {
    %c = tile.hold init(0.0 : f32) : !c
    %c32 = arith.constant 32 : index
    %end = arith.addi %K, %c32 : index
    // expected-error@+1 {{has an extent that is neither a constant nor a size argument, but teams(2) know where their tiles begin in the ring by one number of iterations}}
    tile.for (%k) in (%end) by (32) at dram pipeline(2) producers(1) {
      %sA = tile.stage %A[%m, %k] copy(tma) : !G to !sA
      %sB = tile.stage %B[%k, %n] copy(tma) : !G to !sB
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (32) by (16) at smem on unroll {
          %a = tile.part %sA[0, %k1] : !sA to !iA
          %b = tile.part %sB[%k1, 0] : !sB to !iB
          linalg.matmul ins(%a, %b : !iA, !iB) outs(%c : !c)
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to memref<?x?xf32, strided<[?, 1]>>
  }
}

// -----

!v = memref<64xf32, #tile.level<smem>>
!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<64x32xbf16, #tile.layout<"Sw<2,3,3> o 0 o (64,32):(32,1)">, #tile.level<smem>>
!sB = memref<32x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (32,64):(64,1)">, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<16x64xbf16, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
tile.kernel @limit_x49_held(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32, strided<[?, 1]>>[%M, %N], %V: memref<?xf32>[%N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block persistent teams(2) {
    %c = tile.hold init(0.0 : f32) : !c
    // expected-error@+1 {{has an array of 256 bytes in shared memory that teams(2) would share; stage it in the loop with producers, or leave out teams}}
    %v = tile.hold init(0.0 : f32) : !v
    tile.for (%k) in (%K) by (32) at dram pipeline(2) producers(1) {
      %sA = tile.stage %A[%m, %k] copy(tma) : !G to !sA
      %sB = tile.stage %B[%k, %n] copy(tma) : !G to !sB
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (32) by (16) at smem on unroll {
          %a = tile.part %sA[0, %k1] : !sA to !iA
          %b = tile.part %sB[%k1, 0] : !sB to !iB
          linalg.matmul ins(%a, %b : !iA, !iB) outs(%c : !c)
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to memref<?x?xf32, strided<[?, 1]>>
  }
}

// -----

!v = memref<64xf32, #tile.level<smem>>
!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<64x32xbf16, #tile.layout<"Sw<2,3,3> o 0 o (64,32):(32,1)">, #tile.level<smem>>
!sB = memref<32x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (32,64):(64,1)">, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<16x64xbf16, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
tile.kernel @limit_x49_staged(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32, strided<[?, 1]>>[%M, %N], %V: memref<?xf32>[%N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block persistent teams(2) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (32) at dram pipeline(2) producers(1) {
      %sA = tile.stage %A[%m, %k] copy(tma) : !G to !sA
      %sB = tile.stage %B[%k, %n] copy(tma) : !G to !sB
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (32) by (16) at smem on unroll {
          %a = tile.part %sA[0, %k1] : !sA to !iA
          %b = tile.part %sB[%k1, 0] : !sB to !iB
          linalg.matmul ins(%a, %b : !iA, !iB) outs(%c : !c)
        }
      }
    }
    // expected-error@+1 {{has an array of 256 bytes in shared memory that teams(2) would share}}
    %v = tile.stage %V[%n] : memref<?xf32> to !v
    tile.store %c to %C[%m, %n] : !c to memref<?x?xf32, strided<[?, 1]>>
  }
}

// -----

!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<64x32xbf16, #tile.layout<"Sw<2,3,3> o 0 o (64,32):(32,1)">, #tile.level<smem>>
!sB = memref<32x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (32,64):(64,1)">, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<16x64xbf16, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
tile.kernel @limit_x49_ahead(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32, strided<[?, 1]>>[%M, %N], %V: memref<?xf32>[%N], %M: index, %N: index, %K: index) {
  // expected-error@+1 {{makes a tile ahead of the loop whose teams(2) would share it; make it in the loop on block}}
  %early = tile.hold init(1.0 : f32) : !c
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block persistent teams(2) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (32) at dram pipeline(2) producers(1) {
      %sA = tile.stage %A[%m, %k] copy(tma) : !G to !sA
      %sB = tile.stage %B[%k, %n] copy(tma) : !G to !sB
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (32) by (16) at smem on unroll {
          %a = tile.part %sA[0, %k1] : !sA to !iA
          %b = tile.part %sB[%k1, 0] : !sB to !iB
          linalg.matmul ins(%a, %b : !iA, !iB) outs(%c : !c)
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to memref<?x?xf32, strided<[?, 1]>>
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
tile.kernel @limit_x53_teams(%A: !G[%M, %K], %B: !G[%N, %K], %U: !F[%S, %M], %C: !F[%M, %N], %M: index, %N: index, %K: index, %S: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block persistent teams(2) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%s) in (%S) by (1) at dram pipeline(2) producers(1) {
      %a = tile.stage %A[%m, 64 * %s] copy(tma) : !G to !sA
      %b = tile.stage %B[%n, 64 * %s] copy(tma) : !G to !sA
      // expected-note@+1 {{the tile in the slot}}
      %f = tile.stage %U[%s, %m] copy(tma) : !F to !f
      // expected-error@+1 {{reads a slot that a team gives back when its tile ends, beside instructions, which alone are waited for; leave out teams, or read it from the operand}}
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
