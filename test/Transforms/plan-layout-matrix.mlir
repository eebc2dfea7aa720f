// Tiles that instructions of warpgroups read, and that TMA fills.
// RUN: tilec-opt %s --tile-set-target=target=sm90 --tile-plan-layout --split-input-file | FileCheck %s
// RUN: tilec-opt %s --tile-set-target=target=sm90 --tile-plan-layout=remarks --split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: tilec-opt %s --tile-set-target=target=sm90 --split-input-file --tile-plan-layout > %t.once
// RUN: tilec-opt %t.once --split-input-file --tile-plan-layout | diff %t.once -

// Rows of A, along k, have 128 bytes: one swizzled row. Those of B, along n, have 192 bytes, which are three of 64.
!G = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<64x64xbf16, #tile.level<smem>>
!sB = memref<64x96xbf16, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!iB = memref<16x96xbf16, #tile.level<smem>>
!c = memref<64x96xf32, #tile.level<rf>>
// CHECK-LABEL: tile.kernel @rows
// CHECK: tile.stage %{{.*}} to memref<64x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (64,64):(64,1)">, #tile.level<smem>>
// CHECK: tile.stage %{{.*}} to memref<64x96xbf16, #tile.layout<"Sw<2,3,3> o 0 o (64,(32,3)):(32,(1,2048))">, #tile.level<smem>>
// REMARK: remark: lies as Sw<3,3,3> o 0 o (64,64):(64,1): 'wgmma.m64n96k16' reads rows of 128 bytes, swizzled, which TMA writes
// REMARK: remark: lies as Sw<2,3,3> o 0 o (64,(32,3)):(32,(1,2048)): 'wgmma.m64n96k16' reads rows of 64 bytes, swizzled, which TMA writes
tile.kernel @rows(%A: !G[%M, %K], %B: !G[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (64, 96) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (64) at dram pipeline(2) producers(1) {
      %sA = tile.stage %A[%m0, %k0] copy(tma) : !G to !sA
      %sB = tile.stage %B[%k0, %n0] copy(tma) : !G to !sB
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k1) in (64) by (16) at smem on unroll {
          %a = tile.part %sA[0, %k1] : !sA to !iA
          %b = tile.part %sB[%k1, 0] : !sB to !iB
          linalg.matmul ins(%a, %b : !iA, !iB) outs(%c : !c)
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to memref<?x?xf32>
  }
}

// -----

// A column-major A runs along m: 64 of them are 128 bytes. 8 columns of B are 16 bytes, which no swizzle has: 8x8 elements lie together.
!G = memref<?x?xf16, strided<[1, ?]>>
!H = memref<?x?xf16, strided<[?, 1]>>
!sA = memref<128x32xf16, #tile.level<smem>>
!sB = memref<32x8xf16, #tile.level<smem>>
!iA = memref<64x16xf16, #tile.level<smem>>
!iB = memref<16x8xf16, #tile.level<smem>>
!c = memref<128x8xf32, #tile.level<rf>>
!i = memref<64x8xf32, #tile.level<rf>>
// CHECK-LABEL: tile.kernel @columns
// CHECK: tile.stage %{{.*}} to memref<128x32xf16, #tile.layout<"Sw<3,3,3> o 0 o ((64,2),32):((1,2048),64)">, #tile.level<smem>>
// CHECK: tile.stage %{{.*}} to memref<32x8xf16, #tile.layout<"(32,8):(8,1)">, #tile.level<smem>>
// REMARK: remark: lies as Sw<3,3,3> o 0 o ((64,2),32):((1,2048),64): 'wgmma.m64n8k16' reads rows of 128 bytes
// REMARK: remark: lies as (32,8):(8,1): 'wgmma.m64n8k16' reads rows of 16 bytes{{$}}
tile.kernel @columns(%A: !G[%M, %K], %B: !H[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (128, 8) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (32) at dram pipeline(2) producers(1) {
      %sA = tile.stage %A[%m0, %k0] copy(tma) : !G to !sA
      %sB = tile.stage %B[%k0, %n0] copy(tma) : !H to !sB
      tile.for (%w) in (128) by (64) at smem on warpgroup {
        tile.for (%k1) in (32) by (16) at smem on unroll {
          %a = tile.part %sA[%w, %k1] : !sA to !iA
          %b = tile.part %sB[%k1, 0] : !sB to !iB
          %s = tile.part %c[%w, 0] : !c to !i
          linalg.matmul ins(%a, %b : !iA, !iB) outs(%s : !i)
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to memref<?x?xf32>
  }
}

// -----

// Rows of which nobody knows along which dimension they run, and a layout that is written down.
!G = memref<?x?xbf16, strided<[?, ?]>>
!H = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<64x16xbf16, #tile.level<smem>>
!sB = memref<64x16xbf16, #tile.layout<"Sw<1,3,3> o 0 o (64,16):(16,1)">, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
// CHECK-LABEL: tile.kernel @kept
// CHECK: tile.stage %{{.*}} to memref<64x16xbf16, #tile.level<smem>>
// CHECK: tile.stage %{{.*}} #tile.layout<"Sw<1,3,3> o 0 o (64,16):(16,1)">
tile.kernel @kept(%A: !G[%M, %K], %B: !H[%N, %K], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (16) at dram pipeline(2) producers(1) {
      %sA = tile.stage %A[%m0, %k0] copy(tma) : !G to !sA
      %sB = tile.stage %B[%n0, %k0] copy(tma) : !H to !sB
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
            ins(%sA, %sB : !sA, !sB) outs(%c : !c)
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to memref<?x?xf32>
  }
}
