// Updates in place, stencils, time steps: who may read what another iteration writes.
!V = memref<?xf32, strided<[?]>>
!G = memref<?x?xf32, strided<[?, ?]>>
!e = memref<1xf32, #tile.level<rf>>
!d = memref<1xf32, strided<[?], offset: ?>>
!d3 = memref<3xf32, strided<[?], offset: ?>>
!s = memref<64xf32, #tile.level<smem>>
!s66 = memref<66xf32, #tile.level<smem>>
!p = memref<1xf32, strided<[1], offset: ?>, #tile.level<smem>>
!p3 = memref<3xf32, strided<[1], offset: ?>, #tile.level<smem>>
#v = affine_map<(i) -> (i)>
#one = {indexing_maps = [#v], iterator_types = ["parallel"]}
#two = {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
#three = {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]}
// -----
// Scale in place, where the operand lies.
// X[i] = a * X[i]
tile.kernel @scale(%X: !V[%N], %N: index, %a: f32) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.part %X[%b + %t] : !V to !d
      linalg.generic #one outs(%x : !d) {
      ^bb0(%v: f32):
        %r = arith.mulf %a, %v : f32
        linalg.yield %r : f32
      }
    }
  }
}
// -----
// Y += a X, where the operands lie.
// Y[i] = Y[i] + a * X[i]
tile.kernel @axpy(%X: !V[%N], %Y: !V[%N], %N: index, %a: f32) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.part %X[%b + %t] : !V to !d
      %y = tile.part %Y[%b + %t] : !V to !d
      linalg.generic #two ins(%x : !d) outs(%y : !d) {
      ^bb0(%u: f32, %v: f32):
        %p = arith.mulf %a, %u : f32
        %r = arith.addf %v, %p : f32
        linalg.yield %r : f32
      }
    }
  }
}
// -----
// X squared: ins and outs are the same element by the same map.
// X[i] = X[i] * X[i]
tile.kernel @square(%X: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      linalg.generic #two ins(%x : !e) outs(%x : !e) {
      ^bb0(%u: f32, %v: f32):
        %r = arith.mulf %u, %v : f32
        linalg.yield %r : f32
      }
      tile.store %x to %X[%b + %t] : !e to !V
    }
  }
}
// -----
// Momentum: two operands updated in place, one from the other's new value.
// M[i] = 2 * M[i] + D[i]
// W[i] = W[i] - 3 * (2 * M[i] + D[i])
tile.kernel @momentum(%W: !V[%N], %M: !V[%N], %D: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %w = tile.stage %W[%b + %t] : !V to !e
      %m = tile.stage %M[%b + %t] : !V to !e
      %g = tile.stage %D[%b + %t] : !V to !e
      linalg.generic #two ins(%g : !e) outs(%m : !e) {
      ^bb0(%u: f32, %v: f32):
        %c = arith.constant 2.0 : f32
        %p = arith.mulf %c, %v : f32
        %r = arith.addf %u, %p : f32
        linalg.yield %r : f32
      }
      linalg.generic #two ins(%m : !e) outs(%w : !e) {
      ^bb0(%u: f32, %v: f32):
        %c = arith.constant 3.0 : f32
        %p = arith.mulf %c, %u : f32
        %r = arith.subf %v, %p : f32
        linalg.yield %r : f32
      }
      tile.store %m to %M[%b + %t] : !e to !V
      tile.store %w to %W[%b + %t] : !e to !V
    }
  }
}
// -----
// Swap two vectors.
// X[i] = Y[i]
// Y[i] = X[i]
tile.kernel @swap(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (2) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to memref<2xf32, #tile.level<rf>>
      %y = tile.stage %Y[%b + %t] : !V to memref<2xf32, #tile.level<rf>>
      tile.store %x to %Y[%b + %t] : memref<2xf32, #tile.level<rf>> to !V
      tile.store %y to %X[%b + %t] : memref<2xf32, #tile.level<rf>> to !V
    }
  }
}
// -----
// The second store to an element is the one that stays.
// Y[i] = 2 * X[i]
tile.kernel @twice(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      tile.store %x to %Y[%b + %t] : !e to !V
      %y = tile.stage %Y[%b + %t] : !V to !e
      linalg.generic #two ins(%y : !e) outs(%x : !e) {
      ^bb0(%u: f32, %v: f32):
        %r = arith.addf %u, %v : f32
        linalg.yield %r : f32
      }
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// A stencil out of place: a halo in shared memory, zeros around.
// Y[i] = at(X, i - 1) + X[i] + at(X, i + 1)
tile.kernel @stencil(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    %s = tile.stage %X[%b - 1] pad(zero) : !V to !s66
    tile.for (%t) in (64) by (1) at smem on thread {
      %y = tile.hold init(0.0 : f32) : !e
      tile.for (%k) in (3) by (1) at dram {
        %x = tile.stage %s[%t + %k] : !s66 to !e
        linalg.generic #two ins(%x : !e) outs(%y : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %u, %o : f32
          linalg.yield %r : f32
        }
      }
      tile.store %y to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// The same stencil in place, threads alone.
// refused: other iterations of a loop on thread may write.*the write is here
tile.kernel @stencil_threads(%X: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %y = tile.hold init(0.0 : f32) : !e
      tile.for (%k) in (3) by (1) at dram {
        %x = tile.stage %X[%b + %t - 1 + %k] : !V to !e
        linalg.generic #two ins(%x : !e) outs(%y : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %u, %o : f32
          linalg.yield %r : f32
        }
      }
      tile.store %y to %X[%b + %t] : !e to !V
    }
  }
}
// -----
// The same stencil in place, through shared memory: blocks read each other's edges.
// refused: other iterations of a loop on block may write.*the write is here
tile.kernel @stencil_blocks(%X: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    %s = tile.stage %X[%b - 1] : !V to !s66
    tile.for (%t) in (64) by (1) at smem on thread {
      %y = tile.hold init(0.0 : f32) : !e
      tile.for (%k) in (3) by (1) at dram {
        %x = tile.stage %s[%t + %k] : !s66 to !e
        linalg.generic #two ins(%x : !e) outs(%y : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %u, %o : f32
          linalg.yield %r : f32
        }
      }
      tile.store %y to %X[%b + %t] : !e to !V
    }
  }
}
// -----
// A stencil in place, each row of 64 in one block that has copied it before.
// X[m, i] = at(X, m, i - 1) + X[m, i] + at(X, m, i + 1)
tile.kernel @stencil_rows(%X: memref<?x64xf32>[%M, 64], %M: index) {
  tile.for (%m) in (%M) by (1) at dram on block {
    %s = tile.stage %X[%m, -1] pad(zero) : memref<?x64xf32> to memref<1x66xf32, #tile.level<smem>>
    tile.for (%t) in (64) by (1) at smem on thread {
      %x = tile.stage %s[0, %t] : memref<1x66xf32, #tile.level<smem>> to memref<1x3xf32, #tile.level<rf>>
      %w = tile.hold init(1.0 : f32) : memref<3xf32, #tile.level<rf>>
      %y = tile.hold init(0.0 : f32) : memref<1x1xf32, #tile.level<rf>>
      linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j + k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>],
                      iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %w : memref<1x3xf32, #tile.level<rf>>, memref<3xf32, #tile.level<rf>>) outs(%y : memref<1x1xf32, #tile.level<rf>>) {
      ^bb0(%u: f32, %w1: f32, %o: f32):
        %r = arith.addf %u, %o : f32
        linalg.yield %r : f32
      }
      tile.store %y to %X[%m, %t] : memref<1x1xf32, #tile.level<rf>> to memref<?x64xf32>
    }
  }
}
// -----
// Gauss-Seidel: one thread a row, elements one after the other, each from its new left and old right neighbour.
// U(M, N)[m, i] = (U[m, i - 1] if i > 0 else 0) + at(X, m, i + 1) - X[m, i]
// X[m, i] = U[m, i]
// shapes: M=5 N=7; M=70 N=3
tile.kernel @gauss_seidel(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      tile.for (%i) in (%N) by (1) at dram {
        %x = tile.stage %X[%b + %t, %i - 1] pad(zero) : !G to memref<1x3xf32, #tile.level<rf>>
        %y = tile.hold init(0.0 : f32) : memref<1x1xf32, #tile.level<rf>>
        linalg.generic {indexing_maps = [affine_map<(i) -> (i, 0)>, affine_map<(i) -> (i, 1)>, affine_map<(i) -> (i, 2)>, affine_map<(i) -> (i, 0)>],
                        iterator_types = ["parallel"]}
            ins(%x, %x, %x : memref<1x3xf32, #tile.level<rf>>, memref<1x3xf32, #tile.level<rf>>, memref<1x3xf32, #tile.level<rf>>)
            outs(%y : memref<1x1xf32, #tile.level<rf>>) {
        ^bb0(%l: f32, %u: f32, %n: f32, %o: f32):
          %p = arith.addf %l, %n : f32
          %r = arith.subf %p, %u : f32
          linalg.yield %r : f32
        }
        tile.store %y to %X[%b + %t, %i] : memref<1x1xf32, #tile.level<rf>> to !G
      }
    }
  }
}
// -----
// Red and black: the even elements from the odd ones, in place.
// X[i] = X[i] if i % 2 else at(X, i - 1) + at(X, i + 1)
tile.kernel @red(%X: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (2) at dram on thread {
      %l = tile.stage %X[%b + %t - 1] pad(zero) : !V to !e
      %r = tile.stage %X[%b + %t + 1] pad(zero) : !V to !e
      linalg.generic #two ins(%l : !e) outs(%r : !e) {
      ^bb0(%u: f32, %o: f32):
        %s = arith.addf %u, %o : f32
        linalg.yield %s : f32
      }
      tile.store %r to %X[%b + %t] : !e to !V
    }
  }
}
// -----
// Red, then black in the same launch: blocks read what other blocks have written.
// refused: other iterations of a loop on block may write.*the write is here
tile.kernel @red_black(%X: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%c) in (2) by (1) at dram {
      tile.for (%t) in (64) by (2) at dram on thread {
        %l = tile.stage %X[%b + %t + %c - 1] pad(zero) : !V to !e
        %r = tile.stage %X[%b + %t + %c + 1] pad(zero) : !V to !e
        linalg.generic #two ins(%l : !e) outs(%r : !e) {
        ^bb0(%u: f32, %o: f32):
          %s = arith.addf %u, %o : f32
          linalg.yield %s : f32
        }
        tile.store %r to %X[%b + %t + %c] : !e to !V
      }
    }
  }
}
// -----
// Jacobi, three steps of two: one block, operands X and Y in turn.
// U(7, 64)[s, i] = X[i] if s == 0 else at(U, s - 1, i - 1) + at(U, s - 1, i + 1)
// X[i] = U[6, i]
// Y[i] = U[5, i]
tile.kernel @jacobi(%X: memref<64xf32>[64], %Y: memref<64xf32>[64]) {
  tile.for (%b) in (1) by (1) at dram on block {
    tile.for (%s) in (3) by (1) at dram {
      tile.for (%t) in (64) by (1) at dram on thread {
        %l = tile.stage %X[%t - 1] pad(zero) : memref<64xf32> to !e
        %r = tile.stage %X[%t + 1] pad(zero) : memref<64xf32> to !e
        linalg.generic #two ins(%l : !e) outs(%r : !e) {
        ^bb0(%u: f32, %o: f32):
          %q = arith.addf %u, %o : f32
          linalg.yield %q : f32
        }
        tile.store %r to %Y[%t] : !e to memref<64xf32>
      }
      tile.for (%t) in (64) by (1) at dram on thread {
        %l = tile.stage %Y[%t - 1] pad(zero) : memref<64xf32> to !e
        %r = tile.stage %Y[%t + 1] pad(zero) : memref<64xf32> to !e
        linalg.generic #two ins(%l : !e) outs(%r : !e) {
        ^bb0(%u: f32, %o: f32):
          %q = arith.addf %u, %o : f32
          linalg.yield %q : f32
        }
        tile.store %r to %X[%t] : !e to memref<64xf32>
      }
    }
  }
}
// -----
// The same over blocks: no step may read what another block has written.
// refused: other iterations of a loop on block may write.*the write is here
tile.kernel @jacobi_blocks(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%s) in (3) by (1) at dram {
      tile.for (%t) in (64) by (1) at dram on thread {
        %l = tile.stage %X[%b + %t - 1] pad(zero) : !V to !e
        %r = tile.stage %X[%b + %t + 1] pad(zero) : !V to !e
        linalg.generic #two ins(%l : !e) outs(%r : !e) {
        ^bb0(%u: f32, %o: f32):
          %q = arith.addf %u, %o : f32
          linalg.yield %q : f32
        }
        tile.store %r to %Y[%b + %t] : !e to !V
      }
      tile.for (%t) in (64) by (1) at dram on thread {
        %y = tile.stage %Y[%b + %t] : !V to !e
        tile.store %y to %X[%b + %t] : !e to !V
      }
    }
  }
}
// -----
// One step of Jacobi and a copy back by the same threads: other blocks may still read the old values.
// refused: other iterations of a loop on thread may write.*the write is here
tile.kernel @jacobi_back(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %l = tile.stage %X[%b + %t - 1] pad(zero) : !V to !e
      tile.store %l to %Y[%b + %t] : !e to !V
      %y = tile.stage %Y[%b + %t] : !V to !e
      tile.store %y to %X[%b + %t] : !e to !V
    }
  }
}
// -----
// Jacobi in shared memory, two tiles in turn, each batch in a block.
// U(9, M, 64)[s, m, i] = X[m, i] if s == 0 else at(U, s - 1, m, i - 1) + at(U, s - 1, m, i + 1)
// Y[m, i] = U[8, m, i]
!s1 = memref<1x66xf32, #tile.level<smem>>
!p1 = memref<1x1xf32, strided<[66, 1], offset: ?>, #tile.level<smem>>
#m2 = affine_map<(i, j) -> (i, j)>
tile.kernel @jacobi_shared(%X: memref<?x64xf32>[%M, 64], %Y: memref<?x64xf32>[%M, 64], %M: index) {
  tile.for (%m) in (%M) by (1) at dram on block {
    %a = tile.stage %X[%m, -1] pad(zero) : memref<?x64xf32> to !s1
    %c = tile.stage %X[%m, -1] pad(zero) : memref<?x64xf32> to !s1
    tile.for (%s) in (4) by (1) at smem {
      tile.for (%t) in (64) by (1) at smem on thread {
        %l = tile.part %a[0, %t] : !s1 to !p1
        %r = tile.part %a[0, %t + 2] : !s1 to !p1
        %o = tile.part %c[0, %t + 1] : !s1 to !p1
        linalg.generic {indexing_maps = [#m2, #m2, #m2], iterator_types = ["parallel", "parallel"]}
            ins(%l, %r : !p1, !p1) outs(%o : !p1) {
        ^bb0(%u: f32, %v: f32, %w: f32):
          %q = arith.addf %u, %v : f32
          linalg.yield %q : f32
        }
      }
      tile.for (%t) in (64) by (1) at smem on thread {
        %l = tile.part %c[0, %t] : !s1 to !p1
        %r = tile.part %c[0, %t + 2] : !s1 to !p1
        %o = tile.part %a[0, %t + 1] : !s1 to !p1
        linalg.generic {indexing_maps = [#m2, #m2, #m2], iterator_types = ["parallel", "parallel"]}
            ins(%l, %r : !p1, !p1) outs(%o : !p1) {
        ^bb0(%u: f32, %v: f32, %w: f32):
          %q = arith.addf %u, %v : f32
          linalg.yield %q : f32
        }
      }
    }
    tile.for (%t) in (64) by (1) at smem on thread {
      %y = tile.stage %a[0, %t + 1] : !s1 to memref<1x1xf32, #tile.level<rf>>
      tile.store %y to %Y[%m, %t] : memref<1x1xf32, #tile.level<rf>> to memref<?x64xf32>
    }
  }
}
// -----
// Jacobi in one shared tile: a thread overwrites what its neighbour reads.
// refused: other iterations of a loop on thread may write.*the write is here
tile.kernel @jacobi_one_tile(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    %a = tile.stage %X[%b - 1] pad(zero) : !V to !s66
    tile.for (%t) in (64) by (1) at smem on thread {
      %l = tile.part %a[%t] : !s66 to !p
      %o = tile.part %a[%t + 1] : !s66 to !p
      linalg.generic #two ins(%l : !p) outs(%o : !p) {
      ^bb0(%u: f32, %v: f32):
        %q = arith.addf %u, %v : f32
        linalg.yield %q : f32
      }
    }
    tile.for (%t) in (64) by (1) at smem on thread {
      %y = tile.stage %a[%t + 1] : !s66 to !e
      tile.store %y to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// A shared tile updated by its owners, then read by neighbours: absent elements stay absent.
// Y[i] = sum(X[k] ** 2 + 1 for k in (i - 1, i, i + 1) if 0 <= k < N)
tile.kernel @owners(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    %a = tile.stage %X[%b - 1] : !V to memref<34xf32, #tile.level<smem>>
    tile.for (%t) in (34) by (1) at smem on thread {
      %o = tile.part %a[%t] : memref<34xf32, #tile.level<smem>> to !p
      linalg.generic #one outs(%o : !p) {
      ^bb0(%v: f32):
        %one = arith.constant 1.0 : f32
        %q = arith.mulf %v, %v : f32
        %r = arith.addf %q, %one : f32
        linalg.yield %r : f32
      }
    }
    tile.for (%t) in (32) by (1) at smem on thread {
      %y = tile.hold init(0.0 : f32) : !e
      tile.for (%k) in (3) by (1) at smem {
        %x = tile.stage %a[%t + %k] : memref<34xf32, #tile.level<smem>> to !e
        linalg.generic #two ins(%x : !e) outs(%y : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %u, %o : f32
          linalg.yield %r : f32
        }
      }
      tile.store %y to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// Two passes in one block: the second reads the first one's results at other places of the operand.
// Y[i] = X[i] + 1
// Z[i] = at(X, i - 1) + at(X, i + 1) + (0 < i) + (i < 63)
tile.kernel @two_passes(%X: memref<64xf32>[64], %Y: memref<64xf32>[64], %Z: memref<64xf32>[64]) {
  tile.for (%b) in (1) by (1) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%t] : memref<64xf32> to !e
      linalg.generic #one outs(%x : !e) {
      ^bb0(%v: f32):
        %one = arith.constant 1.0 : f32
        %r = arith.addf %v, %one : f32
        linalg.yield %r : f32
      }
      tile.store %x to %Y[%t] : !e to memref<64xf32>
    }
    tile.for (%t) in (64) by (1) at dram on thread {
      %l = tile.stage %Y[%t - 1] pad(zero) : memref<64xf32> to !e
      %r = tile.stage %Y[%t + 1] pad(zero) : memref<64xf32> to !e
      linalg.generic #two ins(%l : !e) outs(%r : !e) {
      ^bb0(%u: f32, %o: f32):
        %q = arith.addf %u, %o : f32
        linalg.yield %q : f32
      }
      tile.store %r to %Z[%t] : !e to memref<64xf32>
    }
  }
}
// -----
// Two passes over a block's own part: each 64 elements turned round, through DRAM.
// Y[i] = X[i]
// Z[i] = X[i // 64 * 64 + 63 - i % 64] if i // 64 * 64 + 63 - i % 64 < N else Z[i]
tile.kernel @turn(%X: !V[%N], %Y: !V[%N], %Z: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      tile.store %x to %Y[%b + %t] : !e to !V
    }
    tile.for (%t) in (64) by (1) at dram on thread {
      %z = tile.stage %Z[%b + %t] : !V to !e
      %y = tile.stage %Y[%b + 63 - %t] : !V to !e
      linalg.generic #two ins(%y : !e) outs(%z : !e) {
      ^bb0(%u: f32, %o: f32):
        linalg.yield %u : f32
      }
      tile.store %z to %Z[%b + %t] : !e to !V
    }
  }
}
// -----
// What another block has written is read: the second pass reaches beyond the block's part.
// refused: other iterations of a loop on block may write.*the write is here
tile.kernel @two_passes_blocks(%X: !V[%N], %Y: !V[%N], %Z: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      tile.store %x to %Y[%b + %t] : !e to !V
    }
    tile.for (%t) in (64) by (1) at dram on thread {
      %y = tile.stage %Y[%b + %t + 1] pad(zero) : !V to !e
      tile.store %y to %Z[%b + %t] : !e to !V
    }
  }
}
// -----
// Two stores that meet: an element and its neighbour.
// refused: other iterations of a loop on thread may write as well.*the write is here
tile.kernel @stores_meet(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      tile.store %x to %Y[%b + %t] : !e to !V
      tile.store %x to %Y[%b + %t + 1] : !e to !V
    }
  }
}
// -----
// Two stores that never meet: interleaved.
// Y[i] = A[i // 2] if i % 2 == 0 and i // 2 < N else B[i // 2] if i % 2 and i // 2 < N else Y[i]
// shapes: N=33 M=80; N=70 M=140; N=40 M=79
tile.kernel @interleave(%A: !V[%N], %B: !V[%N], %Y: !V[%M], %N: index, %M: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %in = arith.addi %b, %t : index
      %present = arith.cmpi slt, %in, %N : index
      scf.if %present {
        %x = tile.stage %A[%b + %t] pad(zero) : !V to !e
        %y = tile.stage %B[%b + %t] pad(zero) : !V to !e
        tile.store %x to %Y[%b * 2 + %t * 2] : !e to !V
        tile.store %y to %Y[%b * 2 + %t * 2 + 1] : !e to !V
      }
    }
  }
}
// -----
// A transpose in place, element by element.
// refused: other iterations of a loop on thread may write.*the write is here
tile.kernel @transpose(%X: !G[%N, %N], %N: index) {
  tile.for (%i, %j) in (%N, %N) by (16, 16) at dram on block {
    tile.for (%k, %l) in (16, 16) by (1, 1) at dram on thread {
      %x = tile.stage %X[%i + %k, %j + %l] : !G to memref<1x1xf32, #tile.level<rf>>
      tile.store %x to %X[%j + %l, %i + %k] : memref<1x1xf32, #tile.level<rf>> to !G
    }
  }
}
// -----
// A transpose of one tile in registers with itself: ins and outs are the same elements by other maps.
// refused: by another map.*read a copy
!q = memref<4x4xf32, #tile.level<rf>>
tile.kernel @transpose_self(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (64, 4) at dram on block {
    tile.for (%k) in (64) by (4) at dram on thread {
      %x = tile.stage %X[%i + %k, %j] pad(zero) : !G to !q
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          ins(%x : !q) outs(%x : !q) {
      ^bb0(%u: f32, %o: f32):
        linalg.yield %u : f32
      }
      tile.store %x to %X[%i + %k, %j] : !q to !G
    }
  }
}
// -----
// Turned round in place.
// refused: other iterations of a loop on thread may write.*the write is here
tile.kernel @reverse(%X: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] pad(zero) : !V to !e
      tile.store %x to %X[%N - 1 - %b - %t] : !e to !V
    }
  }
}
// -----
// Heat: all steps kept, each row of U from the one above, a rod to a block.
// V(B, 5, 64)[b, s, i] = U[b, 0, i] if s == 0 else at(V, b, s - 1, i - 1) - V[b, s - 1, i] + at(V, b, s - 1, i + 1)
// U[b, s, i] = V[b, s, i]
// shapes: B=3; B=1
!U = memref<?x5x64xf32>
!u = memref<1x1x1xf32, #tile.level<rf>>
#m3 = affine_map<(i, j, k) -> (i, j, k)>
tile.kernel @heat(%U: !U[%B, 5, 64], %B: index) {
  tile.for (%b) in (%B) by (1) at dram on block {
    tile.for (%s) in (4) by (1) at dram {
      tile.for (%t) in (64) by (1) at dram on thread {
        %l = tile.stage %U[%b, %s, %t - 1] pad(zero) : !U to !u
        %c = tile.stage %U[%b, %s, %t] : !U to !u
        %r = tile.stage %U[%b, %s, %t + 1] pad(zero) : !U to !u
        linalg.generic {indexing_maps = [#m3, #m3, #m3], iterator_types = ["parallel", "parallel", "parallel"]}
            ins(%l, %r : !u, !u) outs(%c : !u) {
        ^bb0(%x: f32, %y: f32, %o: f32):
          %p = arith.addf %x, %y : f32
          %q = arith.subf %p, %o : f32
          linalg.yield %q : f32
        }
        tile.store %c to %U[%b, %s + 1, %t] : !u to !U
      }
    }
  }
}
// -----
// A row divided by its sum, in place: a reduction, then an update.
// X[m, j] ~ X[m, j] / sum(X[m, k] for k in range(N))
// X from range(1, 9)
!r4 = memref<1x1xf32, #tile.level<rf>>
tile.kernel @normalize(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%m) in (%M) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : memref<1xf32, #tile.level<rf>>
    tile.for (%t) in (64) by (1) at dram on thread reduce(add) {
      tile.for (%j) in (%N) by (64) at dram {
        %x = tile.stage %X[%m, %j + %t] : !G to !r4
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
            ins(%x : !r4) outs(%s : memref<1xf32, #tile.level<rf>>) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %u, %o : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.for (%t) in (64) by (1) at dram on thread {
      tile.for (%j) in (%N) by (64) at dram {
        %x = tile.stage %X[%m, %j + %t] : !G to !r4
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
            ins(%s : memref<1xf32, #tile.level<rf>>) outs(%x : !r4) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.divf %o, %u : f32
          linalg.yield %r : f32
        }
        tile.store %x to %X[%m, %j + %t] : !r4 to !G
      }
    }
  }
}
// -----
// The second row of a matrix from the first: places that do not meet.
// X[h, i] = X[h, i] + X[0, i] if h else X[h, i]
tile.kernel @halves(%X: memref<2x?xf32>[2, %N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[0, %b + %t] : memref<2x?xf32> to memref<1x1xf32, #tile.level<rf>>
      %y = tile.stage %X[1, %b + %t] : memref<2x?xf32> to memref<1x1xf32, #tile.level<rf>>
      linalg.add ins(%x, %y : memref<1x1xf32, #tile.level<rf>>, memref<1x1xf32, #tile.level<rf>>) outs(%y : memref<1x1xf32, #tile.level<rf>>)
      tile.store %y to %X[1, %b + %t] : memref<1x1xf32, #tile.level<rf>> to memref<2x?xf32>
    }
  }
}
