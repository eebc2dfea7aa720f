// Stores by way of shared memory of tiles whose columns several warps hold beside each other.
// RUN: tilec-opt %s -tile-set-target="target=sm80" -tile-kernel-pipeline | FileCheck %s
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=M=32,N=128,K=16 | FileCheck %s --check-prefix=RAN
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=M=65,N=133,K=17 | FileCheck %s --check-prefix=RAN
// RAN: integers: all {{[0-9]+}} elements of C agree, largest error 0

!sA = memref<32x16xbf16, #tile.level<smem>>
!sB = memref<16x128xbf16, #tile.level<smem>>
!rA = memref<16x16xbf16, #tile.level<rf>>
!rB = memref<16x64xbf16, #tile.level<rf>>
!c = memref<32x128xf32, #tile.level<rf>>
!r = memref<32x128xbf16, #tile.level<rf>>
!C = memref<?x?xbf16, strided<[?, 1]>>
#id = affine_map<(m, n) -> (m, n)>
// Of 64 columns a slice has 32 of each warp: 4 of the 8 instructions that a warp holds along them, those of the second slice from number 4 on. In the array, whose
// rows of 64 elements begin 72 apart, the warps' columns lie one behind the other; 8 threads store a row, 16 rows at once.
// CHECK-LABEL: kernel.func @beside
// CHECK: %[[SLICE:.*]] = kernel.shared : memref<2304xbf16, #tile.level<smem>>
// CHECK: kernel.is_aligned 16, %arg2
// CHECK: kernel.for unroll %[[S:.*]] = %c0 to %c2 step %c1 {
// CHECK-NEXT: kernel.sync_block
// CHECK: %[[FIRST:.*]] = arith.muli %[[S]], %c4
// CHECK: kernel.for unroll %[[N:.*]] = %c0 to %c4 step %c1 {
// CHECK: %[[OF:.*]] = arith.addi %[[N]], %[[FIRST]]
// CHECK: kernel.sts_vector 2, %[[SLICE]][%{{.*}}], %{{.*}}[%[[OF]], %{{.*}}, %c0]
// CHECK: kernel.sync_block
// CHECK: kernel.for unroll %{{.*}} = %c0 to %c2 step %c1 {
// CHECK: kernel.lds_vector 8, %{{.*}}, %[[SLICE]]
// CHECK-NEXT: kernel.stg_vector 8
tile.kernel @beside(%A: memref<?x?xbf16>[%M, %K], %B: memref<?x?xbf16>[%K, %N], %C: !C[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (32, 128) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (16) at dram pipeline(2) {
      %x = tile.stage %A[%m, %k] : memref<?x?xbf16> to !sA
      %y = tile.stage %B[%k, %n] : memref<?x?xbf16> to !sB
      tile.for (%mw, %nw) in (32, 128) by (16, 64) at smem on warp {
        %a = tile.stage %x[%mw, 0] : !sA to !rA
        %b = tile.stage %y[0, %nw] : !sB to !rB
        tile.for (%i, %j) in (16, 64) by (16, 8) at rf on unroll {
          %p = tile.part %a[%i, 0] : !rA to !rA
          %q = tile.part %b[0, %j] : !rB to memref<16x8xbf16, #tile.level<rf>>
          %s = tile.part %c[%mw + %i, %nw + %j] : !c to memref<16x8xf32, #tile.level<rf>>
          linalg.matmul ins(%p, %q : !rA, memref<16x8xbf16, #tile.level<rf>>) outs(%s : memref<16x8xf32, #tile.level<rf>>)
        }
      }
    }
    %r = tile.hold init(0.0 : bf16) : !r
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : !c) outs(%r : !r) {
    ^bb0(%sum: f32, %old: bf16):
      %rounded = arith.truncf %sum : f32 to bf16
      linalg.yield %rounded : bf16
    }
    tile.store %r to %C[%m, %n] through(64) : !r to !C
  }
}
