// O = softmax(scale Q K^T) V for %J heads of %N tokens of 64 numbers. A block takes 64 queries through all keys: the largest score so far, and the sum of
// what is above it, stay in registers and what they weigh is scaled anew as they change; weights go by way of shared memory.
!G = memref<?x?x64xf32, strided<[?, ?, 1]>>
!t = memref<1x64x64xf32, #tile.level<smem>>
!ps = memref<64x64xf32, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!v = memref<64xf32, #tile.level<rf>>
!p = memref<4x4xf32, #tile.level<rf>>
!pv = memref<4xf32, #tile.level<rf>>
!ra = memref<1x4x1xf32, #tile.level<rf>>
!rb = memref<1x1x4xf32, #tile.level<rf>>
!rp = memref<4x1xf32, #tile.level<rf>>
#each = affine_map<(i) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
tile.kernel @attention(%Q: !G[%J, %N, 64], %K: !G[%J, %N, 64], %V: !G[%J, %N, 64], %O: !G[%J, %N, 64], %J: index, %N: index, %scale: f32) {
  %low = arith.constant 0xFF800000 : f32
  tile.for (%h, %q) in (%J, %N) by (1, 64) at dram on block {
    %qs = tile.stage %Q[%h, %q, 0] pad(zero) : !G to !t
    %o = tile.hold init(0.0 : f32) : !c
    %m = tile.hold init(0xFF800000 : f32) : !v
    %l = tile.hold init(0.0 : f32) : !v
    %alpha = tile.hold init(0.0 : f32) : !v
    tile.for (%k) in (%N) by (64) at dram {
      %ks = tile.stage %K[%h, %k, 0] pad(zero) : !G to !t
      %vs = tile.stage %V[%h, %k, 0] pad(zero) : !G to !t
      %s = tile.hold init(0.0 : f32) : !c
      %most = tile.hold init(0xFF800000 : f32) : !v
      %sum = tile.hold init(0.0 : f32) : !v
      %p = tile.hold init(0.0 : f32) : !ps
      tile.for (%m1, %n1) in (64, 64) by (4, 4) at smem on thread reduce(max) {
        %sp = tile.part %s[%m1, %n1] : !c to !p
        %mp = tile.part %most[%m1] : !v to !pv
        tile.for (%d) in (64) by (1) at smem {
          %ra = tile.stage %qs[0, %m1, %d] : !t to !ra
          %rb = tile.stage %ks[0, %n1, %d] : !t to !ra
          linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (0, i, k)>, affine_map<(i, j, k) -> (0, j, k)>, affine_map<(i, j, k) -> (i, j)>],
                          iterator_types = ["parallel", "parallel", "reduction"]} ins(%ra, %rb : !ra, !ra) outs(%sp : !p) {
          ^bb0(%a: f32, %b: f32, %c: f32):
            %x = arith.mulf %a, %b : f32
            %y = arith.addf %c, %x : f32
            linalg.yield %y : f32
          }
        }
        linalg.generic {indexing_maps = [affine_map<(i, j) -> ()>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> ()>, #ij], iterator_types = ["parallel", "parallel"]}
            ins(%k, %n1, %N, %scale : index, index, index, f32) outs(%sp : !p) {
        ^bb0(%first: index, %n: index, %end: index, %f: f32, %c: f32):
          %j = linalg.index 1 : index
          %at = arith.addi %first, %n : index
          %key = arith.addi %at, %j : index
          %inside = arith.cmpi slt, %key, %end : index
          %x = arith.mulf %c, %f : f32
          %y = arith.select %inside, %x, %low : f32
          linalg.yield %y : f32
        }
        linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%sp : !p) outs(%mp : !pv) {
        ^bb0(%c: f32, %b: f32):
          %y = arith.maximumf %b, %c : f32
          linalg.yield %y : f32
        }
      }
      linalg.generic {indexing_maps = [#each, #each, #each], iterator_types = ["parallel"]} ins(%most : !v) outs(%m, %alpha : !v, !v) {
      ^bb0(%new: f32, %old: f32, %unused: f32):
        %y = arith.maximumf %old, %new : f32
        %d = arith.subf %old, %y : f32
        %f = math.exp %d : f32
        linalg.yield %y, %f : f32, f32
      }
      tile.for (%m1, %n1) in (64, 64) by (4, 4) at smem on thread reduce(add) {
        %sp = tile.part %s[%m1, %n1] : !c to !p
        %mp = tile.part %m[%m1] : !v to !pv
        %lp = tile.part %sum[%m1] : !v to !pv
        %pp = tile.part %p[%m1, %n1] : !ps to memref<4x4xf32, #tile.level<smem>>
        linalg.generic {indexing_maps = [#i, #ij], iterator_types = ["parallel", "parallel"]} ins(%mp : !pv) outs(%sp : !p) {
        ^bb0(%b: f32, %c: f32):
          %d = arith.subf %c, %b : f32
          %f = math.exp %d : f32
          linalg.yield %f : f32
        }
        linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%sp : !p) outs(%pp : memref<4x4xf32, #tile.level<smem>>) {
        ^bb0(%c: f32, %unused: f32):
          linalg.yield %c : f32
        }
        linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%sp : !p) outs(%lp : !pv) {
        ^bb0(%c: f32, %b: f32):
          %y = arith.addf %b, %c : f32
          linalg.yield %y : f32
        }
      }
      linalg.generic {indexing_maps = [#each, #each, #each], iterator_types = ["parallel"]} ins(%alpha, %sum : !v, !v) outs(%l : !v) {
      ^bb0(%f: f32, %new: f32, %old: f32):
        %x = arith.mulf %old, %f : f32
        %y = arith.addf %x, %new : f32
        linalg.yield %y : f32
      }
      tile.for (%m1, %d1) in (64, 64) by (4, 4) at smem on thread {
        %op = tile.part %o[%m1, %d1] : !c to !p
        %ap = tile.part %alpha[%m1] : !v to !pv
        linalg.generic {indexing_maps = [#i, #ij], iterator_types = ["parallel", "parallel"]} ins(%ap : !pv) outs(%op : !p) {
        ^bb0(%f: f32, %c: f32):
          %y = arith.mulf %c, %f : f32
          linalg.yield %y : f32
        }
        tile.for (%n) in (64) by (1) at smem {
          %ra = tile.stage %p[%m1, %n] : !ps to !rp
          %rb = tile.stage %vs[0, %n, %d1] : !t to !rb
          linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (0, k, j)>, affine_map<(i, j, k) -> (i, j)>],
                          iterator_types = ["parallel", "parallel", "reduction"]} ins(%ra, %rb : !rp, !rb) outs(%op : !p) {
          ^bb0(%a: f32, %b: f32, %c: f32):
            %x = arith.mulf %a, %b : f32
            %y = arith.addf %c, %x : f32
            linalg.yield %y : f32
          }
        }
      }
    }
    tile.for (%m1, %d1) in (64, 64) by (4, 4) at smem on thread {
      %op = tile.part %o[%m1, %d1] : !c to !p
      %lp = tile.part %l[%m1] : !v to !pv
      %out = tile.hold init(0.0 : f32) : memref<1x4x4xf32, #tile.level<rf>>
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, i, j)>], iterator_types = ["parallel", "parallel"]}
          ins(%lp, %op : !pv, !p) outs(%out : memref<1x4x4xf32, #tile.level<rf>>) {
      ^bb0(%b: f32, %c: f32, %unused: f32):
        %y = arith.divf %c, %b : f32
        linalg.yield %y : f32
      }
      tile.store %out to %O[%h, %q + %m1, %d1] : memref<1x4x4xf32, #tile.level<rf>> to !G
    }
  }
}
