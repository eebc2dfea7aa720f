// Scans, histograms, triangles, conditions, and the shapes that loops take: persistent grids, pipelines, clusters, empty extents.
!V = memref<?xf32, strided<[?]>>
!Vi = memref<?xi32, strided<[?]>>
!G = memref<?x?xf32, strided<[?, ?]>>
!e = memref<1xf32, #tile.level<rf>>
!ei = memref<1xi32, #tile.level<rf>>
!x = memref<1x1xf32, #tile.level<rf>>
!s = memref<64xf32, #tile.level<smem>>
!p = memref<1xf32, strided<[1], offset: ?>, #tile.level<smem>>
#v = affine_map<(i) -> (i)>
#m = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#one = {indexing_maps = [#v], iterator_types = ["parallel"]}
#two = {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
#three = {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]}
#rows = {indexing_maps = [#m, #i], iterator_types = ["parallel", "reduction"]}
#scan = {indexing_maps = [#m, #i, #m], iterator_types = ["parallel", "reduction"]}
// -----
// A scan of each row, one thread a row: the running sum is stored as it goes.
// Y[i, j] = sum(X[i, k] for k in range(j + 1))
tile.kernel @scan_rows(%X: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
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
        linalg.generic {indexing_maps = [#i, #m], iterator_types = ["parallel", "parallel"]} ins(%s : !e) outs(%x : !x) {
        ^bb0(%u: f32, %o: f32):
          linalg.yield %u : f32
        }
        tile.store %x to %Y[%b + %t, %j] : !x to !G
      }
    }
  }
}
// -----
// An exclusive scan in place by running maxima, serial.
// Y[i, j] = max([-10, *(X[i, k] for k in range(j))])
tile.kernel @scan_exclusive(%X: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %s = tile.hold init(-10.0 : f32) : !x
      tile.for (%j) in (%N) by (1) at dram {
        tile.store %s to %Y[%b + %t, %j] : !x to !G
        %x = tile.stage %X[%b + %t, %j] : !G to !x
        linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]} ins(%x : !x) outs(%s : !x) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.maximumf %o, %u : f32
          linalg.yield %r : f32
        }
      }
    }
  }
}
// -----
// A scan in place: each element from the new one before it, in DRAM, serial.
// X[i, j] = sum(X[i, k] for k in range(j + 1))
tile.kernel @scan_in_place(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      tile.for (%j) in (%N) by (1) at dram {
        %l = tile.stage %X[%b + %t, %j - 1] pad(zero) : !G to !x
        %x = tile.stage %X[%b + %t, %j] : !G to !x
        linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]} ins(%l : !x) outs(%x : !x) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %o, %u : f32
          linalg.yield %r : f32
        }
        tile.store %x to %X[%b + %t, %j] : !x to !G
      }
    }
  }
}
// -----
// A scan over threads: each reads what its neighbour writes.
// refused: other iterations of a loop on thread may write.*the write is here
tile.kernel @scan_threads(%X: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %l = tile.stage %X[%b + %t - 1] pad(zero) : !V to !e
      %x = tile.stage %X[%b + %t] : !V to !e
      linalg.generic #two ins(%l : !e) outs(%x : !e) {
      ^bb0(%u: f32, %o: f32):
        %r = arith.addf %o, %u : f32
        linalg.yield %r : f32
      }
      tile.store %x to %X[%b + %t] : !e to !V
    }
  }
}
// -----
// A scan of 8 in a block by doubling: three steps between two shared tiles, the distance a constant of each.
// Y[m, i] = sum(X[m, k] for k in range(i + 1))
!s8 = memref<1x16xf32, #tile.level<smem>>
!p8 = memref<1x1xf32, strided<[16, 1], offset: ?>, #tile.level<smem>>
#ew3 = {indexing_maps = [#m, #m, #m], iterator_types = ["parallel", "parallel"]}
tile.kernel @doubling(%X: memref<?x8xf32>[%M, 8], %Y: memref<?x8xf32>[%M, 8], %M: index) {
  tile.for (%m) in (%M) by (1) at dram on block {
    %a = tile.stage %X[%m, -8] pad(zero) : memref<?x8xf32> to !s8
    %c = tile.stage %X[%m, -8] pad(zero) : memref<?x8xf32> to !s8
    tile.for (%t) in (8) by (1) at smem on thread {
      %l = tile.part %a[0, %t + 7] : !s8 to !p8
      %h = tile.part %a[0, %t + 8] : !s8 to !p8
      %o = tile.part %c[0, %t + 8] : !s8 to !p8
      linalg.add ins(%l, %h : !p8, !p8) outs(%o : !p8)
    }
    tile.for (%t) in (8) by (1) at smem on thread {
      %l = tile.part %c[0, %t + 6] : !s8 to !p8
      %h = tile.part %c[0, %t + 8] : !s8 to !p8
      %o = tile.part %a[0, %t + 8] : !s8 to !p8
      linalg.add ins(%l, %h : !p8, !p8) outs(%o : !p8)
    }
    tile.for (%t) in (8) by (1) at smem on thread {
      %l = tile.stage %a[0, %t + 4] : !s8 to !x
      %h = tile.stage %a[0, %t + 8] : !s8 to !x
      linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]} ins(%l : !x) outs(%h : !x) {
      ^bb0(%u: f32, %o: f32):
        %r = arith.addf %o, %u : f32
        linalg.yield %r : f32
      }
      tile.store %h to %Y[%m, %t] : !x to memref<?x8xf32>
    }
  }
}
// -----
// A scan over blocks that needs the sums of the blocks before.
// refused: other iterations of a loop on block may write.*the write is here
tile.kernel @scan_blocks(%X: !V[%N], %S: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      tile.store %x to %S[%b] combine(add) unordered : !e to !V
    }
    tile.for (%t) in (64) by (1) at dram on thread {
      %l = tile.stage %S[%b - 64] pad(zero) : !V to !e
      %x = tile.stage %X[%b + %t] : !V to !e
      linalg.generic #two ins(%l : !e) outs(%x : !e) {
      ^bb0(%u: f32, %o: f32):
        %r = arith.addf %o, %u : f32
        linalg.yield %r : f32
      }
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// A recurrence with a gate, four columns at once: points in row-major order.
// H(M, N)[i, j] = (H[i, j - 1] if j else 0) * A[i, j] + X[i, j]
// Y[i] = H[i, N - 1] if N else 0
// A from [-1, 0, 1]
// shapes: M=37 N=21; M=1 N=1; M=33 N=0
tile.kernel @recurrence(%A: !G[%M, %N], %X: !G[%M, %N], %Y: !V[%M], %M: index, %N: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %h = tile.hold init(0.0 : f32) : !e
      tile.for (%j) in (%N) by (4) at dram {
        %a = tile.stage %A[%b + %t, %j] : !G to memref<1x4xf32, #tile.level<rf>>
        %x = tile.stage %X[%b + %t, %j] : !G to memref<1x4xf32, #tile.level<rf>>
        linalg.generic {indexing_maps = [#m, #m, #i], iterator_types = ["parallel", "reduction"]}
            ins(%a, %x : memref<1x4xf32, #tile.level<rf>>, memref<1x4xf32, #tile.level<rf>>) outs(%h : !e) {
        ^bb0(%u: f32, %w: f32, %o: f32):
          %d = arith.mulf %u, %o : f32
          %r = arith.addf %d, %w : f32
          linalg.yield %r : f32
        }
      }
      tile.store %h to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// A histogram of eight bins, a thread a bin that looks at all values.
// H[k] = sum(X[i] == k for i in range(N))
// X from range(-1, 10)
// shapes: N=137; N=1; N=0
tile.kernel @histogram_bins(%X: !Vi[%N], %H: memref<8xi32>[8], %N: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    tile.for (%t) in (8) by (1) at dram on thread {
      %k = arith.index_cast %t : index to i32
      %h = tile.hold init(0 : i32) : !ei
      tile.for (%i) in (%N) by (1) at dram {
        %x = tile.stage %X[%i] : !Vi to !ei
        linalg.generic #two ins(%x : !ei) outs(%h : !ei) {
        ^bb0(%u: i32, %o: i32):
          %one = arith.constant 1 : i32
          %c = arith.cmpi eq, %u, %k : i32
          %d = arith.addi %o, %one : i32
          %r = arith.select %c, %d, %o : i32
          linalg.yield %r : i32
        }
      }
      tile.store %h to %H[%t] : !ei to memref<8xi32>
    }
  }
}
// -----
// A histogram over blocks: each thread a vector of ones and zeros, combined.
// H[k] = H[k] + sum(X[i] == k for i in range(N))
// X from range(-1, 6)
// shapes: N=137; N=1
tile.kernel @histogram_combine(%X: !Vi[%N], %H: memref<4xf32>[4], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !Vi to !ei
      %h = tile.hold init(0.0 : f32) : memref<4xf32, #tile.level<rf>>
      linalg.generic {indexing_maps = [affine_map<(i) -> (0)>, #v], iterator_types = ["parallel"]} ins(%x : !ei) outs(%h : memref<4xf32, #tile.level<rf>>) {
      ^bb0(%u: i32, %o: f32):
        %zero = arith.constant 0.0 : f32
        %one = arith.constant 1.0 : f32
        %n = linalg.index 0 : index
        %k = arith.index_cast %n : index to i32
        %c = arith.cmpi eq, %u, %k : i32
        %r = arith.select %c, %one, %zero : f32
        linalg.yield %r : f32
      }
      tile.store %h to %H[0] combine(add) unordered : memref<4xf32, #tile.level<rf>> to memref<4xf32>
    }
  }
}
// -----
// A histogram by threads that reduce: four counts held by all.
// H[k] = sum(X[i] == k for i in range(N))
// X from range(0, 5)
// shapes: N=137; N=1; N=0
tile.kernel @histogram_reduce(%X: !Vi[%N], %H: memref<4xi32>[4], %N: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    %h = tile.hold init(0 : i32) : memref<4xi32, #tile.level<rf>>
    tile.for (%t) in (64) by (1) at dram on thread reduce(add) {
      tile.for (%i) in (%N) by (64) at dram {
        %x = tile.stage %X[%i + %t] : !Vi to !ei
        linalg.generic {indexing_maps = [affine_map<(i) -> (0)>, #v], iterator_types = ["parallel"]} ins(%x : !ei) outs(%h : memref<4xi32, #tile.level<rf>>) {
        ^bb0(%u: i32, %o: i32):
          %zero = arith.constant 0 : i32
          %n = linalg.index 0 : index
          %k = arith.index_cast %n : index to i32
          %c = arith.cmpi eq, %u, %k : i32
          %one = arith.constant 1 : i32
          %w = arith.select %c, %one, %zero : i32
          %r = arith.addi %o, %w : i32
          linalg.yield %r : i32
        }
      }
    }
    tile.store %h to %H[0] : memref<4xi32, #tile.level<rf>> to memref<4xi32>
  }
}
// -----
// A histogram by increments that are selected: h or h + 1 is not spelled as a sum of h and something.
// refused: does something else to a held tile than to combine it by add.*arith
tile.kernel @histogram_select(%X: !Vi[%N], %H: memref<4xi32>[4], %N: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    %h = tile.hold init(0 : i32) : memref<4xi32, #tile.level<rf>>
    tile.for (%t) in (64) by (1) at dram on thread reduce(add) {
      %x = tile.stage %X[%t] : !Vi to !ei
      linalg.generic {indexing_maps = [affine_map<(i) -> (0)>, #v], iterator_types = ["parallel"]} ins(%x : !ei) outs(%h : memref<4xi32, #tile.level<rf>>) {
      ^bb0(%u: i32, %o: i32):
        %one = arith.constant 1 : i32
        %c = arith.cmpi eq, %u, %one : i32
        %d = arith.addi %o, %one : i32
        %r = arith.select %c, %d, %o : i32
        linalg.yield %r : i32
      }
    }
    tile.store %h to %H[0] : memref<4xi32, #tile.level<rf>> to memref<4xi32>
  }
}
// -----
// Lower triangle kept, the rest zero (tril).
// Y[i, j] = X[i, j] if j <= i else 0
tile.kernel @tril(%X: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (8, 32) at dram on block {
    tile.for (%p, %q) in (8, 32) by (1, 1) at dram on thread {
      %row = arith.addi %i, %p : index
      %col = arith.addi %j, %q : index
      %below = arith.cmpi sle, %col, %row : index
      %y = tile.hold init(0.0 : f32) : !x
      scf.if %below {
        %x = tile.stage %X[%i + %p, %j + %q] : !G to !x
        linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]} ins(%x : !x) outs(%y : !x) {
        ^bb0(%u: f32, %o: f32):
          linalg.yield %u : f32
        }
      }
      tile.store %y to %Y[%i + %p, %j + %q] : !x to !G
    }
  }
}
// -----
// A triangular loop: the extent of the inner loop is the outer induction variable.
// Y[i] = sum(X[k] for k in range(i))
tile.kernel @triangular(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %i = arith.addi %b, %t : index
      %s = tile.hold init(0.0 : f32) : !e
      tile.for (%k) in (%i) by (1) at dram {
        %x = tile.stage %X[%k] : !V to !e
        linalg.generic #two ins(%x : !e) outs(%s : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %o, %u : f32
          linalg.yield %r : f32
        }
      }
      tile.store %s to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// The same with a condition.
// Y[i] = sum(X[k] for k in range(i))
tile.kernel @triangular_if(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %i = arith.addi %b, %t : index
      %s = tile.hold init(0.0 : f32) : !e
      tile.for (%k) in (%N) by (1) at dram {
        %below = arith.cmpi slt, %k, %i : index
        scf.if %below {
          %x = tile.stage %X[%k] : !V to !e
          linalg.generic #two ins(%x : !e) outs(%s : !e) {
          ^bb0(%u: f32, %o: f32):
            %r = arith.addf %o, %u : f32
            linalg.yield %r : f32
          }
        }
      }
      tile.store %s to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// A triangular loop over tiles of blocks: whole tiles above the diagonal are skipped.
// Y[i, j] = X[i, j] if j // 16 <= i // 16 else Y[i, j]
tile.kernel @tiles(%X: !G[%N, %N], %Y: !G[%N, %N], %N: index) {
  tile.for (%i, %j) in (%N, %N) by (16, 16) at dram on block {
    %below = arith.cmpi sle, %j, %i : index
    scf.if %below {
      tile.for (%p, %q) in (16, 16) by (1, 1) at dram on thread {
        %x = tile.stage %X[%i + %p, %j + %q] : !G to !x
        tile.store %x to %Y[%i + %p, %j + %q] : !x to !G
      }
    }
  }
}
// -----
// The same through shared memory: all threads of a block go the same way.
// Y[i, j] = X[i, j] if j // 16 <= i // 16 else Y[i, j]
tile.kernel @tiles_shared(%X: !G[%N, %N], %Y: !G[%N, %N], %N: index) {
  tile.for (%i, %j) in (%N, %N) by (16, 16) at dram on block {
    %below = arith.cmpi sle, %j, %i : index
    scf.if %below {
      %s = tile.stage %X[%i, %j] : !G to memref<16x16xf32, #tile.level<smem>>
      tile.for (%p, %q) in (16, 16) by (1, 1) at smem on thread {
        %x = tile.stage %s[%p, %q] : memref<16x16xf32, #tile.level<smem>> to !x
        tile.store %x to %Y[%i + %p, %j + %q] : !x to !G
      }
    }
  }
}
// -----
// A condition on a scalar: the old value takes part or does not.
// Y[i] = X[i] + (Y[i] if a > 0 else 0)
tile.kernel @scalar_if(%X: !V[%N], %Y: !V[%N], %N: index, %a: f32) {
  %zero = arith.constant 0.0 : f32
  %adds = arith.cmpf ogt, %a, %zero : f32
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      scf.if %adds {
        %y = tile.stage %Y[%b + %t] : !V to !e
        linalg.generic #two ins(%y : !e) outs(%x : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %o, %u : f32
          linalg.yield %r : f32
        }
      }
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// then and else, two operands.
// Y[i] = X[i] if i % 2 == 0 else Y[i]
// Z[i] = Z[i] if i % 2 == 0 else X[i]
tile.kernel @then_else(%X: !V[%N], %Y: !V[%N], %Z: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %one = arith.constant 1 : index
      %zero = arith.constant 0 : index
      %odd = arith.andi %t, %one : index
      %even = arith.cmpi eq, %odd, %zero : index
      %x = tile.stage %X[%b + %t] : !V to !e
      scf.if %even {
        tile.store %x to %Y[%b + %t] : !e to !V
      } else {
        tile.store %x to %Z[%b + %t] : !e to !V
      }
    }
  }
}
// -----
// A condition that guards a write two threads make: conditions are not looked at.
// refused: may write one element from several iterations of a loop on thread.*combine
tile.kernel @guarded(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %zero = arith.constant 0 : index
      %first = arith.cmpi eq, %t, %zero : index
      scf.if %first {
        %x = tile.stage %X[%b] : !V to !e
        tile.store %x to %Y[%b] : !e to !V
      }
    }
  }
}
// -----
// Sums of nothing: no iteration, and the held value is stored.
// S[i] = 3
// shapes: M=37 N=0; M=1 N=0
tile.kernel @empty_sum(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %s = tile.hold init(3.0 : f32) : !e
    tile.for (%t) in (32) by (1) at dram on thread reduce(add) {
      tile.for (%j) in (%N) by (32) at dram {
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
// A static extent of 0, and a loop that is never executed but would be wrong.
// Y[i] = X[i]
tile.kernel @never(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      tile.for (%k) in (0) by (1) at dram {
        linalg.generic #one outs(%x : !e) {
        ^bb0(%o: f32):
          %r = arith.addf %o, %o : f32
          linalg.yield %r : f32
        }
      }
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// A tile without elements.
// refused: has no elements.*at least 1
tile.kernel @no_elements(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to memref<0xf32, #tile.level<rf>>
      tile.store %x to %Y[%b + %t] : memref<0xf32, #tile.level<rf>> to !V
    }
  }
}
// -----
// Empty operands, padded with zero ($P).
// with: P=zero; P=clamp; P=reflect; P=wrap
// Y[i] = X[i] if i < N else 0
// shapes: N=0 M=37
tile.kernel @empty_operand(%X: !V[%N], %Y: !V[%M], %N: index, %M: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] pad($P) : !V to !e
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// One block of one thread that does all.
// Y[i] = X[i] * X[i]
tile.kernel @one_thread(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    tile.for (%t) in (1) by (1) at dram on thread {
      tile.for (%i) in (%N) by (8) at dram {
        %x = tile.stage %X[%i] : !V to memref<8xf32, #tile.level<rf>>
        linalg.generic #one outs(%x : memref<8xf32, #tile.level<rf>>) {
        ^bb0(%o: f32):
          %r = arith.mulf %o, %o : f32
          linalg.yield %r : f32
        }
        tile.store %x to %Y[%i] : memref<8xf32, #tile.level<rf>> to !V
      }
    }
  }
}
// -----
// No loop on threads at all: a block is one thread.
// Y[i] = X[i] + 1
tile.kernel @no_threads(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (4) at dram on block {
    %x = tile.stage %X[%b] : !V to memref<4xf32, #tile.level<rf>>
    linalg.generic #one outs(%x : memref<4xf32, #tile.level<rf>>) {
    ^bb0(%o: f32):
      %one = arith.constant 1.0 : f32
      %r = arith.addf %o, %one : f32
      linalg.yield %r : f32
    }
    tile.store %x to %Y[%b] : memref<4xf32, #tile.level<rf>> to !V
  }
}
// -----
// 33 threads of 3 elements each: nothing divides anything.
// Y[i] = X[i] - 1
tile.kernel @odd(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (99) at dram on block {
    tile.for (%t) in (99) by (3) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to memref<3xf32, #tile.level<rf>>
      linalg.generic #one outs(%x : memref<3xf32, #tile.level<rf>>) {
      ^bb0(%o: f32):
        %one = arith.constant 1.0 : f32
        %r = arith.subf %o, %one : f32
        linalg.yield %r : f32
      }
      tile.store %x to %Y[%b + %t] : memref<3xf32, #tile.level<rf>> to !V
    }
  }
}
// -----
// A persistent grid over tiles of a matrix, $R.
// with: R=raster(column); R=raster(grouped = 3); R=raster(boxes = 2x3)
// Y[i, j] = X[i, j] + X[i, j]
// shapes: M=70 N=90; M=1 N=1
tile.kernel @persistent(%X: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (8, 16) at dram on block persistent $R {
    tile.for (%p, %q) in (8, 16) by (1, 1) at dram on thread {
      %x = tile.stage %X[%i + %p, %j + %q] : !G to !x
      linalg.generic {indexing_maps = [#m], iterator_types = ["parallel", "parallel"]} outs(%x : !x) {
      ^bb0(%o: f32):
        %r = arith.addf %o, %o : f32
        linalg.yield %r : f32
      }
      tile.store %x to %Y[%i + %p, %j + %q] : !x to !G
    }
  }
}
// -----
// A pipeline of rows: the sum of columns three stages ahead.
// S[j] = sum(X[i, j] for i in range(M))
tile.kernel @pipeline(%X: !G[%M, %N], %S: !V[%N], %M: index, %N: index) {
  tile.for (%j) in (%N) by (32) at dram on block {
    %s = tile.hold init(0.0 : f32) : memref<32xf32, #tile.level<rf>>
    tile.for (%i) in (%M) by (4) at dram pipeline(3) {
      %t = tile.stage %X[%i, %j] : !G to memref<4x32xf32, #tile.level<smem>>
      tile.for (%q) in (32) by (1) at smem on thread {
        %p = tile.part %s[%q] : memref<32xf32, #tile.level<rf>> to !e
        %x = tile.stage %t[0, %q] : memref<4x32xf32, #tile.level<smem>> to memref<4x1xf32, #tile.level<rf>>
        linalg.generic {indexing_maps = [#m, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
            ins(%x : memref<4x1xf32, #tile.level<rf>>) outs(%p : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %o, %u : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %s to %S[%j] : memref<32xf32, #tile.level<rf>> to !V
  }
}
// -----
// A pipeline whose loop writes what it copies ahead.
// refused: copies operand #0 ahead of the iterations of a pipelined loop.*leave out pipeline
tile.kernel @pipeline_in_place(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%j) in (%N) by (32) at dram on block {
    tile.for (%i) in (%M) by (4) at dram pipeline(2) {
      %t = tile.stage %X[%i, %j] : !G to memref<4x32xf32, #tile.level<smem>>
      tile.for (%p, %q) in (4, 32) by (1, 1) at smem on thread {
        %x = tile.stage %t[%p, %q] : memref<4x32xf32, #tile.level<smem>> to !x
        linalg.generic {indexing_maps = [#m], iterator_types = ["parallel", "parallel"]} outs(%x : !x) {
        ^bb0(%o: f32):
          %r = arith.addf %o, %o : f32
          linalg.yield %r : f32
        }
        tile.store %x to %X[%i + %p + 4, %j + %q] : !x to !G
      }
    }
  }
}
// -----
// Blocks in clusters, each its own part.
// Y[i] = X[i] + 2
tile.kernel @clusters(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%c) in (%N) by (128) at dram on cluster {
    tile.for (%b) in (128) by (32) at dram on block {
      tile.for (%t) in (32) by (1) at dram on thread {
        %x = tile.stage %X[%c + %b + %t] : !V to !e
        linalg.generic #one outs(%x : !e) {
        ^bb0(%o: f32):
          %two = arith.constant 2.0 : f32
          %r = arith.addf %o, %two : f32
          linalg.yield %r : f32
        }
        tile.store %x to %Y[%c + %b + %t] : !e to !V
      }
    }
  }
}
// -----
// Blocks of a cluster that read each other's parts.
// refused: other iterations of a loop on block may write.*the write is here
tile.kernel @clusters_meet(%X: !V[%N], %N: index) {
  tile.for (%c) in (%N) by (128) at dram on cluster {
    tile.for (%b) in (128) by (32) at dram on block {
      tile.for (%t) in (32) by (1) at dram on thread {
        %x = tile.stage %X[%c + 96 - %b + %t] pad(zero) : !V to !e
        tile.store %x to %X[%c + %b + %t] : !e to !V
      }
    }
  }
}
// -----
// A thread's part of a spread tile read by another one: loops part the tile differently.
// refused: registers are indexed by constants
tile.kernel @other_owner(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    %h = tile.hold init(0.0 : f32) : memref<64xf32, #tile.level<rf>>
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      %q = tile.part %h[%t] : memref<64xf32, #tile.level<rf>> to !e
      linalg.generic #two ins(%x : !e) outs(%q : !e) {
      ^bb0(%u: f32, %o: f32):
        linalg.yield %u : f32
      }
    }
    tile.for (%t) in (64) by (1) at dram on thread {
      %q = tile.part %h[63 - %t] : memref<64xf32, #tile.level<rf>> to !e
      tile.store %q to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// The whole of a spread tile stored within the loop on threads.
// refused: stores the whole of a register tile in a loop on thread.*store it after this loop
tile.kernel @stored_inside(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    %h = tile.hold init(0.0 : f32) : memref<64xf32, #tile.level<rf>>
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      %q = tile.part %h[%t] : memref<64xf32, #tile.level<rf>> to !e
      linalg.generic #two ins(%x : !e) outs(%q : !e) {
      ^bb0(%u: f32, %o: f32):
        linalg.yield %u : f32
      }
      tile.store %h to %Y[%b] : memref<64xf32, #tile.level<rf>> to !V
    }
  }
}
// -----
// A held tile that two loops on threads fill and a store after them writes.
// Y[i] = X[i] + X[i]
tile.kernel @held_twice(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    %h = tile.hold init(0.0 : f32) : memref<64xf32, #tile.level<rf>>
    tile.for (%k) in (2) by (1) at dram {
      tile.for (%t) in (64) by (1) at dram on thread {
        %x = tile.stage %X[%b + %t] : !V to !e
        %q = tile.part %h[%t] : memref<64xf32, #tile.level<rf>> to !e
        linalg.generic #two ins(%x : !e) outs(%q : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %o, %u : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %h to %Y[%b] : memref<64xf32, #tile.level<rf>> to !V
  }
}
// -----
// scf.if that yields a value.
// limit: with results is not lowered; store to a held tile instead
tile.kernel @if_result(%X: !V[%N], %Y: !V[%N], %N: index, %a: f32) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c = arith.cmpf ogt, %a, %zero : f32
  %f = scf.if %c -> f32 {
    scf.yield %a : f32
  } else {
    scf.yield %one : f32
  }
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      linalg.generic #one outs(%x : !e) {
      ^bb0(%o: f32):
        %r = arith.mulf %o, %f : f32
        linalg.yield %r : f32
      }
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
