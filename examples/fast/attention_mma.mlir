// O = softmax(s Q K^T) V for J heads of N tokens of 128 numbers in bf16, where scale is s * log2(e): powers are of 2. Attention on the tensor cores of machines since sm_80: eight
// warps have 16 queries each, in registers, and go through all keys, 64 at a time, which threads copy with their values by cp.async while they multiply the ones before. A warp loads
// keys by ldmatrix, and values transposed. What it has of a product lies by rows in quads of lanes: each puts together what it has of a row, and lanes hand on the rest (shuffles), so
// maxima and sums need no shared memory. The weights, rounded, are the first matrix of the second product as they are. Keys beyond the last one are left out in the last step alone.
!G = memref<?x?x128xbf16>
!s = memref<1x64x128xbf16, #tile.layout<"Sw<3,3,3> o 0 o (1,64,(64,2)):(0,64,(1,4096))">, #tile.level<smem>>
!q = memref<1x128x128xbf16, #tile.level<rf>>
!k = memref<1x64x16xbf16, #tile.level<rf>>
!w = memref<1x16x128xbf16, #tile.level<rf>>
!iA = memref<1x16x16xbf16, #tile.level<rf>>
!iK = memref<1x8x16xbf16, #tile.level<rf>>
!iV = memref<1x16x8xbf16, #tile.level<rf>>
!iC = memref<1x16x8xf32, #tile.level<rf>>
!c = memref<1x128x64xf32, #tile.level<rf>>
!p = memref<1x128x64xbf16, #tile.level<rf>>
!o = memref<1x128x128xf32, #tile.level<rf>>
!r = memref<1x128x128xbf16, #tile.level<rf>>
!v = memref<128xf32, #tile.level<rf>>
#each = affine_map<(i) -> (i)>
#all = affine_map<(h, i, j) -> (h, i, j)>
#i = affine_map<(h, i, j) -> (i)>
#none = affine_map<(h, i, j) -> ()>
tile.kernel @attention(%Q: !G[%J, %N, 128], %K: !G[%J, %N, 128], %V: !G[%J, %N, 128], %O: !G[%J, %N, 128], %J: index, %N: index, %scale: f32) {
  %step = arith.constant 64 : index
  tile.for (%h, %q) in (%J, %N) by (1, 128) at dram on block {
    %aq = tile.stage %Q[%h, %q, 0] pad(zero) : !G to !q
    %o = tile.hold init(0.0 : f32) : !o
    %m = tile.hold init(0xFF800000 : f32) : !v
    %l = tile.hold init(0.0 : f32) : !v
    %alpha = tile.hold init(0.0 : f32) : !v
    tile.for (%k) in (%N) by (64) at dram pipeline(2) {
      %sK = tile.stage %K[%h, %k, 0] pad(zero) : !G to !s
      %sV = tile.stage %V[%h, %k, 0] pad(zero) : !G to !s
      %s = tile.hold init(0.0 : f32) : !c
      tile.for (%w) in (128) by (16) at smem on warp {
        tile.for (%d) in (128) by (16) at smem on unroll {
          %rK = tile.stage %sK[0, 0, %d] : !s to !k
          tile.for (%n) in (64) by (8) at rf on unroll {
            %x = tile.part %aq[0, %w, %d] : !q to !iA
            %y = tile.part %rK[0, %n, 0] : !k to !iK
            %z = tile.part %s[0, %w, %n] : !c to !iC
            linalg.generic {indexing_maps = [affine_map<(h, m, n, k) -> (h, m, k)>, affine_map<(h, m, n, k) -> (h, n, k)>, affine_map<(h, m, n, k) -> (h, m, n)>],
                iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %y : !iA, !iK) outs(%z : !iC) {
            ^bb0(%a: bf16, %b: bf16, %c: f32):
              %a32 = arith.extf %a : bf16 to f32
              %b32 = arith.extf %b : bf16 to f32
              %ab = arith.mulf %a32, %b32 : f32
              %sum = arith.addf %c, %ab : f32
              linalg.yield %sum : f32
            }
          }
        }
      }
      // What is beyond the last key weighs nothing.
      %last = arith.addi %k, %step : index
      %partial = arith.cmpi sgt, %last, %N : index
      scf.if %partial {
        linalg.generic {indexing_maps = [#none, #none, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k, %N : index, index) outs(%s : !c) {
        ^bb0(%first: index, %end: index, %c: f32):
          %low = arith.constant 0xFF800000 : f32
          %j = linalg.index 2 : index
          %key = arith.addi %first, %j : index
          %inside = arith.cmpi slt, %key, %end : index
          %y = arith.select %inside, %c, %low : f32
          linalg.yield %y : f32
        }
      }
      // The greatest so far, and what that makes of the sums before.
      %most = tile.hold init(0xFF800000 : f32) : !v
      linalg.generic {indexing_maps = [#all, #i], iterator_types = ["reduction", "parallel", "reduction"]} ins(%s : !c) outs(%most : !v) {
      ^bb0(%c: f32, %b: f32):
        %y = arith.maximumf %b, %c : f32
        linalg.yield %y : f32
      }
      linalg.generic {indexing_maps = [#each, affine_map<(i) -> ()>, #each, #each], iterator_types = ["parallel"]} ins(%most, %scale : !v, f32) outs(%m, %alpha : !v, !v) {
      ^bb0(%new: f32, %f: f32, %old: f32, %unused: f32):
        %x = arith.mulf %new, %f : f32
        %y = arith.maximumf %old, %x : f32
        %d = arith.subf %old, %y : f32
        %e = math.exp2 %d fastmath<afn> : f32
        linalg.yield %y, %e : f32, f32
      }
      linalg.generic {indexing_maps = [#i, #none, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%m, %scale : !v, f32) outs(%s : !c) {
      ^bb0(%b: f32, %f: f32, %c: f32):
        %n = arith.negf %b : f32
        %d = math.fma %c, %f, %n : f32
        %e = math.exp2 %d fastmath<afn> : f32
        linalg.yield %e : f32
      }
      linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel"]} ins(%alpha : !v) outs(%l : !v) {
      ^bb0(%f: f32, %old: f32):
        %y = arith.mulf %old, %f : f32
        linalg.yield %y : f32
      }
      linalg.generic {indexing_maps = [#all, #i], iterator_types = ["reduction", "parallel", "reduction"]} ins(%s : !c) outs(%l : !v) {
      ^bb0(%c: f32, %b: f32):
        %y = arith.addf %b, %c : f32
        linalg.yield %y : f32
      }
      linalg.generic {indexing_maps = [#i, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%alpha : !v) outs(%o : !o) {
      ^bb0(%f: f32, %c: f32):
        %y = arith.mulf %c, %f : f32
        linalg.yield %y : f32
      }
      %p = tile.hold init(0.0 : bf16) : !p
      linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : !c) outs(%p : !p) {
      ^bb0(%c: f32, %old: bf16):
        %y = arith.truncf %c : f32 to bf16
        linalg.yield %y : bf16
      }
      tile.for (%w) in (128) by (16) at smem on warp {
        tile.for (%j) in (64) by (16) at smem on unroll {
          %rV = tile.stage %sV[0, %j, 0] : !s to !w
          tile.for (%n) in (128) by (8) at rf on unroll {
            %x = tile.part %p[0, %w, %j] : !p to !iA
            %y = tile.part %rV[0, 0, %n] : !w to !iV
            %z = tile.part %o[0, %w, %n] : !o to !iC
            linalg.generic {indexing_maps = [affine_map<(h, m, n, k) -> (h, m, k)>, affine_map<(h, m, n, k) -> (h, k, n)>, affine_map<(h, m, n, k) -> (h, m, n)>],
                iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %y : !iA, !iV) outs(%z : !iC) {
            ^bb0(%a: bf16, %b: bf16, %c: f32):
              %a32 = arith.extf %a : bf16 to f32
              %b32 = arith.extf %b : bf16 to f32
              %ab = arith.mulf %a32, %b32 : f32
              %sum = arith.addf %c, %ab : f32
              linalg.yield %sum : f32
            }
          }
        }
      }
    }
    %r = tile.hold init(0.0 : bf16) : !r
    linalg.generic {indexing_maps = [#i, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%l, %o : !v, !o) outs(%r : !r) {
    ^bb0(%sum: f32, %c: f32, %old: bf16):
      %y = arith.divf %c, %sum : f32
      %z = arith.truncf %y : f32 to bf16
      linalg.yield %z : bf16
    }
    tile.store %r to %O[%h, %q, 0] : !r to !G
  }
}
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=J=2,N=75 --arg=scale=0.125 | FileCheck %s
// CHECK: integers: all {{[0-9]+}} elements of O agree
// CHECK: random: all {{[0-9]+}} elements of O agree
