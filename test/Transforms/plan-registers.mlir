// RUN: tilec-opt %s -tile-plan-registers | FileCheck %s
// RUN: tilec-opt %s -tile-set-target=target=h100-sxm -tile-plan-registers=remarks=true 2>&1 | FileCheck %s --check-prefix=ROLES
// RUN: tilec-opt %s -tile-plan-registers=remarks=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY --implicit-check-not=remark:

!c = memref<32x16xf32, #tile.level<rf>>
!p = memref<4x2xf32, #tile.level<rf>>
// CHECK-LABEL: @open
tile.kernel @open(%Y: memref<32x16xf32>[32, 16]) {
  tile.for (%b) in (1) by (1) at dram on block {
    // Threads: 8 along the columns (2 apart: 2 * 32), then 8 along the rows (4 apart). Values: 2 columns, then 4 rows.
    // CHECK: tile.hold init(0.000000e+00 : f32) spread("((8,8),(2,4)):((64,4),(32,1))")
    // WHY: remark: is spread over threads as loops on them part it: 8 elements a thread
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%m, %n) in (32, 16) by (4, 2) at rf on thread {
      %p = tile.part %c[%m, %n] : !c to !p
      // What a thread has for itself needs no word.
      // CHECK: tile.hold init(1.000000e+00 : f32) :
      %own = tile.hold init(1.0 : f32) : !p
      linalg.add ins(%own, %p : !p, !p) outs(%p : !p)
    }
    tile.store %c to %Y[0, 0] : !c to memref<32x16xf32>
  }
}

// Two threads hold the same row: every second digit of the thread's number moves nothing.
// CHECK-LABEL: @shared
tile.kernel @shared(%Y: memref<8xf32>[8]) {
  tile.for (%b) in (1) by (1) at dram on block {
    // CHECK: tile.stage %{{.*}} spread("((2,8),1):((0,1),0)")
    // WHY: remark: is spread over threads as loops on them part it: 1 elements a thread
    %r = tile.stage %Y[0] : memref<8xf32> to memref<8xf32, #tile.level<rf>>
    tile.for (%m, %n) in (8, 2) by (1, 1) at rf on thread {
      %own = tile.hold init(1.0 : f32) : memref<1xf32, #tile.level<rf>>
      %p = tile.part %r[%m] : memref<8xf32, #tile.level<rf>> to memref<1xf32, #tile.level<rf>>
      linalg.add ins(%p, %p : memref<1xf32, #tile.level<rf>>, memref<1xf32, #tile.level<rf>>) outs(%own : memref<1xf32, #tile.level<rf>>)
    }
  }
}

// 128x256 elements on 256 threads: 128 registers each for %c, and what goes with them. An even share are 168 of 65536 / 384; that is 64512
// for the block, of which (64512 - 128 * 64) / 256 = 220 are left for each that computes. An A100 has no way to deal them out otherwise.
!C = memref<128x256xf32, #tile.level<rf>>
!q = memref<16x8xf32, #tile.level<rf>>
!A = memref<128x16xf32, #tile.level<smem>>
!B = memref<16x256xf32, #tile.level<smem>>
!a = memref<16x1xf32, #tile.level<rf>>
!b = memref<1x8xf32, #tile.level<rf>>
!G = memref<?x?xf32, strided<[?, 1]>>
// CHECK-LABEL: @roles
// CHECK: producers(4) {
// ROLES-LABEL: @roles
// ROLES: producers(4) registers(64, 216) {
tile.kernel @roles(%X: !G[%M, %K], %Y: !G[%K, %N], %Z: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (128, 256) at dram on block {
    // WHY: remark: is spread over threads as loops on them part it: 128 elements a thread
    %c = tile.hold init(0.0 : f32) : !C
    tile.for (%k0) in (%K) by (16) at dram pipeline(2) producers(4) {
      %sA = tile.stage %X[%m0, %k0] : !G to !A
      %sB = tile.stage %Y[%k0, %n0] : !G to !B
      tile.for (%m, %n) in (128, 256) by (16, 8) at smem on thread {
        %q = tile.part %c[%m, %n] : !C to !q
        tile.for (%k) in (16) by (1) at smem {
          %a = tile.stage %sA[%m, %k] : !A to !a
          %b = tile.stage %sB[%k, %n] : !B to !b
          linalg.matmul ins(%a, %b : !a, !b) outs(%q : !q)
        }
      }
    }
    tile.store %c to %Z[%m0, %n0] : !C to !G
  }
}

// What is read along the rows or columns of a tile only is spread as these are: threads that differ in the other dimension have the same.
!d = memref<32x16xf32, #tile.level<rf>>
!o = memref<4x2xf32, #tile.level<rf>>
// CHECK-LABEL: @factors
tile.kernel @factors(%X: memref<32xf32>[32], %V: memref<1x16xf32>[1, 16], %W: memref<1xf32>[1], %Y: memref<32x16xf32>[32, 16]) {
  tile.for (%b) in (1) by (1) at dram on block {
    // Threads: 8 along the columns, which have the same rows, then 8 along the rows. Values: 4 rows.
    // CHECK: tile.stage %arg0[0] spread("((8,8),4):((0,4),1)")
    // WHY: remark: is spread over threads as loops on them part it: 4 elements a thread
    %x = tile.stage %X[0] : memref<32xf32> to memref<32xf32, #tile.level<rf>>
    // CHECK: tile.stage %arg1[0, 0] spread("(8,2):(2,1)")
    // WHY: remark: is spread over threads as loops on them part it: 2 elements a thread
    %v = tile.stage %V[0, 0] : memref<1x16xf32> to memref<1x16xf32, #tile.level<rf>>
    // All threads have it.
    // CHECK: tile.stage %arg2[0] :
    %w = tile.stage %W[0] : memref<1xf32> to memref<1xf32, #tile.level<rf>>
    // What is made of a factor, element by element, is spread as it is.
    // CHECK: tile.hold init(0.000000e+00 : f32) spread("((8,8),4):((0,4),1)")
    // WHY: remark: is spread over threads as loops on them part it: 4 elements a thread
    %z = tile.hold init(0.0 : f32) : memref<32xf32, #tile.level<rf>>
    linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (0)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
        ins(%x, %w : memref<32xf32, #tile.level<rf>>, memref<1xf32, #tile.level<rf>>) outs(%z : memref<32xf32, #tile.level<rf>>) {
    ^bb0(%p: f32, %q: f32, %r: f32):
      %s = arith.mulf %p, %q : f32
      linalg.yield %s : f32
    }
    // CHECK: tile.hold init(0.000000e+00 : f32) spread("((8,8),(2,4)):((64,4),(32,1))")
    // WHY: remark: is spread over threads as loops on them part it: 8 elements a thread
    %c = tile.hold init(0.0 : f32) : !d
    linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (0, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
        ins(%z, %v : memref<32xf32, #tile.level<rf>>, memref<1x16xf32, #tile.level<rf>>) outs(%c : !d) {
    ^bb0(%p: f32, %q: f32, %r: f32):
      %s = arith.mulf %p, %q : f32
      linalg.yield %s : f32
    }
    tile.for (%m, %n) in (32, 16) by (4, 2) at rf on thread {
      %p = tile.part %c[%m, %n] : !d to !o
      linalg.add ins(%p, %p : !o, !o) outs(%p : !o)
    }
    tile.store %c to %Y[0, 0] : !d to memref<32x16xf32>
  }
}

// Two teams of a warpgroup whose sums take 192 registers of each thread: with (64512 - 128 * 64) / 256 = 220 they would spill in every step, so producers, which spill
// only where they copy themselves, get what 224 leave: (64512 - 256 * 224) / 128 = 56.
!H = memref<?x?xbf16, strided<[?, 1]>>
!hA = memref<128x64xbf16, #tile.level<smem>>
!hB = memref<64x192xbf16, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<16x192xbf16, #tile.level<smem>>
!iC = memref<64x192xf32, #tile.level<rf>>
!S = memref<128x192xf32, #tile.level<rf>>
// ROLES-LABEL: @sums
// ROLES: producers(4) registers(56, 224) {
tile.kernel @sums(%X: !H[%M, %K], %Y: !H[%K, %N], %Z: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (128, 192) at dram on block persistent teams(2) {
    // WHY: remark: is spread over threads as loops on them part it: 192 elements a thread
    %c = tile.hold init(0.0 : f32) : !S
    tile.for (%k0) in (%K) by (64) at dram pipeline(4) producers(4) {
      %sA = tile.stage %X[%m0, %k0] copy(tma) : !H to !hA
      %sB = tile.stage %Y[%k0, %n0] copy(tma) : !H to !hB
      tile.for (%w) in (128) by (128) at smem on warpgroup {
        tile.for (%k1, %m1) in (64, 128) by (16, 64) at smem on unroll {
          %a = tile.part %sA[%w + %m1, %k1] : !hA to !iA
          %b = tile.part %sB[%k1, 0] : !hB to !iB
          %s = tile.part %c[%w + %m1, 0] : !S to !iC
          linalg.matmul ins(%a, %b : !iA, !iB) outs(%s : !iC)
        }
      }
    }
    tile.store %c to %Z[%m0, %n0] : !S to !G
  }
}
