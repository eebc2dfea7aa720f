// Y = A X for a matrix and a vector: the threads of a block go over four rows, so that each element of X is read once for four of A.
!G = memref<?x?xf32, strided<[?, 1]>>
!V = memref<?xf32>
!a = memref<4x4xf32, #tile.level<rf>>
!x = memref<4xf32, #tile.level<rf>>

tile.kernel @gemv(%A: !G[%M, %N], %X: !V[%N], %Y: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (4) at dram on block {
    %y = tile.hold init(0.0 : f32) : !x
    tile.for (%j1) in (1024) by (4) at dram on thread reduce(add) {
      tile.for (%j0) in (%N) by (1024) at dram {
        %a = tile.stage %A[%i, %j0 + %j1] : !G to !a
        %x = tile.stage %X[%j0 + %j1] : !V to !x
        linalg.matvec ins(%a, %x : !a, !x) outs(%y : !x)
      }
    }
    tile.store %y to %Y[%i] : !x to !V
  }
}
