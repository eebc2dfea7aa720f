// Functions x -> a x + b one after the other, which do not commute, by warps and their threads in the steps of a loop: each step is combined when its loop ends (7.5).
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=M=1 | FileCheck %s
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=M=33 | FileCheck %s
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=M=70 | FileCheck %s
// CHECK: integers: all 1 elements of B agree, largest error 0
// CHECK: random: all 1 elements of B agree, largest error 0
!e = memref<1xi32, #tile.level<rf>>
#e = affine_map<(i) -> (i)>
tile.kernel @k(%X: memref<?xi32>[%M], %A: memref<1xi32>[1], %B: memref<1xi32>[1], %M: index) {
  tile.for (%c) in (1) by (1) at dram on block {
    %a = tile.hold init(1 : i32) : !e
    %b = tile.hold init(0 : i32) : !e
    tile.for (%i) in (%M) by (32) at dram {
      tile.for (%w) in (32) by (16) at dram on warp reduce(%a, %b : !e, !e) {
        tile.for (%t) in (16) by (1) at dram on thread reduce(%a, %b : !e, !e) {
          %x = tile.stage %X[%i + %w + %t] : memref<?xi32> to !e
          linalg.generic {indexing_maps = [#e, #e, #e], iterator_types = ["parallel"]} ins(%x : !e) outs(%a, %b : !e, !e) {
          ^bb0(%factor: i32, %f: i32, %s: i32):
            %five = arith.constant 5 : i32
            %product = arith.muli %f, %factor : i32
            %moved = arith.muli %s, %factor : i32
            %sum = arith.addi %moved, %five : i32
            linalg.yield %product, %sum : i32, i32
          }
        } combine (%a0: i32, %b0: i32, %a1: i32, %b1: i32) {
          %product = arith.muli %a0, %a1 : i32
          %moved = arith.muli %b0, %a1 : i32
          %sum = arith.addi %moved, %b1 : i32
          tile.yield %product, %sum : i32, i32
        }
      } combine (%a0: i32, %b0: i32, %a1: i32, %b1: i32) {
        %product = arith.muli %a0, %a1 : i32
        %moved = arith.muli %b0, %a1 : i32
        %sum = arith.addi %moved, %b1 : i32
        tile.yield %product, %sum : i32, i32
      }
    }
    tile.store %a to %A[0] : !e to memref<1xi32>
    tile.store %b to %B[0] : !e to memref<1xi32>
  }
}
