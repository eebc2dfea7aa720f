// Convolutions, pooling, filters of images.
!V = memref<?xf32, strided<[?]>>
!G = memref<?x?xf32, strided<[?, ?]>>
!T = memref<?x?x?xf32, strided<[?, ?, ?]>>
!Q = memref<?x?x?x?xf32, strided<[?, ?, ?, ?]>>
!W5 = memref<5xf32>
!W33 = memref<3x3xf32>
!e = memref<1xf32, #tile.level<rf>>
!w5 = memref<5xf32, #tile.level<rf>>
!x = memref<1x1xf32, #tile.level<rf>>
!x4 = memref<1x4xf32, #tile.level<rf>>
!k33 = memref<3x3xf32, #tile.level<rf>>
!t = memref<1x1x1xf32, #tile.level<rf>>
!q = memref<1x1x1x1xf32, #tile.level<rf>>
#v = affine_map<(i) -> (i)>
#m = affine_map<(i, j) -> (i, j)>
#two = {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
#three = {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]}
#ew2 = {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]}
#ew3 = {indexing_maps = [#m, #m, #m], iterator_types = ["parallel", "parallel"]}
#conv1 = {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
#conv2 = {indexing_maps = [affine_map<(i, j, p, q) -> (i + p, j + q)>, affine_map<(i, j, p, q) -> (p, q)>, affine_map<(i, j, p, q) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
// -----
// One dimension, five taps, the sum of those that exist.
// Y[i] = sum(at(X, i + k) * W[k] for k in range(5))
tile.kernel @conv1d(%X: !V[%N], %W: !W5[5], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (128) at dram on block {
    tile.for (%t) in (128) by (4) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to memref<8xf32, #tile.level<rf>>
      %w = tile.stage %W[0] : !W5 to !w5
      %y = tile.hold init(0.0 : f32) : memref<4xf32, #tile.level<rf>>
      linalg.generic #conv1 ins(%x, %w : memref<8xf32, #tile.level<rf>>, !w5) outs(%y : memref<4xf32, #tile.level<rf>>) {
      ^bb0(%u: f32, %c: f32, %o: f32):
        %p = arith.mulf %u, %c : f32
        %r = arith.addf %o, %p : f32
        linalg.yield %r : f32
      }
      tile.store %y to %Y[%b + %t] : memref<4xf32, #tile.level<rf>> to !V
    }
  }
}
// -----
// Centred, pad($P).
// with: P=zero, F=at; P=clamp, F=clamp; P=reflect, F=reflect; P=wrap, F=around
// Y[i] = sum($F(X, i + k - 2) * W[k] for k in range(5))
// shapes: N=70; N=3; N=1
tile.kernel @padded(%X: !V[%N], %W: !W5[5], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    %s = tile.stage %X[%b - 2] pad($P) : !V to memref<68xf32, #tile.level<smem>>
    tile.for (%t) in (64) by (2) at smem on thread {
      %x = tile.stage %s[%t] : memref<68xf32, #tile.level<smem>> to memref<6xf32, #tile.level<rf>>
      %w = tile.stage %W[0] : !W5 to !w5
      %y = tile.hold init(0.0 : f32) : memref<2xf32, #tile.level<rf>>
      linalg.generic #conv1 ins(%x, %w : memref<6xf32, #tile.level<rf>>, !w5) outs(%y : memref<2xf32, #tile.level<rf>>) {
      ^bb0(%u: f32, %c: f32, %o: f32):
        %p = arith.mulf %u, %c : f32
        %r = arith.addf %o, %p : f32
        linalg.yield %r : f32
      }
      tile.store %y to %Y[%b + %t] : memref<2xf32, #tile.level<rf>> to !V
    }
  }
}
// -----
// Strided by 2.
// Y[i] = sum(at(X, 2 * i + k) * W[k] for k in range(5))
// shapes: N=75 M=36; N=6 M=2; N=64 M=80
tile.kernel @strided(%X: !V[%N], %W: !W5[5], %Y: !V[%M], %N: index, %M: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b * 2 + %t * 2] : !V to !w5
      %w = tile.stage %W[0] : !W5 to !w5
      %y = tile.hold init(0.0 : f32) : !e
      linalg.generic #conv1 ins(%x, %w : !w5, !w5) outs(%y : !e) {
      ^bb0(%u: f32, %c: f32, %o: f32):
        %p = arith.mulf %u, %c : f32
        %r = arith.addf %o, %p : f32
        linalg.yield %r : f32
      }
      tile.store %y to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// Dilated by 3, in the indexing map.
// Y[i] = sum(at(X, i + 3 * k - 6) * W[k] for k in range(5))
tile.kernel @dilated(%X: !V[%N], %W: !W5[5], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t - 6] : !V to memref<13xf32, #tile.level<rf>>
      %w = tile.stage %W[0] : !W5 to !w5
      %y = tile.hold init(0.0 : f32) : !e
      linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k * 3)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
                      iterator_types = ["parallel", "reduction"]} ins(%x, %w : memref<13xf32, #tile.level<rf>>, !w5) outs(%y : !e) {
      ^bb0(%u: f32, %c: f32, %o: f32):
        %p = arith.mulf %u, %c : f32
        %r = arith.addf %o, %p : f32
        linalg.yield %r : f32
      }
      tile.store %y to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// Taps of any number: a loop over time, dilated by 2.
// Y[i] = sum(at(X, i + 2 * k) * W[k] for k in range(K))
tile.kernel @taps(%X: !V[%N], %W: !V[%K], %Y: !V[%N], %N: index, %K: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %y = tile.hold init(0.0 : f32) : !e
      tile.for (%k) in (%K) by (1) at dram {
        %x = tile.stage %X[%b + %t + %k * 2] : !V to !e
        %w = tile.stage %W[%k] : !V to !e
        linalg.generic #three ins(%x, %w : !e, !e) outs(%y : !e) {
        ^bb0(%u: f32, %c: f32, %o: f32):
          %p = arith.mulf %u, %c : f32
          %r = arith.addf %o, %p : f32
          linalg.yield %r : f32
        }
      }
      tile.store %y to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// A true convolution: the filter is turned round by the map.
// Y[i] = sum(at(X, i + 2 - k) * W[k] for k in range(5))
tile.kernel @flipped(%X: !V[%N], %W: !W5[5], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t - 2] pad(zero) : !V to !w5
      %w = tile.stage %W[0] : !W5 to !w5
      %y = tile.hold init(0.0 : f32) : !e
      linalg.generic {indexing_maps = [affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (4 - k)>, affine_map<(i, k) -> (i)>],
                      iterator_types = ["parallel", "reduction"]} ins(%x, %w : !w5, !w5) outs(%y : !e) {
      ^bb0(%u: f32, %c: f32, %o: f32):
        %p = arith.mulf %u, %c : f32
        %r = arith.addf %o, %p : f32
        linalg.yield %r : f32
      }
      tile.store %y to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// Transposed, stride 2: outputs of several threads meet and are added.
// Y[o] = Y[o] + sum(X[i] * W[o - 2 * i] for i in range(N) if 0 <= o - 2 * i < 5)
// shapes: N=40 M=50; N=37 M=77; N=1 M=5
tile.kernel @transposed(%X: !V[%N], %W: !W5[5], %Y: !V[%M], %N: index, %M: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] pad(zero) : !V to !e
      %w = tile.stage %W[0] : !W5 to !w5
      linalg.generic {indexing_maps = [affine_map<(k) -> (0)>, #v], iterator_types = ["parallel"]} ins(%x : !e) outs(%w : !w5) {
      ^bb0(%u: f32, %o: f32):
        %p = arith.mulf %u, %o : f32
        linalg.yield %p : f32
      }
      tile.store %w to %Y[%b * 2 + %t * 2] combine(add) unordered : !w5 to !V
    }
  }
}
// -----
// The same without combine.
// refused: may write one element from several iterations of a loop on thread.*combine
tile.kernel @transposed_store(%X: !V[%N], %W: !W5[5], %Y: !V[%M], %N: index, %M: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] pad(zero) : !V to !e
      %w = tile.stage %W[0] : !W5 to !w5
      linalg.generic {indexing_maps = [affine_map<(k) -> (0)>, #v], iterator_types = ["parallel"]} ins(%x : !e) outs(%w : !w5) {
      ^bb0(%u: f32, %o: f32):
        %p = arith.mulf %u, %o : f32
        linalg.yield %p : f32
      }
      tile.store %w to %Y[%b * 2 + %t * 2] : !w5 to !V
    }
  }
}
// -----
// The same without combine, stride 5 as long as the filter: nothing meets.
// Y[o] = (X[o // 5] if o // 5 < N else 0) * W[o % 5] if o // 5 < (N + 31) // 32 * 32 else Y[o]
// shapes: N=37 M=185; N=40 M=150
tile.kernel @patches(%X: !V[%N], %W: !W5[5], %Y: !V[%M], %N: index, %M: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] pad(zero) : !V to !e
      %w = tile.stage %W[0] : !W5 to !w5
      linalg.generic {indexing_maps = [affine_map<(k) -> (0)>, #v], iterator_types = ["parallel"]} ins(%x : !e) outs(%w : !w5) {
      ^bb0(%u: f32, %o: f32):
        %p = arith.mulf %u, %o : f32
        linalg.yield %p : f32
      }
      tile.store %w to %Y[%b * 5 + %t * 5] : !w5 to !V
    }
  }
}
// -----
// Two dimensions, 3x3, zeros around.
// Y[i, j] = sum(at(X, i + p - 1, j + q - 1) * W[p, q] for p in range(3) for q in range(3))
tile.kernel @conv2d(%X: !G[%M, %N], %W: !W33[3, 3], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (8, 16) at dram on block {
    %s = tile.stage %X[%i - 1, %j - 1] : !G to memref<10x18xf32, #tile.level<smem>>
    tile.for (%k, %l) in (8, 16) by (1, 4) at smem on thread {
      %x = tile.stage %s[%k, %l] : memref<10x18xf32, #tile.level<smem>> to memref<3x6xf32, #tile.level<rf>>
      %w = tile.stage %W[0, 0] : !W33 to !k33
      %y = tile.hold init(0.0 : f32) : !x4
      linalg.generic #conv2 ins(%x, %w : memref<3x6xf32, #tile.level<rf>>, !k33) outs(%y : !x4) {
      ^bb0(%u: f32, %c: f32, %o: f32):
        %p = arith.mulf %u, %c : f32
        %r = arith.addf %o, %p : f32
        linalg.yield %r : f32
      }
      tile.store %y to %Y[%i + %k, %j + %l] : !x4 to !G
    }
  }
}
// -----
// Two dimensions by linalg.conv_2d, stride of the tile 2 along the rows.
// Y[i, j] = sum(at(X, 2 * i + p, j + q) * W[p, q] for p in range(3) for q in range(3))
// shapes: H=17 M=8 N=21; H=5 M=3 N=2
tile.kernel @named2d(%X: !G[%H, %N], %W: !W33[3, 3], %Y: !G[%M, %N], %H: index, %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (4, 16) at dram on block {
    tile.for (%k, %l) in (4, 16) by (1, 2) at dram on thread {
      %x = tile.stage %X[%i * 2 + %k * 2, %j + %l] : !G to memref<3x4xf32, #tile.level<rf>>
      %w = tile.stage %W[0, 0] : !W33 to !k33
      %y = tile.hold init(0.0 : f32) : memref<1x2xf32, #tile.level<rf>>
      linalg.conv_2d ins(%x, %w : memref<3x4xf32, #tile.level<rf>>, !k33) outs(%y : memref<1x2xf32, #tile.level<rf>>)
      tile.store %y to %Y[%i + %k, %j + %l] : memref<1x2xf32, #tile.level<rf>> to !G
    }
  }
}
// -----
// NHWC, channels in and out, 2x2 filters.
// Y[n, h, w, f] = sum(at(X, n, h + p, w + q, c) * W[p, q, c, f] for p in range(2) for q in range(2) for c in range(C))
// shapes: B=2 H=3 N=9 C=3 D=4; B=1 H=1 N=1 C=1 D=5
tile.kernel @nhwc(%X: !Q[%B, %H, %N, %C], %W: memref<2x2x?x?xf32>[2, 2, %C, %D], %Y: !Q[%B, %H, %N, %D],
                  %B: index, %H: index, %N: index, %C: index, %D: index) {
  tile.for (%n, %h, %w, %f) in (%B, %H, %N, %D) by (1, 1, 8, 4) at dram on block {
    tile.for (%k, %l) in (8, 4) by (1, 1) at dram on thread {
      %y = tile.hold init(0.0 : f32) : !q
      tile.for (%p, %s, %c) in (2, 2, %C) by (1, 1, 1) at dram {
        %x = tile.stage %X[%n, %h + %p, %w + %k + %s, %c] : !Q to !q
        %g = tile.stage %W[%p, %s, %c, %f + %l] : memref<2x2x?x?xf32> to !q
        linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (i, j, k, l)>],
                        iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %g : !q, !q) outs(%y : !q) {
        ^bb0(%u: f32, %v: f32, %o: f32):
          %m = arith.mulf %u, %v : f32
          %r = arith.addf %o, %m : f32
          linalg.yield %r : f32
        }
      }
      tile.store %y to %Y[%n, %h, %w + %k, %f + %l] : !q to !Q
    }
  }
}
// -----
// NCHW with filters [out, in, 3, 3], by linalg.conv_2d_nchw_fchw of one output and one channel at a time.
// Y[n, f, h, w] = sum(at(X, n, c, h + p - 1, w + q - 1) * W[f, c, p, q] for c in range(C) for p in range(3) for q in range(3))
// shapes: B=2 H=3 N=9 C=3 D=4; B=1 H=1 N=1 C=1 D=5
!z = memref<1x1x3x3xf32, #tile.level<rf>>
tile.kernel @nchw(%X: !Q[%B, %C, %H, %N], %W: memref<?x?x3x3xf32>[%D, %C, 3, 3], %Y: !Q[%B, %D, %H, %N],
                  %B: index, %H: index, %N: index, %C: index, %D: index) {
  tile.for (%n, %f, %h, %w) in (%B, %D, %H, %N) by (1, 1, 4, 8) at dram on block {
    tile.for (%k, %l) in (4, 8) by (1, 1) at dram on thread {
      %y = tile.hold init(0.0 : f32) : !q
      tile.for (%c) in (%C) by (1) at dram {
        %x = tile.stage %X[%n, %c, %h + %k - 1, %w + %l - 1] : !Q to !z
        %g = tile.stage %W[%f, %c, 0, 0] : memref<?x?x3x3xf32> to !z
        linalg.conv_2d_nchw_fchw ins(%x, %g : !z, !z) outs(%y : !q)
      }
      tile.store %y to %Y[%n, %f, %h + %k, %w + %l] : !q to !Q
    }
  }
}
// -----
// Depthwise, a filter of three taps for each channel, causal.
// Y[c, i] = sum(at(X, c, i + k - 2) * W[c, k] for k in range(3))
tile.kernel @depthwise(%X: !G[%C, %N], %W: memref<?x3xf32>[%C, 3], %Y: !G[%C, %N], %C: index, %N: index) {
  tile.for (%c, %i) in (%C, %N) by (1, 64) at dram on block {
    tile.for (%t) in (64) by (4) at dram on thread {
      %x = tile.stage %X[%c, %i + %t - 2] pad(zero) : !G to memref<1x6xf32, #tile.level<rf>>
      %w = tile.stage %W[%c, 0] : memref<?x3xf32> to memref<1x3xf32, #tile.level<rf>>
      %y = tile.hold init(0.0 : f32) : !x4
      linalg.generic {indexing_maps = [affine_map<(c, i, k) -> (c, i + k)>, affine_map<(c, i, k) -> (c, k)>, affine_map<(c, i, k) -> (c, i)>],
                      iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %w : memref<1x6xf32, #tile.level<rf>>, memref<1x3xf32, #tile.level<rf>>) outs(%y : !x4) {
      ^bb0(%u: f32, %g: f32, %o: f32):
        %p = arith.mulf %u, %g : f32
        %r = arith.addf %o, %p : f32
        linalg.yield %r : f32
      }
      tile.store %y to %Y[%c, %i + %t] : !x4 to !G
    }
  }
}
// -----
// Grouped: three channels in to two out in each group.
// Y[g, f, i] = sum(at(X, g, c, i + k - 1) * W[g, f, c, k] for c in range(3) for k in range(3))
// shapes: D=3 N=37; D=1 N=1
!Wg = memref<?x2x3x3xf32>
tile.kernel @grouped(%X: memref<?x3x?xf32>[%D, 3, %N], %W: !Wg[%D, 2, 3, 3], %Y: memref<?x2x?xf32>[%D, 2, %N], %D: index, %N: index) {
  tile.for (%g, %i) in (%D, %N) by (1, 32) at dram on block {
    %s = tile.stage %X[%g, 0, %i - 1] pad(zero) : memref<?x3x?xf32> to memref<1x3x34xf32, #tile.level<smem>>
    tile.for (%f, %t) in (2, 32) by (1, 1) at smem on thread {
      %x = tile.stage %s[0, 0, %t] : memref<1x3x34xf32, #tile.level<smem>> to memref<1x3x3xf32, #tile.level<rf>>
      %w = tile.stage %W[%g, %f, 0, 0] : !Wg to memref<1x1x3x3xf32, #tile.level<rf>>
      %y = tile.hold init(0.0 : f32) : !t
      linalg.generic {indexing_maps = [affine_map<(g, f, i, c, k) -> (g, c, i + k)>, affine_map<(g, f, i, c, k) -> (g, f, c, k)>,
                                       affine_map<(g, f, i, c, k) -> (g, f, i)>],
                      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
          ins(%x, %w : memref<1x3x3xf32, #tile.level<rf>>, memref<1x1x3x3xf32, #tile.level<rf>>) outs(%y : !t) {
      ^bb0(%u: f32, %v: f32, %o: f32):
        %p = arith.mulf %u, %v : f32
        %r = arith.addf %o, %p : f32
        linalg.yield %r : f32
      }
      tile.store %y to %Y[%g, %f, %i + %t] : !t to memref<?x2x?xf32>
    }
  }
}
// -----
// Maximum of windows of 2 by 2, stride 2: windows at the edge hold what exists.
// Y[i, j] = max(X[p, q] for p in (2 * i, 2 * i + 1) for q in (2 * j, 2 * j + 1) if p < M and q < N)
// shapes: M=13 N=31 H=7 L=16; M=1 N=2 H=1 L=1
tile.kernel @max_pool(%X: !G[%M, %N], %Y: !G[%H, %L], %M: index, %N: index, %H: index, %L: index) {
  tile.for (%i, %j) in (%H, %L) by (8, 8) at dram on block {
    tile.for (%k, %l) in (8, 8) by (1, 1) at dram on thread {
      %x = tile.stage %X[%i * 2 + %k * 2, %j * 2 + %l * 2] : !G to memref<2x2xf32, #tile.level<rf>>
      %y = tile.hold init(0xFF800000 : f32) : !x
      linalg.generic {indexing_maps = [#m, affine_map<(i, j) -> (0, 0)>], iterator_types = ["reduction", "reduction"]}
          ins(%x : memref<2x2xf32, #tile.level<rf>>) outs(%y : !x) {
      ^bb0(%u: f32, %o: f32):
        %r = arith.maximumf %u, %o : f32
        linalg.yield %r : f32
      }
      tile.store %y to %Y[%i + %k, %j + %l] : !x to !G
    }
  }
}
// -----
// Maximum of windows of 3 by 3, stride 1, by linalg.pooling_nhwc_max.
// Y[n, i, j, c] = max(X[n, i + p, j + q, c] for p in range(3) for q in range(3) if i + p < H and j + q < N)
// shapes: B=2 H=5 N=11 C=3; B=1 H=1 N=1 C=1
tile.kernel @pool_named(%X: !Q[%B, %H, %N, %C], %Y: !Q[%B, %H, %N, %C], %B: index, %H: index, %N: index, %C: index) {
  tile.for (%n, %i, %j, %c) in (%B, %H, %N, %C) by (1, 1, 8, 4) at dram on block {
    tile.for (%k, %l) in (8, 4) by (1, 1) at dram on thread {
      %x = tile.stage %X[%n, %i, %j + %k, %c + %l] : !Q to memref<1x3x3x1xf32, #tile.level<rf>>
      %w = tile.hold init(0.0 : f32) : memref<3x3xf32, #tile.level<rf>>
      %y = tile.hold init(0xFF800000 : f32) : !q
      linalg.pooling_nhwc_max ins(%x, %w : memref<1x3x3x1xf32, #tile.level<rf>>, memref<3x3xf32, #tile.level<rf>>) outs(%y : !q)
      tile.store %y to %Y[%n, %i, %j + %k, %c + %l] : !q to !Q
    }
  }
}
// -----
// Average of windows of 4, stride 4, zeros counted.
// Y[i] = sum(at(X, 4 * i + k) for k in range(4)) / 4
// shapes: N=131 M=33; N=1 M=1; N=9 M=3
tile.kernel @average(%X: !V[%N], %Y: !V[%M], %N: index, %M: index) {
  tile.for (%b) in (%M) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b * 4 + %t * 4] pad(zero) : !V to memref<4xf32, #tile.level<rf>>
      %y = tile.hold init(0.0 : f32) : !e
      linalg.generic {indexing_maps = [#v, affine_map<(i) -> (0)>], iterator_types = ["reduction"]}
          ins(%x : memref<4xf32, #tile.level<rf>>) outs(%y : !e) {
      ^bb0(%u: f32, %o: f32):
        %quarter = arith.constant 0.25 : f32
        %q = arith.mulf %u, %quarter : f32
        %r = arith.addf %q, %o : f32
        linalg.yield %r : f32
      }
      tile.store %y to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// Average of windows of 3, zeros not counted: sum and number held together.
// Y[i] ~ sum(at(X, i + k) for k in (-1, 0, 1)) / sum(0 <= i + k < N for k in (-1, 0, 1))
tile.kernel @average_present(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t - 1] : !V to memref<3xf32, #tile.level<rf>>
      %y = tile.hold init(0.0 : f32) : !e
      %n = tile.hold init(0.0 : f32) : !e
      linalg.generic {indexing_maps = [#v, affine_map<(i) -> (0)>, affine_map<(i) -> (0)>], iterator_types = ["reduction"]}
          ins(%x : memref<3xf32, #tile.level<rf>>) outs(%y, %n : !e, !e) {
      ^bb0(%u: f32, %o: f32, %c: f32):
        %one = arith.constant 1.0 : f32
        %r = arith.addf %u, %o : f32
        %d = arith.addf %c, %one : f32
        linalg.yield %r, %d : f32, f32
      }
      linalg.generic #two ins(%n : !e) outs(%y : !e) {
      ^bb0(%c: f32, %o: f32):
        %r = arith.divf %o, %c : f32
        linalg.yield %r : f32
      }
      tile.store %y to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// Means of whole channels, over threads.
// Y[b, c] ~ sum(X[b, c, i] for i in range(N)) / N
tile.kernel @global_average(%X: !T[%B, %C, %N], %Y: !G[%B, %C], %B: index, %C: index, %N: index) {
  %n32 = arith.index_cast %N : index to i32
  %n = arith.sitofp %n32 : i32 to f32
  tile.for (%b, %c) in (%B, %C) by (1, 1) at dram on block {
    %s = tile.hold init(0.0 : f32) : !x
    tile.for (%t) in (32) by (1) at dram on thread reduce(add) {
      tile.for (%i) in (%N) by (32) at dram {
        %x = tile.stage %X[%b, %c, %i + %t] : !T to !t
        linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>],
                        iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : !t) outs(%s : !x) {
        ^bb0(%u: f32, %o: f32):
          %d = arith.divf %u, %n : f32
          %r = arith.addf %d, %o : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %s to %Y[%b, %c] : !x to !G
  }
}
// -----
// Twice as large by repeating: four stores of one element.
// Y[i, j] = X[i // 2, j // 2] if i // 2 < M and j // 2 < N else Y[i, j]
// shapes: M=9 N=11 H=18 L=22; M=3 N=1 H=5 L=2
tile.kernel @upsample(%X: !G[%M, %N], %Y: !G[%H, %L], %M: index, %N: index, %H: index, %L: index) {
  tile.for (%i, %j) in (%M, %N) by (8, 8) at dram on block {
    tile.for (%k, %l) in (8, 8) by (1, 1) at dram on thread {
      %x = tile.stage %X[%i + %k, %j + %l] pad(zero) : !G to !x
      %y = tile.hold init(0.0 : f32) : memref<2x2xf32, #tile.level<rf>>
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (0, 0)>, #m], iterator_types = ["parallel", "parallel"]}
          ins(%x : !x) outs(%y : memref<2x2xf32, #tile.level<rf>>) {
      ^bb0(%u: f32, %o: f32):
        linalg.yield %u : f32
      }
      tile.store %y to %Y[%i * 2 + %k * 2, %j * 2 + %l * 2] : memref<2x2xf32, #tile.level<rf>> to !G
    }
  }
}
// -----
// Sobel: two filters as expressions of parts of a window, and their magnitude.
// Y[i, j] = abs(clamp(X, i, j + 1) - clamp(X, i, j - 1)) + abs(clamp(X, i + 1, j) - clamp(X, i - 1, j))
tile.kernel @edges(%X: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (8, 8) at dram on block {
    tile.for (%k, %l) in (8, 8) by (1, 1) at dram on thread {
      %x = tile.stage %X[%i + %k - 1, %j + %l - 1] pad(clamp) : !G to !k33
      %y = tile.hold init(0.0 : f32) : !x
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (1, 0)>, affine_map<(i, j) -> (1, 2)>, affine_map<(i, j) -> (0, 1)>,
                                       affine_map<(i, j) -> (2, 1)>, #m], iterator_types = ["parallel", "parallel"]}
          ins(%x, %x, %x, %x : !k33, !k33, !k33, !k33) outs(%y : !x) {
      ^bb0(%w: f32, %e: f32, %n: f32, %s: f32, %o: f32):
        %a = arith.subf %e, %w : f32
        %b = arith.subf %s, %n : f32
        %c = math.absf %a : f32
        %d = math.absf %b : f32
        %r = arith.addf %c, %d : f32
        linalg.yield %r : f32
      }
      tile.store %y to %Y[%i + %k, %j + %l] : !x to !G
    }
  }
}
// -----
// A separable blur: rows into a second shared tile, then columns out of it.
// R(M, N)[i, j] = at(X, i, j - 1) + X[i, j] + at(X, i, j + 1)
// Y[i, j] = at(R, i - 1, j) + R[i, j] + at(R, i + 1, j)
!sx = memref<10x18xf32, #tile.level<smem>>
!sr = memref<10x16xf32, #tile.level<smem>>
!px = memref<1x1xf32, strided<[18, 1], offset: ?>, #tile.level<smem>>
!pr = memref<1x1xf32, strided<[16, 1], offset: ?>, #tile.level<smem>>
tile.kernel @separable(%X: !G[%M, %N], %Y: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (8, 16) at dram on block {
    %s = tile.stage %X[%i - 1, %j - 1] pad(zero) : !G to !sx
    %r = tile.stage %X[%i - 1, %j] pad(zero) : !G to !sr
    tile.for (%k, %l) in (10, 16) by (1, 1) at smem on thread {
      %a = tile.part %s[%k, %l] : !sx to !px
      %c = tile.part %s[%k, %l + 2] : !sx to !px
      %p = tile.part %r[%k, %l] : !sr to !pr
      linalg.generic #ew3 ins(%a, %c : !px, !px) outs(%p : !pr) {
      ^bb0(%u: f32, %v: f32, %o: f32):
        %d = arith.addf %u, %v : f32
        %e = arith.addf %d, %o : f32
        linalg.yield %e : f32
      }
    }
    tile.for (%k, %l) in (8, 16) by (1, 1) at smem on thread {
      %y = tile.hold init(0.0 : f32) : !x
      tile.for (%p) in (3) by (1) at smem on unroll {
        %x = tile.part %r[%k + %p, %l] : !sr to !pr
        linalg.generic #ew2 ins(%x : !pr) outs(%y : !x) {
        ^bb0(%u: f32, %o: f32):
          %e = arith.addf %u, %o : f32
          linalg.yield %e : f32
        }
      }
      tile.store %y to %Y[%i + %k, %j + %l] : !x to !G
    }
  }
}
// -----
// The median of three, as maxima and minima.
// Y[i] = sorted([reflect(X, i - 1), X[i], reflect(X, i + 1)])[1]
tile.kernel @median(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t - 1] pad(reflect) : !V to memref<3xf32, #tile.level<rf>>
      %y = tile.hold init(0.0 : f32) : !e
      linalg.generic {indexing_maps = [affine_map<(i) -> (0)>, affine_map<(i) -> (1)>, affine_map<(i) -> (2)>, #v], iterator_types = ["parallel"]}
          ins(%x, %x, %x : memref<3xf32, #tile.level<rf>>, memref<3xf32, #tile.level<rf>>, memref<3xf32, #tile.level<rf>>) outs(%y : !e) {
      ^bb0(%a: f32, %c: f32, %d: f32, %o: f32):
        %lo = arith.minimumf %a, %c : f32
        %hi = arith.maximumf %a, %c : f32
        %e = arith.minimumf %hi, %d : f32
        %r = arith.maximumf %lo, %e : f32
        linalg.yield %r : f32
      }
      tile.store %y to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// Seven points in three dimensions.
// Y[i, j, k] = sum(at(X, i + a, j + b, k + c) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1) if abs(a) + abs(b) + abs(c) == 1) - 6 * X[i, j, k]
// shapes: H=5 M=6 N=7; H=1 M=1 N=9
tile.kernel @points7(%X: !T[%H, %M, %N], %Y: !T[%H, %M, %N], %H: index, %M: index, %N: index) {
  tile.for (%i, %j, %k) in (%H, %M, %N) by (2, 4, 8) at dram on block {
    %s = tile.stage %X[%i - 1, %j - 1, %k - 1] pad(zero) : !T to memref<4x6x10xf32, #tile.level<smem>>
    tile.for (%a, %b, %c) in (2, 4, 8) by (1, 1, 1) at smem on thread {
      %x = tile.stage %s[%a, %b, %c] : memref<4x6x10xf32, #tile.level<smem>> to memref<3x3x3xf32, #tile.level<rf>>
      %y = tile.hold init(0.0 : f32) : !t
      linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (0, 1, 1)>, affine_map<(i, j, k) -> (2, 1, 1)>,
                                       affine_map<(i, j, k) -> (1, 0, 1)>, affine_map<(i, j, k) -> (1, 2, 1)>,
                                       affine_map<(i, j, k) -> (1, 1, 0)>, affine_map<(i, j, k) -> (1, 1, 2)>,
                                       affine_map<(i, j, k) -> (1, 1, 1)>, affine_map<(i, j, k) -> (i, j, k)>],
                      iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%x, %x, %x, %x, %x, %x, %x : memref<3x3x3xf32, #tile.level<rf>>, memref<3x3x3xf32, #tile.level<rf>>, memref<3x3x3xf32, #tile.level<rf>>,
              memref<3x3x3xf32, #tile.level<rf>>, memref<3x3x3xf32, #tile.level<rf>>, memref<3x3x3xf32, #tile.level<rf>>, memref<3x3x3xf32, #tile.level<rf>>)
          outs(%y : !t) {
      ^bb0(%p: f32, %q: f32, %r: f32, %u: f32, %v: f32, %w: f32, %z: f32, %o: f32):
        %six = arith.constant 6.0 : f32
        %d = arith.addf %p, %q : f32
        %e = arith.addf %r, %u : f32
        %f = arith.addf %v, %w : f32
        %g = arith.addf %d, %e : f32
        %h = arith.addf %f, %g : f32
        %l = arith.mulf %six, %z : f32
        %m = arith.subf %h, %l : f32
        linalg.yield %m : f32
      }
      tile.store %y to %Y[%i + %a, %j + %b, %k + %c] : !t to !T
    }
  }
}
