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
