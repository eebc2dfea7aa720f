// Sums of columns: one induction variable of the reducing loop parts what is held, the other one adds up.
!G = memref<?x?xf32>
!V = memref<?xf32>
!c = memref<8xf32, #tile.level<rf>>
!p = memref<1xf32, #tile.level<rf>>
!x = memref<1x1xf32, #tile.level<rf>>
tile.kernel @colsum(%X: !G[%M, %N], %Y: !V[%N], %M: index, %N: index) {
  tile.for (%n0) in (%N) by (8) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%r, %n) in (32, 8) by (1, 1) at dram on thread reduce(add) {
      %p = tile.part %c[%n] : !c to !p
      tile.for (%m0) in (%M) by (32) at dram {
        %x = tile.stage %X[%m0 + %r, %n0 + %n] : !G to !x
        linalg.reduce { arith.addf } ins(%x : !x) outs(%p : !p) dimensions = [0]
      }
    }
    tile.store %c to %Y[%n0] : !c to !V
  }
}
