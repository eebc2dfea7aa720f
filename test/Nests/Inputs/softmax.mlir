// Softmax in its forms, and other normalizations of rows.
!V = memref<?xf32, strided<[?]>>
!Vi = memref<?xi32, strided<[?]>>
!G = memref<?x?xf32, strided<[?, ?]>>
!e = memref<1xf32, #tile.level<rf>>
!ei = memref<1xi32, #tile.level<rf>>
!x = memref<1x1xf32, #tile.level<rf>>
!x4 = memref<1x4xf32, #tile.level<rf>>
!x16 = memref<1x16xf32, #tile.level<rf>>
!s = memref<1x64xf32, #tile.level<smem>>
!p = memref<1x1xf32, strided<[64, 1], offset: ?>, #tile.level<smem>>
#v = affine_map<(i) -> (i)>
#m = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
#one = {indexing_maps = [#v], iterator_types = ["parallel"]}
#two = {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
#rows = {indexing_maps = [#m, #i], iterator_types = ["parallel", "reduction"]}
#rows2 = {indexing_maps = [#m, #i, #i], iterator_types = ["parallel", "reduction"]}
#scale = {indexing_maps = [#i, #m], iterator_types = ["parallel", "parallel"]}
#scale2 = {indexing_maps = [#i, #i, #m], iterator_types = ["parallel", "parallel"]}
// -----
// Three passes, a thread a row.
// Y[i, j] ~ exp(X[i, j]) / sum(exp(X[i, k]) for k in range(N))
tile.kernel @three_passes(%X: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %max = tile.hold init(0xFF800000 : f32) : !e
      %sum = tile.hold init(0.0 : f32) : !e
      tile.for (%j) in (%N) by (1) at dram {
        %x = tile.stage %X[%b + %t, %j] : !G to !x
        linalg.generic #rows ins(%x : !x) outs(%max : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.maximumf %o, %u : f32
          linalg.yield %r : f32
        }
      }
      tile.for (%j) in (%N) by (1) at dram {
        %x = tile.stage %X[%b + %t, %j] : !G to !x
        linalg.generic #rows2 ins(%x, %max : !x, !e) outs(%sum : !e) {
        ^bb0(%u: f32, %q: f32, %o: f32):
          %d = arith.subf %u, %q : f32
          %e = math.exp %d : f32
          %r = arith.addf %o, %e : f32
          linalg.yield %r : f32
        }
      }
      tile.for (%j) in (%N) by (1) at dram {
        %x = tile.stage %X[%b + %t, %j] : !G to !x
        linalg.generic #scale2 ins(%max, %sum : !e, !e) outs(%x : !x) {
        ^bb0(%q: f32, %l: f32, %o: f32):
          %d = arith.subf %o, %q : f32
          %e = math.exp %d : f32
          %r = arith.divf %e, %l : f32
          linalg.yield %r : f32
        }
        tile.store %x to %Y[%b + %t, %j] : !x to !G
      }
    }
  }
}
// -----
// Three passes, a block a row.
// Y[i, j] ~ exp(X[i, j]) / sum(exp(X[i, k]) for k in range(N))
tile.kernel @three_passes_block(%X: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %max = tile.hold init(-1.0e30 : f32) : !e
    %sum = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (32) by (1) at dram on thread reduce(max) {
      tile.for (%j) in (%N) by (32) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic #rows ins(%x : !x) outs(%max : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.maximumf %o, %u : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.for (%t) in (32) by (1) at dram on thread reduce(add) {
      tile.for (%j) in (%N) by (32) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic #rows2 ins(%x, %max : !x, !e) outs(%sum : !e) {
        ^bb0(%u: f32, %q: f32, %o: f32):
          %d = arith.subf %u, %q : f32
          %e = math.exp %d : f32
          %r = arith.addf %o, %e : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.for (%t) in (32) by (1) at dram on thread {
      tile.for (%j) in (%N) by (32) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic #scale2 ins(%max, %sum : !e, !e) outs(%x : !x) {
        ^bb0(%q: f32, %l: f32, %o: f32):
          %d = arith.subf %o, %q : f32
          %e = math.exp %d : f32
          %r = arith.divf %e, %l : f32
          linalg.yield %r : f32
        }
        tile.store %x to %Y[%i, %j + %t] : !x to !G
      }
    }
  }
}
// -----
// Online, a thread a row, from $I.
// with: I=-1.0e30; I=0xFF800000
// Y[i, j] ~ exp(X[i, j]) / sum(exp(X[i, k]) for k in range(N))
tile.kernel @online(%X: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %max = tile.hold init($I : f32) : !e
      %sum = tile.hold init(0.0 : f32) : !e
      tile.for (%j) in (%N) by (4) at dram {
        %x = tile.stage %X[%b + %t, %j] : !G to !x4
        linalg.generic #rows2 ins(%x : !x4) outs(%max, %sum : !e, !e) {
        ^bb0(%u: f32, %q: f32, %l: f32):
          %n = arith.maximumf %q, %u : f32
          %d = arith.subf %q, %n : f32
          %e = math.exp %d : f32
          %f = arith.mulf %l, %e : f32
          %g = arith.subf %u, %n : f32
          %h = math.exp %g : f32
          %r = arith.addf %f, %h : f32
          linalg.yield %n, %r : f32, f32
        }
      }
      tile.for (%j) in (%N) by (4) at dram {
        %x = tile.stage %X[%b + %t, %j] : !G to !x4
        linalg.generic #scale2 ins(%max, %sum : !e, !e) outs(%x : !x4) {
        ^bb0(%q: f32, %l: f32, %o: f32):
          %d = arith.subf %o, %q : f32
          %e = math.exp %d : f32
          %r = arith.divf %e, %l : f32
          linalg.yield %r : f32
        }
        tile.store %x to %Y[%b + %t, %j] : !x4 to !G
      }
    }
  }
}
// -----
// Online over the threads of a row: maximum and sum depend on each other, which no kind of reduction is.
// refused: does something else to a held tile than to combine it by add.*arith
tile.kernel @online_threads(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %max = tile.hold init(-1.0e30 : f32) : !e
    %sum = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (32) by (1) at dram on thread reduce(add) {
      %x = tile.stage %X[%i, %t] : !G to !x
      linalg.generic #rows2 ins(%x : !x) outs(%max, %sum : !e, !e) {
      ^bb0(%u: f32, %q: f32, %l: f32):
        %n = arith.maximumf %q, %u : f32
        %d = arith.subf %q, %n : f32
        %e = math.exp %d : f32
        %f = arith.mulf %l, %e : f32
        %g = arith.subf %u, %n : f32
        %h = math.exp %g : f32
        %r = arith.addf %f, %h : f32
        linalg.yield %n, %r : f32, f32
      }
    }
    tile.store %sum to %S[%i] : !e to !V
  }
}
// -----
// In place, rows of at most 16 in registers: absent elements take no part.
// X[i, j] ~ exp(X[i, j]) / sum(exp(X[i, k]) for k in range(N))
// shapes: M=37 N=11; M=5 N=16; M=33 N=1
tile.kernel @in_registers(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t, 0] : !G to !x16
      %max = tile.hold init(-1.0e30 : f32) : !e
      linalg.generic #rows ins(%x : !x16) outs(%max : !e) {
      ^bb0(%u: f32, %o: f32):
        %r = arith.maximumf %o, %u : f32
        linalg.yield %r : f32
      }
      linalg.generic #scale ins(%max : !e) outs(%x : !x16) {
      ^bb0(%q: f32, %o: f32):
        %d = arith.subf %o, %q : f32
        %r = math.exp %d : f32
        linalg.yield %r : f32
      }
      %sum = tile.hold init(0.0 : f32) : !e
      linalg.generic #rows ins(%x : !x16) outs(%sum : !e) {
      ^bb0(%u: f32, %o: f32):
        %r = arith.addf %o, %u : f32
        linalg.yield %r : f32
      }
      linalg.generic #scale ins(%sum : !e) outs(%x : !x16) {
      ^bb0(%q: f32, %o: f32):
        %r = arith.divf %o, %q : f32
        linalg.yield %r : f32
      }
      tile.store %x to %X[%b + %t, 0] : !x16 to !G
    }
  }
}
// -----
// In place in shared memory: rows of at most 64, a block a row, updated by their owners.
// Y[i, j] ~ exp(X[i, j]) / sum(exp(X[i, k]) for k in range(N))
// shapes: M=2 N=33; M=5 N=64; M=1 N=1
tile.kernel @in_shared(%X: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.stage %X[%i, 0] : !G to !s
    %max = tile.hold init(-1.0e30 : f32) : !e
    tile.for (%t) in (64) by (1) at smem on thread reduce(max) {
      %x = tile.part %s[0, %t] : !s to !p
      linalg.generic #rows ins(%x : !p) outs(%max : !e) {
      ^bb0(%u: f32, %o: f32):
        %r = arith.maximumf %o, %u : f32
        linalg.yield %r : f32
      }
    }
    tile.for (%t) in (64) by (1) at smem on thread {
      %x = tile.part %s[0, %t] : !s to !p
      linalg.generic #scale ins(%max : !e) outs(%x : !p) {
      ^bb0(%q: f32, %o: f32):
        %d = arith.subf %o, %q : f32
        %r = math.exp %d : f32
        linalg.yield %r : f32
      }
    }
    %sum = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (64) by (1) at smem on thread reduce(add) {
      %x = tile.part %s[0, %t] : !s to !p
      linalg.generic #rows ins(%x : !p) outs(%sum : !e) {
      ^bb0(%u: f32, %o: f32):
        %r = arith.addf %o, %u : f32
        linalg.yield %r : f32
      }
    }
    tile.for (%t) in (64) by (1) at smem on thread {
      %x = tile.stage %s[0, %t] : !s to !x
      linalg.generic #scale ins(%sum : !e) outs(%x : !x) {
      ^bb0(%q: f32, %o: f32):
        %r = arith.divf %o, %q : f32
        linalg.yield %r : f32
      }
      tile.store %x to %Y[%i, %t] : !x to !G
    }
  }
}
// -----
// In place in DRAM: exponentials are stored, read again by other threads, and divided.
// X[i, j] ~ exp(X[i, j]) / sum(exp(X[i, k]) for k in range(N))
tile.kernel @in_dram(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %sum = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (32) by (1) at dram on thread {
      tile.for (%j) in (%N) by (32) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic {indexing_maps = [#m], iterator_types = ["parallel", "parallel"]} outs(%x : !x) {
        ^bb0(%o: f32):
          %r = math.exp %o : f32
          linalg.yield %r : f32
        }
        tile.store %x to %X[%i, %j + %t] : !x to !G
      }
    }
    tile.for (%t) in (32) by (1) at dram on thread reduce(add) {
      tile.for (%j) in (%N) by (32) at dram {
        %x = tile.stage %X[%i, %j + 31 - %t] : !G to !x
        linalg.generic #rows ins(%x : !x) outs(%sum : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %o, %u : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.for (%t) in (32) by (1) at dram on thread {
      tile.for (%j) in (%N) by (32) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic #scale ins(%sum : !e) outs(%x : !x) {
        ^bb0(%q: f32, %o: f32):
          %r = arith.divf %o, %q : f32
          linalg.yield %r : f32
        }
        tile.store %x to %X[%i, %j + %t] : !x to !G
      }
    }
  }
}
// -----
// Over columns: a thread a column, in place.
// X[i, j] ~ exp(X[i, j]) / sum(exp(X[k, j]) for k in range(M))
tile.kernel @columns(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %sum = tile.hold init(0.0 : f32) : !e
      tile.for (%i) in (%M) by (1) at dram {
        %x = tile.stage %X[%i, %b + %t] : !G to !x
        linalg.generic {indexing_maps = [#m, #j], iterator_types = ["reduction", "parallel"]} ins(%x : !x) outs(%sum : !e) {
        ^bb0(%u: f32, %o: f32):
          %e = math.exp %u : f32
          %r = arith.addf %o, %e : f32
          linalg.yield %r : f32
        }
      }
      tile.for (%i) in (%M) by (1) at dram {
        %x = tile.part %X[%i, %b + %t] : !G to memref<1x1xf32, strided<[?, ?], offset: ?>>
        linalg.generic {indexing_maps = [#j, #m], iterator_types = ["parallel", "parallel"]}
            ins(%sum : !e) outs(%x : memref<1x1xf32, strided<[?, ?], offset: ?>>) {
        ^bb0(%q: f32, %o: f32):
          %e = math.exp %o : f32
          %r = arith.divf %e, %q : f32
          linalg.yield %r : f32
        }
      }
    }
  }
}
// -----
// The logarithm of the sum of exponentials, over threads.
// S[i] ~ log(sum(exp(X[i, k]) for k in range(N)))
tile.kernel @logsumexp(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %max = tile.hold init(-1.0e30 : f32) : !e
    %sum = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (64) by (1) at dram on thread reduce(max) {
      tile.for (%j) in (%N) by (64) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic #rows ins(%x : !x) outs(%max : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.maximumf %u, %o : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.for (%t) in (64) by (1) at dram on thread reduce(add) {
      tile.for (%j) in (%N) by (64) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic #rows2 ins(%x, %max : !x, !e) outs(%sum : !e) {
        ^bb0(%u: f32, %q: f32, %o: f32):
          %d = arith.subf %u, %q : f32
          %e = math.exp %d : f32
          %r = arith.addf %e, %o : f32
          linalg.yield %r : f32
        }
      }
    }
    linalg.generic #two ins(%max : !e) outs(%sum : !e) {
    ^bb0(%q: f32, %o: f32):
      %l = math.log %o : f32
      %r = arith.addf %q, %l : f32
      linalg.yield %r : f32
    }
    tile.store %sum to %S[%i] : !e to !V
  }
}
// -----
// Causal: row i over columns up to i, the others 0.
// Y[i, j] ~ exp(X[i, j]) / sum(exp(X[i, k]) for k in range(i + 1)) if j <= i else 0
tile.kernel @causal(%X: !G[%N, %N], %Y: !G[%N, %N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %row = arith.addi %b, %t : index
      %sum = tile.hold init(0.0 : f32) : !e
      tile.for (%j) in (%N) by (1) at dram {
        %below = arith.cmpi sle, %j, %row : index
        scf.if %below {
          %x = tile.stage %X[%b + %t, %j] : !G to !x
          linalg.generic #rows ins(%x : !x) outs(%sum : !e) {
          ^bb0(%u: f32, %o: f32):
            %e = math.exp %u : f32
            %r = arith.addf %o, %e : f32
            linalg.yield %r : f32
          }
        }
      }
      tile.for (%j) in (%N) by (1) at dram {
        %below = arith.cmpi sle, %j, %row : index
        %y = tile.hold init(0.0 : f32) : !x
        scf.if %below {
          %x = tile.stage %X[%b + %t, %j] : !G to !x
          linalg.generic {indexing_maps = [#m, #i, #m], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : !x, !e) outs(%y : !x) {
          ^bb0(%u: f32, %q: f32, %o: f32):
            %e = math.exp %u : f32
            %r = arith.divf %e, %q : f32
            linalg.yield %r : f32
          }
        }
        tile.store %y to %Y[%b + %t, %j] : !x to !G
      }
    }
  }
}
// -----
// Layer norm with scale and shift, a block a row.
// A(M)[i] = sum(X[i, k] for k in range(N)) / N
// B(M)[i] = sum((X[i, k] - A[i]) ** 2 for k in range(N)) / N
// Y[i, j] ~ (X[i, j] - A[i]) / sqrt(B[i] + 1) * W[j] + U[j]
tile.kernel @layer_norm(%X: !G[%M, %N], %W: !V[%N], %U: !V[%N], %Y: !G[%M, %N], %M: index, %N: index) {
  %n32 = arith.index_cast %N : index to i32
  %n = arith.sitofp %n32 : i32 to f32
  tile.for (%i) in (%M) by (1) at dram on block {
    %mean = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (32) by (1) at dram on thread reduce(add) {
      tile.for (%j) in (%N) by (32) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic #rows ins(%x : !x) outs(%mean : !e) {
        ^bb0(%u: f32, %o: f32):
          %d = arith.divf %u, %n : f32
          %r = arith.addf %o, %d : f32
          linalg.yield %r : f32
        }
      }
    }
    %var = tile.hold init(0.0 : f32) : !e
    tile.for (%t) in (32) by (1) at dram on thread reduce(add) {
      tile.for (%j) in (%N) by (32) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        linalg.generic #rows2 ins(%x, %mean : !x, !e) outs(%var : !e) {
        ^bb0(%u: f32, %q: f32, %o: f32):
          %d = arith.subf %u, %q : f32
          %s = arith.mulf %d, %d : f32
          %w = arith.divf %s, %n : f32
          %r = arith.addf %o, %w : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.for (%t) in (32) by (1) at dram on thread {
      tile.for (%j) in (%N) by (32) at dram {
        %x = tile.stage %X[%i, %j + %t] : !G to !x
        %w = tile.stage %W[%j + %t] : !V to !e
        %u = tile.stage %U[%j + %t] : !V to !e
        linalg.generic {indexing_maps = [#i, #i, #j, #j, #m], iterator_types = ["parallel", "parallel"]}
            ins(%mean, %var, %w, %u : !e, !e, !e, !e) outs(%x : !x) {
        ^bb0(%a: f32, %c: f32, %p: f32, %q: f32, %o: f32):
          %eps = arith.constant 1.0 : f32
          %d = arith.subf %o, %a : f32
          %f = arith.addf %c, %eps : f32
          %g = math.sqrt %f : f32
          %h = arith.divf %d, %g : f32
          %k = arith.mulf %h, %p : f32
          %r = arith.addf %k, %q : f32
          linalg.yield %r : f32
        }
        tile.store %x to %Y[%i, %j + %t] : !x to !G
      }
    }
  }
}
// -----
// RMS norm in place, warps of a block a row each.
// X[i, j] ~ X[i, j] / sqrt(sum(X[i, k] ** 2 for k in range(N)) + 1)
tile.kernel @rms_norm(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%b) in (%M) by (4) at dram on block {
    tile.for (%w) in (4) by (1) at dram on warp {
      %sum = tile.hold init(1.0 : f32) : !e
      tile.for (%t) in (32) by (1) at dram on thread reduce(add) {
        tile.for (%j) in (%N) by (32) at dram {
          %x = tile.stage %X[%b + %w, %j + %t] : !G to !x
          linalg.generic #rows ins(%x : !x) outs(%sum : !e) {
          ^bb0(%u: f32, %o: f32):
            %s = arith.mulf %u, %u : f32
            %r = arith.addf %o, %s : f32
            linalg.yield %r : f32
          }
        }
      }
      tile.for (%t) in (32) by (1) at dram on thread {
        tile.for (%j) in (%N) by (32) at dram {
          %x = tile.stage %X[%b + %w, %j + %t] : !G to !x
          linalg.generic #scale ins(%sum : !e) outs(%x : !x) {
          ^bb0(%q: f32, %o: f32):
            %g = math.sqrt %q : f32
            %r = arith.divf %o, %g : f32
            linalg.yield %r : f32
          }
          tile.store %x to %X[%b + %w, %j + %t] : !x to !G
        }
      }
    }
  }
}
// -----
// Welford's mean and variance, a thread a row: three held tiles, one body.
// A[i] ~ sum(X[i, k] for k in range(N)) / N
// B[i] ~ sum((X[i, k] - sum(X[i, l] for l in range(N)) / N) ** 2 for k in range(N))
tile.kernel @welford(%X: !G[%M, %N], %A: !V[%M], %B: !V[%M], %M: index, %N: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %n = tile.hold init(0.0 : f32) : !e
      %mean = tile.hold init(0.0 : f32) : !e
      %m2 = tile.hold init(0.0 : f32) : !e
      tile.for (%j) in (%N) by (4) at dram {
        %x = tile.stage %X[%b + %t, %j] : !G to !x4
        linalg.generic {indexing_maps = [#m, #i, #i, #i], iterator_types = ["parallel", "reduction"]}
            ins(%x : !x4) outs(%n, %mean, %m2 : !e, !e, !e) {
        ^bb0(%u: f32, %c: f32, %a: f32, %s: f32):
          %one = arith.constant 1.0 : f32
          %k = arith.addf %c, %one : f32
          %d = arith.subf %u, %a : f32
          %q = arith.divf %d, %k : f32
          %p = arith.addf %a, %q : f32
          %e = arith.subf %u, %p : f32
          %f = arith.mulf %d, %e : f32
          %r = arith.addf %s, %f : f32
          linalg.yield %k, %p, %r : f32, f32, f32
        }
      }
      tile.store %mean to %A[%b + %t] : !e to !V
      tile.store %m2 to %B[%b + %t] : !e to !V
    }
  }
}
// -----
// Cross entropy: the target's column is found by comparing, as there is no gather.
// L[i] ~ log(sum(exp(X[i, k]) for k in range(N))) - (X[i, T[i]] if T[i] < N else 0)
// T from range(0, N + 2)
tile.kernel @cross_entropy(%X: !G[%M, %N], %T: !Vi[%M], %L: !V[%M], %M: index, %N: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %target = tile.stage %T[%b + %t] : !Vi to !ei
      %sum = tile.hold init(0.0 : f32) : !e
      %at = tile.hold init(0.0 : f32) : !e
      tile.for (%j) in (%N) by (1) at dram {
        %n = arith.index_cast %j : index to i32
        %x = tile.stage %X[%b + %t, %j] : !G to !x
        linalg.generic {indexing_maps = [#m, #i, #i, #i], iterator_types = ["parallel", "reduction"]}
            ins(%x, %target : !x, !ei) outs(%sum, %at : !e, !e) {
        ^bb0(%u: f32, %k: i32, %o: f32, %p: f32):
          %e = math.exp %u : f32
          %r = arith.addf %o, %e : f32
          %c = arith.cmpi eq, %k, %n : i32
          %s = arith.select %c, %u, %p : f32
          linalg.yield %r, %s : f32, f32
        }
      }
      linalg.generic #two ins(%at : !e) outs(%sum : !e) {
      ^bb0(%u: f32, %o: f32):
        %l = math.log %o : f32
        %r = arith.subf %l, %u : f32
        linalg.yield %r : f32
      }
      tile.store %sum to %L[%b + %t] : !e to !V
    }
  }
}
// -----
// Attention with four features, online, a thread a query.
// P(M, N)[i, j] = exp(sum(Q[i, d] * K[j, d] for d in range(4)) / 4)
// O[i, d] ~ sum(P[i, j] * U[j, d] for j in range(N)) / sum(P[i, j] for j in range(N))
!F = memref<?x4xf32>
tile.kernel @attention(%Q: !F[%M, 4], %K: !F[%N, 4], %U: !F[%N, 4], %O: !F[%M, 4], %M: index, %N: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %q = tile.stage %Q[%b + %t, 0] : !F to !x4
      %max = tile.hold init(-1.0e30 : f32) : !e
      %sum = tile.hold init(0.0 : f32) : !e
      %o = tile.hold init(0.0 : f32) : !x4
      tile.for (%j) in (%N) by (1) at dram {
        %k = tile.stage %K[%j, 0] : !F to !x4
        %u = tile.stage %U[%j, 0] : !F to !x4
        %s = tile.hold init(0.0 : f32) : !e
        linalg.generic {indexing_maps = [#m, #m, #i], iterator_types = ["parallel", "reduction"]} ins(%q, %k : !x4, !x4) outs(%s : !e) {
        ^bb0(%a: f32, %c: f32, %p: f32):
          %quarter = arith.constant 0.25 : f32
          %d = arith.mulf %a, %c : f32
          %e = arith.mulf %d, %quarter : f32
          %r = arith.addf %p, %e : f32
          linalg.yield %r : f32
        }
        %f = tile.hold init(0.0 : f32) : !e
        linalg.generic {indexing_maps = [#v, #v, #v, #v], iterator_types = ["parallel"]} ins(%s : !e) outs(%max, %sum, %f : !e, !e, !e) {
        ^bb0(%a: f32, %m: f32, %l: f32, %p: f32):
          %n = arith.maximumf %m, %a : f32
          %d = arith.subf %m, %n : f32
          %c = math.exp %d : f32
          %g = arith.subf %a, %n : f32
          %h = math.exp %g : f32
          %w = arith.mulf %l, %c : f32
          %r = arith.addf %w, %h : f32
          linalg.yield %n, %r, %c : f32, f32, f32
        }
        linalg.generic {indexing_maps = [#i, #i, #i, #m, #m], iterator_types = ["parallel", "parallel"]}
            ins(%s, %max, %f, %u : !e, !e, !e, !x4) outs(%o : !x4) {
        ^bb0(%a: f32, %m: f32, %c: f32, %z: f32, %p: f32):
          %g = arith.subf %a, %m : f32
          %h = math.exp %g : f32
          %d = arith.mulf %h, %z : f32
          %w = arith.mulf %p, %c : f32
          %r = arith.addf %w, %d : f32
          linalg.yield %r : f32
        }
      }
      linalg.generic #scale ins(%sum : !e) outs(%o : !x4) {
      ^bb0(%l: f32, %p: f32):
        %r = arith.divf %p, %l : f32
        linalg.yield %r : f32
      }
      tile.store %o to %O[%b + %t, 0] : !x4 to !F
    }
  }
}
// -----
// Batch norm as a scale and a shift of each channel, in place.
// X[b, c, i] = X[b, c, i] * W[c] + U[c]
!T = memref<?x?x?xf32, strided<[?, ?, ?]>>
!t = memref<1x1x2xf32, #tile.level<rf>>
tile.kernel @batch_norm(%X: !T[%B, %C, %N], %W: !V[%C], %U: !V[%C], %B: index, %C: index, %N: index) {
  tile.for (%b, %c, %i) in (%B, %C, %N) by (1, 1, 64) at dram on block {
    tile.for (%t) in (64) by (2) at dram on thread {
      %x = tile.stage %X[%b, %c, %i + %t] : !T to !t
      %w = tile.stage %W[%c] : !V to !e
      %u = tile.stage %U[%c] : !V to !e
      linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (i, j, k)>],
                      iterator_types = ["parallel", "parallel", "parallel"]} ins(%w, %u : !e, !e) outs(%x : !t) {
      ^bb0(%p: f32, %q: f32, %o: f32):
        %d = arith.mulf %o, %p : f32
        %r = arith.addf %d, %q : f32
        linalg.yield %r : f32
      }
      tile.store %x to %X[%b, %c, %i + %t] : !t to !T
    }
  }
}
