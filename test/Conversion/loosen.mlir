// After their last loop on time sums of products may be in other registers than the loop has them in.
// RUN: tilec-opt %s -tile-set-target="target=sm80" -tile-kernel-pipeline | FileCheck %s --implicit-check-not=kernel.loosen
!A = memref<64x64xf32>
!s = memref<64x16xf32, #tile.level<smem>>
!u = memref<16x64xf32, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!a = memref<4x1xf32, #tile.level<rf>>
!b = memref<1x4xf32, #tile.level<rf>>
!q = memref<4x4xf32, #tile.level<rf>>

// Rows by columns, both in registers: each is read for four elements.
// CHECK-LABEL: kernel.func @product
// CHECK: kernel.for
// CHECK: arith.mulf
// CHECK: kernel.loosen %{{.*}} : memref<{{.*}}xf32
// CHECK: kernel.stg
tile.kernel @product(%A: !A[64, 64], %B: !A[64, 64], %C: !A[64, 64]) {
  tile.for (%m, %n) in (64, 64) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (64) by (16) at dram {
      %x = tile.stage %A[%m, %k] : !A to !s
      %y = tile.stage %B[%k, %n] : !A to !u
      tile.for (%i, %j) in (64, 64) by (4, 4) at smem on thread {
        tile.for (%s) in (16) by (1) at smem {
          %p = tile.stage %x[%i, %s] : !s to !a
          %r = tile.stage %y[%s, %j] : !u to !b
          %o = tile.part %c[%i, %j] : !c to !q
          linalg.matmul ins(%p, %r : !a, !b) outs(%o : !q)
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to !A
  }
}

// Sums of two registers each.
!A64 = memref<64x64xf64>
!s64 = memref<64x16xf64, #tile.level<smem>>
!u64 = memref<16x64xf64, #tile.level<smem>>
!c64 = memref<64x64xf64, #tile.level<rf>>
!a64 = memref<4x1xf64, #tile.level<rf>>
!b64 = memref<1x4xf64, #tile.level<rf>>
!q64 = memref<4x4xf64, #tile.level<rf>>
// CHECK-LABEL: kernel.func @wide
// CHECK: arith.mulf
// CHECK: kernel.stg
tile.kernel @wide(%A: !A64[64, 64], %B: !A64[64, 64], %C: !A64[64, 64]) {
  tile.for (%m, %n) in (64, 64) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f64) : !c64
    tile.for (%k) in (64) by (16) at dram {
      %x = tile.stage %A[%m, %k] : !A64 to !s64
      %y = tile.stage %B[%k, %n] : !A64 to !u64
      tile.for (%i, %j) in (64, 64) by (4, 4) at smem on thread {
        tile.for (%s) in (16) by (1) at smem {
          %p = tile.stage %x[%i, %s] : !s64 to !a64
          %r = tile.stage %y[%s, %j] : !u64 to !b64
          %o = tile.part %c[%i, %j] : !c64 to !q64
          linalg.matmul ins(%p, %r : !a64, !b64) outs(%o : !q64)
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c64 to !A64
  }
}

// Columns in shared memory: a product reads two registers.
// CHECK-LABEL: kernel.func @one
// CHECK: arith.mulf
// CHECK: kernel.stg
tile.kernel @one(%A: !A[64, 64], %B: !A[64, 64], %C: !A[64, 64]) {
  tile.for (%m, %n) in (64, 64) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (64) by (16) at dram {
      %x = tile.stage %A[%m, %k] : !A to !s
      %y = tile.stage %B[%k, %n] : !A to !u
      tile.for (%i, %j) in (64, 64) by (4, 4) at smem on thread {
        tile.for (%s) in (16) by (1) at smem {
          %p = tile.stage %x[%i, %s] : !s to !a
          %r = tile.part %y[%s, %j] : !u to memref<1x4xf32, #tile.level<smem>>
          %o = tile.part %c[%i, %j] : !c to !q
          linalg.matmul ins(%p, %r : !a, memref<1x4xf32, #tile.level<smem>>) outs(%o : !q)
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to !A
  }
}

// In a loop on time the sums that it begins anew in each iteration stay where they are; those that it adds to are loosened once, after it.
// CHECK-LABEL: kernel.func @chain
// CHECK: arith.mulf
// CHECK: arith.mulf
// CHECK: kernel.loosen %[[SUMS:.*]] : memref<{{.*}}xf32
// CHECK: kernel.stg_vector 4, %arg2[{{.*}}], %[[SUMS]][
tile.kernel @chain(%A: !A[64, 64], %B: !A[64, 64], %C: !A[64, 64]) {
  tile.for (%m, %n) in (64, 64) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (64) by (16) at dram {
      %x = tile.stage %A[%m, %k] : !A to !s
      %y = tile.stage %B[%k, %n] : !A to !u
      %d = tile.hold init(0.0 : f32) : !c
      tile.for (%s) in (16) by (1) at smem {
        tile.for (%i, %j) in (64, 64) by (4, 4) at smem on thread {
          %p = tile.stage %x[%i, %s] : !s to !a
          %r = tile.stage %y[%s, %j] : !u to !b
          %o = tile.part %d[%i, %j] : !c to !q
          linalg.matmul ins(%p, %r : !a, !b) outs(%o : !q)
          %e = tile.part %c[%i, %j] : !c to !q
          linalg.matmul ins(%p, %r : !a, !b) outs(%e : !q)
        }
      }
      tile.for (%i, %j) in (64, 64) by (4, 4) at smem on thread {
        %o = tile.part %d[%i, %j] : !c to !q
        %e = tile.part %c[%i, %j] : !c to !q
        linalg.add ins(%o, %e : !q, !q) outs(%e : !q)
      }
    }
    tile.store %c to %C[%m, %n] : !c to !A
  }
}
