// Sums of few results are cut among all blocks; few columns are taken by rows of threads. Each section is a file of its own.
// REQUIRES: host-compiler
// RUN: split-file %s %t
// RUN: tilec %t/total.mlir --target=h100 --shape=N=67108864 --emit=nest -o %t.total.mlir && FileCheck %s --check-prefix=TOTAL < %t.total.mlir
// RUN: tilec %t.total.mlir --target=h100 --shape=N=1000003 --run=cpu --verify | FileCheck %s --check-prefix=TOTAL-DONE
// RUN: tilec %t/columns.mlir --target=h100 --shape=M=1048576,N=64 --emit=nest -o %t.columns.mlir && FileCheck %s --check-prefix=COLUMNS < %t.columns.mlir
// RUN: tilec %t.columns.mlir --target=h100 --shape=M=5003,N=70 --run=cpu --verify | FileCheck %s --check-prefix=COLUMNS-DONE
// RUN: tilec %t/columns.mlir --target=h100 --shape=M=8192,N=8192 --emit=nest | FileCheck %s --check-prefix=MANY
// RUN: tilec %t/most.mlir --target=h100 --shape=N=67108864 --emit=nest | FileCheck %s --check-prefix=MOST
// RUN: tilec %t/planes.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=PLANES
// RUN: tilec %t/planes.mlir --target=h100 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=PLANES-DONE

// RUN: tilec %t/vector.mlir --target=h200 --shape=M=1,N=4096,K=14336 --emit=nest | FileCheck %s --check-prefix=VECTOR
// RUN: tilec %t/vector.mlir --target=h200 --shape=M=1,N=4096,K=14336 --emit=nest | tilec - --target=h200 --shape=M=1,N=515,K=1003 --run=cpu --verify | FileCheck %s --check-prefix=VECTOR-DONE
// RUN: tilec %t/matrix.mlir --target=h200 --shape=M=1,N=14336,K=4096 --emit=nest | FileCheck %s --check-prefix=MATRIX
// RUN: tilec %t/matrix.mlir --target=h200 --shape=M=16384,N=1,K=4096 --emit=nest | FileCheck %s --check-prefix=MATRIX

// TOTAL: on block persistent
// TOTAL: tail(cut)
// TOTAL: on thread reduce(add)
// TOTAL-DONE: random: all 1 elements of S agree
//--- total.mlir
tile.kernel @total(%X: memref<?xf32>[%N], %S: memref<1xf32>[1], %N: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%S : memref<1xf32>)
  linalg.generic {indexing_maps = [affine_map<(j, i) -> (i)>, affine_map<(j, i) -> (j)>], iterator_types = ["parallel", "reduction"]} ins(%X : memref<?xf32>) outs(%S : memref<1xf32>) {
  ^bb0(%x: f32, %s: f32):
    %r = arith.addf %s, %x : f32
    linalg.yield %r : f32
  }
}

// COLUMNS: tail(cut)
// COLUMNS: tile.for (%{{.*}}, %{{.*}}) in ({{.*}}) by (1, {{[124]}}) at dram on thread reduce(add)
// COLUMNS-DONE: random: all 70 elements of S agree
// Where there are many columns blocks of clusters share their rows.
// MANY: on cluster
// MANY: on block reduce(add)
//--- columns.mlir
tile.kernel @columns(%X: memref<?x?xf32>[%M, %N], %S: memref<?xf32>[%N], %M: index, %N: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%S : memref<?xf32>)
  linalg.reduce ins(%X : memref<?x?xf32>) outs(%S : memref<?xf32>) dimensions = [0] (%x: f32, %s: f32) {
    %r = arith.addf %s, %x : f32
    linalg.yield %r : f32
  }
}

// What is cut is added up, so that a maximum is not.
// MOST-NOT: tail(cut)
// MOST: reduce(max)
//--- most.mlir
tile.kernel @most(%X: memref<?xf32>[%N], %S: memref<1xf32>[1], %N: index) {
  %least = arith.constant 0xFF800000 : f32
  linalg.fill ins(%least : f32) outs(%S : memref<1xf32>)
  linalg.generic {indexing_maps = [affine_map<(j, i) -> (i)>, affine_map<(j, i) -> (j)>], iterator_types = ["parallel", "reduction"]} ins(%X : memref<?xf32>) outs(%S : memref<1xf32>) {
  ^bb0(%x: f32, %s: f32):
    %r = arith.maximumf %s, %x : f32
    linalg.yield %r : f32
  }
}

// Threads that a line of 11 leaves without work take other images.
// PLANES: tile.for (%{{.*}}, %{{.*}}) in ({{[0-9]+}}, 16) by (1, {{[0-9]+}}) at dram on thread reduce(add)
// PLANES-DONE: integers: all 6 elements of S agree, largest error 0
//--- planes.mlir
!X = memref<9x6x11xf32, strided<[77, 12, 1]>>
tile.kernel @planes(%X: !X[9, 6, 11], %S: memref<6xf32>[6]) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%S : memref<6xf32>)
  linalg.reduce ins(%X : !X) outs(%S : memref<6xf32>) dimensions = [0, 2] (%x: f32, %s: f32) {
    %r = arith.addf %s, %x : f32
    linalg.yield %r : f32
  }
}

// A product of one row is no product of tiles: the matrix is read once, along its rows by rows of threads in vectors, and its depth is cut among all blocks.
// VECTOR: at dram on block persistent
// VECTOR: tail(cut)
// VECTOR: at dram on thread reduce(add)
// VECTOR: tile.stage %B[{{.*}}] : memref<?x?xf16> to memref<1x{{[48]}}xf16, #tile.level<rf>>
// VECTOR-DONE: random: all 515 elements of C agree
//--- vector.mlir
tile.kernel @vector(%A: memref<?x?xf16>[%M, %K], %B: memref<?x?xf16>[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<?x?xf32>)
  linalg.matmul ins(%A, %B : memref<?x?xf16>, memref<?x?xf16>) outs(%C : memref<?x?xf32>)
}

// Where the depth lies along rows of the larger operand, blocks share what a row adds up to, whichever operand that is.
// MATRIX-NOT: on warp
// MATRIX: at dram on thread reduce(add)
//--- matrix.mlir
tile.kernel @matrix(%A: memref<?x?xf16>[%M, %K], %B: memref<?x?xf16>[%N, %K], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<?x?xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%A, %B : memref<?x?xf16>, memref<?x?xf16>) outs(%C : memref<?x?xf32>)
}
