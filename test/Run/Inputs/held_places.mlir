// All threads of the one block fill a tile in a swizzled layout, by rows backwards, and read it by columns; another one nobody uses.
!s = memref<4x3x8xf32, #tile.layout<"Sw<2,2,3> o 0 o (4,3,8):(32,8,1)">, #tile.level<smem>>
!r = memref<1x1x8xf32, #tile.level<rf>>
!q = memref<1x3x1xf32, #tile.level<rf>>
tile.kernel @held_places(%X: memref<4x3x8xf32>[4, 3, 8], %Y: memref<4x3x8xf32>[4, 3, 8]) {
  %s = tile.hold init(7.0 : f32) : !s
  %u = tile.hold init(0.0 : f32) : memref<9xf32, #tile.level<smem>>
  tile.for (%i, %j) in (4, 3) by (1, 1) at smem on thread {
    %r = tile.stage %X[%i, %j, 0] : memref<4x3x8xf32> to !r
    tile.store %r to %s[-%i + 3, %j, 0] : !r to !s
  }
  tile.for (%i, %k) in (4, 8) by (1, 1) at smem on thread {
    %q = tile.stage %s[%i, 0, %k] : !s to !q
    tile.store %q to %Y[%i, 0, %k] : !q to memref<4x3x8xf32>
  }
}
