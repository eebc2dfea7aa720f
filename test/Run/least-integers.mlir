// RUN: tilec %s --target=sm90 --run=cpu --verify --shape=N=100 | FileCheck %s
// RUN: tilec %s --target=sm90 --emit=cuda | FileCheck %s --check-prefix=TEXT

// The least integers of 32 and 64 bits: as literals with a sign they would have wider types, of which vocabulary.h has no functions.
// CHECK-COUNT-2: random: all 100 elements of {{[XY]}} agree, largest error 0
// TEXT-DAG: ^ (-2147483647 - 1)
// TEXT-DAG: ^ (-9223372036854775807LL - 1)
#id = affine_map<(d0) -> (d0)>
!x = memref<1xi32, #tile.level<rf>>
!y = memref<1xi64, #tile.level<rf>>
tile.kernel @signs(%X: memref<?xi32>[%N], %Y: memref<?xi64>[%N], %N: index) {
  tile.for (%i) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%i + %t] : memref<?xi32> to !x
      %y = tile.stage %Y[%i + %t] : memref<?xi64> to !y
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} outs(%x, %y : !x, !y) {
      ^bb0(%a: i32, %b: i64):
        %short = arith.constant -2147483648 : i32
        %long = arith.constant -9223372036854775808 : i64
        %r = arith.xori %a, %short : i32
        %s = arith.xori %b, %long : i64
        linalg.yield %r, %s : i32, i64
      }
      tile.store %x to %X[%i + %t] : !x to memref<?xi32>
      tile.store %y to %Y[%i + %t] : !y to memref<?xi64>
    }
  }
}
