!G = memref<?x?xf32, strided<[?, 1]>>
!H = memref<?x?xf32, strided<[?, 1]>>
!sA = memref<48x8xf32, #tile.level<smem>>
!sB = memref<8x96xf32, #tile.level<smem>>
!c = memref<48x96xf32, #tile.level<rf>>
!rA = memref<3x1xf32, #tile.level<rf>>
!rB = memref<1x6xf32, #tile.level<rf>>
!r = memref<3x6xf32, #tile.level<rf>>

// Products by clusters of 2x3 blocks that part k; what is held starts from 1; C is read after the loop that reduces.
tile.kernel @mixed(%A: !G[%M, %K], %B: !G[%K, %N], %C: !H[%M, %N], %M: index, %N: index, %K: index, %alpha: f32, %beta: f32) {
  %zero = arith.constant 0.0 : f32
  %reads = arith.cmpf une, %beta, %zero : f32
  tile.for (%m0, %n0) in (%M, %N) by (48, 96) at dram on cluster persistent raster(grouped = 4) {
    %c = tile.hold init(1.0 : f32) : !c
    tile.for (%kq, %ks) in (2, 3) by (1, 1) at dram on block reduce(add) {
      tile.for (%k0) in (%K) by (48) at dram {
        %sA = tile.stage %A[%m0, %k0 + %kq * 24 + %ks * 8] : !G to !sA
        %sB = tile.stage %B[%k0 + %kq * 24 + %ks * 8, %n0] : !G to !sB
        tile.for (%m1, %n1) in (48, 96) by (3, 6) at smem on thread {
          %r = tile.part %c[%m1, %n1] : !c to !r
          tile.for (%k1) in (8) by (1) at smem {
            %rA = tile.stage %sA[%m1, %k1] : !sA to !rA
            %rB = tile.stage %sB[%k1, %n1] : !sB to !rB
            linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                            iterator_types = ["parallel", "parallel", "reduction"]} ins(%rA, %rB : !rA, !rB) outs(%r : !r) {
            ^bb0(%a: f32, %b: f32, %s: f32):
              %p = arith.mulf %a, %b : f32
              %z = arith.addf %s, %p : f32
              linalg.yield %z : f32
            }
          }
        }
      }
    }
    tile.for (%m1, %n1) in (48, 96) by (3, 6) at rf on thread {
      %r = tile.part %c[%m1, %n1] : !c to !r
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%r : !r) {
      ^bb0(%x: f32):
        %y = arith.mulf %alpha, %x : f32
        linalg.yield %y : f32
      }
      scf.if %reads {
        %old = tile.stage %C[%m0 + %m1, %n0 + %n1] : !H to !r
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                        iterator_types = ["parallel", "parallel"]} ins(%old : !r) outs(%r : !r) {
        ^bb0(%o: f32, %x: f32):
          %s = arith.mulf %beta, %o : f32
          %y = arith.addf %x, %s : f32
          linalg.yield %y : f32
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !H
  }
}
