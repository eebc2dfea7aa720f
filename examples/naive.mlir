// C = alpha*A*B + beta*C, rung 1 of the ladder: operands are read where they lie.
!G = memref<?x?xf32, strided<[?, ?]>>
!e = memref<1x1xf32, strided<[?, ?], offset: ?>>
!r = memref<1x1xf32, #tile.level<rf>>

tile.kernel @naive(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index,
                   %alpha: f32, %beta: f32) dataflow(output_stationary) {
  %zero = arith.constant 0.0 : f32
  %reads = arith.cmpf une, %beta, %zero : f32
  tile.for (%m0, %n0) in (%M, %N) by (16, 16) at dram on block {
    tile.for (%m, %n) in (16, 16) by (1, 1) at dram on thread {
      %c = tile.hold init(0.0 : f32) : !r
      tile.for (%k) in (%K) by (1) at dram {
        %a = tile.part %A[%m0 + %m, %k] : !G to !e
        %b = tile.part %B[%k, %n0 + %n] : !G to !e
        linalg.matmul ins(%a, %b : !e, !e) outs(%c : !r)
      }
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          outs(%c : !r) {
      ^bb0(%x: f32):
        %y = arith.mulf %alpha, %x : f32
        linalg.yield %y : f32
      }
      scf.if %reads {
        %old = tile.stage %C[%m0 + %m, %n0 + %n] : !G to !r
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                        iterator_types = ["parallel", "parallel"]} ins(%old : !r) outs(%c : !r) {
        ^bb0(%o: f32, %x: f32):
          %s = arith.mulf %beta, %o : f32
          %y = arith.addf %x, %s : f32
          linalg.yield %y : f32
        }
      }
      tile.store %c to %C[%m0 + %m, %n0 + %n] : !r to !G
    }
  }
}
