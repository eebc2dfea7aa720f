// Data and sizes that say where elements lie: gathers, scatters, triangles, mirrors.
!V = memref<?xf32, strided<[?]>>
!I = memref<?xi32>
!G = memref<?x?xf32, strided<[?, ?]>>
!e = memref<1xf32, #tile.level<rf>>
!n = memref<1xi32, #tile.level<rf>>
!x = memref<1x1xf32, #tile.level<rf>>
#v = affine_map<(i) -> (i)>
#one = {indexing_maps = [#v], iterator_types = ["parallel"]}
#two = {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
// -----
// A permutation, or any other choice.
// I from range(M)
// Y[i] = X[I[i]]
tile.kernel @choose(%X: !V[%M], %I: !I[%N], %Y: !V[%N], %M: index, %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] gather(%I : !I along 0) : !V to !e
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// Of the place before: the first element has none, and is padded.
// I from range(M)
// Y[i] = X[I[i - 1]] if i else 0
tile.kernel @before(%X: !V[%M], %I: !I[%N], %Y: !V[%N], %M: index, %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t - 1] gather(%I : !I along 0) pad(zero) : !V to !e
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// The same without a value for the first.
// refused: elements that dimension 0 of operand #1 may not have.*pad
tile.kernel @before_absent(%X: !V[%M], %I: !I[%N], %Y: !V[%N], %M: index, %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t - 1] gather(%I : !I along 0) : !V to !e
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// Columns of a matrix, through shared memory.
// I from range(K)
// Y[i, j] = X[i, I[j]]
tile.kernel @columns(%X: !G[%M, %K], %I: !I[%N], %Y: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%i, %j) in (%M, %N) by (8, 16) at dram on block {
    %s = tile.stage %X[%i, %j] gather(%I : !I along 1) : !G to memref<8x16xf32, #tile.level<smem>>
    tile.for (%a, %b) in (8, 16) by (1, 1) at smem on thread {
      %x = tile.stage %s[%a, %b] : memref<8x16xf32, #tile.level<smem>> to !x
      tile.store %x to %Y[%i + %a, %j + %b] : !x to !G
    }
  }
}
// -----
// A histogram of small numbers.
// X from range(M)
// H[b] = H[b] + sum(X[i] == b for i in range(N))
tile.kernel @histogram(%X: !I[%N], %H: !I[%M], %N: index, %M: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %one = tile.hold init(1 : i32) : !n
      tile.store %one to %H[%b + %t] scatter(%X : !I along 0) combine(add) : !n to !I
    }
  }
}
// -----
// Ones that replace what is there could meet.
// refused: scatter is of a tile in rf, with combine
tile.kernel @marks(%X: !I[%N], %H: !I[%M], %N: index, %M: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %one = tile.hold init(1 : i32) : !n
      tile.store %one to %H[%b + %t] scatter(%X : !I along 0) : !n to !I
    }
  }
}
// -----
// Rows added to rows: what an embedding's gradient is.
// I from range(K)
// G[v, j] = G[v, j] + sum(X[i, j] for i in range(M) if I[i] == v)
tile.kernel @gradient(%X: !G[%M, %N], %I: !I[%M], %G: !G[%K, %N], %M: index, %N: index, %K: index) {
  tile.for (%i, %j) in (%M, %N) by (4, 32) at dram on block {
    tile.for (%a, %b) in (4, 32) by (1, 1) at dram on thread {
      %x = tile.stage %X[%i + %a, %j + %b] : !G to !x
      tile.store %x to %G[%i + %a, %j + %b] scatter(%I : !I along 0) combine(add) unordered : !x to !G
    }
  }
}
// -----
// A mirror.
// Y[i] = X[N - 1 - i]
tile.kernel @mirror(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%N - %b - %t - 1] pad(zero) : !V to !e
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// In place the elements of a mirror are others'.
// refused: other iterations of a loop on thread may write.*the write is here
tile.kernel @mirror_in_place(%X: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%N - %b - %t - 1] pad(zero) : !V to !e
      tile.store %x to %X[%b + %t] : !e to !V
    }
  }
}
// -----
// One vector after another: the second begins where the first one ends.
// Z[i] = X[i] if i < M else at(Y, i - M)
// shapes: M=5 N=66 L=71; M=0 N=3 L=3; M=64 N=0 L=64; M=70 N=37 L=107
tile.kernel @concatenate(%X: !V[%M], %Y: !V[%N], %Z: !V[%L], %M: index, %N: index, %L: index) {
  tile.for (%z) in (1) by (1) at dram {
    tile.for (%b) in (%M) by (64) at dram {
      tile.for (%t) in (64) by (1) at dram on thread {
        %x = tile.stage %X[%b + %t] pad(zero) : !V to !e
        tile.store %x to %Z[%b + %t] : !e to !V
      }
    }
    tile.for (%b) in (%N) by (64) at dram {
      tile.for (%t) in (64) by (1) at dram on thread {
        %y = tile.stage %Y[%b + %t] pad(zero) : !V to !e
        tile.store %y to %Z[%M + %b + %t] : !e to !V
      }
    }
  }
}
// -----
// A triangle of blocks: tiles from the left up to the diagonal, elements above it too.
// Y[i] = sum(at(L, i, k) for k in range(i // 16 * 16 + 16))
tile.kernel @triangle(%L: !G[%N, %N], %Y: !V[%N], %N: index) {
  %c16 = arith.constant 16 : index
  tile.for (%i) in (%N) by (16) at dram on block {
    %end = arith.addi %i, %c16 : index
    %y = tile.hold init(0.0 : f32) : memref<16xf32, #tile.level<rf>>
    tile.for (%k) in (%end) by (16) at dram {
      %s = tile.stage %L[%i, %k] : !G to memref<16x16xf32, #tile.level<smem>>
      tile.for (%a) in (16) by (1) at smem on thread {
        %p = tile.part %y[%a] : memref<16xf32, #tile.level<rf>> to !e
        %x = tile.stage %s[%a, 0] : memref<16x16xf32, #tile.level<smem>> to memref<1x16xf32, #tile.level<rf>>
        linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
            ins(%x : memref<1x16xf32, #tile.level<rf>>) outs(%p : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %o, %u : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %y to %Y[%i] : memref<16xf32, #tile.level<rf>> to !V
  }
}
// -----
// From the diagonal on: a subscript moves on by the rows above.
// Y[i] = sum(at(L, i, k) for k in range(i, N))
tile.kernel @upper(%L: !G[%N, %N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %s = tile.hold init(0.0 : f32) : !e
      %i = arith.addi %b, %t : index
      %left = arith.subi %N, %i : index
      tile.for (%k) in (%left) by (1) at dram {
        %x = tile.stage %L[%i, %i + %k] : !G to !x
        linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%s : !e) {
        ^bb0(%u: f32, %o: f32):
          %r = arith.addf %o, %u : f32
          linalg.yield %r : f32
        }
      }
      tile.store %s to %Y[%i] : !e to !V
    }
  }
}
// -----
// A product of sizes is no sum.
// limit: the extent of induction variable 0 is no sum of multiples
tile.kernel @square(%X: !V[%N], %Y: !V[%N], %N: index) {
  %n = arith.muli %N, %N : index
  tile.for (%t) in (32) by (1) at dram on thread {
    %s = tile.hold init(0.0 : f32) : !e
    tile.for (%k) in (%n) by (1) at dram {
      %x = tile.stage %X[%k] : !V to !e
      linalg.generic #two ins(%x : !e) outs(%s : !e) {
      ^bb0(%u: f32, %o: f32):
        %r = arith.addf %o, %u : f32
        linalg.yield %r : f32
      }
    }
    tile.store %s to %Y[%t] : !e to !V
  }
}
