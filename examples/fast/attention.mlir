// O = softmax(s Q K^T) V for J heads of N tokens of 128 numbers, where scale is s * log2(e): powers are of 2. As chains/attention.mlir, for the registers and shared
// memory of Hopper: a block takes 256 queries through all keys, 32 at a time, and a thread 8 of them that lie beside each other, of which it reads queries and weights
// four at once: both tiles lie by columns. Lanes of a warp are 4 x 8, threads of a row in pairs, so that of each two lanes that are neighbours, or two apart, one reads
// what the other does: a request takes half of the wavefronts. A thread adds up what it has of a row, and sums meet at the end. The second product
// goes down one column and up the next, for which ptxas chooses registers that fewer multiply-adds read from one bank (1.10 cycles each in SASS, 1.18 by rows). A block
// has 230,400 bytes of shared memory.
!G = memref<?x?x128xf32>
!q = memref<1x256x128xf32, #tile.layout<"(1,256,128):(0,1,256)">, #tile.level<smem>>
!k = memref<1x32x128xf32, #tile.level<smem>>
!w = memref<256x32xf32, #tile.layout<"(256,32):(1,256)">, #tile.level<smem>>
!s = memref<256x32xf32, #tile.level<rf>>
!o = memref<256x128xf32, #tile.level<rf>>
!v = memref<256xf32, #tile.level<rf>>
!l = memref<256x8xf32, #tile.level<rf>>
!sp = memref<8x1xf32, #tile.level<rf>>
!op = memref<8x4xf32, #tile.level<rf>>
!vp = memref<8xf32, #tile.level<rf>>
!rq = memref<1x256x1xf32, #tile.level<rf>>
!rk = memref<1x32x1xf32, #tile.level<rf>>
!pq = memref<1x8x1xf32, #tile.level<rf>>
!pk = memref<1x1x1xf32, #tile.level<rf>>
!rw = memref<256x1xf32, #tile.level<rf>>
!rv = memref<1x1x128xf32, #tile.level<rf>>
!pw = memref<8x1xf32, #tile.level<rf>>
!pv = memref<1x1x4xf32, #tile.level<rf>>
!out = memref<1x8x4xf32, #tile.level<rf>>
#each = affine_map<(i) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#none = affine_map<(i, j) -> ()>
tile.kernel @attention(%Q: !G[%J, %N, 128], %K: !G[%J, %N, 128], %V: !G[%J, %N, 128], %O: !G[%J, %N, 128], %J: index, %N: index, %scale: f32) {
  %low = arith.constant 0xFF800000 : f32
  tile.for (%h, %q) in (%J, %N) by (1, 256) at dram on block {
    %qs = tile.stage %Q[%h, %q, 0] pad(zero) : !G to !q
    %o = tile.hold init(0.0 : f32) : !o
    %m = tile.hold init(0xFF800000 : f32) : !v
    %l = tile.hold init(0.0 : f32) : !l
    %alpha = tile.hold init(0.0 : f32) : !v
    tile.for (%k) in (%N) by (32) at dram pipeline(2) {
      %ks = tile.stage %K[%h, %k, 0] pad(zero) : !G to !k
      %vs = tile.stage %V[%h, %k, 0] pad(zero) : !G to !k
      %s = tile.hold init(0.0 : f32) : !s
      %most = tile.hold init(0xFF800000 : f32) : !v
      %w = tile.hold init(0.0 : f32) : !w
      tile.for (%dh) in (128) by (64) at smem {
        tile.for (%d) in (64) by (1) at smem pipeline(2) {
          %rq = tile.stage %qs[0, 0, %dh + %d] : !q to !rq
          %rk = tile.stage %ks[0, 0, %dh + %d] : !k to !rk
          tile.for (%m1, %n1, %m2, %n2) in (256, 8, 32, 2) by (32, 2, 8, 1) at rf on thread {
            tile.for (%nu) in (32) by (8) at rf on unroll {
              %pq = tile.part %rq[0, %m1 + %m2, 0] : !rq to !pq
              %pk = tile.part %rk[0, %nu + %n1 + %n2, 0] : !rk to !pk
              %sp = tile.part %s[%m1 + %m2, %nu + %n1 + %n2] : !s to !sp
              linalg.generic {indexing_maps = [affine_map<(k, i, j) -> (0, i, k)>, affine_map<(k, i, j) -> (0, j, k)>, affine_map<(k, i, j) -> (i, j)>],
                    iterator_types = ["reduction", "parallel", "parallel"]} ins(%pq, %pk : !pq, !pk) outs(%sp : !sp) {
              ^bb0(%a: f32, %b: f32, %c: f32):
                %x = arith.mulf %a, %b : f32
                %y = arith.addf %c, %x : f32
                linalg.yield %y : f32
              }
            }
          }
        }
      }
      tile.for (%m1, %n1, %m2, %n2) in (256, 8, 32, 2) by (32, 2, 8, 1) at smem on thread reduce(max) {
        tile.for (%nu) in (32) by (8) at smem on unroll {
          %sp = tile.part %s[%m1 + %m2, %nu + %n1 + %n2] : !s to !sp
          %mp = tile.part %most[%m1 + %m2] : !v to !vp
          linalg.generic {indexing_maps = [#none, #none, #none, #none, #none, #none, #ij], iterator_types = ["parallel", "parallel"]}
              ins(%k, %nu, %n1, %n2, %N, %scale : index, index, index, index, index, f32) outs(%sp : !sp) {
          ^bb0(%first: index, %n: index, %j1: index, %j2: index, %end: index, %f: f32, %c: f32):
            %k0 = arith.addi %first, %n : index
            %k1 = arith.addi %k0, %j1 : index
            %key = arith.addi %k1, %j2 : index
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
      tile.for (%m1, %n1, %m2, %n2) in (256, 8, 32, 2) by (32, 2, 8, 1) at smem on thread {
        %mp = tile.part %m[%m1 + %m2] : !v to !vp
        %ap = tile.part %alpha[%m1 + %m2] : !v to !vp
        %lp = tile.part %l[%m1 + %m2, %n1 + %n2] : !l to !sp
        linalg.generic {indexing_maps = [#i, #ij], iterator_types = ["parallel", "parallel"]} ins(%ap : !vp) outs(%lp : !sp) {
        ^bb0(%f: f32, %c: f32):
          %y = arith.mulf %c, %f : f32
          linalg.yield %y : f32
        }
        tile.for (%nu) in (32) by (8) at smem on unroll {
          %sp = tile.part %s[%m1 + %m2, %nu + %n1 + %n2] : !s to !sp
          linalg.generic {indexing_maps = [#i, #ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%mp : !vp) outs(%sp, %lp : !sp, !sp) {
          ^bb0(%b: f32, %c: f32, %sum: f32):
            %d = arith.subf %c, %b : f32
            %f = math.exp2 %d : f32
            %y = arith.addf %sum, %f : f32
            linalg.yield %f, %y : f32, f32
          }
        }
      }
      tile.store %s to %w[0, 0] : !s to !w
      tile.for (%m1, %n1, %m2, %n2) in (256, 32, 32, 8) by (32, 8, 8, 4) at smem on thread {
        tile.for (%du) in (128) by (32) at smem on unroll {
          %op = tile.part %o[%m1 + %m2, %du + %n1 + %n2] : !o to !op
          %ap = tile.part %alpha[%m1 + %m2] : !v to !vp
          linalg.generic {indexing_maps = [#i, #ij], iterator_types = ["parallel", "parallel"]} ins(%ap : !vp) outs(%op : !op) {
          ^bb0(%f: f32, %c: f32):
            %y = arith.mulf %c, %f : f32
            linalg.yield %y : f32
          }
        }
      }
      tile.for (%jh) in (32) by (16) at smem {
        tile.for (%j) in (16) by (1) at smem pipeline(2) {
          %rw = tile.stage %w[0, %jh + %j] : !w to !rw
          %rv = tile.stage %vs[0, %jh + %j, 0] : !k to !rv
          tile.for (%m1, %n1, %m2, %n2) in (256, 32, 32, 8) by (32, 8, 8, 4) at rf on thread {
            tile.for (%du) in (128) by (32) at rf on unroll {
              %pw = tile.part %rw[%m1 + %m2, 0] : !rw to !pw
              %pv = tile.part %rv[0, 0, %du + %n1 + %n2] : !rv to !pv
              %op = tile.part %o[%m1 + %m2, %du + %n1 + %n2] : !o to !op
              linalg.generic {indexing_maps = [affine_map<(k, i, j) -> (i, k)>, affine_map<(k, i, j) -> (0, k, j)>, affine_map<(k, i, j) -> (i, j)>],
                    iterator_types = ["reduction", "parallel", "parallel"]} ins(%pw, %pv : !pw, !pv) outs(%op : !op)
                  attrs = {tile.order = array<i64: 0, 2, 1>, tile.snake} {
              ^bb0(%a: f32, %b: f32, %c: f32):
                %x = arith.mulf %a, %b : f32
                %y = arith.addf %c, %x : f32
                linalg.yield %y : f32
              }
            }
          }
        }
      }
    }
    %all = tile.hold init(0.0 : f32) : !v
    tile.for (%m1, %n1, %m2, %n2) in (256, 8, 32, 2) by (32, 2, 8, 1) at smem on thread reduce(add) {
      %lp = tile.part %l[%m1 + %m2, %n1 + %n2] : !l to !sp
      %ap = tile.part %all[%m1 + %m2] : !v to !vp
      linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%lp : !sp) outs(%ap : !vp) {
      ^bb0(%c: f32, %b: f32):
        %y = arith.addf %b, %c : f32
        linalg.yield %y : f32
      }
    }
    tile.for (%m1, %n1, %m2, %n2) in (256, 32, 32, 8) by (32, 8, 8, 4) at smem on thread {
      tile.for (%du) in (128) by (32) at smem on unroll {
        %op = tile.part %o[%m1 + %m2, %du + %n1 + %n2] : !o to !op
        %ap = tile.part %all[%m1 + %m2] : !v to !vp
        %out = tile.hold init(0.0 : f32) : !out
        linalg.generic {indexing_maps = [#i, #ij, affine_map<(i, j) -> (0, i, j)>], iterator_types = ["parallel", "parallel"]} ins(%ap, %op : !vp, !op) outs(%out : !out) {
        ^bb0(%b: f32, %c: f32, %unused: f32):
          %y = arith.divf %c, %b : f32
          linalg.yield %y : f32
        }
        tile.store %out to %O[%h, %q + %m1 + %m2, %du + %n1 + %n2] : !out to !G
      }
    }
  }
}
