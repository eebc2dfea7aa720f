// Tiles with the hardware's swizzles, in one box or in several side by side, by TMA; consumers read them through the layout, and
// launches that TMA does not take copy to the same places.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t
// RUN: tilec %t/gemm.mlir --target=h100-sxm --emit=cuda -o - | FileCheck %s --check-prefix=TEXT
// RUN: tilec %t/gemm.mlir --target=h100-sxm --run=cpu --verify --schedule=ahead --shape=m=70,n=200,k=136 --emit=report -o - 2>&1 | FileCheck %s --check-prefix=BOXES
// RUN: tilec %t/gemm.mlir --target=h100-sxm --run=cpu --verify --schedule=reversed --shape=m=70,n=45,k=131 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: tilec %t/gemm.mlir --target=h100-sxm --run=cpu --verify --shape=m=5,n=8,k=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/Sw<3,3,3> o 0 o //' %t/gemm.mlir > %t/plain.mlir
// RUN: tilec %t/plain.mlir --target=h100-sxm --emit=cuda -o - | FileCheck %s --check-prefix=PLAIN
// RUN: tilec %t/plain.mlir --target=h100-sxm --run=cpu --verify --schedule=ahead --shape=m=70,n=200,k=136 --emit=report -o - 2>&1 | FileCheck %s --check-prefix=BOXES
// RUN: tilec %t/cluster.mlir --target=h100-sxm --emit=cuda -o - | FileCheck %s --check-prefix=CLUSTER
// RUN: tilec %t/cluster.mlir --target=h100-sxm --run=cpu --verify --schedule=ahead --shape=m=130,n=200,k=72 --emit=report -o - 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: tilec %t/cluster.mlir --target=h100-sxm --run=cpu --verify --schedule=reversed --shape=m=70,n=45,k=131 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: sed 's/COLS/32/g; s/SWIZZLE/Sw<3,2,3>/' %t/rows.mlir > %t/rows128.mlir
// RUN: sed 's/COLS/16/g; s/SWIZZLE/Sw<2,2,3>/' %t/rows.mlir > %t/rows64.mlir
// RUN: sed 's/COLS/8/g; s/SWIZZLE/Sw<1,2,3>/' %t/rows.mlir > %t/rows32.mlir
// RUN: tilec %t/rows128.mlir --target=h100-sxm --run=cpu --verify --schedule=ahead --shape=l=3,m=37,n=100 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: tilec %t/rows64.mlir --target=h100-sxm --run=cpu --verify --schedule=ahead --shape=l=3,m=37,n=100 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: tilec %t/rows32.mlir --target=h100-sxm --run=cpu --verify --schedule=ahead --shape=l=3,m=37,n=100 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: tilec %t/rows64.mlir --target=h100-sxm --run=cpu --verify --schedule=reversed --shape=l=3,m=37,n=45 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: tilec %t/rows64.mlir --target=h100-sxm --run=cpu --verify --shape=l=3,m=37,n=0 2>&1 | FileCheck %s --check-prefix=ROWS

// Two boxes of 64 columns, one after the other; bytes of both tiles at once; places at multiples of 1024 bytes.
// TEXT: A: [M, K] of bf16, read; its map: boxes of [64, 64], swizzled in 128 bytes
// TEXT: B: [K, N] of bf16, read; its map: boxes of [64, 64], swizzled in 128 bytes
// TEXT: SHARED_AT(BFloat, sA, 8192, 0);
// TEXT: SHARED_AT(BFloat, sB, 16384, 16384);
// TEXT: mbarrier_arrive_expect_tx(&full[use], 24576);
// TEXT-NEXT: tma_load_2d(&sA[use * 4096], &A_map, k0, m0, &full[use]);
// TEXT-NEXT: const int [[AT:.*]] = use * 8192;
// TEXT-NEXT: tma_load_2d(&sB[[[AT]]], &B_map, n0, k0, &full[use]);
// TEXT-NEXT: tma_load_2d(&sB[[[AT]] + 4096], &B_map, n0 + 64, k0, &full[use]);
// 2 x 2 tiles: all of A and B twice.
// BOXES: random: all 14000 elements of C agree
// BOXES: bytes, predicted and counted
// BOXES: A dram -> smem 38080 38080
// BOXES: B dram -> smem 108800 108800
// ODD: random: all 3150 elements of C agree
// NONE: all 40 elements of C agree

// PLAIN: its map: boxes of [64, 64], not swizzled
// PLAIN: tma_load_2d(&sB[{{.*}} + 4096], &B_map, n0 + 64, k0, &full[use]);

// Two blocks beside each other copy 32 rows of A each, two above each other a box of B each.
// CLUSTER: A: [M, K] of bf16, read; its map: boxes of [32, 64], swizzled in 128 bytes
// CLUSTER: B: [K, N] of bf16, read; its map: boxes of [64, 64], swizzled in 128 bytes
// CLUSTER: tma_load_multicast_2d(&sA[use * 4096 + [[COLUMN:.*]] * 2048], &A_map, k0, {{.*}} + [[COLUMN]] * 32, &full[use],
// CLUSTER: tma_load_multicast_2d(&sB[use * 8192 + [[ROW:.*]] * 4096], &B_map,
// CLUSTER-NOT: tma_load_multicast_2d
// CLUSTER: else
// SHARED: random: all 26000 elements of C agree
// SHARED: bytes, predicted and counted

// ROWS: all 111 elements of Y agree

//--- gemm.mlir
!A = memref<?x?xbf16, strided<[?, 1]>>
!C = memref<?x?xf32, strided<[?, 1]>>
!sA = memref<64x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (64,64):(64,1)">, #tile.level<smem>>
!sB = memref<64x128xbf16, #tile.layout<"Sw<3,3,3> o 0 o (64,(64,2)):(64,(1,4096))">, #tile.level<smem>>
!c = memref<64x128xf32, #tile.level<rf>>
!rA = memref<8x1xbf16, #tile.level<rf>>
!rB = memref<1x8xbf16, #tile.level<rf>>
!r = memref<8x8xf32, #tile.level<rf>>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
tile.kernel @gemm(%A: !A[%M, %K], %B: !A[%K, %N], %C: !C[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (64, 128) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (64) at dram pipeline(2) producers(1) {
      %sA = tile.stage %A[%m0, %k0] copy(tma) : !A to !sA
      %sB = tile.stage %B[%k0, %n0] copy(tma) : !A to !sB
      tile.for (%m1, %n1) in (64, 128) by (8, 8) at smem on thread {
        %p = tile.part %c[%m1, %n1] : !c to !r
        tile.for (%k1) in (64) by (1) at smem {
          %a = tile.stage %sA[%m1, %k1] : !sA to !rA
          %b = tile.stage %sB[%k1, %n1] : !sB to !rB
          linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
              ins(%a, %b : !rA, !rB) outs(%p : !r) {
          ^bb0(%x: bf16, %y: bf16, %z: f32):
            %u = arith.extf %x : bf16 to f32
            %v = arith.extf %y : bf16 to f32
            %w = arith.mulf %u, %v : f32
            %s = arith.addf %z, %w : f32
            linalg.yield %s : f32
          }
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !C
  }
}

//--- cluster.mlir
!A = memref<?x?xbf16, strided<[?, 1]>>
!C = memref<?x?xf32, strided<[?, 1]>>
!sA = memref<64x64xbf16, #tile.layout<"Sw<3,3,3> o 0 o (64,64):(64,1)">, #tile.level<smem>>
!sB = memref<64x128xbf16, #tile.layout<"Sw<3,3,3> o 0 o (64,(64,2)):(64,(1,4096))">, #tile.level<smem>>
!c = memref<64x128xf32, #tile.level<rf>>
!rA = memref<8x1xbf16, #tile.level<rf>>
!rB = memref<1x8xbf16, #tile.level<rf>>
!r = memref<8x8xf32, #tile.level<rf>>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
tile.kernel @gemm(%A: !A[%M, %K], %B: !A[%K, %N], %C: !C[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%mc, %nc) in (%M, %N) by (128, 256) at dram on cluster {
    tile.for (%m0, %n0) in (128, 256) by (64, 128) at dram on block {
      %c = tile.hold init(0.0 : f32) : !c
      tile.for (%k0) in (%K) by (64) at dram pipeline(2) producers(1) {
        %sA = tile.stage %A[%mc + %m0, %k0] copy(tma) : !A to !sA
        %sB = tile.stage %B[%k0, %nc + %n0] copy(tma) : !A to !sB
        tile.for (%m1, %n1) in (64, 128) by (8, 8) at smem on thread {
          %p = tile.part %c[%m1, %n1] : !c to !r
          tile.for (%k1) in (64) by (1) at smem {
            %a = tile.stage %sA[%m1, %k1] : !sA to !rA
            %b = tile.stage %sB[%k1, %n1] : !sB to !rB
            linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
                ins(%a, %b : !rA, !rB) outs(%p : !r) {
            ^bb0(%x: bf16, %y: bf16, %z: f32):
              %u = arith.extf %x : bf16 to f32
              %v = arith.extf %y : bf16 to f32
              %w = arith.mulf %u, %v : f32
              %s = arith.addf %z, %w : f32
              linalg.yield %s : f32
            }
          }
        }
      }
      tile.store %c to %C[%mc + %m0, %nc + %n0] : !c to !C
    }
  }
}

//--- rows.mlir
// Sums of rows of matrices, a matrix and 32 of its rows a block.
!X = memref<?x?x?xf32, strided<[?, ?, 1]>>
!Y = memref<?x?xf32>
!s = memref<1x32xCOLSxf32, #tile.layout<"SWIZZLE o 0 o (1,32,COLS):(0,COLS,1)">, #tile.level<smem>>
!x = memref<1x1xCOLSxf32, #tile.level<rf>>
!c = memref<1x32xf32, #tile.level<rf>>
!r = memref<1x1xf32, #tile.level<rf>>
tile.kernel @rows(%X: !X[%L, %M, %N], %Y: !Y[%L, %M], %L: index, %M: index, %N: index) {
  tile.for (%l0, %m0) in (%L, %M) by (1, 32) at dram on block {
    %y = tile.hold init(0.0 : f32) : !c
    tile.for (%n0) in (%N) by (COLS) at dram pipeline(3) producers(1) {
      %s = tile.stage %X[%l0, %m0, %n0] copy(tma) : !X to !s
      tile.for (%m1) in (32) by (1) at smem on thread {
        %x = tile.stage %s[0, %m1, 0] : !s to !x
        %q = tile.part %y[0, %m1] : !c to !r
        linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>],
                        iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : !x) outs(%q : !r) {
        ^bb0(%a: f32, %z: f32):
          %w = arith.addf %a, %z : f32
          linalg.yield %w : f32
        }
      }
    }
    tile.store %y to %Y[%l0, %m0] : !c to !Y
  }
}
