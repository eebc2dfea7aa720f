// Moving data: transposes, shifts, pads, parts and joins, large constants, strides.
!V = memref<?xf32, strided<[?]>>
!G = memref<?x?xf32, strided<[?, ?]>>
!T = memref<?x?x?xf32, strided<[?, ?, ?]>>
!e = memref<1xf32, #tile.level<rf>>
!w4 = memref<4xf32, #tile.level<rf>>
!x = memref<1x1xf32, #tile.level<rf>>
!t = memref<1x1x1xf32, #tile.level<rf>>
!s = memref<64xf32, #tile.level<smem>>
#v = affine_map<(i) -> (i)>
#m = affine_map<(i, j) -> (i, j)>
#one = {indexing_maps = [#v], iterator_types = ["parallel"]}
#two = {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
// -----
// A copy, $P elements a thread.
// with: P=3; P=8
// Y[i] = X[i]
tile.kernel @copy(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (96) at dram on block {
    tile.for (%t) in (96) by ($P) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to memref<$Pxf32, #tile.level<rf>>
      tile.store %x to %Y[%b + %t] : memref<$Pxf32, #tile.level<rf>> to !V
    }
  }
}
// -----
// A copy through shared memory, read at the far end of the block.
// Y[i] = X[i]
tile.kernel @copy_shared(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    %s = tile.stage %X[%b] pad(zero) : !V to !s
    tile.for (%t) in (64) by (1) at smem on thread {
      %x = tile.stage %s[63 - %t] : !s to !e
      tile.store %x to %Y[%b + 63 - %t] : !e to !V
    }
  }
}
// -----
// Through shared memory, each 64 turned round: sources that are absent have destinations that are present.
// refused: elements that dimension 0 of operand #0 may not have.*pad
tile.kernel @turn(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    %s = tile.stage %X[%b] : !V to !s
    tile.for (%t) in (64) by (1) at smem on thread {
      %x = tile.stage %s[63 - %t] : !s to !e
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// Shifted to the right: the first element stays.
// Y[i] = X[i - 1] if i else Y[0]
tile.kernel @shift_right(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      tile.store %x to %Y[%b + %t + 1] : !e to !V
    }
  }
}
// -----
// Shifted to the left: the element past the end is absent and its destination is not.
// refused: elements that dimension 0 of operand #0 may not have.*pad
tile.kernel @shift_left(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t + 1] : !V to !e
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// Shifted to the left with a pad ($P).
// with: P=zero, F=at; P=clamp, F=clamp; P=reflect, F=reflect; P=wrap, F=around
// Y[i] = $F(X, i + 3)
// shapes: N=70; N=5; N=1
tile.kernel @shift_pad(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (4) at dram on thread {
      %x = tile.stage %X[%b + %t + 3] pad($P) : !V to !w4
      tile.store %x to %Y[%b + %t] : !w4 to !V
    }
  }
}
// -----
// Shifted by $C, which wraps 32 bits: all is absent.
// with: C=2147483647; C=2147483648; C=4294967296; C=4294967295; C=1099511627776
// Y[i] = 0
// shapes: N=70
tile.kernel @shift_far(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t + $C] pad(zero) : !V to !e
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// Stored at a place that wraps 32 bits: nothing is written.
// Y[i] = Y[i]
// shapes: N=70
tile.kernel @store_far(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] pad(zero) : !V to !e
      tile.store %x to %Y[%b + %t - 4294967296] : !e to !V
    }
  }
}
// -----
// A large factor: all but the first element are far outside.
// Y[i] = X[0] if i == 0 else 0
// shapes: N=1100; N=1
tile.kernel @scale_far(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b * 4194304 + %t * 4194304] pad(zero) : !V to !e
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// A clamp from far below.
// Y[i] = X[0]
// shapes: N=70
tile.kernel @clamp_far(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t - 4294967000] pad(clamp) : !V to !e
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// A step of $S: one iteration.
// with: S=2147483648; S=1099511627776; S=4294967296
// limit: expected from 1 to 65536 for a dynamic extent
// Y[i] = X[i] if i < 32 else Y[i]
// shapes: N=70; N=5
tile.kernel @long_step(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (1) by (1) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      tile.for (%i) in (%N) by ($S) at dram {
        %x = tile.stage %X[%i + %t] : !V to !e
        tile.store %x to %Y[%i + %t] : !e to !V
      }
    }
  }
}
// -----
// Every third element gathered.
// Y[i] = at(X, 3 * i + 1)
// shapes: N=100 M=33; N=7 M=9
tile.kernel @every_third(%X: !V[%N], %Y: !V[%M], %N: index, %M: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b * 3 + %t * 3 + 1] pad(zero) : !V to !e
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// Scattered to every third place, the others stay.
// Y[i] = X[i // 3] if i % 3 == 0 and i // 3 < N else Y[i]
// shapes: N=20 M=60; N=33 M=50
tile.kernel @scatter(%X: !V[%N], %Y: !V[%M], %N: index, %M: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %y = tile.stage %Y[%b * 3 + %t * 3] : !V to !e
      %x = tile.stage %X[%b + %t] : !V to !e
      linalg.generic #two ins(%x : !e) outs(%y : !e) {
      ^bb0(%u: f32, %o: f32):
        linalg.yield %u : f32
      }
      tile.store %y to %Y[%b * 3 + %t * 3] : !e to !V
    }
  }
}
// -----
// A longer vector from a shorter one: where its element is absent, the held value stays.
// Y[i] = X[i] if i < N else 5
// shapes: N=37 M=70; N=0 M=33; N=40 M=3
tile.kernel @longer(%X: !V[%N], %Y: !V[%M], %N: index, %M: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      %y = tile.hold init(5.0 : f32) : !e
      linalg.generic #two ins(%x : !e) outs(%y : !e) {
      ^bb0(%u: f32, %o: f32):
        linalg.yield %u : f32
      }
      tile.store %y to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// The same by a store of the staged tile: N and M have nothing to do with each other.
// refused: elements that dimension 0 of operand #0 may not have.*pad
tile.kernel @longer_staged(%X: !V[%N], %Y: !V[%M], %N: index, %M: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// Two vectors joined as rows, and one more row of their sum.
// Y[r, i] = [A[i], B[i], A[i] + B[i]][r]
tile.kernel @join(%A: !V[%N], %B: !V[%N], %Y: memref<3x?xf32>[3, %N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %a = tile.stage %A[%b + %t] : !V to !e
      %c = tile.stage %B[%b + %t] : !V to !e
      %y = tile.hold init(0.0 : f32) : memref<3x1xf32, #tile.level<rf>>
      linalg.generic {indexing_maps = [#v, affine_map<(i) -> (0, i)>], iterator_types = ["parallel"]} ins(%a : !e) outs(%y : memref<3x1xf32, #tile.level<rf>>) {
      ^bb0(%u: f32, %o: f32):
        linalg.yield %u : f32
      }
      linalg.generic {indexing_maps = [#v, affine_map<(i) -> (1, i)>], iterator_types = ["parallel"]} ins(%c : !e) outs(%y : memref<3x1xf32, #tile.level<rf>>) {
      ^bb0(%u: f32, %o: f32):
        linalg.yield %u : f32
      }
      linalg.generic {indexing_maps = [#v, #v, affine_map<(i) -> (2, i)>], iterator_types = ["parallel"]} ins(%a, %c : !e, !e) outs(%y : memref<3x1xf32, #tile.level<rf>>) {
      ^bb0(%u: f32, %w: f32, %o: f32):
        %r = arith.addf %u, %w : f32
        linalg.yield %r : f32
      }
      tile.store %y to %Y[0, %b + %t] : memref<3x1xf32, #tile.level<rf>> to memref<3x?xf32>
    }
  }
}
// -----
// Split into rows: stores to two operands.
// A[r, i] = X[0, i]
// B[r, i] = X[2, i]
tile.kernel @split(%X: memref<3x?xf32>[3, %N], %A: memref<1x?xf32>[1, %N], %B: memref<1x?xf32>[1, %N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %a = tile.stage %X[0, %b + %t] : memref<3x?xf32> to !x
      %c = tile.stage %X[2, %b + %t] : memref<3x?xf32> to !x
      tile.store %a to %A[0, %b + %t] : !x to memref<1x?xf32>
      tile.store %c to %B[0, %b + %t] : !x to memref<1x?xf32>
    }
  }
}
// -----
// A transpose, element by element by subscripts.
// Y[j, i] = X[i, j]
tile.kernel @transpose(%X: !G[%M, %N], %Y: !G[%N, %M], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (16, 16) at dram on block {
    tile.for (%p, %q) in (16, 16) by (1, 1) at dram on thread {
      %x = tile.stage %X[%i + %p, %j + %q] : !G to !x
      %y = tile.hold init(0.0 : f32) : !x
      linalg.transpose ins(%x : !x) outs(%y : !x) permutation = [1, 0]
      tile.store %y to %Y[%j + %q, %i + %p] : !x to !G
    }
  }
}
// -----
// A transpose through shared memory with a swizzled tile of 16 by 16, vectors of 4.
// Y[j, i] = X[i, j]
!sw = memref<16x16xf32, #tile.layout<"Sw<2,2,2> o 0 o (16,16):(16,1)">, #tile.level<smem>>
tile.kernel @transpose_shared(%X: !G[%M, %N], %Y: !G[%N, %M], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (16, 16) at dram on block {
    %s = tile.stage %X[%i, %j] : !G to !sw
    tile.for (%p, %q) in (16, 16) by (1, 4) at smem on thread {
      %x = tile.stage %s[%q, %p] : !sw to memref<4x1xf32, #tile.level<rf>>
      %y = tile.hold init(0.0 : f32) : memref<1x4xf32, #tile.level<rf>>
      linalg.transpose ins(%x : memref<4x1xf32, #tile.level<rf>>) outs(%y : memref<1x4xf32, #tile.level<rf>>) permutation = [1, 0]
      tile.store %y to %Y[%j + %p, %i + %q] : memref<1x4xf32, #tile.level<rf>> to !G
    }
  }
}
// -----
// Three axes permuted, ($P).
// with: P=[2\, 0\, 1], E=%K\, %I\, %J, S=%k + %r\, %i\, %j, F=X[j\, k\, i]; P=[1\, 2\, 0], E=%J\, %K\, %I, S=%j\, %k + %r\, %i, F=X[k\, i\, j];
//     P=[2\, 1\, 0], E=%K\, %J\, %I, S=%k + %r\, %j\, %i, F=X[k\, j\, i]
// Y[i, j, k] = $F
// shapes: I=5 J=3 K=37; I=1 J=2 K=1
tile.kernel @permute(%X: !T[%I, %J, %K], %Y: !T[$E], %I: index, %J: index, %K: index) {
  tile.for (%i, %j, %k) in (%I, %J, %K) by (1, 1, 32) at dram on block {
    tile.for (%r) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%i, %j, %k + %r] : !T to !t
      %y = tile.hold init(0.0 : f32) : !t
      linalg.transpose ins(%x : !t) outs(%y : !t) permutation = $P
      tile.store %y to %Y[$S] : !t to !T
    }
  }
}
// -----
// Rows to columns of patches (im2col), zeros around.
// Y[i, k] = at(X, i + k - 1)
tile.kernel @patches(%X: !V[%N], %Y: memref<?x3xf32>[%N, 3], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t - 1] pad(zero) : !V to memref<3xf32, #tile.level<rf>>
      %y = tile.hold init(0.0 : f32) : memref<1x3xf32, #tile.level<rf>>
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + j)>, #m], iterator_types = ["parallel", "parallel"]}
          ins(%x : memref<3xf32, #tile.level<rf>>) outs(%y : memref<1x3xf32, #tile.level<rf>>) {
      ^bb0(%u: f32, %o: f32):
        linalg.yield %u : f32
      }
      tile.store %y to %Y[%b + %t, 0] : memref<1x3xf32, #tile.level<rf>> to memref<?x3xf32>
    }
  }
}
// -----
// A circle: the left neighbour, of the first the last, by a size in a subscript.
// Y[i] = X[(i - 1) % N]
tile.kernel @circle(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %i = arith.addi %b, %t : index
      %zero = arith.constant 0 : index
      %first = arith.cmpi eq, %i, %zero : index
      %y = tile.stage %X[%b + %t - 1] pad(clamp) : !V to !e
      scf.if %first {
        %x = tile.stage %X[%N - 1] : !V to !e
        linalg.generic #two ins(%x : !e) outs(%y : !e) {
        ^bb0(%u: f32, %o: f32):
          linalg.yield %u : f32
        }
      }
      tile.store %y to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// A gather: the place is read from an operand, which no subscript can be.
// refused: 'memref.load' is no scalar op.*tile.stage
tile.kernel @gather(%X: !V[%N], %P: memref<?xi32>[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %p = memref.load %P[%b] : memref<?xi32>
      %k = arith.index_cast %p : i32 to index
      %x = tile.stage %X[%k] : !V to !e
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// A gather as a product with a matrix of ones and zeros that is never stored.
// Y[i] = X[P[i]] if P[i] < N else 0
// P from range(0, N + 2)
// shapes: N=23 M=37; N=1 M=4
tile.kernel @gather_compare(%X: !V[%N], %P: memref<?xi32>[%M], %Y: !V[%M], %N: index, %M: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %p = tile.stage %P[%b + %t] : memref<?xi32> to memref<1xi32, #tile.level<rf>>
      %y = tile.hold init(0.0 : f32) : !e
      tile.for (%k) in (%N) by (1) at dram {
        %n = arith.index_cast %k : index to i32
        %x = tile.stage %X[%k] : !V to !e
        linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%p, %x : memref<1xi32, #tile.level<rf>>, !e) outs(%y : !e) {
        ^bb0(%q: i32, %u: f32, %o: f32):
          %c = arith.cmpi eq, %q, %n : i32
          %r = arith.select %c, %u, %o : f32
          linalg.yield %r : f32
        }
      }
      tile.store %y to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// The diagonal of a matrix, and a matrix of a diagonal.
// D[i] = X[i, i]
// Y[i, j] = W[i] if i == j else Y[i, j]
tile.kernel @diagonal(%X: !G[%N, %N], %D: !V[%N], %W: !V[%N], %Y: !G[%N, %N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t, %b + %t] : !G to !x
      %d = tile.hold init(0.0 : f32) : !e
      linalg.generic {indexing_maps = [affine_map<(i) -> (0, i)>, #v], iterator_types = ["parallel"]} ins(%x : !x) outs(%d : !e) {
      ^bb0(%u: f32, %o: f32):
        linalg.yield %u : f32
      }
      tile.store %d to %D[%b + %t] : !e to !V
      %w = tile.stage %W[%b + %t] : !V to !e
      %y = tile.hold init(0.0 : f32) : !x
      linalg.generic {indexing_maps = [#v, affine_map<(i) -> (0, i)>], iterator_types = ["parallel"]} ins(%w : !e) outs(%y : !x) {
      ^bb0(%u: f32, %o: f32):
        linalg.yield %u : f32
      }
      tile.store %y to %Y[%b + %t, %b + %t] : !x to !G
    }
  }
}
// -----
// Mirrored columns with a fixed number of them.
// Y[i, j] = X[i, 9 - j]
tile.kernel @flip(%X: memref<?x10xf32>[%M, 10], %Y: memref<?x10xf32>[%M, 10], %M: index) {
  tile.for (%b) in (%M) by (8) at dram on block {
    tile.for (%t, %j) in (8, 10) by (1, 1) at dram on thread {
      %x = tile.stage %X[%b + %t, 9 - %j] : memref<?x10xf32> to !x
      tile.store %x to %Y[%b + %t, %j] : !x to memref<?x10xf32>
    }
  }
}
// -----
// Ten columns of twelve, two elements a thread.
// Y[i, j] = X[i, j + 1]
tile.kernel @part_of_rows(%X: memref<?x12xf32>[%M, 12], %Y: memref<?x10xf32>[%M, 10], %M: index) {
  tile.for (%b) in (%M) by (16) at dram on block {
    tile.for (%t, %j) in (16, 10) by (1, 2) at dram on thread {
      %x = tile.stage %X[%b + %t, %j + 1] : memref<?x12xf32> to memref<1x2xf32, #tile.level<rf>>
      tile.store %x to %Y[%b + %t, %j] : memref<1x2xf32, #tile.level<rf>> to memref<?x10xf32>
    }
  }
}
