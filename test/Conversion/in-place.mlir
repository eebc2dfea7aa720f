// Elements of a held tile that a later computation makes anew at their places, part by part, go to the same places of the result: what a product computes for
// absent ones nobody stores, and no question is asked in its loop. Elements that it moves to other places may be stored: there the product leaves absent ones out.
// RUN: split-file %s %t
// RUN: tilec %t/stays.mlir --target=sm80 --emit=cuda -o %t/stays.cu && FileCheck %s --check-prefix=STAYS --input-file=%t/stays.cu
// RUN: tilec %t/moves.mlir --target=sm80 --emit=cuda -o %t/moves.cu && FileCheck %s --check-prefix=MOVES --input-file=%t/moves.cu
// RUN: tilec %t/stays.mlir --target=sm80 --run=cpu --verify --shape=M=45,N=39,K=21 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/moves.mlir --target=sm80 --run=cpu --verify --shape=M=45,N=39,K=21 | FileCheck %s --check-prefix=RAN
// RAN: integers: all {{[0-9]+}} elements of C agree, largest error 0

// STAYS: for (int k1 =
// STAYS-NOT: if (
// STAYS: tC{{.*}} += {{.*}} * {{.*}};
//--- stays.mlir
!G = memref<?x?xf32, strided<[?, 1]>>
!r = memref<32x32xf32, #tile.level<rf>>
!q = memref<2x2xf32, #tile.level<rf>>
tile.kernel @stays(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 32) at dram on block {
    %tC = tile.hold init(0.0 : f32) : !r
    tile.for (%k0) in (%K) by (16) at dram {
      %sA = tile.stage %A[%m0, %k0] : !G to memref<32x16xf32, #tile.level<smem>>
      %sB = tile.stage %B[%k0, %n0] : !G to memref<16x32xf32, #tile.level<smem>>
      tile.for (%k1) in (16) by (1) at smem {
        %rA = tile.stage %sA[0, %k1] : memref<32x16xf32, #tile.level<smem>> to memref<32x1xf32, #tile.level<rf>>
        %rB = tile.stage %sB[%k1, 0] : memref<16x32xf32, #tile.level<smem>> to memref<1x32xf32, #tile.level<rf>>
        tile.for (%m, %n) in (32, 32) by (2, 2) at rf on thread {
          %qA = tile.part %rA[%m, 0] : memref<32x1xf32, #tile.level<rf>> to memref<2x1xf32, #tile.level<rf>>
          %qB = tile.part %rB[0, %n] : memref<1x32xf32, #tile.level<rf>> to memref<1x2xf32, #tile.level<rf>>
          %qC = tile.part %tC[%m, %n] : !r to !q
          linalg.matmul ins(%qA, %qB : memref<2x1xf32, #tile.level<rf>>, memref<1x2xf32, #tile.level<rf>>) outs(%qC : !q)
        }
      }
    }
    tile.for (%m, %n) in (32, 32) by (2, 2) at rf on thread {
      %qC = tile.part %tC[%m, %n] : !r to !q
      linalg.mul ins(%qC, %qC : !q, !q) outs(%qC : !q)
    }
    tile.store %tC to %C[%m0, %n0] : !r to !G
  }
}

// MOVES: for (int k1 =
// MOVES: if (
// MOVES: tC{{.*}} += {{.*}} * {{.*}};
//--- moves.mlir
!G = memref<?x?xf32, strided<[?, 1]>>
!r = memref<32x32xf32, #tile.level<rf>>
!q = memref<2x2xf32, #tile.level<rf>>
tile.kernel @moves(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 32) at dram on block {
    %tC = tile.hold init(0.0 : f32) : !r
    %tD = tile.hold init(0.0 : f32) : !r
    tile.for (%k0) in (%K) by (16) at dram {
      %sA = tile.stage %A[%m0, %k0] : !G to memref<32x16xf32, #tile.level<smem>>
      %sB = tile.stage %B[%k0, %n0] : !G to memref<16x32xf32, #tile.level<smem>>
      tile.for (%k1) in (16) by (1) at smem {
        %rA = tile.stage %sA[0, %k1] : memref<32x16xf32, #tile.level<smem>> to memref<32x1xf32, #tile.level<rf>>
        %rB = tile.stage %sB[%k1, 0] : memref<16x32xf32, #tile.level<smem>> to memref<1x32xf32, #tile.level<rf>>
        tile.for (%m, %n) in (32, 32) by (2, 2) at rf on thread {
          %qA = tile.part %rA[%m, 0] : memref<32x1xf32, #tile.level<rf>> to memref<2x1xf32, #tile.level<rf>>
          %qB = tile.part %rB[0, %n] : memref<1x32xf32, #tile.level<rf>> to memref<1x2xf32, #tile.level<rf>>
          %qC = tile.part %tC[%m, %n] : !r to !q
          linalg.matmul ins(%qA, %qB : memref<2x1xf32, #tile.level<rf>>, memref<1x2xf32, #tile.level<rf>>) outs(%qC : !q)
        }
      }
    }
    tile.for (%m, %n) in (32, 32) by (2, 2) at rf on thread {
      %qC = tile.part %tC[%m, %n] : !r to !q
      %qD = tile.part %tD[%m, %n] : !r to !q
      linalg.transpose ins(%qC : !q) outs(%qD : !q) permutation = [1, 0]
    }
    tile.store %tD to %C[%m0, %n0] : !r to !G
  }
}
