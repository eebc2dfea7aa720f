// 227 KiB of shared memory, all that a block of an H100 or H200 may have (CUDA C++ Programming Guide, compute capability 9.0).
!V = memref<?xi8>
!s = memref<232448xi8, #tile.level<smem>>
!e = memref<1xi8, #tile.level<rf>>
tile.kernel @limit(%A: !V[%M], %B: !V[%M], %M: index) {
  tile.for (%i) in (464896) by (232448) at dram on block {
    %s = tile.stage %A[%i] : !V to !s
    tile.for (%m) in (1816) by (1) at smem {
      tile.for (%n) in (128) by (1) at smem on thread {
        %e = tile.stage %s[%m * 128 + %n] : !s to !e
        tile.store %e to %B[%i + %m * 128 + %n] : !e to !V
      }
    }
  }
}
