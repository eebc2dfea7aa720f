// What nobody reads is not loaded: %unused, %a by the first computation, where a xor a is 0, and %s in the second, which yields
// its number. In the last, C++ must not leave out a load that it reaches under a condition only.
!G = memref<?x?xi32, strided<[?, 1]>>
!s = memref<8x32xi32, #tile.level<smem>>
!sp = memref<1x1xi32, strided<[32, 1], offset: ?>, #tile.level<smem>>
!r = memref<1x1xi32, #tile.level<rf>>
#same = affine_map<(i, j) -> (i, j)>
tile.kernel @unread(%A: !G[%M, %N], %B: !G[%M, %N], %C: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i0, %j0) in (%M, %N) by (8, 32) at dram on block {
    %s = tile.stage %B[%i0, %j0] : !G to !s
    tile.for (%i, %j) in (8, 32) by (1, 1) at smem on thread {
      %unused = tile.stage %A[%i0 + %i, %j0 + %j] : !G to !r
      %a = tile.stage %A[%i0 + %i, %j0 + %j] : !G to !r
      %c = tile.hold init(0 : i32) : !r
      linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%a : !r) outs(%c : !r) {
      ^bb0(%x: i32, %old: i32):
        %zero = arith.xori %x, %x : i32
        %sum = arith.addi %old, %zero : i32
        linalg.yield %sum : i32
      }
      %p = tile.part %s[%i, %j] : !s to !sp
      linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%p : !sp) outs(%c : !r) {
      ^bb0(%x: i32, %old: i32):
        %seven = arith.constant 7 : i32
        %wider = arith.addi %old, %seven : i32
        %at = linalg.index 1 : index
        %number = arith.index_cast %at : index to i32
        %sum = arith.addi %wider, %number : i32
        linalg.yield %sum : i32
      }
      linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%p : !sp) outs(%c : !r) {
      ^bb0(%x: i32, %old: i32):
        %five = arith.constant 5 : i32
        %is_small = arith.cmpi slt, %old, %five : i32
        %is_odd = arith.cmpi sge, %x, %five : i32
        %both = arith.andi %is_small, %is_odd : i1
        %sum = arith.select %both, %five, %old : i32
        linalg.yield %sum : i32
      }
      tile.store %c to %C[%i0 + %i, %j0 + %j] : !r to !G
    }
  }
}
