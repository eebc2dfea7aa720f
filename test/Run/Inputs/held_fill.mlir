// A tile in shared memory of which threads write some, in an order that is not that of those who read it; the rest keeps its initial value.
!V = memref<?xi8, strided<[?]>>
!s = memref<77xi8, #tile.level<smem>>
!r = memref<1xi8, #tile.level<rf>>
tile.kernel @held_fill(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (77) at dram on block {
    %s = tile.hold init(-3 : i8) : !s
    tile.for (%t) in (38) by (1) at smem on thread {
      %r = tile.stage %X[%i + %t] pad(zero) : !V to !r
      tile.store %r to %s[2 * %t + 1] : !r to !s
    }
    tile.for (%t) in (77) by (1) at smem on thread {
      %r = tile.stage %s[-%t + 76] : !s to !r
      tile.store %r to %Y[%i + %t] : !r to !V
    }
  }
}
