// RUN: tilec-opt %s -split-input-file -tile-plan-copy -tile-plan-pipeline | FileCheck %s
// RUN: tilec-opt %s -split-input-file -tile-plan-copy -tile-plan-pipeline=remarks=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// All forms go along dimension 1: the loop stands twice.
!s = memref<32x16xf32, #tile.level<smem>>
// CHECK-LABEL: @widths
tile.kernel @widths(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // CHECK: pipeline(2) choose(loop) issue(after_loads) {
    // WHY: remark: stands twice, for launches that take the first form of each copy and for others: a branch in an iteration would keep loads and arithmetic apart
    // WHY: remark: asks for copies after its first loads to registers, which arithmetic waits for
    tile.for (%k) in (%N) by (16) at dram pipeline(2) {
      %s = tile.stage %A[%i, %k] : memref<?x?xf32> to !s
      tile.for (%t) in (64) by (1) at smem on thread {
      }
    }
  }
}

// -----

// Forms along two dimensions: none is the usual one.
!G = memref<?x?xf32, strided<[?, ?]>>
!s = memref<32x16xf32, #tile.level<smem>>
// CHECK-LABEL: @dimensions
tile.kernel @dimensions(%A: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // CHECK: pipeline(2) choose(copy) issue(after_loads) {
    tile.for (%k) in (%N) by (16) at dram pipeline(2) {
      %s = tile.stage %A[%i, %k] : !G to !s
    }
  }
}

// -----

// A tile of its own in the body would be there twice.
!s = memref<32x16xf32, #tile.level<smem>>
// CHECK-LABEL: @own
tile.kernel @own(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // CHECK: pipeline(2) choose(copy) issue(after_loads) {
    tile.for (%k) in (%N) by (16) at dram pipeline(2) {
      %s = tile.stage %A[%i, %k] : memref<?x?xf32> to !s
      tile.for (%j) in (2) by (1) at smem {
        %o = tile.stage %A[%i, %k + %j] : memref<?x?xf32> to !s
      }
    }
  }
}

// -----

!s = memref<32x16xf32, #tile.level<smem>>
// CHECK-LABEL: @producers
tile.kernel @producers(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // CHECK: pipeline(2) producers(1) release(next) {
    // WHY: remark: gives a slot back in the next iteration, when its loads have returned
    tile.for (%k) in (%N) by (16) at dram pipeline(2) producers(1) {
      %s = tile.stage %A[%i, %k] : memref<?x?xf32> to !s
    }
    // CHECK: pipeline(3) choose(copy) issue(first) {
    tile.for (%k) in (%N) by (16) at dram pipeline(3) choose(copy) issue(first) {
      %s = tile.stage %A[%i, %k] : memref<?x?xf32> to !s
    }
  }
}
