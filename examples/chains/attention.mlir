// O = softmax(s Q K^T) V for J heads of N tokens of 64 numbers, where scale is s * log2(e): powers are of 2. A block takes 128 queries through all keys, 64 at a
// time: the largest score so far, and the sum of what is above it, stay in registers, and what they weigh is scaled anew as they change; weights go by way of shared
// memory. Threads stand 16 x 16, and their rows and columns are 16 apart: what the lanes of a warp load of a tile then lies in different banks. Both products load
// ahead what they multiply next. A block has 141,312 bytes of shared memory.
!G = memref<?x?x64xf32, strided<[?, ?, 1]>>
!q = memref<1x128x64xf32, #tile.level<smem>>
!k = memref<1x64x64xf32, #tile.level<smem>>
!w = memref<128x64xf32, #tile.level<smem>>
!s = memref<128x64xf32, #tile.level<rf>>
!o = memref<128x64xf32, #tile.level<rf>>
!v = memref<128xf32, #tile.level<rf>>
!sp = memref<1x1xf32, #tile.level<rf>>
!op = memref<1x4xf32, #tile.level<rf>>
!vp = memref<1xf32, #tile.level<rf>>
!rq = memref<1x128x4xf32, #tile.level<rf>>
!rk = memref<1x64x4xf32, #tile.level<rf>>
!pq = memref<1x1x4xf32, #tile.level<rf>>
!rw = memref<128x4xf32, #tile.level<rf>>
!rv = memref<1x4x64xf32, #tile.level<rf>>
!pw = memref<1x4xf32, #tile.level<rf>>
!pv = memref<1x4x4xf32, #tile.level<rf>>
!out = memref<1x1x4xf32, #tile.level<rf>>
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
    tile.for (%k) in (%N) by (64) at dram pipeline(2) {
      %ks = tile.stage %K[%h, %k, 0] pad(zero) : !G to !k
      %vs = tile.stage %V[%h, %k, 0] pad(zero) : !G to !k
      %s = tile.hold init(0.0 : f32) : !s
      %most = tile.hold init(0xFF800000 : f32) : !v
      %sum = tile.hold init(0.0 : f32) : !v
      %w = tile.hold init(0.0 : f32) : !w
      tile.for (%d) in (64) by (4) at smem pipeline(2) {
        %rq = tile.stage %qs[0, 0, %d] : !q to !rq
        %rk = tile.stage %ks[0, 0, %d] : !k to !rk
        tile.for (%m1, %n1) in (16, 16) by (1, 1) at rf on thread {
          tile.for (%mu, %nu) in (128, 64) by (16, 16) at rf on unroll {
            %pq = tile.part %rq[0, %mu + %m1, 0] : !rq to !pq
            %pk = tile.part %rk[0, %nu + %n1, 0] : !rk to !pq
            %sp = tile.part %s[%mu + %m1, %nu + %n1] : !s to !sp
            linalg.generic {indexing_maps = [affine_map<(k, i, j) -> (0, i, k)>, affine_map<(k, i, j) -> (0, j, k)>, affine_map<(k, i, j) -> (i, j)>],
                  iterator_types = ["reduction", "parallel", "parallel"]} ins(%pq, %pk : !pq, !pq) outs(%sp : !sp) {
            ^bb0(%a: f32, %b: f32, %c: f32):
              %x = arith.mulf %a, %b : f32
              %y = arith.addf %c, %x : f32
              linalg.yield %y : f32
            }
          }
        }
      }
      tile.for (%m1, %n1) in (16, 16) by (1, 1) at smem on thread reduce(max) {
        tile.for (%mu, %nu) in (128, 64) by (16, 16) at smem on unroll {
          %sp = tile.part %s[%mu + %m1, %nu + %n1] : !s to !sp
          %mp = tile.part %most[%mu + %m1] : !v to !vp
          linalg.generic {indexing_maps = [#none, #none, #none, #none, #none, #ij], iterator_types = ["parallel", "parallel"]}
              ins(%k, %nu, %n1, %N, %scale : index, index, index, index, f32) outs(%sp : !sp) {
          ^bb0(%first: index, %n: index, %j: index, %end: index, %f: f32, %c: f32):
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
      }
      linalg.generic {indexing_maps = [#each, #each, #each], iterator_types = ["parallel"]} ins(%most : !v) outs(%m, %alpha : !v, !v) {
      ^bb0(%new: f32, %old: f32, %unused: f32):
        %y = arith.maximumf %old, %new : f32
        %d = arith.subf %old, %y : f32
        %f = math.exp2 %d : f32
        linalg.yield %y, %f : f32, f32
      }
      tile.for (%m1, %n1) in (16, 16) by (1, 1) at smem on thread reduce(add) {
        tile.for (%mu, %nu) in (128, 64) by (16, 16) at smem on unroll {
          %sp = tile.part %s[%mu + %m1, %nu + %n1] : !s to !sp
          %mp = tile.part %m[%mu + %m1] : !v to !vp
          %lp = tile.part %sum[%mu + %m1] : !v to !vp
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
      }
      tile.store %s to %w[0, 0] : !s to !w
      linalg.generic {indexing_maps = [#each, #each, #each], iterator_types = ["parallel"]} ins(%alpha, %sum : !v, !v) outs(%l : !v) {
      ^bb0(%f: f32, %new: f32, %old: f32):
        %x = arith.mulf %old, %f : f32
        %y = arith.addf %x, %new : f32
        linalg.yield %y : f32
      }
      tile.for (%m1, %d1) in (16, 64) by (1, 4) at smem on thread {
        tile.for (%mu, %du) in (128, 64) by (16, 64) at smem on unroll {
          %op = tile.part %o[%mu + %m1, %du + %d1] : !o to !op
          %ap = tile.part %alpha[%mu + %m1] : !v to !vp
          linalg.generic {indexing_maps = [#i, #ij], iterator_types = ["parallel", "parallel"]} ins(%ap : !vp) outs(%op : !op) {
          ^bb0(%f: f32, %c: f32):
            %y = arith.mulf %c, %f : f32
            linalg.yield %y : f32
          }
        }
      }
      tile.for (%n) in (64) by (4) at smem pipeline(2) {
        %rw = tile.stage %w[0, %n] : !w to !rw
        %rv = tile.stage %vs[0, %n, 0] : !k to !rv
        tile.for (%m1, %d1) in (16, 64) by (1, 4) at rf on thread {
          tile.for (%mu, %du) in (128, 64) by (16, 64) at rf on unroll {
            %pw = tile.part %rw[%mu + %m1, 0] : !rw to !pw
            %pv = tile.part %rv[0, 0, %du + %d1] : !rv to !pv
            %op = tile.part %o[%mu + %m1, %du + %d1] : !o to !op
            linalg.generic {indexing_maps = [affine_map<(k, i, j) -> (i, k)>, affine_map<(k, i, j) -> (0, k, j)>, affine_map<(k, i, j) -> (i, j)>],
                  iterator_types = ["reduction", "parallel", "parallel"]} ins(%pw, %pv : !pw, !pv) outs(%op : !op) {
            ^bb0(%a: f32, %b: f32, %c: f32):
              %x = arith.mulf %a, %b : f32
              %y = arith.addf %c, %x : f32
              linalg.yield %y : f32
            }
          }
        }
      }
    }
    tile.for (%m1, %d1) in (16, 64) by (1, 4) at smem on thread {
      tile.for (%mu, %du) in (128, 64) by (16, 64) at smem on unroll {
        %op = tile.part %o[%mu + %m1, %du + %d1] : !o to !op
        %lp = tile.part %l[%mu + %m1] : !v to !vp
        %out = tile.hold init(0.0 : f32) : !out
        linalg.generic {indexing_maps = [#i, #ij, affine_map<(i, j) -> (0, i, j)>], iterator_types = ["parallel", "parallel"]} ins(%lp, %op : !vp, !op) outs(%out : !out) {
        ^bb0(%b: f32, %c: f32, %unused: f32):
          %y = arith.divf %c, %b : f32
          linalg.yield %y : f32
        }
        tile.store %out to %O[%h, %q + %mu + %m1, %du + %d1] : !out to !G
      }
    }
  }
}
