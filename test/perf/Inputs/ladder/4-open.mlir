// Two loops and a product. With --arch=sm_80 all threads copy and compute, with the machine's own instruction set warps of their own copy.
!G = memref<?x?xf32>
!p = memref<?x?xf32, strided<[?, ?], offset: ?>>
!r = memref<?x?xf32, #tile.level<rf>>
tile.kernel @rung4(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (?, ?) at dram on block {
    %c = tile.hold init(0.0 : f32) : !r
    tile.for (%k0) in (%K) by (?) at dram {
      %a = tile.part %A[%m0, %k0] : !G to !p
      %b = tile.part %B[%k0, %n0] : !G to !p
      linalg.matmul ins(%a, %b : !p, !p) outs(%c : !r)
    }
    tile.store %c to %C[%m0, %n0] : !r to !G
  }
}
