// C = alpha*A*B + beta*C, rung 2: blocks stage tiles in shared memory, a thread computes one element.
!G = memref<?x?xf32, strided<[?, ?]>>
!s = memref<32x32xf32, #tile.level<smem>>
!a = memref<1x32xf32, strided<[32, 1], offset: ?>, #tile.level<smem>>
!b = memref<32x1xf32, strided<[32, 1], offset: ?>, #tile.level<smem>>
!r = memref<1x1xf32, #tile.level<rf>>
!c = memref<32x32xf32, #tile.level<rf>>

tile.kernel @smem(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index,
                  %alpha: f32, %beta: f32) dataflow(output_stationary) {
  %zero = arith.constant 0.0 : f32
  %reads = arith.cmpf une, %beta, %zero : f32
  tile.for (%m0, %n0) in (%M, %N) by (32, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (32) at dram {
      %sA = tile.stage %A[%m0, %k0] : !G to !s
      %sB = tile.stage %B[%k0, %n0] : !G to !s
      tile.for (%m, %n) in (32, 32) by (1, 1) at smem on thread {
        %a = tile.part %sA[%m, 0] : !s to !a
        %b = tile.part %sB[0, %n] : !s to !b
        %cp = tile.part %c[%m, %n] : !c to !r
        linalg.matmul ins(%a, %b : !a, !b) outs(%cp : !r)
      }
    }
    tile.for (%m, %n) in (32, 32) by (1, 1) at rf on thread {
      %cp = tile.part %c[%m, %n] : !c to !r
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          outs(%cp : !r) {
      ^bb0(%x: f32):
        %y = arith.mulf %alpha, %x : f32
        linalg.yield %y : f32
      }
      scf.if %reads {
        %old = tile.stage %C[%m0 + %m, %n0 + %n] : !G to !r
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                        iterator_types = ["parallel", "parallel"]} ins(%old : !r) outs(%cp : !r) {
        ^bb0(%o: f32, %x: f32):
          %s = arith.mulf %beta, %o : f32
          %y = arith.addf %x, %s : f32
          linalg.yield %y : f32
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}
