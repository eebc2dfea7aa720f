// Tiles that instructions of warpgroups spread over threads.
// RUN: tilec-opt %s --tile-set-target=target=sm90 --tile-plan-store --split-input-file | FileCheck %s
// RUN: tilec-opt %s --tile-set-target=target=sm90 --tile-plan-store=remarks --split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// Rows that begin anywhere are no boxes of TMA, and nothing is stored wide to them: by way of shared memory a warp writes 128 bytes side by side.
// RUN: tilec-opt %s --tile-set-target="target=sm90 shape=4096,4097,4096" --tile-plan-store --split-input-file | FileCheck %s --check-prefix=ODD
// ODD-LABEL: tile.kernel @narrow
// ODD: tile.store {{.*}} through(64) : memref<64x64xbf16
// ODD-LABEL: tile.kernel @wide
// ODD: tile.store {{.*}} through(32) : memref<64x64xf32{{.*}} to memref<?x?xf32>
// ODD-LABEL: tile.kernel @alone
// ODD: tile.store {{.*}} through(128) : memref<64x256xf32
// ODD-LABEL: tile.kernel @shared
// ODD: tile.store %{{[^)]*}} : memref<64x256xf32

// Four lanes hold 8 elements of a row: 16 bytes of bf16, half a sector of 32. Rows of 128 bytes are 64 of them; what is stated is kept.
!sA = memref<64x16xbf16, #tile.level<smem>>
!sB = memref<16x64xbf16, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!r = memref<64x64xbf16, #tile.level<rf>>
!C = memref<?x?xbf16, strided<[?, 1]>>
#id = affine_map<(m, n) -> (m, n)>
// CHECK-LABEL: tile.kernel @narrow
// CHECK: tile.store {{.*}} through(64) copy(tma) slots(1) : memref<64x64xbf16
// CHECK: tile.store {{.*}} through(0) : memref<64x64xbf16
// CHECK: tile.store {{.*}} through(16) : memref<64x64xbf16
// CHECK: scf.if
// CHECK: tile.store {{.*}} through(0) : memref<64x64xbf16
// REMARK: remark: goes by way of shared memory in slices of 64 columns, which TMA stores, of each warp up to 1 while it goes on: straight from registers a warp writes 16 bytes side by side
// REMARK: remark: is stored straight from registers: a warp writes 16 bytes side by side
tile.kernel @narrow(%A: memref<?x?xbf16>[%M, %K], %B: memref<?x?xbf16>[%K, %N], %C: !C[%M, %N], %D: !C[%M, %N], %E: !C[%M, %N], %F: !C[%M, %N], %M: index, %N: index, %K: index, %b: i1) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (16) at dram pipeline(2) producers(1) {
      %x = tile.stage %A[%m, %k] copy(tma) : memref<?x?xbf16> to !sA
      %y = tile.stage %B[%k, %n] copy(tma) : memref<?x?xbf16> to !sB
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        linalg.matmul ins(%x, %y : !sA, !sB) outs(%c : !c)
      }
    }
    %r = tile.hold init(0.0 : bf16) : !r
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : !c) outs(%r : !r) {
    ^bb0(%sum: f32, %old: bf16):
      %rounded = arith.truncf %sum : f32 to bf16
      linalg.yield %rounded : bf16
    }
    tile.store %r to %C[%m, %n] : !r to !C
    tile.store %r to %D[%m, %n] through(0) : !r to !C
    tile.store %r to %E[%m, %n] through(16) : !r to !C
    // Not all threads may come to a barrier here.
    scf.if %b {
      tile.store %r to %F[%m, %n] : !r to !C
    }
  }
}

// -----

// In f32 four lanes write 32 bytes, whole sectors; TMA stores them while threads go on. Along columns of the operand there are no rows. A tile that no instruction spreads is left alone.
!sA = memref<64x16xbf16, #tile.level<smem>>
!sB = memref<16x64xbf16, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!C = memref<?x?xf32, strided<[1, ?]>>
// CHECK-LABEL: tile.kernel @wide
// CHECK: tile.store {{.*}} through(32) copy(tma) slots(2) : memref<64x64xf32{{.*}} to memref<?x?xf32>
// CHECK: tile.store {{.*}} through(0) : memref<64x64xf32{{.*}} to memref<?x?xf32, strided<[1, ?]>>
// CHECK: tile.store %{{[^)]*}} : memref<64x64xf32
// REMARK: remark: goes by way of shared memory in slices of 32 columns, which TMA stores, of each warp up to 2 while it goes on: straight from registers a warp writes 32 bytes side by side
// REMARK: remark: is stored straight from registers: a warp writes 4 bytes side by side
tile.kernel @wide(%A: memref<?x?xbf16>[%M, %K], %B: memref<?x?xbf16>[%K, %N], %C: memref<?x?xf32>[%M, %N], %D: !C[%M, %N], %E: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    %z = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (16) at dram pipeline(2) producers(1) {
      %x = tile.stage %A[%m, %k] copy(tma) : memref<?x?xbf16> to !sA
      %y = tile.stage %B[%k, %n] copy(tma) : memref<?x?xbf16> to !sB
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        linalg.matmul ins(%x, %y : !sA, !sB) outs(%c : !c)
      }
    }
    tile.store %c to %C[%m, %n] : !c to memref<?x?xf32>
    tile.store %c to %D[%m, %n] : !c to !C
    tile.store %z to %E[%m, %n] : !c to memref<?x?xf32>
  }
}

// -----

// 96 columns are no slices of 64, but three of 32, rows of 64 bytes. What something else touches too, threads store.
!s = memref<64x16xf16, #tile.level<smem>>
!sB = memref<16x96xf16, #tile.level<smem>>
!c = memref<64x96xf32, #tile.level<rf>>
!r = memref<64x96xf16, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>
// CHECK-LABEL: tile.kernel @slices
// CHECK: tile.store {{.*}} through(32) copy(tma) slots(3) : memref<64x96xf16
// CHECK: tile.store {{.*}} through(32) : memref<64x96xf16
// REMARK: remark: goes by way of shared memory in slices of 32 columns, which TMA stores, of each warp up to 3
// REMARK: remark: goes by way of shared memory in slices of 32 columns: straight
tile.kernel @slices(%A: memref<?x?xf16>[%M, %K], %B: memref<?x?xf16>[%K, %N], %C: memref<?x?xf16>[%M, %N], %D: memref<?x?xf16>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 96) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (16) at dram pipeline(2) producers(1) {
      %x = tile.stage %A[%m, %k] copy(tma) : memref<?x?xf16> to !s
      %y = tile.stage %B[%k, %n] copy(tma) : memref<?x?xf16> to !sB
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        linalg.matmul ins(%x, %y : !s, !sB) outs(%c : !c)
      }
    }
    %r = tile.hold init(0.0 : f16) : !r
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : !c) outs(%r : !r) {
    ^bb0(%sum: f32, %old: f16):
      %rounded = arith.truncf %sum : f32 to f16
      linalg.yield %rounded : f16
    }
    tile.store %r to %C[%m, %n] : !r to memref<?x?xf16>
    tile.store %r to %D[%m, %n] : !r to memref<?x?xf16>
    tile.store %r to %D[%m, %n] through(0) : !r to memref<?x?xf16>
  }
}

// -----

// 55 slots of 4096 bytes and twice 55 barriers of 8, each rounded up to 512, leave 232448 - 225280 - 1024 = 6144 bytes: room for 64 rows of 32 elements, 4096
// bytes, but not of 64, nor for two slots.
!sA = memref<64x16xf16, #tile.level<smem>>
!sB = memref<16x64xf16, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!r = memref<64x64xf16, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>
// CHECK-LABEL: tile.kernel @room
// CHECK: tile.store {{.*}} through(32) copy(tma) slots(1) : memref<64x64xf16
// REMARK: remark: goes by way of shared memory in slices of 32 columns
tile.kernel @room(%A: memref<?x?xf16>[%M, %K], %B: memref<?x?xf16>[%K, %N], %C: memref<?x?xf16>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (16) at dram pipeline(55) producers(1) {
      %x = tile.stage %A[%m, %k] copy(tma) : memref<?x?xf16> to !sA
      %y = tile.stage %B[%k, %n] copy(tma) : memref<?x?xf16> to !sB
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        linalg.matmul ins(%x, %y : !sA, !sB) outs(%c : !c)
      }
    }
    %r = tile.hold init(0.0 : f16) : !r
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : !c) outs(%r : !r) {
    ^bb0(%sum: f32, %old: f16):
      %rounded = arith.truncf %sum : f32 to f16
      linalg.yield %rounded : f16
    }
    tile.store %r to %C[%m, %n] : !r to memref<?x?xf16>
  }
}

// -----

// Two warps hold 64 columns each beside one another: threads store rows of 128 bytes of both at once.
!sA = memref<32x16xbf16, #tile.level<smem>>
!sB = memref<16x128xbf16, #tile.level<smem>>
!rA = memref<16x16xbf16, #tile.level<rf>>
!rB = memref<16x64xbf16, #tile.level<rf>>
!c = memref<32x128xf32, #tile.level<rf>>
!r = memref<32x128xbf16, #tile.level<rf>>
!C = memref<?x?xbf16, strided<[?, 1]>>
#id = affine_map<(m, n) -> (m, n)>
// CHECK-LABEL: tile.kernel @beside
// CHECK: tile.store {{.*}} through(128) : memref<32x128xbf16
// REMARK: remark: goes by way of shared memory in slices of 128 columns: straight from registers a warp writes 16 bytes side by side
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
    tile.store %r to %C[%m, %n] : !r to !C
  }
}

// -----

// What loops spread over threads is stored straight where a warp writes whole sectors, here 32 elements of 8 threads. To rows that begin anywhere it writes single elements,
// 16 bytes apart: of each of the four warps' columns 128 bytes make slices of 128 columns, 64 * (128 + 4) * 4 = 33792 bytes beside 4 * 40960, where the block is alone on its SM.
!sA = memref<64x32xf32, #tile.level<smem>>
!sB = memref<32x256xf32, #tile.level<smem>>
!c = memref<64x256xf32, #tile.level<rf>>
!w = memref<32x64xf32, #tile.level<rf>>
!rA = memref<32x1xf32, #tile.level<rf>>
!rB = memref<1x64xf32, #tile.level<rf>>
!qA = memref<4x1xf32, #tile.level<rf>>
!qB = memref<1x4xf32, #tile.level<rf>>
!q = memref<4x4xf32, #tile.level<rf>>
// CHECK-LABEL: tile.kernel @alone
// CHECK: tile.store %{{[^)]*}} : memref<64x256xf32
tile.kernel @alone(%A: memref<?x?xf32>[%M, %K], %B: memref<?x?xf32>[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 256) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (32) at dram pipeline(4) {
      %x = tile.stage %A[%m, %k] : memref<?x?xf32> to !sA
      %y = tile.stage %B[%k, %n] : memref<?x?xf32> to !sB
      tile.for (%mw, %nw) in (64, 256) by (32, 64) at smem on warp {
        %w = tile.part %c[%mw, %nw] : !c to !w
        tile.for (%s) in (32) by (1) at smem {
          %a = tile.stage %x[%mw, %s] : !sA to !rA
          %b = tile.stage %y[%s, %nw] : !sB to !rB
          tile.for (%mt, %nt) in (16, 32) by (4, 4) at rf on thread {
            tile.for (%mu, %nu) in (32, 64) by (16, 32) at rf on unroll {
              %p = tile.part %a[%mt + %mu, 0] : !rA to !qA
              %q = tile.part %b[0, %nt + %nu] : !rB to !qB
              %r = tile.part %w[%mt + %mu, %nt + %nu] : !w to !q
              linalg.matmul ins(%p, %q : !qA, !qB) outs(%r : !q)
            }
          }
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to memref<?x?xf32>
  }
}

// With two slots two blocks share an SM, and one of them computes while the other stores.
// CHECK-LABEL: tile.kernel @shared
// CHECK: tile.store %{{[^)]*}} : memref<64x256xf32
tile.kernel @shared(%A: memref<?x?xf32>[%M, %K], %B: memref<?x?xf32>[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 256) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k) in (%K) by (32) at dram pipeline(2) {
      %x = tile.stage %A[%m, %k] : memref<?x?xf32> to !sA
      %y = tile.stage %B[%k, %n] : memref<?x?xf32> to !sB
      tile.for (%mw, %nw) in (64, 256) by (32, 64) at smem on warp {
        %w = tile.part %c[%mw, %nw] : !c to !w
        tile.for (%s) in (32) by (1) at smem {
          %a = tile.stage %x[%mw, %s] : !sA to !rA
          %b = tile.stage %y[%s, %nw] : !sB to !rB
          tile.for (%mt, %nt) in (16, 32) by (4, 4) at rf on thread {
            tile.for (%mu, %nu) in (32, 64) by (16, 32) at rf on unroll {
              %p = tile.part %a[%mt + %mu, 0] : !rA to !qA
              %q = tile.part %b[0, %nt + %nu] : !rB to !qB
              %r = tile.part %w[%mt + %mu, %nt + %nu] : !w to !q
              linalg.matmul ins(%p, %q : !qA, !qB) outs(%r : !q)
            }
          }
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to memref<?x?xf32>
  }
}
