// Products on tensor cores: of warps from register tiles, of warpgroups from shared memory, and what stands around them.
!A = memref<?x?xbf16, strided<[?, 1]>>
!H = memref<?x?xf16>
!Q = memref<?x?xi8>
!F = memref<?x?xf32>
!V = memref<?xf32>
!s = memref<32x32xbf16, #tile.level<smem>>
!a = memref<16x16xbf16, #tile.level<rf>>
!b = memref<16x16xbf16, #tile.level<rf>>
!iB = memref<16x8xbf16, #tile.level<rf>>
!iC = memref<16x8xf32, #tile.level<rf>>
!c = memref<32x32xf32, #tile.level<rf>>
!w = memref<16x16xf32, #tile.level<rf>>
!t = memref<64x64xbf16, #tile.level<smem>>
!tA = memref<64x16xbf16, #tile.level<smem>>
!tB = memref<16x64xbf16, #tile.level<smem>>
!g = memref<64x64xf32, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#one = {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
#two = {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
#three = {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
// -----
// Two products with one A, a gate and what passes it, four warps.
// Y[m, n] = max(sum(A[m, k] * B[k, n] for k in range(K)), 0) * sum(A[m, k] * D[k, n] for k in range(K))
tile.kernel @gated(%A: !A[%M, %K], %B: !A[%K, %N], %D: !A[%K, %N], %Y: !F[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (32, 32) at dram on block {
    %gate = tile.hold init(0.0 : f32) : !c
    %pass = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (32) at dram pipeline(2) {
      %sA = tile.stage %A[%m, %k] : !A to !s
      %sB = tile.stage %B[%k, %n] : !A to !s
      %sD = tile.stage %D[%k, %n] : !A to !s
      tile.for (%mw, %nw) in (32, 32) by (16, 16) at smem on warp {
        tile.for (%k1) in (32) by (16) at smem {
          %a = tile.stage %sA[%mw, %k1] : !s to !a
          %b = tile.stage %sB[%k1, %nw] : !s to !b
          %d = tile.stage %sD[%k1, %nw] : !s to !b
          tile.for (%n1) in (16) by (8) at rf on unroll {
            %b1 = tile.part %b[0, %n1] : !b to !iB
            %d1 = tile.part %d[0, %n1] : !b to !iB
            %g = tile.part %gate[%mw, %nw + %n1] : !c to !iC
            %p = tile.part %pass[%mw, %nw + %n1] : !c to !iC
            linalg.matmul ins(%a, %b1 : !a, !iB) outs(%g : !iC)
            linalg.matmul ins(%a, %d1 : !a, !iB) outs(%p : !iC)
          }
        }
      }
    }
    linalg.generic #two ins(%gate : !c) outs(%pass : !c) {
    ^bb0(%g: f32, %p: f32):
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %g, %zero : f32
      %y = arith.mulf %r, %p : f32
      linalg.yield %y : f32
    }
    tile.store %pass to %Y[%m, %n] : !c to !F
  }
}
// -----
// A matrix times itself transposed: one operand, staged as either factor, along its rows.
// Y[i, j] = sum(A[k, i] * A[k, j] for k in range(K))
tile.kernel @gram(%A: !A[%K, %M], %Y: !F[%M, %M], %M: index, %K: index) {
  tile.for (%m, %n) in (%M, %M) by (32, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (16) at dram {
      tile.for (%mw, %nw) in (32, 32) by (16, 16) at dram on warp {
        %a = tile.stage %A[%k, %m + %mw] : !A to !a
        %b = tile.stage %A[%k, %n + %nw] : !A to !b
        tile.for (%n1) in (16) by (8) at rf on unroll {
          %b1 = tile.part %b[0, %n1] : !b to !iB
          %s = tile.part %c[%mw, %nw + %n1] : !c to !iC
          linalg.matmul indexing_maps = [#km, #kn, #mn] ins(%a, %b1 : !a, !iB) outs(%s : !iC)
        }
      }
    }
    tile.store %c to %Y[%m, %n] : !c to !F
  }
}
// -----
// C = A B + C, the sums begun from C; each warp alone.
// C[m, n] = C[m, n] + sum(A[m, k] * B[k, n] for k in range(K))
tile.kernel @added(%A: !A[%M, %K], %B: !A[%K, %N], %C: !F[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (32, 32) at dram on block {
    tile.for (%mw, %nw) in (32, 32) by (16, 16) at dram on warp {
      %c = tile.stage %C[%m + %mw, %n + %nw] : !F to !w
      tile.for (%k) in (%K) by (16) at dram {
        %a = tile.stage %A[%m + %mw, %k] : !A to !a
        %b = tile.stage %B[%k, %n + %nw] : !A to !b
        tile.for (%n1) in (16) by (8) at rf on unroll {
          %b1 = tile.part %b[0, %n1] : !b to !iB
          %s = tile.part %c[0, %n1] : !w to !iC
          linalg.matmul ins(%a, %b1 : !a, !iB) outs(%s : !iC)
        }
      }
      tile.store %c to %C[%m + %mw, %n + %nw] : !w to !F
    }
  }
}
// -----
// Rows of A that indices number, as experts take the rows of their tokens.
// I from range(M)
// Y[r, n] = sum(A[I[r], k] * B[k, n] for k in range(K))
tile.kernel @gathered(%A: !A[%M, %K], %B: !A[%K, %N], %I: memref<?xi32>[%R], %Y: !F[%R, %N], %M: index, %N: index, %K: index, %R: index) {
  tile.for (%r, %n) in (%R, %N) by (32, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (32) at dram {
      %sA = tile.stage %A[%r, %k] gather(%I : memref<?xi32> along 0) pad(zero) : !A to !s
      %sB = tile.stage %B[%k, %n] pad(zero) : !A to !s
      tile.for (%mw, %nw) in (32, 32) by (16, 16) at smem on warp {
        tile.for (%k1) in (32) by (16) at smem on unroll {
          %a = tile.stage %sA[%mw, %k1] : !s to !a
          %b = tile.stage %sB[%k1, %nw] : !s to !b
          tile.for (%n1) in (16) by (8) at rf on unroll {
            %b1 = tile.part %b[0, %n1] : !b to !iB
            %s = tile.part %c[%mw, %nw + %n1] : !c to !iC
            linalg.matmul ins(%a, %b1 : !a, !iB) outs(%s : !iC)
          }
        }
      }
    }
    tile.store %c to %Y[%r, %n] : !c to !F
  }
}
// -----
// Two products one after the other: what the first one makes is rounded and goes to the second by shared memory.
// shapes: M=37 K=21 N=13; M=1 K=66 N=2
// T(M, 32)[i, j] = sum(A[i, k] * B[k, j] for k in range(K))
// Y[i, n] = sum(T[i, j] * D[j, n] for j in range(32))
tile.kernel @chained(%A: !A[%M, %K], %B: memref<?x32xbf16>[%K, 32], %D: memref<32x?xbf16>[32, %N], %Y: !F[%M, %N], %M: index, %K: index, %N: index) {
  tile.for (%m) in (%M) by (32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    %between = tile.hold init(0.0 : bf16) : !s
    tile.for (%k) in (%K) by (32) at dram {
      %sA = tile.stage %A[%m, %k] pad(zero) : !A to !s
      %sB = tile.stage %B[%k, 0] pad(zero) : memref<?x32xbf16> to !s
      tile.for (%mw, %nw) in (32, 32) by (16, 16) at smem on warp {
        tile.for (%k1) in (32) by (16) at smem on unroll {
          %a = tile.stage %sA[%mw, %k1] : !s to !a
          %b = tile.stage %sB[%k1, %nw] : !s to !b
          tile.for (%n1) in (16) by (8) at rf on unroll {
            %b1 = tile.part %b[0, %n1] : !b to !iB
            %s = tile.part %c[%mw, %nw + %n1] : !c to !iC
            linalg.matmul ins(%a, %b1 : !a, !iB) outs(%s : !iC)
          }
        }
      }
    }
    %r = tile.hold init(0.0 : bf16) : memref<32x32xbf16, #tile.level<rf>>
    linalg.generic #two ins(%c : !c) outs(%r : memref<32x32xbf16, #tile.level<rf>>) {
    ^bb0(%x: f32, %o: bf16):
      %y = arith.truncf %x : f32 to bf16
      linalg.yield %y : bf16
    }
    tile.store %r to %between[0, 0] : memref<32x32xbf16, #tile.level<rf>> to !s
    tile.for (%n) in (%N) by (32) at dram {
      %d = tile.hold init(0.0 : f32) : !c
      %sD = tile.stage %D[0, %n] pad(zero) : memref<32x?xbf16> to !s
      tile.for (%mw, %nw) in (32, 32) by (16, 16) at smem on warp {
        tile.for (%k1) in (32) by (16) at smem on unroll {
          %a = tile.stage %between[%mw, %k1] : !s to !a
          %b = tile.stage %sD[%k1, %nw] : !s to !b
          tile.for (%n1) in (16) by (8) at rf on unroll {
            %b1 = tile.part %b[0, %n1] : !b to !iB
            %s = tile.part %d[%mw, %nw + %n1] : !c to !iC
            linalg.matmul ins(%a, %b1 : !a, !iB) outs(%s : !iC)
          }
        }
      }
      tile.store %d to %Y[%m, %n] : !c to !F
    }
  }
}
// -----
// A lower triangle times a matrix: of A's rows no more is walked than there is.
// Y[m, n] = sum(A[m, k] * B[k, n] for k in range(min(M, 32 * (m // 32) + 32)))
tile.kernel @triangle(%A: !A[%M, %M], %B: !A[%M, %N], %Y: !F[%M, %N], %M: index, %N: index) {
  tile.for (%m, %n) in (%M, %N) by (32, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    %tile = arith.constant 32 : index
    %end = arith.addi %m, %tile : index
    tile.for (%k) in (%end) by (16) at dram {
      tile.for (%mw, %nw) in (32, 32) by (16, 16) at dram on warp {
        %a = tile.stage %A[%m + %mw, %k] : !A to !a
        %b = tile.stage %B[%k, %n + %nw] : !A to !b
        tile.for (%n1) in (16) by (8) at rf on unroll {
          %b1 = tile.part %b[0, %n1] : !b to !iB
          %s = tile.part %c[%mw, %nw + %n1] : !c to !iC
          linalg.matmul ins(%a, %b1 : !a, !iB) outs(%s : !iC)
        }
      }
    }
    tile.store %c to %Y[%m, %n] : !c to !F
  }
}
// -----
// k parted among blocks, which add what they have to Y.
// Y[m, n] = Y[m, n] + sum(A[m, k] * B[k, n] for k in range(K))
tile.kernel @split(%A: !A[%M, %K], %B: !A[%K, %N], %Y: !F[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n, %ks) in (%M, %N, 32) by (32, 32, 16) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (32) at dram {
      tile.for (%mw, %nw) in (32, 32) by (16, 16) at dram on warp {
        %a = tile.stage %A[%m + %mw, %k + %ks] : !A to !a
        %b = tile.stage %B[%k + %ks, %n + %nw] : !A to !b
        tile.for (%n1) in (16) by (8) at rf on unroll {
          %b1 = tile.part %b[0, %n1] : !b to !iB
          %s = tile.part %c[%mw, %nw + %n1] : !c to !iC
          linalg.matmul ins(%a, %b1 : !a, !iB) outs(%s : !iC)
        }
      }
    }
    tile.store %c to %Y[%m, %n] combine(add) unordered : !c to !F
  }
}
// -----
// Warps that part k and add up what they have.
// Y[m, n] = sum(A[m, k] * B[k, n] for k in range(K))
tile.kernel @warps_reduce(%A: !A[%M, %K], %B: !A[%K, %N], %Y: !F[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (16, 8) at dram on block {
    %c = tile.hold init(0.0 : f32) : !iC
    tile.for (%kw) in (64) by (16) at dram on warp reduce(add) {
      tile.for (%k) in (%K) by (64) at dram {
        %a = tile.stage %A[%m, %k + %kw] : !A to !a
        %b = tile.stage %B[%k + %kw, %n] : !A to !iB
        linalg.matmul ins(%a, %b : !a, !iB) outs(%c : !iC)
      }
    }
    tile.store %c to %Y[%m, %n] : !iC to !F
  }
}
// -----
// Matrices of a batch, as operands of three dimensions.
// Y[b, m, n] = sum(A[b, m, k] * B[b, k, n] for k in range(K))
// shapes: L=3 M=17 N=9 K=20
tile.kernel @batch(%A: memref<?x?x?xbf16>[%L, %M, %K], %B: memref<?x?x?xbf16>[%L, %K, %N], %Y: memref<?x?x?xf32>[%L, %M, %N], %L: index, %M: index, %N: index, %K: index) {
  tile.for (%l, %m, %n) in (%L, %M, %N) by (1, 16, 8) at dram on block {
    tile.for (%w) in (1) by (1) at dram on warp {
      %c = tile.hold init(0.0 : f32) : memref<1x16x8xf32, #tile.level<rf>>
      tile.for (%k) in (%K) by (4) at dram {
        %a = tile.stage %A[%l, %m, %k] : memref<?x?x?xbf16> to memref<1x16x4xbf16, #tile.level<rf>>
        %b = tile.stage %B[%l, %k, %n] : memref<?x?x?xbf16> to memref<1x4x8xbf16, #tile.level<rf>>
        linalg.batch_matmul ins(%a, %b : memref<1x16x4xbf16, #tile.level<rf>>, memref<1x4x8xbf16, #tile.level<rf>>) outs(%c : memref<1x16x8xf32, #tile.level<rf>>)
      }
      tile.store %c to %Y[%l, %m, %n] : memref<1x16x8xf32, #tile.level<rf>> to memref<?x?x?xf32>
    }
  }
}
// -----
// The same by a warpgroup, which has nothing but its instruction.
// Y[l, m, n] = sum(A[l, m, k] * B[l, k, n] for k in range(K))
// shapes: L=3 M=17 N=9 K=20
tile.kernel @batch_group(%A: memref<?x?x?xbf16>[%L, %M, %K], %B: memref<?x?x?xbf16>[%L, %K, %N], %Y: memref<?x?x?xf32>[%L, %M, %N], %L: index, %M: index, %N: index, %K: index) {
  tile.for (%l, %m, %n) in (%L, %M, %N) by (1, 64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : memref<1x64x64xf32, #tile.level<rf>>
    tile.for (%k) in (%K) by (16) at dram pipeline(2) producers(1) {
      %a = tile.stage %A[%l, %m, %k] copy(tma) : memref<?x?x?xbf16> to memref<1x64x16xbf16, #tile.level<smem>>
      %b = tile.stage %B[%l, %k, %n] copy(tma) : memref<?x?x?xbf16> to memref<1x16x64xbf16, #tile.level<smem>>
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        linalg.batch_matmul ins(%a, %b : memref<1x64x16xbf16, #tile.level<smem>>, memref<1x16x64xbf16, #tile.level<smem>>) outs(%c : memref<1x64x64xf32, #tile.level<rf>>)
      }
    }
    tile.store %c to %Y[%l, %m, %n] : memref<1x64x64xf32, #tile.level<rf>> to memref<?x?x?xf32>
  }
}
// -----
// Scores of attention by warpgroups, a scalar for each row and a mask above the diagonal.
// scale from [2, 0.5]
// Y[m, n] = sum(A[m, k] * B[n, k] for k in range(K)) * scale + R[m] if n <= m else -1.0
tile.kernel @scores(%A: !A[%M, %K], %B: !A[%N, %K], %R: !V[%M], %Y: !F[%M, %N], %M: index, %N: index, %K: index, %scale: f32) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !g
    tile.for (%k) in (%K) by (64) at dram pipeline(2) producers(1) {
      %sA = tile.stage %A[%m, %k] copy(tma) : !A to !t
      %sB = tile.stage %B[%n, %k] copy(tma) : !A to !t
      tile.for (%w) in (64) by (64) at smem on warpgroup {
        tile.for (%k1) in (64) by (16) at smem {
          %a = tile.part %sA[%w, %k1] : !t to !tA
          %b = tile.part %sB[0, %k1] : !t to !tA
          %s = tile.part %c[%w, 0] : !g to !g
          linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%a, %b : !tA, !tA) outs(%s : !g)
        }
      }
    }
    %r = tile.part %R[%m] : !V to memref<64xf32, strided<[?], offset: ?>>
    linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%r : memref<64xf32, strided<[?], offset: ?>>) outs(%c : !g) {
    ^bb0(%x: f32, %o: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %mi = arith.addi %m, %i : index
      %nj = arith.addi %n, %j : index
      %below = arith.cmpi sle, %nj, %mi : index
      %low = arith.constant -1.0 : f32
      %u = arith.mulf %o, %scale : f32
      %v = arith.addf %u, %x : f32
      %y = arith.select %below, %v, %low : f32
      linalg.yield %y : f32
    }
    tile.store %c to %Y[%m, %n] through(32) : !g to !F
  }
}
// -----
// The largest sum of each row, from what a warpgroup holds together.
// shapes: M=37 N=64 K=21; M=64 N=70 K=130
// Y[m] = max(sum(A[m, k] * B[k, n] for k in range(K)) for n in range(64))
tile.kernel @row_maximum(%A: !A[%M, %K], %B: !A[%K, %N], %Y: !V[%M], %M: index, %N: index, %K: index) {
  tile.for (%m) in (%M) by (64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !g
    tile.for (%k) in (%K) by (64) at dram pipeline(2) producers(1) {
      %sA = tile.stage %A[%m, %k] pad(zero) copy(tma) : !A to !t
      %sB = tile.stage %B[%k, 0] pad(zero) copy(tma) : !A to !t
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (64) by (16) at smem {
          %a = tile.part %sA[0, %k1] : !t to !tA
          %b = tile.part %sB[%k1, 0] : !t to !tB
          linalg.matmul ins(%a, %b : !tA, !tB) outs(%c : !g)
        }
      }
    }
    %y = tile.hold init(0xFF800000 : f32) : memref<64xf32, #tile.level<rf>>
    linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%c : !g) outs(%y : memref<64xf32, #tile.level<rf>>) {
    ^bb0(%x: f32, %o: f32):
      %z = arith.maximumf %o, %x : f32
      linalg.yield %z : f32
    }
    tile.store %y to %Y[%m] : memref<64xf32, #tile.level<rf>> to !V
  }
}
// -----
// The same by way of shared memory, where threads reduce rows.
// shapes: M=37 K=21; M=64 K=130
// Y[m] = max(sum(A[m, k] * B[k, n] for k in range(K)) for n in range(64))
tile.kernel @row_maximum_shared(%A: !A[%M, %K], %B: memref<?x64xbf16>[%K, 64], %Y: !V[%M], %M: index, %K: index) {
  tile.for (%m) in (%M) by (64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !g
    %sums = tile.hold init(0.0 : f32) : memref<64x64xf32, #tile.level<smem>>
    tile.for (%k) in (%K) by (64) at dram pipeline(2) producers(1) {
      %sA = tile.stage %A[%m, %k] pad(zero) copy(tma) : !A to !t
      %sB = tile.stage %B[%k, 0] pad(zero) copy(tma) : memref<?x64xbf16> to !t
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (64) by (16) at smem {
          %a = tile.part %sA[0, %k1] : !t to !tA
          %b = tile.part %sB[%k1, 0] : !t to !tB
          linalg.matmul ins(%a, %b : !tA, !tB) outs(%c : !g)
        }
      }
    }
    tile.store %c to %sums[0, 0] : !g to memref<64x64xf32, #tile.level<smem>>
    tile.for (%t) in (64) by (1) at smem on thread {
      %r = tile.stage %sums[%t, 0] : memref<64x64xf32, #tile.level<smem>> to memref<1x64xf32, #tile.level<rf>>
      %y = tile.hold init(0xFF800000 : f32) : memref<1xf32, #tile.level<rf>>
      linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r : memref<1x64xf32, #tile.level<rf>>) outs(%y : memref<1xf32, #tile.level<rf>>) {
      ^bb0(%x: f32, %o: f32):
        %z = arith.maximumf %o, %x : f32
        linalg.yield %z : f32
      }
      tile.store %y to %Y[%m + %t] : memref<1xf32, #tile.level<rf>> to !V
    }
  }
}
// -----
// Two products by warpgroups with one ring of three tiles, subtracted.
// Y[m, n] = sum(A[m, k] * B[k, n] for k in range(K)) - sum(A[m, k] * D[k, n] for k in range(K))
tile.kernel @difference(%A: !A[%M, %K], %B: !A[%K, %N], %D: !A[%K, %N], %Y: !F[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block persistent {
    %c = tile.hold init(0.0 : f32) : !g
    %d = tile.hold init(0.0 : f32) : !g
    tile.for (%k) in (%K) by (64) at dram pipeline(2) producers(4) {
      %sA = tile.stage %A[%m, %k] copy(tma) : !A to !t
      %sB = tile.stage %B[%k, %n] copy(tma) : !A to !t
      %sD = tile.stage %D[%k, %n] copy(tma) : !A to !t
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (64) by (16) at smem on unroll {
          %a = tile.part %sA[0, %k1] : !t to !tA
          %b = tile.part %sB[%k1, 0] : !t to !tB
          %e = tile.part %sD[%k1, 0] : !t to !tB
          linalg.matmul ins(%a, %b : !tA, !tB) outs(%c : !g)
          linalg.matmul ins(%a, %e : !tA, !tB) outs(%d : !g)
        }
      }
    }
    linalg.generic #two ins(%d : !g) outs(%c : !g) {
    ^bb0(%x: f32, %o: f32):
      %y = arith.subf %o, %x : f32
      linalg.yield %y : f32
    }
    tile.store %c to %Y[%m, %n] : !g to !F
  }
}
// -----
// Weights of 8 bits, made bf16 in registers by each warp ahead of the product.
// Y[m, n] = sum(A[m, k] * W[k, n] for k in range(K))
tile.kernel @weights(%A: !A[%M, %K], %W: !Q[%K, %N], %Y: !F[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (32, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (16) at dram {
      tile.for (%mw, %nw) in (32, 32) by (16, 16) at dram on warp {
        %a = tile.stage %A[%m + %mw, %k] pad(zero) : !A to !a
        %q = tile.stage %W[%k, %n + %nw] pad(zero) : !Q to memref<16x16xi8, #tile.level<rf>>
        %b = tile.hold init(0.0 : bf16) : !b
        linalg.generic #two ins(%q : memref<16x16xi8, #tile.level<rf>>) outs(%b : !b) {
        ^bb0(%x: i8, %o: bf16):
          %y = arith.sitofp %x : i8 to bf16
          linalg.yield %y : bf16
        }
        tile.for (%n1) in (16) by (8) at rf on unroll {
          %b1 = tile.part %b[0, %n1] : !b to !iB
          %s = tile.part %c[%mw, %nw + %n1] : !c to !iC
          linalg.matmul ins(%a, %b1 : !a, !iB) outs(%s : !iC)
        }
      }
    }
    tile.store %c to %Y[%m, %n] : !c to !F
  }
}
// -----
// A factor that is changed where it lies in registers, copied ahead.
// Y[m, n] = sum(max(A[m, k], 0) * B[k, n] for k in range(K))
tile.kernel @changed(%A: !A[%M, %K], %B: !A[%K, %N], %Y: !F[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (32, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (32) at dram pipeline(2) {
      %sA = tile.stage %A[%m, %k] pad(zero) : !A to !s
      %sB = tile.stage %B[%k, %n] pad(zero) : !A to !s
      tile.for (%mw, %nw) in (32, 32) by (16, 16) at smem on warp {
        tile.for (%k1) in (32) by (16) at smem pipeline(2) {
          %a = tile.stage %sA[%mw, %k1] : !s to !a
          %b = tile.stage %sB[%k1, %nw] : !s to !b
          linalg.generic #one outs(%a : !a) {
          ^bb0(%x: bf16):
            %zero = arith.constant 0.0 : bf16
            %y = arith.maximumf %x, %zero : bf16
            linalg.yield %y : bf16
          }
          tile.for (%n1) in (16) by (8) at rf on unroll {
            %b1 = tile.part %b[0, %n1] : !b to !iB
            %s = tile.part %c[%mw, %nw + %n1] : !c to !iC
            linalg.matmul ins(%a, %b1 : !a, !iB) outs(%s : !iC)
          }
        }
      }
    }
    tile.store %c to %Y[%m, %n] : !c to !F
  }
}
// -----
// A's tile stays in the registers of a warp, which walks along n.
// shapes: M=37 N=21; M=16 N=64
// Y[m, n] = sum(A[m, k] * B[k, n] for k in range(16))
tile.kernel @resident(%A: memref<?x16xbf16>[%M, 16], %B: memref<16x?xbf16>[16, %N], %Y: !F[%M, %N], %M: index, %N: index) {
  tile.for (%m) in (%M) by (64) at dram on block {
    tile.for (%mw) in (64) by (16) at dram on warp {
      %a = tile.stage %A[%m + %mw, 0] : memref<?x16xbf16> to !a
      tile.for (%n) in (%N) by (8) at dram {
        %c = tile.hold init(1.0 : f32) : !iC
        %b = tile.stage %B[0, %n] : memref<16x?xbf16> to !iB
        linalg.matmul ins(%a, %b : !a, !iB) outs(%c : !iC)
        linalg.generic #one outs(%c : !iC) {
        ^bb0(%x: f32):
          %one = arith.constant 1.0 : f32
          %y = arith.subf %x, %one : f32
          linalg.yield %y : f32
        }
        tile.store %c to %Y[%m + %mw, %n] : !iC to !F
      }
    }
  }
}
// -----
// One register tile as either factor: lanes would have to hold it in two ways.
// refused: parts a register tile otherwise than another loop does
// shapes: M=16
tile.kernel @either_factor(%A: memref<16x16xbf16>[16, 16], %Y: memref<16x8xf32>[16, 8], %Z: memref<16x8xf32>[16, 8]) {
  tile.for (%i) in (1) by (1) at dram on block {
    tile.for (%w) in (1) by (1) at dram on warp {
      %a = tile.stage %A[0, 0] : memref<16x16xbf16> to !a
      %c = tile.hold init(0.0 : f32) : !w
      tile.for (%n1) in (16) by (8) at rf on unroll {
        %b = tile.part %a[0, %n1] : !a to !iB
        %s = tile.part %c[0, %n1] : !w to !iC
        linalg.matmul ins(%a, %b : !a, !iB) outs(%s : !iC)
      }
    }
  }
}
// -----
// More threads than multiply: a loop on threads beside a loop on fewer warps.
// Y[m, n] = sum(A[m, k] * B[k, n] for k in range(K))
// X[m, n] = A[m, n] * 2
// shapes: M=37 N=21 K=21; M=1 N=13 K=13
tile.kernel @beside(%A: !A[%M, %K], %B: !A[%K, %N], %X: !A[%M, %K], %Y: !F[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m) in (%M) by (32) at dram on block {
    tile.for (%n) in (%N) by (32) at dram {
      %c = tile.hold init(0.0 : f32) : !c
      tile.for (%k) in (%K) by (32) at dram {
        %sA = tile.stage %A[%m, %k] : !A to !s
        %sB = tile.stage %B[%k, %n] : !A to !s
        tile.for (%mw) in (32) by (16) at smem on warp {
          tile.for (%k1) in (32) by (16) at smem {
            %a = tile.stage %sA[%mw, %k1] : !s to !a
            %b = tile.stage %sB[%k1, 0] : !s to memref<16x32xbf16, #tile.level<rf>>
            tile.for (%n1) in (32) by (8) at rf on unroll {
              %b1 = tile.part %b[0, %n1] : memref<16x32xbf16, #tile.level<rf>> to !iB
              %s = tile.part %c[%mw, %n1] : !c to !iC
              linalg.matmul ins(%a, %b1 : !a, !iB) outs(%s : !iC)
            }
          }
        }
        tile.for (%i, %j) in (32, 32) by (1, 4) at smem on thread {
          %x = tile.stage %sA[%i, %j] : !s to memref<1x4xbf16, #tile.level<rf>>
          linalg.generic #one outs(%x : memref<1x4xbf16, #tile.level<rf>>) {
          ^bb0(%v: bf16):
            %d = arith.addf %v, %v : bf16
            linalg.yield %d : bf16
          }
          tile.store %x to %X[%m + %i, %k + %j] : memref<1x4xbf16, #tile.level<rf>> to !A
        }
      }
      tile.store %c to %Y[%m, %n] : !c to !F
    }
  }
}
