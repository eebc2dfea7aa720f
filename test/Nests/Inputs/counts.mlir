// Tiles in shared memory that all threads of a block combine with: histograms of blocks, sums of segments, flags.
!I = memref<?xi32>
!V = memref<?xf32, strided<[?]>>
!W = memref<?xi32, strided<[?]>>
!G = memref<?x?xf32, strided<[?, ?]>>
!n = memref<1xi32, #tile.level<rf>>
!n4 = memref<4xi32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<rf>>
!bins = memref<10xi32, #tile.level<smem>>
#v = affine_map<(i) -> (i)>
#two = {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
// -----
// A histogram: four places a thread, several rounds a block, two bins a thread at the end; nothing divides.
// X from range(10)
// H[b] = H[b] + sum(X[i] == b for i in range(N))
// shapes: N=1003; N=1; N=0
tile.kernel @histogram(%X: !I[%N], %H: memref<10xi32>[10], %N: index) {
  tile.for (%i0) in (%N) by (384) at dram on block {
    %h = tile.hold init(0 : i32) : !bins
    tile.for (%i1) in (384) by (128) at dram {
      tile.for (%i2) in (128) by (4) at dram on thread {
        %one = tile.hold init(1 : i32) : !n4
        tile.store %one to %h[%i0 + %i1 + %i2] scatter(%X : !I along 0) combine(add) : !n4 to !bins
      }
    }
    tile.for (%b) in (10) by (2) at smem on thread {
      %p = tile.stage %h[%b] : !bins to memref<2xi32, #tile.level<rf>>
      tile.store %p to %H[%b] combine(add) : memref<2xi32, #tile.level<rf>> to memref<10xi32>
    }
  }
}
// -----
// Bins that the result does not have all of: what is counted beyond it is dropped.
// X from range(10)
// H[b] = H[b] + sum(X[i] == b for i in range(N))
// shapes: N=77 B=7; N=77 B=10
tile.kernel @fewer_bins(%X: !I[%N], %H: !I[%B], %N: index, %B: index) {
  tile.for (%i0) in (%N) by (40) at dram on block {
    %h = tile.hold init(0 : i32) : !bins
    tile.for (%i1) in (40) by (1) at dram on thread {
      %one = tile.hold init(1 : i32) : !n
      tile.store %one to %h[%i0 + %i1] scatter(%X : !I along 0) combine(add) : !n to !bins
    }
    tile.for (%b) in (10) by (1) at smem on thread {
      %p = tile.stage %h[%b] : !bins to !n
      tile.store %p to %H[%b] combine(add) : !n to !I
    }
  }
}
// -----
// One block counts all and stores: nobody has to add to DRAM.
// X from range(10)
// H[b] = sum(X[i] == b for i in range(N))
// shapes: N=1003; N=0
tile.kernel @one_block(%X: !I[%N], %H: memref<10xi32>[10], %N: index) {
  tile.for (%o) in (1) by (1) at dram on block {
    %h = tile.hold init(0 : i32) : !bins
    tile.for (%i0) in (%N) by (64) at dram {
      tile.for (%i1) in (64) by (1) at dram on thread {
        %one = tile.hold init(1 : i32) : !n
        tile.store %one to %h[%i0 + %i1] scatter(%X : !I along 0) combine(add) : !n to !bins
      }
    }
    tile.for (%b) in (10) by (1) at smem on thread {
      %p = tile.stage %h[%b] : !bins to !n
      tile.store %p to %H[%b] : !n to memref<10xi32>
    }
  }
}
// -----
// Two histograms at once, of two operands, in tiles of different sizes.
// X from range(10)
// Z from range(33)
// H[b] = H[b] + sum(X[i] == b for i in range(N))
// L[b] = L[b] + sum(Z[i] == b for i in range(N))
tile.kernel @two(%X: !I[%N], %Z: !I[%N], %H: memref<10xi32>[10], %L: memref<33xi32>[33], %N: index) {
  tile.for (%i0) in (%N) by (64) at dram on block {
    %h = tile.hold init(0 : i32) : !bins
    %l = tile.hold init(0 : i32) : memref<33xi32, #tile.level<smem>>
    tile.for (%i1) in (64) by (1) at dram on thread {
      %one = tile.hold init(1 : i32) : !n
      tile.store %one to %h[%i0 + %i1] scatter(%X : !I along 0) combine(add) : !n to !bins
      tile.store %one to %l[%i0 + %i1] scatter(%Z : !I along 0) combine(add) : !n to memref<33xi32, #tile.level<smem>>
    }
    tile.for (%b) in (10) by (1) at smem on thread {
      %p = tile.stage %h[%b] : !bins to !n
      tile.store %p to %H[%b] combine(add) : !n to memref<10xi32>
    }
    tile.for (%b) in (33) by (1) at smem on thread {
      %p = tile.stage %l[%b] : memref<33xi32, #tile.level<smem>> to !n
      tile.store %p to %L[%b] combine(add) : !n to memref<33xi32>
    }
  }
}
// -----
// Cells of two dimensions: rows are numbered, columns are where the elements stand.
// I from range(5)
// G[r, j] ~ G[r, j] + sum(X[i, j] for i in range(M) if I[i] == r)
// shapes: M=37 N=21; M=1 N=1; M=8 N=16
tile.kernel @cells(%X: !G[%M, %N], %I: !I[%M], %G: memref<5x?xf32>[5, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (8, 16) at dram on block {
    %g = tile.hold init(0.0 : f32) : memref<5x16xf32, #tile.level<smem>>
    tile.for (%a, %b) in (8, 16) by (1, 2) at dram on thread {
      %x = tile.stage %X[%i + %a, %j + %b] pad(zero) : !G to memref<1x2xf32, #tile.level<rf>>
      tile.store %x to %g[%i + %a, %b] scatter(%I : !I along 0) combine(add) unordered : memref<1x2xf32, #tile.level<rf>> to memref<5x16xf32, #tile.level<smem>>
    }
    tile.for (%r, %b) in (5, 16) by (1, 1) at smem on thread {
      %p = tile.stage %g[%r, %b] : memref<5x16xf32, #tile.level<smem>> to memref<1x1xf32, #tile.level<rf>>
      tile.store %p to %G[%r, %j + %b] combine(add) unordered : memref<1x1xf32, #tile.level<rf>> to memref<5x?xf32>
    }
  }
}
// -----
// A histogram of each warp, which a thread a bin adds up: warps seldom meet.
// X from range(10)
// H[b] = H[b] + sum(X[i] == b for i in range(N))
// shapes: N=1003; N=1
tile.kernel @by_warps(%X: !I[%N], %H: memref<10xi32>[10], %N: index) {
  tile.for (%i0) in (%N) by (256) at dram on block {
    %h = tile.hold init(0 : i32) : memref<4x10xi32, #tile.level<smem>>
    tile.for (%w) in (4) by (1) at dram on warp {
      tile.for (%t) in (64) by (2) at dram on thread {
        %one = tile.hold init(1 : i32) : memref<1x2xi32, #tile.level<rf>>
        tile.store %one to %h[%w, 64 * %w + %i0 + %t] scatter(%X : !I along 1) combine(add) : memref<1x2xi32, #tile.level<rf>> to memref<4x10xi32, #tile.level<smem>>
      }
    }
    tile.for (%b) in (10) by (1) at smem on thread {
      %sum = tile.hold init(0 : i32) : !n
      %p = tile.stage %h[0, %b] : memref<4x10xi32, #tile.level<smem>> to memref<4x1xi32, #tile.level<rf>>
      linalg.reduce ins(%p : memref<4x1xi32, #tile.level<rf>>) outs(%sum : !n) dimensions = [0]
        (%c: i32, %s: i32) {
          %next = arith.addi %s, %c : i32
          linalg.yield %next : i32
        }
      tile.store %sum to %H[%b] combine(add) : !n to memref<10xi32>
    }
  }
}
// -----
// The greatest weight of each kind, and the least.
// I from range(10)
// W from range(-50, 50)
// A[b] = max([A[b]] + [W[i] for i in range(N) if I[i] == b])
// B[b] = min([B[b]] + [W[i] for i in range(N) if I[i] == b])
// shapes: N=137; N=1
tile.kernel @extrema(%I: !I[%N], %W: !W[%N], %A: memref<10xi32>[10], %B: memref<10xi32>[10], %N: index) {
  tile.for (%i0) in (%N) by (96) at dram on block {
    %a = tile.hold init(-2147483648 : i32) : !bins
    %b = tile.hold init(2147483647 : i32) : !bins
    tile.for (%i1) in (96) by (1) at dram on thread {
      %w = tile.stage %W[%i0 + %i1] : !W to !n
      tile.store %w to %a[%i0 + %i1] scatter(%I : !I along 0) combine(max) : !n to !bins
      tile.store %w to %b[%i0 + %i1] scatter(%I : !I along 0) combine(min) : !n to !bins
    }
    tile.for (%k) in (10) by (1) at smem on thread {
      %p = tile.stage %a[%k] : !bins to !n
      tile.store %p to %A[%k] combine(max) : !n to memref<10xi32>
      %q = tile.stage %b[%k] : !bins to !n
      tile.store %q to %B[%k] combine(min) : !n to memref<10xi32>
    }
  }
}
// -----
// Sums of weights, in floating point, of bins that are 300 and whose last threads have none.
// I from range(300)
// S[b] ~ S[b] + sum(X[i] for i in range(N) if I[i] == b)
// shapes: N=777; N=1
tile.kernel @weights(%I: !I[%N], %X: !V[%N], %S: memref<300xf32>[300], %N: index) {
  tile.for (%i0) in (%N) by (500) at dram on block {
    %s = tile.hold init(0.0 : f32) : memref<300xf32, #tile.level<smem>>
    tile.for (%i1) in (500) by (5) at dram on thread {
      %x = tile.stage %X[%i0 + %i1] : !V to memref<5xf32, #tile.level<rf>>
      tile.store %x to %s[%i0 + %i1] scatter(%I : !I along 0) combine(add) unordered : memref<5xf32, #tile.level<rf>> to memref<300xf32, #tile.level<smem>>
    }
    tile.for (%k0) in (300) by (100) at smem {
      tile.for (%k) in (100) by (1) at smem on thread {
        %p = tile.stage %s[%k0 + %k] : memref<300xf32, #tile.level<smem>> to !e
        tile.store %p to %S[%k0 + %k] combine(add) unordered : !e to memref<300xf32>
      }
    }
  }
}
// -----
// Which kinds there are, and what bits all and an odd number of each have.
// I from range(10)
// W from [1, 2, 3, 4, 6, 7, -1]
// A[b] = __import__("functools").reduce(int.__or__, [W[i] for i in range(N) if I[i] == b], A[b])
// B[b] = __import__("functools").reduce(int.__and__, [W[i] for i in range(N) if I[i] == b], B[b])
// C[b] = __import__("functools").reduce(int.__xor__, [W[i] for i in range(N) if I[i] == b], C[b])
// shapes: N=37; N=1
tile.kernel @bits(%I: !I[%N], %W: !W[%N], %A: memref<10xi32>[10], %B: memref<10xi32>[10], %C: memref<10xi32>[10], %N: index) {
  tile.for (%i0) in (%N) by (32) at dram on block {
    %a = tile.hold init(0 : i32) : !bins
    %b = tile.hold init(-1 : i32) : !bins
    %c = tile.hold init(0 : i32) : !bins
    tile.for (%i1) in (32) by (1) at dram on thread {
      %w = tile.stage %W[%i0 + %i1] : !W to !n
      tile.store %w to %a[%i0 + %i1] scatter(%I : !I along 0) combine(or) : !n to !bins
      tile.store %w to %b[%i0 + %i1] scatter(%I : !I along 0) combine(and) : !n to !bins
      tile.store %w to %c[%i0 + %i1] scatter(%I : !I along 0) combine(xor) : !n to !bins
    }
    tile.for (%k) in (10) by (1) at smem on thread {
      %p = tile.stage %a[%k] : !bins to !n
      %q = tile.stage %b[%k] : !bins to !n
      %r = tile.stage %c[%k] : !bins to !n
      tile.store %p to %A[%k] combine(or) : !n to memref<10xi32>
      tile.store %q to %B[%k] combine(and) : !n to memref<10xi32>
      tile.store %r to %C[%k] combine(xor) : !n to memref<10xi32>
    }
  }
}
// -----
// Bits that threads reduce in registers.
// W from [1, 2, 3, 4, 6, 7, -1]
// A[b] = __import__("functools").reduce(int.__xor__, [W[i] for i in range(64 * b, min(N, 64 * b + 64))], 0)
// B[b] = __import__("functools").reduce(int.__and__, [W[i] for i in range(64 * b, min(N, 64 * b + 64))], 255)
// shapes: N=130 M=3
tile.kernel @reduced_bits(%W: !W[%N], %A: !I[%M], %B: !I[%M], %N: index, %M: index) {
  tile.for (%m) in (%M) by (1) at dram on block {
    %a = tile.hold init(0 : i32) : !n
    %b = tile.hold init(255 : i32) : !n
    tile.for (%i1) in (64) by (1) at dram on thread reduce(xor) {
      %w = tile.stage %W[64 * %m + %i1] : !W to !n
      linalg.generic #two ins(%w : !n) outs(%a : !n) {
      ^bb0(%x: i32, %old: i32):
        %r = arith.xori %old, %x : i32
        linalg.yield %r : i32
      }
    }
    tile.for (%i1) in (64) by (1) at dram on thread reduce(and) {
      %w = tile.stage %W[64 * %m + %i1] : !W to !n
      linalg.generic #two ins(%w : !n) outs(%b : !n) {
      ^bb0(%x: i32, %old: i32):
        %r = arith.andi %old, %x : i32
        linalg.yield %r : i32
      }
    }
    tile.store %a to %A[%m] : !n to !I
    tile.store %b to %B[%m] : !n to !I
  }
}
// -----
// All threads add to one element, which no index says.
// S[k] = S[k] + sum(W[i] for i in range(N))
// shapes: N=137; N=1
tile.kernel @total(%W: !W[%N], %S: memref<1xi32>[1], %N: index) {
  tile.for (%i0) in (%N) by (64) at dram on block {
    %s = tile.hold init(0 : i32) : memref<1xi32, #tile.level<smem>>
    tile.for (%i1) in (64) by (1) at dram on thread {
      %w = tile.stage %W[%i0 + %i1] pad(zero) : !W to !n
      tile.store %w to %s[0] combine(add) : !n to memref<1xi32, #tile.level<smem>>
    }
    tile.for (%k) in (1) by (1) at smem on thread {
      %p = tile.stage %s[0] : memref<1xi32, #tile.level<smem>> to !n
      tile.store %p to %S[%k] combine(add) : !n to memref<1xi32>
    }
  }
}
// -----
// Counts that are read in the loop that counts.
// refused: reads elements of a tile in smem that other iterations of a loop on thread may write
tile.kernel @read_early(%X: !I[%N], %H: memref<64xi32>[64], %N: index) {
  tile.for (%i0) in (%N) by (64) at dram on block {
    %h = tile.hold init(0 : i32) : memref<64xi32, #tile.level<smem>>
    tile.for (%i1) in (64) by (1) at dram on thread {
      %one = tile.hold init(1 : i32) : !n
      tile.store %one to %h[%i0 + %i1] scatter(%X : !I along 0) combine(add) : !n to memref<64xi32, #tile.level<smem>>
      %p = tile.stage %h[%i1] : memref<64xi32, #tile.level<smem>> to !n
      tile.store %p to %H[%i1] combine(add) : !n to memref<64xi32>
    }
  }
}
// -----
// Greatest numbers in floating point: the hardware has no such operation.
// limit: combine\(max\) of 'f32', which the hardware does for i32 only
tile.kernel @greatest(%I: !I[%N], %X: !V[%N], %S: memref<10xf32>[10], %N: index) {
  tile.for (%i0) in (%N) by (64) at dram on block {
    %s = tile.hold init(0.0 : f32) : memref<10xf32, #tile.level<smem>>
    tile.for (%i1) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%i0 + %i1] : !V to !e
      tile.store %x to %s[%i0 + %i1] scatter(%I : !I along 0) combine(max) : !e to memref<10xf32, #tile.level<smem>>
    }
    tile.for (%k) in (10) by (1) at smem on thread {
      %p = tile.stage %s[%k] : memref<10xf32, #tile.level<smem>> to !e
      tile.store %p to %S[%k] combine(max) : !e to memref<10xf32>
    }
  }
}
// -----
// A tile that all blocks would share.
// refused: reads elements of a tile in smem that other iterations of a loop on block may write
tile.kernel @shared_by_all(%X: !I[%N], %H: memref<10xi32>[10], %N: index) {
  %h = tile.hold init(0 : i32) : !bins
  tile.for (%i0) in (%N) by (64) at dram on block {
    tile.for (%i1) in (64) by (1) at dram on thread {
      %one = tile.hold init(1 : i32) : !n
      tile.store %one to %h[%i0 + %i1] scatter(%X : !I along 0) combine(add) : !n to !bins
    }
    tile.for (%b) in (10) by (1) at smem on thread {
      %p = tile.stage %h[%b] : !bins to !n
      tile.store %p to %H[%b] combine(add) : !n to memref<10xi32>
    }
  }
}
