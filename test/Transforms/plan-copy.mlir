// RUN: tilec-opt %s -split-input-file -tile-plan-copy | FileCheck %s
// RUN: tilec-opt %s -split-input-file -tile-plan-copy=remarks=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// Strides are known at launch: 16 bytes along either dimension that lies side by side in the tile too, one element along
// either. 128 threads of a pipeline copy 32x16 floats.
!G = memref<?x?xf32, strided<[?, ?]>>
!s = memref<32x16xf32, #tile.level<smem>>
!r = memref<1x4xf32, #tile.level<rf>>
// CHECK-LABEL: @pipelined
tile.kernel @pipelined(%A: !G[%M, %N], %Y: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    tile.for (%k) in (%N) by (16) at dram pipeline(2) {
      // CHECK: tile.stage %{{.*}} forms(1 by 4, 0, 1) edges(element) unroll(32, 2) :
      // WHY: remark: is copied with 16 bytes a thread along dimension 1, then 4 bytes a thread along dimension 0, then 4 bytes a thread along dimension 1: a launch takes the first that it allows
      %s = tile.stage %A[%i, %k] : !G to !s
      tile.for (%m, %n) in (32, 16) by (1, 4) at smem on thread {
        // Four of a row lie side by side, and begin at multiples of 16 bytes.
        // CHECK: tile.stage %{{.*}} wide(4) :
        // WHY: remark: is loaded 4 elements at a time: a thread holds as many side by side, aligned in smem
        %r = tile.stage %s[%m, %n] : !s to !r
        // Rows of Y have stride 1, and are aligned in launches whose N is a multiple of 4.
        // CHECK: tile.store {{.*}} wide(4) :
        // WHY: remark: stores 4 elements at a time along dimension 1 in launches that align them
        tile.store %r to %Y[%i + %m, %k + %n] : !r to memref<?x?xf32>
      }
    }
  }
}

// -----

// What is not pipelined goes element by element; a stride of 2 is no 16 bytes; a halo begins anywhere.
!s = memref<32x16xf32, #tile.level<smem>>
// CHECK-LABEL: @narrow
tile.kernel @narrow(%A: memref<?x?xf32>[%M, %N], %B: memref<?x?xf32, strided<[64, 2]>>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    // CHECK: tile.stage %{{.*}} forms(1) edges(element) unroll(32, 2) :
    %s = tile.stage %A[%i, 0] : memref<?x?xf32> to !s
    tile.for (%k) in (%N) by (16) at dram pipeline(2) {
      // CHECK: tile.stage %{{.*}} forms(1) edges
      %b = tile.stage %B[%i, %k] : memref<?x?xf32, strided<[64, 2]>> to !s
      // CHECK: tile.stage %{{.*}} forms(1) edges
      %h = tile.stage %A[%i, %k - 1] : memref<?x?xf32> to !s
      tile.for (%t) in (64) by (1) at smem on thread {
      }
    }
  }
}

// -----

// One producer warp asks once for a tile of A: 4 rounds of 32 x 16 bytes. Half of the box of B comes from each of two blocks that share it.
!s = memref<32x16xf32, #tile.level<smem>>
// CHECK-LABEL: @producers
tile.kernel @producers(%A: memref<?x?xf32>[%M, %N], %B: memref<?x?xf32, strided<[?, 1]>>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (64) at dram on cluster {
    tile.for (%j) in (64) by (32) at dram on block {
      tile.for (%k) in (%N) by (16) at dram pipeline(2) producers(1) {
        // CHECK: tile.stage %{{.*}} forms(1 by 4, 1) edges(tile) unroll(32, 2) :
        // WHY: remark: asks once for each tile whether all of it is present: producers take issue slots from warps that compute
        %a = tile.stage %A[%i + %j, %k] : memref<?x?xf32> to !s
        // CHECK: tile.stage %{{.*}} copy(tma) slices(2) forms(1 by 4, 1) edges(element) unroll(32, 2) :
        %b = tile.stage %B[%i, %k] copy(tma) : memref<?x?xf32, strided<[?, 1]>> to !s
        tile.for (%t) in (64) by (1) at smem on thread {
        }
      }
    }
  }
}

// -----

// No whole number of tiles makes up 1000 rows: where warps that only copy ask for each element, 8 rounds are written out, but where all is present
// these are more than are written out, 64 of one warp.
!s = memref<32x16xf32, #tile.level<smem>>
!l = memref<128x64xf32, #tile.level<smem>>
// CHECK-LABEL: @edges
tile.kernel @edges(%A: memref<1000x?xf32>[1000, %N], %N: index) {
  tile.for (%i) in (1000) by (128) at dram on block {
    tile.for (%k) in (%N) by (64) at dram pipeline(2) producers(1) {
      // CHECK: tile.stage %{{.*}} forms(1 by 4, 1) edges(tile) unroll(32, 8) :
      // WHY: remark: writes out 8 rounds at a time at edges: tiles do not make up the operand at these sizes
      %s = tile.stage %A[%i, %k] : memref<1000x?xf32> to !s
      // CHECK: tile.stage %{{.*}} forms(1 by 4, 1) edges(tile) unroll(32, 2) :
      %a = tile.stage %A[%i, %k] : memref<1000x?xf32> to !l
      tile.for (%t) in (64) by (1) at smem on thread {
      }
    }
  }
}

// -----

// What cp.async does not write is zero, so that groups of a tile that is padded with zero go as one; the nearest element is found for each.
!s = memref<32x16xf32, #tile.level<smem>>
// CHECK-LABEL: @padded
tile.kernel @padded(%A: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    tile.for (%k) in (%N) by (16) at dram pipeline(2) {
      // CHECK: tile.stage %{{.*}} pad(zero) forms(1 by 4, 1) edges(element)
      %z = tile.stage %A[%i, %k] pad(zero) : memref<?x?xf32> to !s
      // CHECK: tile.stage %{{.*}} pad(clamp) forms(1) edges(element)
      %c = tile.stage %A[%i, %k] pad(clamp) : memref<?x?xf32> to !s
      tile.for (%t) in (64) by (1) at smem on thread {
      }
    }
  }
}

// -----

// What the nest states is kept.
!s = memref<32x16xf32, #tile.level<smem>>
!r = memref<1x4xf32, #tile.level<rf>>
// CHECK-LABEL: @kept
tile.kernel @kept(%A: memref<?x?xf32>[%M, %N], %Y: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%M) by (32) at dram on block {
    tile.for (%k) in (%N) by (16) at dram pipeline(2) {
      // CHECK: forms(1 by 2, 0) edges(tile) unroll(1, 4) :
      %s = tile.stage %A[%i, %k] forms(1 by 2, 0) edges(tile) unroll(1, 4) : memref<?x?xf32> to !s
      tile.for (%m, %n) in (32, 16) by (1, 4) at smem on thread {
        // CHECK: wide(2) :
        %r = tile.stage %s[%m, %n] wide(2) : !s to !r
        // CHECK: wide(1) :
        tile.store %r to %Y[%i + %m, %k + %n] wide(1) : !r to memref<?x?xf32>
      }
    }
  }
}

// -----

// A thread asks once for what it holds: of a halo the first element goes alone, four at once, the last alone, along dimension 1 in launches that
// align the four. Of a row that threads share each group asks.
!x = memref<3x6xf32, #tile.level<rf>>
!r = memref<1x512xf32, #tile.level<rf>>
!p = memref<1x4xf32, #tile.level<rf>>
// CHECK-LABEL: @loads
tile.kernel @loads(%A: memref<?x?xf32, strided<[?, ?]>>[%M, %N], %B: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (1, 512) at dram on block {
    // CHECK: tile.stage %{{.*}} edges(element) wide(4) :
    %r = tile.stage %B[%i, %j] : memref<?x?xf32> to !r
    tile.for (%n) in (128) by (4) at dram on thread {
      // CHECK: tile.stage %{{.*}} pad(clamp) edges(tile) wide(4) :
      // WHY: remark: is loaded 4 elements at a time along dimension 1 in launches that align them
      %x = tile.stage %A[%i - 1, %j + %n - 1] pad(clamp) : memref<?x?xf32, strided<[?, ?]>> to !x
      // CHECK: tile.stage %{{.*}} edges(element) wide(1) :
      %h = tile.stage %A[%i, %j + %n + 1] edges(element) : memref<?x?xf32, strided<[?, ?]>> to !p
      tile.for (%t) in (512) by (128) at dram {
        %p = tile.part %r[0, %t + %n] : !r to !p
        linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} outs(%p : !p) {
        ^bb0(%v: f32):
          %w = arith.negf %v : f32
          linalg.yield %w : f32
        }
      }
    }
  }
}
