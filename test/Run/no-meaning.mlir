// What has no meaning is reported, by the emulator and by the evaluator: divisions by zero, shifts by the width, conversions
// of numbers that do not fit.
// REQUIRES: host-compiler
// RUN: not tilec %s --run=cpu --shape=n=40 > %t.out 2>&1
// RUN: FileCheck %s < %t.out
// CHECK-DAG: arithmetic: thread 0 of block 0 divides by zero, which has no meaning
// CHECK-DAG: arithmetic: thread 0 of block 0 divides the least integer by -1, which has no meaning
// CHECK-DAG: arithmetic: thread 0 of block 0 shifts by as many bits as there are, or more, which has no meaning
// CHECK-DAG: arithmetic: thread 0 of block 0 converts a number that does not fit the integer, which has no meaning
// RUN: not tilec %s --verify --run=cpu --shape=n=40 > %t.verify 2>&1
// RUN: FileCheck %s --check-prefix=VERIFY < %t.verify
// VERIFY: divides by zero, shifts by its width or converts a number that does not fit
!V = memref<?xi8>
!e = memref<1xi8, #tile.level<rf>>
#i = affine_map<(i) -> (i)>
tile.kernel @meaningless(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i0) in (%N) by (32) at dram on block {
    tile.for (%i1) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%i0 + %i1] : !V to !e
      linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%x : !e) {
      ^bb0(%v: i8):
        %zero = arith.constant 0 : i8
        %least = arith.constant -128 : i8
        %minus = arith.constant -1 : i8
        %small = arith.cmpi ne, %v, %least : i8
        %divisor = arith.select %small, %minus, %zero : i8
        %a = arith.divsi %v, %zero : i8
        %b = arith.remsi %least, %divisor : i8
        %p = arith.xori %a, %b : i8
        linalg.yield %p : i8
      }
      linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%x : !e) {
      ^bb0(%v: i8):
        %far = arith.constant 128.0 : f32
        %d = arith.fptosi %far : f32 to i8
        %p = arith.xori %v, %d : i8
        linalg.yield %p : i8
      }
      linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%x : !e) {
      ^bb0(%v: i8):
        %eight = arith.constant 8 : i8
        %far = arith.ori %v, %eight : i8
        %c = arith.shli %v, %far : i8
        linalg.yield %c : i8
      }
      tile.store %x to %Y[%i0 + %i1] : !e to !V
    }
  }
}
