// Reductions: sums, norms, extrema and their places, over time, threads, warps, blocks and clusters.
!V = memref<?xf32, strided<[?]>>
!Vi = memref<?xi32, strided<[?]>>
!G = memref<?x?xf32, strided<[?, ?]>>
!Gi = memref<?x?xi32, strided<[?, ?]>>
!Gd = memref<?x?xf64, strided<[?, ?]>>
!e = memref<1xf32, #tile.level<rf>>
!ei = memref<1xi32, #tile.level<rf>>
!ed = memref<1xf64, #tile.level<rf>>
!x = memref<1x1xf32, #tile.level<rf>>
!xi = memref<1x1xi32, #tile.level<rf>>
!xd = memref<1x1xf64, #tile.level<rf>>
!r = memref<1x4xf32, #tile.level<rf>>
#v = affine_map<(i) -> (i)>
#m = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
#one = {indexing_maps = [#v], iterator_types = ["parallel"]}
#two = {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
#rows = {indexing_maps = [#m, #i], iterator_types = ["parallel", "reduction"]}
#cols = {indexing_maps = [#m, #j], iterator_types = ["reduction", "parallel"]}
// -----
// Row sums, a thread a row.
// S[i] = sum(X[i, j] for j in range(N))
tile.kernel @rows_serial(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %s = tile.hold init(0.0 : f32) : !e
      tile.for (%j) in (%N) by (1) at dram {
        %x = tile.stage %X[%b + %t, %j] : !G to !x
        linalg.generic #rows ins(%x : !x) outs(%s : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %o, %u : f32
          linalg.yield %r : f32
        }
      }
      tile.store %s to %S[%b + %t] : !e to !V
    }
  }
}
// -----
// Rows by $K over 64 threads, from $I: what the tile held before counts once.
// with: K=add, OP=addf, I=5.0, F=5 + sum(X[i\, j] for j in range(N));
//     K=max, OP=maximumf, I=0.0, F=max([0\, *(X[i\, j] for j in range(N))]);
//     K=min, OP=minimumf, I=-1.0, F=min([-1\, *(X[i\, j] for j in range(N))]);
//     K=mul, OP=mulf, I=3.0, F=3 * prod(X[i\, j] for j in range(N))
// S[i] = $F
tile.kernel @rows_threads(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init($I : f32) : !e
    tile.for (%t) in (64) by (1) at dram on thread reduce($K) {
      tile.for (%j) in (%N) by (64) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic #rows ins(%x : !x) outs(%s : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.$OP %o, %u : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %s to %S[%i] : !e to !V
  }
}
// -----
// Rows of integers by $K over 32 threads.
// with: K=add, OP=addi, I=7, F=7 + sum(X[i\, j] for j in range(N));
//     K=max, OP=maxsi, I=-5, F=max([-5\, *(X[i\, j] for j in range(N))]);
//     K=min, OP=minsi, I=5, F=min([5\, *(X[i\, j] for j in range(N))]);
//     K=mul, OP=muli, I=3, F=3 * prod(X[i\, j] for j in range(N))
// X from [-2147483648, 2147483647, -7, 1, 3, 65537]
// S[i] = $F
tile.kernel @ints_threads(%X: !Gi[%M, %N], %S: !Vi[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init($I : i32) : !ei
    tile.for (%t) in (32) by (1) at dram on thread reduce($K) {
      tile.for (%j) in (%N) by (32) at dram {
        %x = tile.stage %X[%i, %j + %t] : !Gi to !xi
        linalg.generic #rows ins(%x : !xi) outs(%s : !ei) {
        ^bb0(%u: i32, %o: i32):
          %r = arith.$OP %o, %u : i32
          linalg.yield %r : i32
        }
      }
    }
    tile.store %s to %S[%i] : !ei to !Vi
  }
}
// -----
// Row sums of i8 over threads.
// S[i] = sum(X[i, j] for j in range(N))
// X from range(-128, 128)
tile.kernel @bytes(%X: memref<?x?xi8>[%M, %N], %S: memref<?xi8>[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(0 : i8) : memref<1xi8, #tile.level<rf>>
    tile.for (%t) in (64) by (1) at dram on thread reduce(add) {
      tile.for (%j) in (%N) by (64) at dram {
        %x = tile.stage %X[%i, %j + %t] : memref<?x?xi8> to memref<1x1xi8, #tile.level<rf>>
        linalg.generic #rows ins(%x : memref<1x1xi8, #tile.level<rf>>) outs(%s : memref<1xi8, #tile.level<rf>>) {
        ^bb0(%u: i8, %o: i8):
          %r = arith.addi %o, %u : i8
          linalg.yield %r : i8
        }
      }
    }
    tile.store %s to %S[%i] : memref<1xi8, #tile.level<rf>> to memref<?xi8>
  }
}
// -----
// Row sums of f64 over threads.
// S[i] = sum(X[i, j] for j in range(N))
tile.kernel @doubles(%X: !Gd[%M, %N], %S: memref<?xf64>[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(0.0 : f64) : !ed
    tile.for (%t) in (64) by (1) at dram on thread reduce(add) {
      tile.for (%j) in (%N) by (64) at dram {
        %x = tile.stage %X[%i, %j + %t] : !Gd to !xd
        linalg.generic #rows ins(%x : !xd) outs(%s : !ed) {
        ^bb0(%u: f64, %o: f64):
          %r = arith.addf %o, %u : f64
          linalg.yield %r : f64
        }
      }
    }
    tile.store %s to %S[%i] : !ed to memref<?xf64>
  }
}
// -----
// Row sums, a warp a row, eight warps in a block.
// S[i] = sum(X[i, j] for j in range(N))
tile.kernel @rows_warps(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%b) in (%M) by (8) at dram on block {
    tile.for (%w) in (8) by (1) at dram on warp {
      %s = tile.hold init(0.0 : f32) : !e
      tile.for (%t) in (32) by (1) at dram on thread reduce(add) {
        tile.for (%j) in (%N) by (32) at dram {
          %x = tile.stage %X[%b + %w, %j + %t] : !G to !x
          linalg.generic #rows ins(%x : !x) outs(%s : !e) {
          ^bb0(%u: f32, %o: f32):
            %r = arith.addf %o, %u : f32
            linalg.yield %r : f32
          }
        }
      }
      tile.store %s to %S[%b + %w] : !e to !V
    }
  }
}
// -----
// A row of a block, over warps and their threads, both of which reduce.
// S[i] = max([-9, *(X[i, j] for j in range(N))])
tile.kernel @warps_reduce(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(-9.0 : f32) : !e
    tile.for (%w) in (128) by (32) at dram on warp reduce(max) {
      tile.for (%t) in (32) by (1) at dram on thread reduce(max) {
        tile.for (%j) in (%N) by (128) at dram {
          %x = tile.stage %X[%i, %j + %w + %t] : !G to !x
          linalg.generic #rows ins(%x : !x) outs(%s : !e) {
          ^bb0(%u: f32, %o: f32):
            %r = arith.maximumf %o, %u : f32
            linalg.yield %r : f32
          }
        }
      }
    }
    tile.store %s to %S[%i] : !e to !V
  }
}
// -----
// Column sums, a thread a column.
// S[j] = sum(X[i, j] for i in range(M))
tile.kernel @cols_serial(%X: !G[%M, %N], %S: !V[%N], %M: index, %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %s = tile.hold init(0.0 : f32) : !e
      tile.for (%i) in (%M) by (4) at dram {
        %x = tile.stage %X[%i, %b + %t] : !G to memref<4x1xf32, #tile.level<rf>>
        linalg.generic #cols ins(%x : memref<4x1xf32, #tile.level<rf>>) outs(%s : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %o, %u : f32
          linalg.yield %r : f32
        }
      }
      tile.store %s to %S[%b + %t] : !e to !V
    }
  }
}
// -----
// Column sums by one loop of (rows, columns) on threads: combined over the rows.
// S[j] = sum(X[i, j] for i in range(M))
!s32 = memref<32xf32, #tile.level<rf>>
tile.kernel @cols_threads(%X: !G[%M, %N], %S: !V[%N], %M: index, %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    %s = tile.hold init(0.0 : f32) : !s32
    tile.for (%i, %t) in (4, 32) by (1, 1) at dram on thread reduce(add) {
      %p = tile.part %s[%t] : !s32 to !e
      tile.for (%k) in (%M) by (4) at dram {
        %x = tile.stage %X[%k + %i, %b + %t] : !G to !x
        linalg.generic #cols ins(%x : !x) outs(%p : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %o, %u : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %s to %S[%b] : !s32 to !V
  }
}
// -----
// Row maxima by one loop of (rows, columns) on threads: combined over the columns.
// S[i] = max([-4, *(X[i, j] for j in range(N))])
!s8 = memref<8xf32, #tile.level<rf>>
tile.kernel @rows_tile(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%b) in (%M) by (8) at dram on block {
    %s = tile.hold init(-4.0 : f32) : !s8
    tile.for (%i, %t) in (8, 32) by (1, 1) at dram on thread reduce(max) {
      %p = tile.part %s[%i] : !s8 to !e
      tile.for (%k) in (%N) by (32) at dram {
        %x = tile.stage %X[%b + %i, %k + %t] : !G to !x
        linalg.generic #rows ins(%x : !x) outs(%p : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.maximumf %o, %u : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %s to %S[%b] : !s8 to !V
  }
}
// -----
// Column sums added to what was there, rows cut over blocks.
// S[j] = S[j] + sum(X[i, j] for i in range(M))
tile.kernel @cols_blocks(%X: !G[%M, %N], %S: !V[%N], %M: index, %N: index) {
  tile.for (%a, %b) in (%M, %N) by (16, 32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %s = tile.hold init(0.0 : f32) : !e
      tile.for (%i) in (16) by (1) at dram {
        %x = tile.stage %X[%a + %i, %b + %t] : !G to !x
        linalg.generic #cols ins(%x : !x) outs(%s : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %o, %u : f32
          linalg.yield %r : f32
        }
      }
      tile.store %s to %S[%b + %t] combine(add) unordered : !e to !V
    }
  }
}
// -----
// A dot product over blocks: partial sums of threads, then combine.
// shapes: N=1000; N=1; N=0; N=257
// S[i] = S[i] + sum(X[k] * Y[k] for k in range(N))
tile.kernel @dot(%X: !V[%N], %Y: !V[%N], %S: memref<1xf32>[1], %N: index) {
  tile.for (%b) in (%N) by (256) at dram on block {
    %s = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (256) by (4) at dram on thread reduce(add) {
      %x = tile.stage %X[%b + %t] : !V to memref<4xf32, #tile.level<rf>>
      %y = tile.stage %Y[%b + %t] : !V to memref<4xf32, #tile.level<rf>>
      linalg.generic {indexing_maps = [#v, #v, affine_map<(i) -> (0)>], iterator_types = ["reduction"]}
          ins(%x, %y : memref<4xf32, #tile.level<rf>>, memref<4xf32, #tile.level<rf>>) outs(%s : !e) {
      ^bb0(%u: f32, %v: f32, %o: f32):
        %p = arith.mulf %u, %v : f32
        %r = arith.addf %o, %p : f32
        linalg.yield %r : f32
      }
    }
    tile.store %s to %S[0] combine(add) unordered : !e to memref<1xf32>
  }
}
// -----
// Norms of rows: the root after the loop that reduces.
// S[i] ~ sqrt(sum(X[i, j] ** 2 for j in range(N)))
tile.kernel @norms(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (32) by (1) at dram on thread reduce(add) {
      tile.for (%j) in (%N) by (32) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic #rows ins(%x : !x) outs(%s : !e) {
        ^bb0(%u: f32, %o: f32):
          %p = arith.mulf %u, %u : f32
          %r = arith.addf %o, %p : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.for (%t) in (1) by (1) at rf on thread {
      linalg.generic #one outs(%s : !e) {
      ^bb0(%o: f32):
        %r = math.sqrt %o : f32
        linalg.yield %r : f32
      }
    }
    tile.store %s to %S[%i] : !e to !V
  }
}
// -----
// The same with the root taken by every thread on what it holds, outside of loops on threads.
// S[i] ~ sqrt(sum(X[i, j] ** 2 for j in range(N)))
tile.kernel @norms_all(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (32) by (1) at dram on thread reduce(add) {
      tile.for (%j) in (%N) by (32) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic #rows ins(%x : !x) outs(%s : !e) {
        ^bb0(%u: f32, %o: f32):
          %p = arith.mulf %u, %u : f32
          %r = arith.addf %o, %p : f32
          linalg.yield %r : f32
        }
      }
    }
    linalg.generic #one outs(%s : !e) {
    ^bb0(%o: f32):
      %r = math.sqrt %o : f32
      linalg.yield %r : f32
    }
    tile.store %s to %S[%i] : !e to !V
  }
}
// -----
// Sum and sum of squares in one loop: two tiles reduced.
// S[i] = sum(X[i, j] for j in range(N))
// Q[i] = sum(X[i, j] ** 2 for j in range(N))
tile.kernel @moments(%X: !G[%M, %N], %S: !V[%M], %Q: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !e
    %q = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (64) by (1) at dram on thread reduce(add) {
      tile.for (%j) in (%N) by (64) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic {indexing_maps = [#m, #i, #i], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%s, %q : !e, !e) {
        ^bb0(%u: f32, %o: f32, %w: f32):
          %p = arith.mulf %u, %u : f32
          %r = arith.addf %o, %u : f32
          %z = arith.addf %w, %p : f32
          linalg.yield %r, %z : f32, f32
        }
      }
    }
    tile.store %s to %S[%i] : !e to !V
    tile.store %q to %Q[%i] : !e to !V
  }
}
// -----
// A maximum and a sum in one loop that reduces by one kind.
// refused: does something else to a held tile than to combine it by add.*arith
tile.kernel @mixed(%X: !G[%M, %N], %S: !V[%M], %Q: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !e
    %q = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (64) by (1) at dram on thread reduce(add) {
      tile.for (%j) in (%N) by (64) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic {indexing_maps = [#m, #i, #i], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%s, %q : !e, !e) {
        ^bb0(%u: f32, %o: f32, %w: f32):
          %r = arith.addf %o, %u : f32
          %z = arith.maximumf %w, %u : f32
          linalg.yield %r, %z : f32, f32
        }
      }
    }
    tile.store %s to %S[%i] : !e to !V
    tile.store %q to %Q[%i] : !e to !V
  }
}
// -----
// reduce($K) over $OP.
// with: K=add, OP=maximumf; K=max, OP=addf; K=min, OP=maximumf; K=mul, OP=addf; K=add, OP=mulf; K=add, OP=divf
// refused: does something else to a held tile than to combine it by $K.*arith
tile.kernel @wrong_kind(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (64) by (1) at dram on thread reduce($K) {
      %x = tile.stage %X[%i, %t] : !G to !x
      linalg.generic #rows ins(%x : !x) outs(%s : !e) {
      ^bb0(%u: f32, %o: f32):
        %r = arith.$OP %o, %u : f32
        linalg.yield %r : f32
      }
    }
    tile.store %s to %S[%i] : !e to !V
  }
}
// -----
// Differences: the old value less something, by reduce(add).
// S[i] = 100 - sum(X[i, j] for j in range(N))
tile.kernel @less(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(100.0 : f32) : !e
    tile.for (%t) in (64) by (1) at dram on thread reduce(add) {
      tile.for (%j) in (%N) by (64) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic #rows ins(%x : !x) outs(%s : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.subf %o, %u : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %s to %S[%i] : !e to !V
  }
}
// -----
// Something less the old value: signs alternate, no sum.
// refused: does something else to a held tile than to combine it by add.*arith
tile.kernel @alternate(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (64) by (1) at dram on thread reduce(add) {
      tile.for (%j) in (%N) by (64) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic #rows ins(%x : !x) outs(%s : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.subf %u, %o : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %s to %S[%i] : !e to !V
  }
}
// -----
// Horner's rule over threads: s = 2 s + x is no sum.
// refused: does something else to a held tile than to combine it by add.*arith
tile.kernel @horner(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (64) by (1) at dram on thread reduce(add) {
      %x = tile.stage %X[%i, %t] : !G to !x
      linalg.generic #rows ins(%x : !x) outs(%s : !e) {
      ^bb0(%u: f32, %o: f32):
        %two = arith.constant 2.0 : f32
        %d = arith.mulf %two, %o : f32
        %r = arith.addf %d, %u : f32
        linalg.yield %r : f32
      }
    }
    tile.store %s to %S[%i] : !e to !V
  }
}
// -----
// Horner's rule in one thread a row, where iterations have an order.
// S[i] = sum(X[i, j] * 2 ** (N - 1 - j) for j in range(N))
// shapes: M=37 N=17; M=1 N=1; M=70 N=0
tile.kernel @horner_serial(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%b) in (%M) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %s = tile.hold init(0.0 : f32) : !e
      tile.for (%j) in (%N) by (3) at dram {
        %x = tile.stage %X[%b + %t, %j] : !G to memref<1x3xf32, #tile.level<rf>>
        linalg.generic #rows ins(%x : memref<1x3xf32, #tile.level<rf>>) outs(%s : !e) {
        ^bb0(%u: f32, %o: f32):
          %two = arith.constant 2.0 : f32
          %d = arith.mulf %two, %o : f32
          %r = arith.addf %d, %u : f32
          linalg.yield %r : f32
        }
      }
      tile.store %s to %S[%b + %t] : !e to !V
    }
  }
}
// -----
// A partial result that is stored within the loop that reduces.
// refused: stores a held tile inside of the loop that reduces it.*after this loop
tile.kernel @partial(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (64) by (1) at dram on thread reduce(add) {
      %x = tile.stage %X[%i, %t] : !G to !x
      linalg.generic #rows ins(%x : !x) outs(%s : !e) {
      ^bb0(%u: f32, %o: f32):
        %r = arith.addf %o, %u : f32
        linalg.yield %r : f32
      }
      tile.store %s to %S[%i] combine(add) unordered : !e to !V
    }
  }
}
// -----
// A running sum that is read within the loop that reduces.
// refused: reads a held tile inside of the loop that reduces it.*after this loop
tile.kernel @running(%X: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (64) by (1) at dram on thread reduce(add) {
      %x = tile.stage %X[%i, %t] : !G to !x
      linalg.generic #rows ins(%x : !x) outs(%s : !e) {
      ^bb0(%u: f32, %o: f32):
        %r = arith.addf %o, %u : f32
        linalg.yield %r : f32
      }
      linalg.generic {indexing_maps = [#i, #m], iterator_types = ["parallel", "parallel"]} ins(%s : !e) outs(%x : !x) {
      ^bb0(%u: f32, %o: f32):
        linalg.yield %u : f32
      }
      tile.store %x to %Y[%i, %t] : !x to !G
    }
  }
}
// -----
// Threads that add to an operand where it lies.
// refused: may write one element from several iterations of a loop on thread.*combine
tile.kernel @reduce_dram(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread reduce(add) {
      %s = tile.part %S[%i] : !V to memref<1xf32, strided<[?], offset: ?>>
      %x = tile.stage %X[%i, %t] : !G to !x
      linalg.generic #rows ins(%x : !x) outs(%s : memref<1xf32, strided<[?], offset: ?>>) {
      ^bb0(%u: f32, %o: f32):
        %r = arith.addf %o, %u : f32
        linalg.yield %r : f32
      }
    }
  }
}
// -----
// Threads that add to one held element without reduce.
// refused: from 64 threads; each written element has one owner.*reduce
tile.kernel @no_reduce(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%i, %t] : !G to !x
      linalg.generic #rows ins(%x : !x) outs(%s : !e) {
      ^bb0(%u: f32, %o: f32):
        %r = arith.addf %o, %u : f32
        linalg.yield %r : f32
      }
    }
    tile.store %s to %S[%i] : !e to !V
  }
}
// -----
// Argmax of rows, a thread a row: value and place held together, the first of equals.
// V[i] = max(X[i, j] for j in range(N))
// P[i] = min(j for j in range(N) if X[i, j] == max(X[i, k] for k in range(N)))
tile.kernel @argmax_serial(%X: !G[%M, %N], %V: !V[%M], %P: !Vi[%M], %M: index, %N: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %v = tile.hold init(-1.0e30 : f32) : !e
      %p = tile.hold init(-1 : i32) : !ei
      tile.for (%j) in (%N) by (1) at dram {
        %n = arith.index_cast %j : index to i32
        %x = tile.stage %X[%b + %t, %j] : !G to !x
        linalg.generic {indexing_maps = [#m, #i, #i], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%v, %p : !e, !ei) {
        ^bb0(%u: f32, %o: f32, %q: i32):
          %c = arith.cmpf ogt, %u, %o : f32
          %r = arith.select %c, %u, %o : f32
          %s = arith.select %c, %n, %q : i32
          linalg.yield %r, %s : f32, i32
        }
      }
      tile.store %v to %V[%b + %t] : !e to !V
      tile.store %p to %P[%b + %t] : !ei to !Vi
    }
  }
}
// -----
// Argmax over threads by select: places cannot be reduced so.
// refused: does something else to a held tile than to combine it by max.*arith
tile.kernel @argmax_select(%X: !G[%M, %N], %P: !Vi[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %v = tile.hold init(-1.0e30 : f32) : !e
    %p = tile.hold init(-1 : i32) : !ei
    tile.for (%t) in (64) by (1) at dram on thread reduce(max) {
      %n = arith.index_cast %t : index to i32
      %x = tile.stage %X[%i, %t] : !G to !x
      linalg.generic {indexing_maps = [#m, #i, #i], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%v, %p : !e, !ei) {
      ^bb0(%u: f32, %o: f32, %q: i32):
        %c = arith.cmpf ogt, %u, %o : f32
        %r = arith.select %c, %u, %o : f32
        %s = arith.select %c, %n, %q : i32
        linalg.yield %r, %s : f32, i32
      }
    }
    tile.store %p to %P[%i] : !ei to !Vi
  }
}
// -----
// Argmax over threads in two loops: the maximum, then the least place that has it.
// P[i] = min(j for j in range(N) if X[i, j] == max(X[i, k] for k in range(N)))
tile.kernel @argmax_threads(%X: !G[%M, %N], %P: !Vi[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %v = tile.hold init(-1.0e30 : f32) : !e
    %p = tile.hold init(2147483647 : i32) : !ei
    tile.for (%t) in (32) by (1) at dram on thread reduce(max) {
      tile.for (%j) in (%N) by (32) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic #rows ins(%x : !x) outs(%v : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.maximumf %o, %u : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.for (%t) in (32) by (1) at dram on thread reduce(min) {
      tile.for (%j) in (%N) by (32) at dram {
        %k = arith.addi %j, %t : index
        %n = arith.index_cast %k : index to i32
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic {indexing_maps = [#m, #i, #i], iterator_types = ["parallel", "reduction"]} ins(%x, %v : !x, !e) outs(%p : !ei) {
        ^bb0(%u: f32, %o: f32, %q: i32):
          %big = arith.constant 2147483647 : i32
          %c = arith.cmpf oeq, %u, %o : f32
          %s = arith.select %c, %n, %big : i32
          %r = arith.minsi %q, %s : i32
          linalg.yield %r : i32
        }
      }
    }
    tile.store %p to %P[%i] : !ei to !Vi
  }
}
// -----
// The trace of a matrix.
// S[z] = sum(X[k, k] for k in range(N))
tile.kernel @trace(%X: !G[%N, %N], %S: memref<1xf32>[1], %N: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (32) by (1) at dram on thread reduce(add) {
      tile.for (%j) in (%N) by (32) at dram {
        %x = tile.stage %X[%j + %t, %j + %t] : !G to !x
        linalg.generic #rows ins(%x : !x) outs(%s : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %o, %u : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %s to %S[0] : !e to memref<1xf32>
  }
}
// -----
// The middle axis of three.
// S[i, k] = sum(X[i, j, k] for j in range(J))
tile.kernel @middle(%X: memref<?x?x?xf32>[%I, %J, %K], %S: !G[%I, %K], %I: index, %J: index, %K: index) {
  tile.for (%i, %b) in (%I, %K) by (1, 32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %s = tile.hold init(0.0 : f32) : !x
      tile.for (%j) in (%J) by (1) at dram {
        %x = tile.stage %X[%i, %j, %b + %t] : memref<?x?x?xf32> to memref<1x1x1xf32, #tile.level<rf>>
        linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, k)>],
                        iterator_types = ["parallel", "reduction", "parallel"]} ins(%x : memref<1x1x1xf32, #tile.level<rf>>) outs(%s : !x) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %o, %u : f32
          linalg.yield %r : f32
        }
      }
      tile.store %s to %S[%i, %b + %t] : !x to !G
    }
  }
}
// -----
// How many elements of a row are positive.
// S[i] = sum(X[i, j] > 0 for j in range(N))
tile.kernel @count(%X: !G[%M, %N], %S: !Vi[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(0 : i32) : !ei
    tile.for (%t) in (32) by (1) at dram on thread reduce(add) {
      tile.for (%j) in (%N) by (32) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic #rows ins(%x : !x) outs(%s : !ei) {
        ^bb0(%u: f32, %o: i32):
          %zero = arith.constant 0.0 : f32
          %n = arith.constant 0 : i32
          %one = arith.constant 1 : i32
          %c = arith.cmpf ogt, %u, %zero : f32
          %w = arith.select %c, %one, %n : i32
          %r = arith.addi %o, %w : i32
          linalg.yield %r : i32
        }
      }
    }
    tile.store %s to %S[%i] : !ei to !Vi
  }
}
// -----
// Sums over a halo, after an update in place of the staged tile: absent elements stay absent.
// S[i] = sum(X[j] + 1 for j in range(i * 8 - 3, i * 8 + 13) if 0 <= j < N)
// shapes: N=41 M=6; N=3 M=1; N=64 M=9
!x16 = memref<16xf32, #tile.level<rf>>
tile.kernel @absent(%X: !V[%N], %S: !V[%M], %N: index, %M: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b * 8 + %t * 8 - 3] : !V to !x16
      linalg.generic #one outs(%x : !x16) {
      ^bb0(%o: f32):
        %one = arith.constant 1.0 : f32
        %r = arith.addf %o, %one : f32
        linalg.yield %r : f32
      }
      %s = tile.hold init(0.0 : f32) : !e
      linalg.generic {indexing_maps = [#v, affine_map<(i) -> (0)>], iterator_types = ["reduction"]} ins(%x : !x16) outs(%s : !e) {
      ^bb0(%u: f32, %o: f32):
        %r = arith.addf %o, %u : f32
        linalg.yield %r : f32
      }
      tile.store %s to %S[%b + %t] : !e to !V
    }
  }
}
// -----
// Chunks of a row added by threads in a loop over time: each reduction goes on from the one before.
// S[i] = 2 + sum(X[i, j] for j in range(N))
tile.kernel @chunks(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(2.0 : f32) : !e
    tile.for (%j) in (%N) by (32) at dram {
      tile.for (%t) in (32) by (1) at dram on thread reduce(add) {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic #rows ins(%x : !x) outs(%s : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %o, %u : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %s to %S[%i] : !e to !V
  }
}
// -----
// Rows by the blocks of a cluster, $K.
// with: K=add, OP=addf, I=1.0, F=1 + sum(X[i\, j] for j in range(N)); K=max, OP=maximumf, I=-4.0, F=max([-4\, *(X[i\, j] for j in range(N))])
// S[i] = $F
tile.kernel @clusters(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on cluster {
    %s = tile.hold init($I : f32) : memref<32xf32, #tile.level<rf>>
    tile.for (%c) in (4) by (1) at dram on block reduce($K) {
      tile.for (%t) in (32) by (1) at dram on thread {
        %p = tile.part %s[%t] : memref<32xf32, #tile.level<rf>> to !e
        tile.for (%j) in (%N) by (4) at dram {
          %x = tile.stage %X[%i + %t, %j + %c] : !G to !x
          linalg.generic #rows ins(%x : !x) outs(%p : !e) {
          ^bb0(%u: f32, %o: f32):
            %r = arith.$OP %o, %u : f32
            linalg.yield %r : f32
          }
        }
      }
    }
    tile.store %s to %S[%i] : memref<32xf32, #tile.level<rf>> to !V
  }
}
// -----
// The blocks of a cluster, add over a maximum.
// refused: does something else to a held tile than to combine it by add.*arith
tile.kernel @clusters_wrong(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on cluster {
    %s = tile.hold init(0.0 : f32) : memref<32xf32, #tile.level<rf>>
    tile.for (%c) in (4) by (1) at dram on block reduce(add) {
      tile.for (%t) in (32) by (1) at dram on thread {
        %p = tile.part %s[%t] : memref<32xf32, #tile.level<rf>> to !e
        %x = tile.stage %X[%i + %t, %c] : !G to !x
        linalg.generic #rows ins(%x : !x) outs(%p : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.maximumf %o, %u : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %s to %S[%i] : memref<32xf32, #tile.level<rf>> to !V
  }
}
// -----
// A reduction over 48 threads.
// S[i] = sum(X[i, t] for t in range(min(48, N)))
tile.kernel @odd_threads(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (48) by (1) at dram on thread reduce(add) {
      %x = tile.stage %X[%i, %t] : !G to !x
      linalg.generic #rows ins(%x : !x) outs(%s : !e) {
      ^bb0(%u: f32, %o: f32):
        %r = arith.addf %o, %u : f32
        linalg.yield %r : f32
      }
    }
    tile.store %s to %S[%i] : !e to !V
  }
}
// -----
// A maximum over blocks by combine.
// limit: combine\(max\) of 'f32', which the hardware does for i32 only
tile.kernel @combine_max(%X: !V[%N], %S: memref<1xf32>[1], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      %m = tile.hold init(0.0 : f32) : !e
      linalg.generic #two ins(%x : !e) outs(%m : !e) {
      ^bb0(%u: f32, %o: f32):
        %r = arith.maximumf %u, %o : f32
        linalg.yield %r : f32
      }
      tile.store %m to %S[0] combine(max) : !e to memref<1xf32>
    }
  }
}
// -----
// A sum over blocks without combine.
// refused: may write one element from several iterations of a loop on thread.*combine
tile.kernel @no_combine(%X: !V[%N], %S: memref<1xf32>[1], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      tile.store %x to %S[0] : !e to memref<1xf32>
    }
  }
}
