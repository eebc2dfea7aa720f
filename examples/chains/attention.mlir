// O = softmax(s Q K^T) V for J heads of N tokens of 64 numbers, where scale is s * log2(e): powers are of 2. A block takes 128 queries through all keys: the
// largest score so far, and the sum of what is above it, stay in registers, and what they weigh is scaled anew as they change; weights go by way of shared memory.
!G = memref<?x?x64xf32, strided<[?, ?, 1]>>
!q = memref<1x128x64xf32, #tile.level<smem>>
!k = memref<1x64x64xf32, #tile.level<smem>>
!w = memref<128x64xf32, #tile.level<smem>>
!s = memref<128x64xf32, #tile.level<rf>>
!o = memref<128x64xf32, #tile.level<rf>>
!v = memref<128xf32, #tile.level<rf>>
!sp = memref<8x4xf32, #tile.level<rf>>
!wp = memref<8x4xf32, #tile.level<smem>>
!op = memref<8x4xf32, #tile.level<rf>>
!vp = memref<8xf32, #tile.level<rf>>
!rq = memref<1x8x4xf32, #tile.level<rf>>
!rk = memref<1x4x4xf32, #tile.level<rf>>
!rw = memref<8x4xf32, #tile.level<rf>>
!rv = memref<1x4x4xf32, #tile.level<rf>>
!out = memref<1x8x4xf32, #tile.level<rf>>
#each = affine_map<(i) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#none = affine_map<(i, j) -> ()>
tile.kernel @attention(%Q: !G[%J, %N, 64], %K: !G[%J, %N, 64], %V: !G[%J, %N, 64], %O: !G[%J, %N, 64], %J: index, %N: index, %scale: f32) {
  %low = arith.constant 0xFF800000 : f32
  tile.for (%h, %q) in (%J, %N) by (1, 128) at dram on block {
    %qs = tile.stage %Q[%h, %q, 0] pad(zero) : !G to !q
    %o = tile.hold init(0.0 : f32) : !o
    %m = tile.hold init(0xFF800000 : f32) : !v
    %l = tile.hold init(0.0 : f32) : !v
    %alpha = tile.hold init(0.0 : f32) : !v
    tile.for (%k) in (%N) by (64) at dram {
      %ks = tile.stage %K[%h, %k, 0] pad(zero) : !G to !k
      %vs = tile.stage %V[%h, %k, 0] pad(zero) : !G to !k
      %s = tile.hold init(0.0 : f32) : !s
      %most = tile.hold init(0xFF800000 : f32) : !v
      %sum = tile.hold init(0.0 : f32) : !v
      %w = tile.hold init(0.0 : f32) : !w
      tile.for (%m1, %n1) in (128, 64) by (8, 4) at smem on thread reduce(max) {
        %sp = tile.part %s[%m1, %n1] : !s to !sp
        %mp = tile.part %most[%m1] : !v to !vp
        tile.for (%d) in (64) by (4) at smem {
          %rq = tile.stage %qs[0, %m1, %d] : !q to !rq
          %rk = tile.stage %ks[0, %n1, %d] : !k to !rk
          linalg.generic {indexing_maps = [affine_map<(k, i, j) -> (0, i, k)>, affine_map<(k, i, j) -> (0, j, k)>, affine_map<(k, i, j) -> (i, j)>],
                          iterator_types = ["reduction", "parallel", "parallel"]} ins(%rq, %rk : !rq, !rk) outs(%sp : !sp) {
          ^bb0(%a: f32, %b: f32, %c: f32):
            %x = arith.mulf %a, %b : f32
            %y = arith.addf %c, %x : f32
            linalg.yield %y : f32
          }
        }
        linalg.generic {indexing_maps = [#none, #none, #none, #none, #ij], iterator_types = ["parallel", "parallel"]}
            ins(%k, %n1, %N, %scale : index, index, index, f32) outs(%sp : !sp) {
        ^bb0(%first: index, %n: index, %end: index, %f: f32, %c: f32):
          %j = linalg.index 1 : index
          %at = arith.addi %first, %n : index
          %key = arith.addi %at, %j : index
          %inside = arith.cmpi slt, %key, %end : index
          %x = arith.mulf %c, %f : f32
          %y = arith.select %inside, %x, %low : f32
          linalg.yield %y : f32
        }
        linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%sp : !sp) outs(%mp : !vp) {
        ^bb0(%c: f32, %b: f32):
          %y = arith.maximumf %b, %c : f32
          linalg.yield %y : f32
        }
      }
      linalg.generic {indexing_maps = [#each, #each, #each], iterator_types = ["parallel"]} ins(%most : !v) outs(%m, %alpha : !v, !v) {
      ^bb0(%new: f32, %old: f32, %unused: f32):
        %y = arith.maximumf %old, %new : f32
        %d = arith.subf %old, %y : f32
        %f = math.exp2 %d : f32
        linalg.yield %y, %f : f32, f32
      }
      tile.for (%m1, %n1) in (128, 64) by (8, 4) at smem on thread reduce(add) {
        %sp = tile.part %s[%m1, %n1] : !s to !sp
        %mp = tile.part %m[%m1] : !v to !vp
        %lp = tile.part %sum[%m1] : !v to !vp
        %wp = tile.part %w[%m1, %n1] : !w to !wp
        linalg.generic {indexing_maps = [#i, #ij], iterator_types = ["parallel", "parallel"]} ins(%mp : !vp) outs(%sp : !sp) {
        ^bb0(%b: f32, %c: f32):
          %d = arith.subf %c, %b : f32
          %f = math.exp2 %d : f32
          linalg.yield %f : f32
        }
        linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%sp : !sp) outs(%lp : !vp) {
        ^bb0(%c: f32, %b: f32):
          %y = arith.addf %b, %c : f32
          linalg.yield %y : f32
        }
      }
      tile.store %s to %w[0, 0] : !s to !w
      linalg.generic {indexing_maps = [#each, #each, #each], iterator_types = ["parallel"]} ins(%alpha, %sum : !v, !v) outs(%l : !v) {
      ^bb0(%f: f32, %new: f32, %old: f32):
        %x = arith.mulf %old, %f : f32
        %y = arith.addf %x, %new : f32
        linalg.yield %y : f32
      }
      tile.for (%m1, %d1) in (128, 64) by (8, 4) at smem on thread {
        %op = tile.part %o[%m1, %d1] : !o to !op
        %ap = tile.part %alpha[%m1] : !v to !vp
        linalg.generic {indexing_maps = [#i, #ij], iterator_types = ["parallel", "parallel"]} ins(%ap : !vp) outs(%op : !op) {
        ^bb0(%f: f32, %c: f32):
          %y = arith.mulf %c, %f : f32
          linalg.yield %y : f32
        }
        tile.for (%n) in (64) by (4) at smem {
          %rw = tile.stage %w[%m1, %n] : !w to !rw
          %rv = tile.stage %vs[0, %n, %d1] : !k to !rv
          linalg.generic {indexing_maps = [affine_map<(k, i, j) -> (i, k)>, affine_map<(k, i, j) -> (0, k, j)>, affine_map<(k, i, j) -> (i, j)>],
                          iterator_types = ["reduction", "parallel", "parallel"]} ins(%rw, %rv : !rw, !rv) outs(%op : !op) {
          ^bb0(%a: f32, %b: f32, %c: f32):
            %x = arith.mulf %a, %b : f32
            %y = arith.addf %c, %x : f32
            linalg.yield %y : f32
          }
        }
      }
    }
    tile.for (%m1, %d1) in (128, 64) by (8, 4) at smem on thread {
      %op = tile.part %o[%m1, %d1] : !o to !op
      %lp = tile.part %l[%m1] : !v to !vp
      %out = tile.hold init(0.0 : f32) : !out
      linalg.generic {indexing_maps = [#i, #ij, affine_map<(i, j) -> (0, i, j)>], iterator_types = ["parallel", "parallel"]} ins(%lp, %op : !vp, !op) outs(%out : !out) {
      ^bb0(%b: f32, %c: f32, %unused: f32):
        %y = arith.divf %c, %b : f32
        linalg.yield %y : f32
      }
      tile.store %out to %O[%h, %q + %m1, %d1] : !out to !G
    }
  }
}
