// Contractions: products of vectors, matrices and tensors, batched and grouped, of two and three operands, with epilogues.
!V = memref<?xf32, strided<[?]>>
!Vi = memref<?xi32, strided<[?]>>
!G = memref<?x?xf32, strided<[?, ?]>>
!Gi = memref<?x?xi32, strided<[?, ?]>>
!Gb = memref<?x?xi8, strided<[?, ?]>>
!T = memref<?x?x?xf32, strided<[?, ?, ?]>>
!e = memref<1xf32, #tile.level<rf>>
!x = memref<1x1xf32, #tile.level<rf>>
!xi = memref<1x1xi32, #tile.level<rf>>
!t = memref<1x1x1xf32, #tile.level<rf>>
!a4 = memref<4x1xf32, #tile.level<rf>>
!b4 = memref<1x4xf32, #tile.level<rf>>
!c4 = memref<4x4xf32, #tile.level<rf>>
!c = memref<32x32xf32, #tile.level<rf>>
!sA = memref<32x8xf32, #tile.level<smem>>
!sB = memref<8x32xf32, #tile.level<smem>>
#v = affine_map<(i) -> (i)>
#m = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
#gemv = {indexing_maps = [#m, #j, #i], iterator_types = ["parallel", "reduction"]}
#outer = {indexing_maps = [#i, #j, #m], iterator_types = ["parallel", "parallel"]}
#ew1 = {indexing_maps = [#m], iterator_types = ["parallel", "parallel"]}
#ew2 = {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]}
#ew3 = {indexing_maps = [#m, #m, #m], iterator_types = ["parallel", "parallel"]}
#ew4 = {indexing_maps = [#m, #m, #m, #m], iterator_types = ["parallel", "parallel"]}
// -----
// Matrix times vector, a thread a row.
// Y[i] = sum(A[i, k] * X[k] for k in range(K))
tile.kernel @gemv(%A: !G[%M, %K], %X: !V[%K], %Y: !V[%M], %M: index, %K: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %y = tile.hold init(0.0 : f32) : !e
      tile.for (%k) in (%K) by (4) at dram {
        %a = tile.stage %A[%b + %t, %k] : !G to !b4
        %x = tile.stage %X[%k] : !V to memref<4xf32, #tile.level<rf>>
        linalg.matvec ins(%a, %x : !b4, memref<4xf32, #tile.level<rf>>) outs(%y : !e)
      }
      tile.store %y to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// Vector times matrix, rows over threads that reduce, columns over blocks.
// Y[j] = sum(X[k] * A[k, j] for k in range(K))
tile.kernel @vecmat(%A: !G[%K, %N], %X: !V[%K], %Y: !V[%N], %K: index, %N: index) {
  tile.for (%j) in (%N) by (4) at dram on block {
    %y = tile.hold init(0.0 : f32) : memref<4xf32, #tile.level<rf>>
    tile.for (%t) in (32) by (1) at dram on thread reduce(add) {
      tile.for (%k) in (%K) by (32) at dram {
        %a = tile.stage %A[%k + %t, %j] : !G to !b4
        %x = tile.stage %X[%k + %t] : !V to !e
        linalg.vecmat ins(%x, %a : !e, !b4) outs(%y : memref<4xf32, #tile.level<rf>>)
      }
    }
    tile.store %y to %Y[%j] : memref<4xf32, #tile.level<rf>> to !V
  }
}
// -----
// A rank-1 update in place.
// A[i, j] = A[i, j] + a * X[i] * Y[j]
tile.kernel @ger(%A: !G[%M, %N], %X: !V[%M], %Y: !V[%N], %M: index, %N: index, %a: f32) {
  tile.for (%i, %j) in (%M, %N) by (8, 32) at dram on block {
    tile.for (%k, %l) in (8, 32) by (1, 1) at dram on thread {
      %c = tile.part %A[%i + %k, %j + %l] : !G to memref<1x1xf32, strided<[?, ?], offset: ?>>
      %x = tile.part %X[%i + %k] : !V to memref<1xf32, strided<[?], offset: ?>>
      %y = tile.part %Y[%j + %l] : !V to memref<1xf32, strided<[?], offset: ?>>
      linalg.generic #outer ins(%x, %y : memref<1xf32, strided<[?], offset: ?>>, memref<1xf32, strided<[?], offset: ?>>)
          outs(%c : memref<1x1xf32, strided<[?, ?], offset: ?>>) {
      ^bb0(%u: f32, %w: f32, %o: f32):
        %p = arith.mulf %u, %w : f32
        %q = arith.mulf %a, %p : f32
        %r = arith.addf %o, %q : f32
        linalg.yield %r : f32
      }
    }
  }
}
// -----
// The product of matrices through shared memory, $D.
// with: D=at dram; D=at dram pipeline(2); D=at dram pipeline(3)
// C[i, j] = sum(A[i, k] * B[k, j] for k in range(K))
tile.kernel @matmul(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%i, %j) in (%M, %N) by (32, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (8) $D {
      %sA = tile.stage %A[%i, %k] : !G to !sA
      %sB = tile.stage %B[%k, %j] : !G to !sB
      tile.for (%p, %q) in (32, 32) by (4, 4) at smem on thread {
        %r = tile.part %c[%p, %q] : !c to !c4
        tile.for (%l) in (8) by (1) at smem {
          %a = tile.stage %sA[%p, %l] : !sA to !a4
          %b = tile.stage %sB[%l, %q] : !sB to !b4
          linalg.matmul ins(%a, %b : !a4, !b4) outs(%r : !c4)
        }
      }
    }
    tile.store %c to %C[%i, %j] : !c to !G
  }
}
// -----
// Transposed A and B by subscripts; bias and relu at the end.
// C[i, j] = max(sum(A[k, i] * B[j, k] for k in range(K)) + U[j], 0)
tile.kernel @bias_relu(%A: !G[%K, %M], %B: !G[%N, %K], %U: !V[%N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%i, %j) in (%M, %N) by (32, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (8) at dram {
      %sA = tile.stage %A[%k, %i] : !G to !sB
      %sB = tile.stage %B[%j, %k] : !G to !sA
      tile.for (%p, %q) in (32, 32) by (4, 4) at smem on thread {
        %r = tile.part %c[%p, %q] : !c to !c4
        tile.for (%l) in (8) by (1) at smem {
          %a = tile.stage %sA[%l, %p] : !sB to !b4
          %b = tile.stage %sB[%q, %l] : !sA to !a4
          linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                          iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : !b4, !a4) outs(%r : !c4) {
          ^bb0(%u: f32, %v: f32, %o: f32):
            %d = arith.mulf %u, %v : f32
            %e = arith.addf %o, %d : f32
            linalg.yield %e : f32
          }
        }
      }
    }
    tile.for (%p, %q) in (32, 32) by (4, 4) at rf on thread {
      %r = tile.part %c[%p, %q] : !c to !c4
      %u = tile.stage %U[%j + %q] : !V to memref<4xf32, #tile.level<rf>>
      linalg.generic {indexing_maps = [#j, #m], iterator_types = ["parallel", "parallel"]} ins(%u : memref<4xf32, #tile.level<rf>>) outs(%r : !c4) {
      ^bb0(%v: f32, %o: f32):
        %zero = arith.constant 0.0 : f32
        %d = arith.addf %v, %o : f32
        %e = arith.maximumf %d, %zero : f32
        linalg.yield %e : f32
      }
    }
    tile.store %c to %C[%i, %j] : !c to !G
  }
}
// -----
// Integers of 8 bits, sums of 32.
// C[i, j] = sum(A[i, k] * B[k, j] for k in range(K))
// A from range(-128, 128)
// B from range(-128, 128)
tile.kernel @int8(%A: !Gb[%M, %K], %B: !Gb[%K, %N], %C: !Gi[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%i, %j) in (%M, %N) by (16, 16) at dram on block {
    tile.for (%p, %q) in (16, 16) by (1, 1) at dram on thread {
      %c = tile.hold init(0 : i32) : !xi
      tile.for (%k) in (%K) by (4) at dram {
        %a = tile.stage %A[%i + %p, %k] : !Gb to memref<1x4xi8, #tile.level<rf>>
        %b = tile.stage %B[%k, %j + %q] : !Gb to memref<4x1xi8, #tile.level<rf>>
        linalg.matmul ins(%a, %b : memref<1x4xi8, #tile.level<rf>>, memref<4x1xi8, #tile.level<rf>>) outs(%c : !xi)
      }
      tile.store %c to %C[%i + %p, %j + %q] : !xi to !Gi
    }
  }
}
// -----
// i32 products through shared memory, which wrap.
// C[i, j] = sum(A[i, k] * B[k, j] for k in range(K))
// A from [-2147483648, 2147483647, 65537, -3]
tile.kernel @int32(%A: !Gi[%M, %K], %B: !Gi[%K, %N], %C: !Gi[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%i, %j) in (%M, %N) by (16, 16) at dram on block {
    %c = tile.hold init(0 : i32) : memref<16x16xi32, #tile.level<rf>>
    tile.for (%k) in (%K) by (8) at dram {
      %sA = tile.stage %A[%i, %k] : !Gi to memref<16x8xi32, #tile.level<smem>>
      %sB = tile.stage %B[%k, %j] : !Gi to memref<8x16xi32, #tile.level<smem>>
      tile.for (%p, %q) in (16, 16) by (1, 1) at smem on thread {
        %r = tile.part %c[%p, %q] : memref<16x16xi32, #tile.level<rf>> to !xi
        %a = tile.part %sA[%p, 0] : memref<16x8xi32, #tile.level<smem>> to memref<1x8xi32, strided<[8, 1], offset: ?>, #tile.level<smem>>
        %b = tile.part %sB[0, %q] : memref<8x16xi32, #tile.level<smem>> to memref<8x1xi32, strided<[16, 1], offset: ?>, #tile.level<smem>>
        linalg.matmul ins(%a, %b : memref<1x8xi32, strided<[8, 1], offset: ?>, #tile.level<smem>>, memref<8x1xi32, strided<[16, 1], offset: ?>, #tile.level<smem>>)
            outs(%r : !xi)
      }
    }
    tile.store %c to %C[%i, %j] : memref<16x16xi32, #tile.level<rf>> to !Gi
  }
}
// -----
// A batch of products.
// C[b, i, j] = sum(A[b, i, k] * B[b, k, j] for k in range(K))
// shapes: B0=3 M=19 N=17 K=9; B0=1 M=1 N=33 K=1; B0=2 M=3 N=3 K=0
tile.kernel @batched(%A: !T[%B0, %M, %K], %B: !T[%B0, %K, %N], %C: !T[%B0, %M, %N], %B0: index, %M: index, %N: index, %K: index) {
  tile.for (%b, %i, %j) in (%B0, %M, %N) by (1, 16, 16) at dram on block {
    %c = tile.hold init(0.0 : f32) : memref<1x16x16xf32, #tile.level<rf>>
    tile.for (%k) in (%K) by (8) at dram {
      %sA = tile.stage %A[%b, %i, %k] : !T to memref<1x16x8xf32, #tile.level<smem>>
      %sB = tile.stage %B[%b, %k, %j] : !T to memref<1x8x16xf32, #tile.level<smem>>
      tile.for (%p, %q) in (16, 16) by (2, 2) at smem on thread {
        %r = tile.part %c[0, %p, %q] : memref<1x16x16xf32, #tile.level<rf>> to memref<1x2x2xf32, #tile.level<rf>>
        tile.for (%l) in (8) by (1) at smem {
          %x = tile.stage %sA[0, %p, %l] : memref<1x16x8xf32, #tile.level<smem>> to memref<1x2x1xf32, #tile.level<rf>>
          %y = tile.stage %sB[0, %l, %q] : memref<1x8x16xf32, #tile.level<smem>> to memref<1x1x2xf32, #tile.level<rf>>
          linalg.batch_matmul ins(%x, %y : memref<1x2x1xf32, #tile.level<rf>>, memref<1x1x2xf32, #tile.level<rf>>) outs(%r : memref<1x2x2xf32, #tile.level<rf>>)
        }
      }
    }
    tile.store %c to %C[%b, %i, %j] : memref<1x16x16xf32, #tile.level<rf>> to !T
  }
}
// -----
// A batch that shares one B (broadcast), summed over the batch by combine.
// C[i, j] = C[i, j] + sum(A[b, i, k] * B[k, j] for b in range(B0) for k in range(K))
// shapes: B0=3 M=9 N=7 K=5; B0=1 M=1 N=1 K=1
tile.kernel @batch_sum(%A: !T[%B0, %M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %B0: index, %M: index, %N: index, %K: index) {
  tile.for (%b, %i, %j) in (%B0, %M, %N) by (1, 8, 8) at dram on block {
    tile.for (%p, %q) in (8, 8) by (1, 1) at dram on thread {
      %c = tile.hold init(0.0 : f32) : !x
      tile.for (%k) in (%K) by (1) at dram {
        %x = tile.stage %A[%b, %i + %p, %k] : !T to !t
        %y = tile.stage %B[%k, %j + %q] : !G to !x
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (0, i, 0)>, affine_map<(i, j) -> (0, j)>, #m], iterator_types = ["parallel", "parallel"]}
            ins(%x, %y : !t, !x) outs(%c : !x) {
        ^bb0(%u: f32, %v: f32, %o: f32):
          %d = arith.mulf %u, %v : f32
          %e = arith.addf %o, %d : f32
          linalg.yield %e : f32
        }
      }
      tile.store %c to %C[%i + %p, %j + %q] combine(add) unordered : !x to !G
    }
  }
}
// -----
// Groups of rows with a matrix each (experts of equal size): block and group are the same loop.
// Y[g, i, j] = sum(X[g, i, k] * W[g, k, j] for k in range(8))
// shapes: D=3 M=21 N=17; D=1 M=1 N=1
tile.kernel @experts(%X: memref<?x?x8xf32>[%D, %M, 8], %W: memref<?x8x?xf32>[%D, 8, %N], %Y: !T[%D, %M, %N], %D: index, %M: index, %N: index) {
  tile.for (%g, %i) in (%D, %M) by (1, 8) at dram on block {
    %s = tile.stage %X[%g, %i, 0] : memref<?x?x8xf32> to memref<1x8x8xf32, #tile.level<smem>>
    tile.for (%j) in (%N) by (16) at dram {
      tile.for (%p, %q) in (8, 16) by (1, 1) at smem on thread {
        %y = tile.hold init(0.0 : f32) : !t
        %x = tile.stage %s[0, %p, 0] : memref<1x8x8xf32, #tile.level<smem>> to memref<1x1x8xf32, #tile.level<rf>>
        %w = tile.stage %W[%g, 0, %j + %q] : memref<?x8x?xf32> to memref<1x8x1xf32, #tile.level<rf>>
        linalg.batch_matmul ins(%x, %w : memref<1x1x8xf32, #tile.level<rf>>, memref<1x8x1xf32, #tile.level<rf>>) outs(%y : !t)
        tile.store %y to %Y[%g, %i + %p, %j + %q] : !t to !T
      }
    }
  }
}
// -----
// Three operands: Y[i] = sum over j, k of A[i, j] B[j, k] C[k] in one body.
// Y[i] = sum(A[i, j] * B[j, k] * X[k] for j in range(J) for k in range(K))
tile.kernel @three(%A: !G[%M, %J], %B: !G[%J, %K], %X: !V[%K], %Y: !V[%M], %M: index, %J: index, %K: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %y = tile.hold init(0.0 : f32) : !e
      tile.for (%j, %k) in (%J, %K) by (2, 2) at dram {
        %a = tile.stage %A[%b + %t, %j] : !G to memref<1x2xf32, #tile.level<rf>>
        %c = tile.stage %B[%j, %k] : !G to memref<2x2xf32, #tile.level<rf>>
        %x = tile.stage %X[%k] : !V to memref<2xf32, #tile.level<rf>>
        linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i)>],
                        iterator_types = ["parallel", "reduction", "reduction"]}
            ins(%a, %c, %x : memref<1x2xf32, #tile.level<rf>>, memref<2x2xf32, #tile.level<rf>>, memref<2xf32, #tile.level<rf>>) outs(%y : !e) {
        ^bb0(%u: f32, %v: f32, %w: f32, %o: f32):
          %d = arith.mulf %u, %v : f32
          %e = arith.mulf %d, %w : f32
          %f = arith.addf %o, %e : f32
          linalg.yield %f : f32
        }
      }
      tile.store %y to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// MTTKRP: a tensor with two factor matrices.
// Y[i, r] = sum(X[i, j, k] * B[j, r] * C[k, r] for j in range(J) for k in range(K))
// shapes: I=7 J=5 K=4 R=9; I=1 J=1 K=3 R=1
tile.kernel @mttkrp(%X: !T[%I, %J, %K], %B: !G[%J, %R], %C: !G[%K, %R], %Y: !G[%I, %R], %I: index, %J: index, %K: index, %R: index) {
  tile.for (%i, %r) in (%I, %R) by (4, 8) at dram on block {
    tile.for (%p, %q) in (4, 8) by (1, 1) at dram on thread {
      %y = tile.hold init(0.0 : f32) : !x
      tile.for (%j) in (%J) by (1) at dram {
        %b = tile.stage %B[%j, %r + %q] : !G to !x
        tile.for (%k) in (%K) by (2) at dram {
          %x = tile.stage %X[%i + %p, %j, %k] : !T to memref<1x1x2xf32, #tile.level<rf>>
          %c = tile.stage %C[%k, %r + %q] : !G to memref<2x1xf32, #tile.level<rf>>
          linalg.generic {indexing_maps = [affine_map<(i, r, j, k) -> (i, j, k)>, affine_map<(i, r, j, k) -> (j, r)>, affine_map<(i, r, j, k) -> (k, r)>,
                                           affine_map<(i, r, j, k) -> (i, r)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
              ins(%x, %b, %c : memref<1x1x2xf32, #tile.level<rf>>, !x, memref<2x1xf32, #tile.level<rf>>) outs(%y : !x) {
          ^bb0(%u: f32, %v: f32, %w: f32, %o: f32):
            %d = arith.mulf %u, %v : f32
            %e = arith.mulf %d, %w : f32
            %f = arith.addf %o, %e : f32
            linalg.yield %f : f32
          }
        }
      }
      tile.store %y to %Y[%i + %p, %r + %q] : !x to !G
    }
  }
}
// -----
// Squared distances between rows.
// D[i, j] = sum((A[i, k] - B[j, k]) ** 2 for k in range(K))
tile.kernel @distances(%A: !G[%M, %K], %B: !G[%N, %K], %D: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%i, %j) in (%M, %N) by (16, 16) at dram on block {
    %d = tile.hold init(0.0 : f32) : memref<16x16xf32, #tile.level<rf>>
    tile.for (%k) in (%K) by (8) at dram {
      %sA = tile.stage %A[%i, %k] : !G to memref<16x8xf32, #tile.level<smem>>
      %sB = tile.stage %B[%j, %k] : !G to memref<16x8xf32, #tile.level<smem>>
      tile.for (%p, %q) in (16, 16) by (1, 1) at smem on thread {
        %r = tile.part %d[%p, %q] : memref<16x16xf32, #tile.level<rf>> to !x
        %a = tile.stage %sA[%p, 0] : memref<16x8xf32, #tile.level<smem>> to memref<1x8xf32, #tile.level<rf>>
        %b = tile.stage %sB[%q, 0] : memref<16x8xf32, #tile.level<smem>> to memref<1x8xf32, #tile.level<rf>>
        linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                        iterator_types = ["parallel", "parallel", "reduction"]}
            ins(%a, %b : memref<1x8xf32, #tile.level<rf>>, memref<1x8xf32, #tile.level<rf>>) outs(%r : !x) {
        ^bb0(%u: f32, %v: f32, %o: f32):
          %e = arith.subf %u, %v : f32
          %f = arith.mulf %e, %e : f32
          %g = arith.addf %o, %f : f32
          linalg.yield %g : f32
        }
      }
    }
    tile.store %d to %D[%i, %j] : memref<16x16xf32, #tile.level<rf>> to !G
  }
}
// -----
// Shortest paths: a product in (min, +), padded by absence.
// C[i, j] = min([1000, *(A[i, k] + B[k, j] for k in range(K))])
tile.kernel @min_plus(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%i, %j) in (%M, %N) by (16, 16) at dram on block {
    %c = tile.hold init(1000.0 : f32) : memref<16x16xf32, #tile.level<rf>>
    tile.for (%k) in (%K) by (4) at dram {
      %sA = tile.stage %A[%i, %k] : !G to memref<16x4xf32, #tile.level<smem>>
      %sB = tile.stage %B[%k, %j] : !G to memref<4x16xf32, #tile.level<smem>>
      tile.for (%p, %q) in (16, 16) by (1, 1) at smem on thread {
        %r = tile.part %c[%p, %q] : memref<16x16xf32, #tile.level<rf>> to !x
        %a = tile.stage %sA[%p, 0] : memref<16x4xf32, #tile.level<smem>> to memref<1x4xf32, #tile.level<rf>>
        %b = tile.stage %sB[0, %q] : memref<4x16xf32, #tile.level<smem>> to memref<4x1xf32, #tile.level<rf>>
        linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                        iterator_types = ["parallel", "parallel", "reduction"]}
            ins(%a, %b : memref<1x4xf32, #tile.level<rf>>, memref<4x1xf32, #tile.level<rf>>) outs(%r : !x) {
        ^bb0(%u: f32, %v: f32, %o: f32):
          %e = arith.addf %u, %v : f32
          %g = arith.minimumf %o, %e : f32
          linalg.yield %g : f32
        }
      }
    }
    tile.store %c to %C[%i, %j] : memref<16x16xf32, #tile.level<rf>> to !G
  }
}
// -----
// Two products in one kernel: gate and value, joined by relu.
// C[i, j] = max(sum(A[i, k] * B[k, j] for k in range(K)), 0) * sum(A[i, k] * D[k, j] for k in range(K))
tile.kernel @gated(%A: !G[%M, %K], %B: !G[%K, %N], %D: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%i, %j) in (%M, %N) by (16, 16) at dram on block {
    tile.for (%p, %q) in (16, 16) by (2, 2) at dram on thread {
      %g = tile.hold init(0.0 : f32) : memref<2x2xf32, #tile.level<rf>>
      %h = tile.hold init(0.0 : f32) : memref<2x2xf32, #tile.level<rf>>
      tile.for (%k) in (%K) by (1) at dram {
        %a = tile.stage %A[%i + %p, %k] : !G to memref<2x1xf32, #tile.level<rf>>
        %b = tile.stage %B[%k, %j + %q] : !G to memref<1x2xf32, #tile.level<rf>>
        %d = tile.stage %D[%k, %j + %q] : !G to memref<1x2xf32, #tile.level<rf>>
        linalg.matmul ins(%a, %b : memref<2x1xf32, #tile.level<rf>>, memref<1x2xf32, #tile.level<rf>>) outs(%g : memref<2x2xf32, #tile.level<rf>>)
        linalg.matmul ins(%a, %d : memref<2x1xf32, #tile.level<rf>>, memref<1x2xf32, #tile.level<rf>>) outs(%h : memref<2x2xf32, #tile.level<rf>>)
      }
      linalg.generic #ew2 ins(%h : memref<2x2xf32, #tile.level<rf>>) outs(%g : memref<2x2xf32, #tile.level<rf>>) {
      ^bb0(%u: f32, %o: f32):
        %zero = arith.constant 0.0 : f32
        %r = arith.maximumf %o, %zero : f32
        %s = arith.mulf %r, %u : f32
        linalg.yield %s : f32
      }
      tile.store %g to %C[%i + %p, %j + %q] : memref<2x2xf32, #tile.level<rf>> to !G
    }
  }
}
// -----
// One product after the other: rows of A B stay in shared memory for the product with C.
// T(M, 16)[i, l] = sum(A[i, k] * B[k, l] for k in range(K))
// D[i, j] = sum(T[i, l] * C[l, j] for l in range(16))
// shapes: M=21 N=19 K=7; M=1 N=1 K=0
!s8 = memref<8x16xf32, #tile.level<smem>>
!ps = memref<1x1xf32, strided<[16, 1], offset: ?>, #tile.level<smem>>
tile.kernel @chain(%A: !G[%M, %K], %B: memref<?x16xf32>[%K, 16], %C: memref<16x?xf32>[16, %N], %Z: memref<8x16xf32>[8, 16], %D: !G[%M, %N],
                   %M: index, %N: index, %K: index) {
  tile.for (%i) in (%M) by (8) at dram on block {
    %s = tile.stage %Z[0, 0] : memref<8x16xf32> to !s8
    tile.for (%p, %l) in (8, 16) by (1, 1) at dram on thread {
      %t = tile.part %s[%p, %l] : !s8 to !ps
      linalg.generic #ew1 outs(%t : !ps) {
      ^bb0(%o: f32):
        %zero = arith.constant 0.0 : f32
        linalg.yield %zero : f32
      }
      tile.for (%k) in (%K) by (1) at dram {
        %a = tile.stage %A[%i + %p, %k] : !G to !x
        %b = tile.stage %B[%k, %l] : memref<?x16xf32> to !x
        linalg.matmul ins(%a, %b : !x, !x) outs(%t : !ps)
      }
    }
    tile.for (%j) in (%N) by (16) at dram {
      tile.for (%p, %q) in (8, 16) by (1, 1) at dram on thread {
        %d = tile.hold init(0.0 : f32) : !x
        tile.for (%l) in (16) by (1) at smem {
          %t = tile.stage %s[%p, %l] : !s8 to !x
          %c = tile.stage %C[%l, %j + %q] : memref<16x?xf32> to !x
          linalg.matmul ins(%t, %c : !x, !x) outs(%d : !x)
        }
        tile.store %d to %D[%i + %p, %j + %q] : !x to !G
      }
    }
  }
}
// -----
// A product with its own transpose, the lower triangle alone.
// C[i, j] = sum(A[i, k] * A[j, k] for k in range(K)) if j <= i else C[i, j]
tile.kernel @syrk(%A: !G[%M, %K], %C: !G[%M, %M], %M: index, %K: index) {
  tile.for (%i, %j) in (%M, %M) by (8, 8) at dram on block {
    tile.for (%p, %q) in (8, 8) by (1, 1) at dram on thread {
      %row = arith.addi %i, %p : index
      %col = arith.addi %j, %q : index
      %below = arith.cmpi sle, %col, %row : index
      scf.if %below {
        %c = tile.hold init(0.0 : f32) : !x
        tile.for (%k) in (%K) by (1) at dram {
          %a = tile.stage %A[%i + %p, %k] : !G to !x
          %b = tile.stage %A[%j + %q, %k] : !G to !x
          linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (j, 0)>, #m], iterator_types = ["parallel", "parallel"]}
              ins(%a, %b : !x, !x) outs(%c : !x) {
          ^bb0(%u: f32, %v: f32, %o: f32):
            %d = arith.mulf %u, %v : f32
            %e = arith.addf %o, %d : f32
            linalg.yield %e : f32
          }
        }
        tile.store %c to %C[%i + %p, %j + %q] : !x to !G
      }
    }
  }
}
// -----
// A product in place: rows of A are overwritten while other threads read them.
// refused: other iterations of a loop on thread may write.*the write is here
tile.kernel @in_place(%A: !G[%N, %N], %B: !G[%N, %N], %N: index) {
  tile.for (%i, %j) in (%N, %N) by (16, 16) at dram on block {
    tile.for (%p, %q) in (16, 16) by (1, 1) at dram on thread {
      %c = tile.hold init(0.0 : f32) : !x
      tile.for (%k) in (%N) by (1) at dram {
        %a = tile.stage %A[%i + %p, %k] : !G to !x
        %b = tile.stage %B[%k, %j + %q] : !G to !x
        linalg.matmul ins(%a, %b : !x, !x) outs(%c : !x)
      }
      tile.store %c to %A[%i + %p, %j + %q] : !x to !G
    }
  }
}
// -----
// A product in place by blocks of whole rows, which they have copied: 16 columns.
// A[i, j] = sum(A[i, k] * B[k, j] for k in range(16))
tile.kernel @rows_in_place(%A: memref<?x16xf32>[%M, 16], %B: memref<16x16xf32>[16, 16], %M: index) {
  tile.for (%i) in (%M) by (4) at dram on block {
    %s = tile.stage %A[%i, 0] : memref<?x16xf32> to memref<4x16xf32, #tile.level<smem>>
    tile.for (%p, %q) in (4, 16) by (1, 1) at smem on thread {
      %c = tile.hold init(0.0 : f32) : !x
      tile.for (%k) in (16) by (1) at smem {
        %a = tile.stage %s[%p, %k] : memref<4x16xf32, #tile.level<smem>> to !x
        %b = tile.stage %B[%k, %q] : memref<16x16xf32> to !x
        linalg.matmul ins(%a, %b : !x, !x) outs(%c : !x)
      }
      tile.store %c to %A[%i + %p, %q] : !x to memref<?x16xf32>
    }
  }
}
// -----
// A triangular solve, a thread a right-hand side: rows one after the other, in place.
// Z(N, M)[i, j] = B[i, j] - sum(L[i, k] * Z[k, j] for k in range(i))
// B[i, j] = Z[i, j]
// shapes: N=6 M=37; N=1 M=1
tile.kernel @solve(%L: !G[%N, %N], %B: !G[%N, %M], %N: index, %M: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      tile.for (%i) in (%N) by (1) at dram {
        %z = tile.stage %B[%i, %b + %t] : !G to !x
        tile.for (%k) in (%N) by (1) at dram {
          %below = arith.cmpi slt, %k, %i : index
          scf.if %below {
            %l = tile.stage %L[%i, %k] : !G to !x
            %y = tile.stage %B[%k, %b + %t] : !G to !x
            linalg.generic #ew3 ins(%l, %y : !x, !x) outs(%z : !x) {
            ^bb0(%u: f32, %v: f32, %o: f32):
              %d = arith.mulf %u, %v : f32
              %e = arith.subf %o, %d : f32
              linalg.yield %e : f32
            }
          }
        }
        tile.store %z to %B[%i, %b + %t] : !x to !G
      }
    }
  }
}
// -----
// Floyd's steps in one block: 16 nodes, each step a loop on threads, by way of a copy of the row and the column.
// P(17, 16, 16)[s, i, j] = D[i, j] if s == 0 else min(P[s - 1, i, j], P[s - 1, i, s - 1] + P[s - 1, s - 1, j])
// D[i, j] = P[16, i, j]
// D from range(1, 50)
tile.kernel @floyd(%D: memref<16x16xf32>[16, 16]) {
  tile.for (%b) in (1) by (1) at dram on block {
    tile.for (%s) in (16) by (1) at dram {
      %row = tile.stage %D[%s, 0] : memref<16x16xf32> to memref<1x16xf32, #tile.level<smem>>
      %col = tile.stage %D[0, %s] : memref<16x16xf32> to memref<16x1xf32, #tile.level<smem>>
      tile.for (%p, %q) in (16, 16) by (1, 1) at smem on thread {
        %r = tile.stage %row[0, %q] : memref<1x16xf32, #tile.level<smem>> to !x
        %c = tile.stage %col[%p, 0] : memref<16x1xf32, #tile.level<smem>> to !x
        %d = tile.stage %D[%p, %q] : memref<16x16xf32> to !x
        linalg.generic #ew3 ins(%r, %c : !x, !x) outs(%d : !x) {
        ^bb0(%u: f32, %v: f32, %o: f32):
          %e = arith.addf %u, %v : f32
          %f = arith.minimumf %o, %e : f32
          linalg.yield %f : f32
        }
        tile.store %d to %D[%p, %q] : !x to memref<16x16xf32>
      }
    }
  }
}
// -----
// Floyd's steps over blocks.
// refused: other iterations of a loop on thread may write.*the write is here
tile.kernel @floyd_blocks(%D: !G[%N, %N], %N: index) {
  tile.for (%i, %j) in (%N, %N) by (16, 16) at dram on block {
    tile.for (%s) in (%N) by (1) at dram {
      tile.for (%p, %q) in (16, 16) by (1, 1) at dram on thread {
        %r = tile.stage %D[%s, %j + %q] : !G to !x
        %c = tile.stage %D[%i + %p, %s] : !G to !x
        %d = tile.stage %D[%i + %p, %j + %q] : !G to !x
        linalg.generic #ew3 ins(%r, %c : !x, !x) outs(%d : !x) {
        ^bb0(%u: f32, %v: f32, %o: f32):
          %e = arith.addf %u, %v : f32
          %f = arith.minimumf %o, %e : f32
          linalg.yield %f : f32
        }
        tile.store %d to %D[%i + %p, %j + %q] : !x to !G
      }
    }
  }
}
