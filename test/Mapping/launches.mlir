// Functions and kernels of several computations become programs; products of odd rows get copies with aligned ones. Each section is a file of its own.
// REQUIRES: host-compiler
// RUN: split-file %s %t
// RUN: tilec %t/mlp.mlir --target=h100 --shape=x0=4096,x1=1024,w11=4096,w21=1024 --emit=nest | FileCheck %s --check-prefix=MLP
// RUN: tilec %t/mlp.mlir --target=h100 --shape=x0=70,x1=33,w11=45,w21=17 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=MLP-DONE
// RUN: tilec %t/mlp.mlir --target=h100 --shape=x0=4096,x1=1024,w11=4096,w21=1024 --emit=nest | tilec - --target=h100 --shape=x0=4096,x1=1024,w11=4096,w21=1024 --emit=report 2>/dev/null | FileCheck %s --check-prefix=MLP-REPORT
// RUN: tilec %t/same.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=SAME
// RUN: tilec %t/same.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=TURNS
// RUN: tilec %t/same.mlir --target=h100 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=SAME-DONE
// RUN: tilec %t/rows.mlir --target=h100 --shape=M=4095,N=4097,K=1001 --emit=nest | FileCheck %s --check-prefix=ROWS
// RUN: tilec %t/rows.mlir --target=h100 --shape=M=4096,N=4096,K=1024 --emit=nest | FileCheck %s --check-prefix=WHOLE
// RUN: tilec %t/rows.mlir --target=h100 --shape=M=4095,N=4097,K=1001 --emit=nest | tilec - --target=h100 --shape=M=70,N=41,K=33 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=ROWS-DONE
// RUN: tilec %t/normalize.mlir --target=h100 --shape=x0=37,x1=300 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=NORMALIZE
// RUN: tilec %t/softmax.mlir --target=h100 --shape=x0=37,x1=300 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=NORMALIZE
// RUN: tilec %t/first.mlir --target=h100 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: tilec %t/read.mlir --target=h100 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=READ
// RUN: tilec %t/unwritten.mlir --target=h100 --emit=nest 2>&1 | FileCheck %s --check-prefix=UNWRITTEN

// Two products with what follows each element by element are two launches, and what is between them is an array.
// MLP: tile.kernel @mlp_0(
// MLP: arith.maximumf
// MLP: tile.kernel @mlp_1(
// MLP: tile.program @mlp(%x: memref<?x?xf32>[%x0, %x1], %w1: memref<?x?xf32>[%x1, %w11], %b1: memref<?xf32>[%w11], %w2: memref<?x?xf32>[%w11, %w21], %b2: memref<?xf32>[%w21], %result: memref<?x?xf32>[%x0, %w21], %x0: index, %x1: index, %w11: index, %w21: index)
// MLP-NEXT: %[[H:.*]] = tile.workspace [%x0, %w11] : memref<?x?xf32>
// MLP-NEXT: tile.run @mlp_0(%x, %w1, %b1, %[[H]], %x0, %x1, %w11)
// MLP-NEXT: tile.run @mlp_1(%w2, %b2, %result, %[[H]], %x0, %w11, %w21)
// Each launch is held against its nest, and all of them against the function.
// MLP-DONE: mlp in 2 launches on the emulator
// MLP-DONE: launch 1, mlp_0: integers: all 3150 elements of {{.*}} agree, largest error 0
// MLP-DONE: launch 2, mlp_1: integers: all 1190 elements of result agree, largest error 0
// MLP-DONE: all launches: integers: all 1190 elements of result agree, largest error 0
// MLP-DONE: all launches: random: all 1190 elements of result agree
// 4096 x 4096 elements of 4 bytes.
// MLP-REPORT: mlp on h100-sxm, x0 = 4096, x1 = 1024, w11 = 4096, w21 = 1024: 2 launches
// MLP-REPORT: mlp_0(x, w1, b1, {{.*}}), x0 = 4096, x1 = 1024, w11 = 4096
// MLP-REPORT: mlp_1(w2, b2, result, {{.*}}), x0 = 4096, w11 = 4096, w21 = 1024
// MLP-REPORT: workspace {{.*}}: 67108864 bytes
//--- mlp.mlir
func.func @mlp(%x: tensor<?x?xf32>, %w1: tensor<?x?xf32>, %b1: tensor<?xf32>, %w2: tensor<?x?xf32>, %b2: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %h = tensor.dim %w1, %c1 : tensor<?x?xf32>
  %n = tensor.dim %w2, %c1 : tensor<?x?xf32>
  %e1 = tensor.empty(%m, %h) : tensor<?x?xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p1 = linalg.matmul ins(%x, %w1 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f1 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%p1, %b1 : tensor<?x?xf32>, tensor<?xf32>) outs(%e1 : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %e2 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p2 = linalg.matmul ins(%r1, %w2 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%p2, %b2 : tensor<?x?xf32>, tensor<?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r2 : tensor<?x?xf32>
}

// Of three arrays between launches the third lies where the first did, which nobody reads any more.
// TURNS: %[[A:.*]] = tile.workspace
// TURNS: tile.run @same_0(%{{.*}}, %{{.*}}, %[[A]])
// TURNS: %[[B:.*]] = tile.workspace
// TURNS: tile.run @same_1(%{{.*}}, %[[A]], %[[B]])
// TURNS-NOT: tile.workspace
// TURNS: tile.run @same_2(%{{.*}}, %[[B]], %[[A]])
// TURNS: tile.run @same_3(%{{.*}}, %result, %[[A]])
// The second launch and the last compute the same from arrays of other names: they are mapped once, and each nest has its own names.
// SAME: tile.kernel @same_1(%w1: memref<36x36xf32>[36, 36], %[[FROM:.*]]: memref<40x36xf32>[40, 36], %[[TO:.*]]: memref<40x36xf32>[40, 36])
// SAME: tile.for {{.*}} in (40, 36) by ([[M:[0-9]+]], [[N:[0-9]+]]) at dram on block
// SAME: tile.stage %[[FROM]][
// SAME: tile.stage %w1[
// SAME: tile.kernel @same_3(%w3: memref<36x36xf32>[36, 36], %result: memref<40x36xf32>[40, 36], %[[LAST:.*]]: memref<40x36xf32>[40, 36])
// SAME: tile.for {{.*}} in (40, 36) by ([[M]], [[N]]) at dram on block
// SAME: tile.stage %[[LAST]][
// SAME: tile.stage %w3[
// SAME-DONE: all launches: integers: all 1440 elements of result agree, largest error 0
//--- same.mlir
func.func @same(%x: tensor<40x36xf32>, %w0: tensor<36x36xf32>, %w1: tensor<36x36xf32>, %w2: tensor<36x36xf32>, %w3: tensor<36x36xf32>) -> tensor<40x36xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x36xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e : tensor<40x36xf32>) -> tensor<40x36xf32>
  %p0 = linalg.matmul ins(%x, %w0 : tensor<40x36xf32>, tensor<36x36xf32>) outs(%f0 : tensor<40x36xf32>) -> tensor<40x36xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e : tensor<40x36xf32>) -> tensor<40x36xf32>
  %p1 = linalg.matmul ins(%p0, %w1 : tensor<40x36xf32>, tensor<36x36xf32>) outs(%f1 : tensor<40x36xf32>) -> tensor<40x36xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e : tensor<40x36xf32>) -> tensor<40x36xf32>
  %p2 = linalg.matmul ins(%p1, %w2 : tensor<40x36xf32>, tensor<36x36xf32>) outs(%f2 : tensor<40x36xf32>) -> tensor<40x36xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e : tensor<40x36xf32>) -> tensor<40x36xf32>
  %p3 = linalg.matmul ins(%p2, %w3 : tensor<40x36xf32>, tensor<36x36xf32>) outs(%f3 : tensor<40x36xf32>) -> tensor<40x36xf32>
  return %p3 : tensor<40x36xf32>
}

// Rows of 1001 and 4097 elements of two bytes begin anywhere: TMA takes copies of the operands with rows of whole lines.
// ROWS: tile.program @product
// ROWS: %[[A:.*]] = tile.workspace [%M, %K] rows(128) : memref<?x?xbf16, strided<[?, 1]>>
// ROWS: tile.run @product_rows0(%A, %[[A]], %M, %K)
// ROWS: %[[B:.*]] = tile.workspace [%K, %N] rows(128) : memref<?x?xbf16, strided<[?, 1]>>
// ROWS: tile.run @product_rows1(%B, %[[B]], %K, %N)
// ROWS: tile.run @product_rest(%[[A]], %[[B]], %C, %M, %N, %K)
// WHOLE-NOT: tile.program
// ROWS-DONE: product in 3 launches on the emulator, M=70, N=41, K=33
// ROWS-DONE: launch 3, product_rest: integers: all 2870 elements of C agree, largest error 0
// ROWS-DONE: launch 3, product_rest: random: all 2870 elements of C agree
//--- rows.mlir
!G = memref<?x?xbf16>
!C = memref<?x?xf32>
tile.kernel @product(%A: !G[%M, %K], %B: !G[%K, %N], %C: !C[%M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : !C)
  linalg.matmul ins(%A, %B : !G, !G) outs(%C : !C)
}

// The named op is the same.
//--- softmax.mlir
func.func @normalize(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// The largest of each row, exponentials, their sums, quotients: rows that one launch reduces.
// NORMALIZE: {{^}}normalize on the emulator
// NORMALIZE: integers: all 11100 elements of result agree
// NORMALIZE: random: all 11100 elements of result agree
//--- normalize.mlir
func.func @normalize(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %er = tensor.empty(%m) : tensor<?xf32>
  %ex = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<?x?xf32>) outs(%fm : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %exp = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%ex : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%exp : tensor<?x?xf32>) outs(%fs : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %res = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%exp, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%ex : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %res : tensor<?x?xf32>
}

// What a product reads may be computed ahead of it.
// FIRST: first in 2 launches on the emulator
// FIRST: all launches: integers: all 4096 elements of C agree, largest error 0
//--- first.mlir
!G = memref<64x64xf32>
tile.kernel @first(%A: !G[64, 64], %B: !G[64, 64], %C: !G[64, 64]) {
  %T = memref.alloc() : !G
  linalg.abs ins(%A : !G) outs(%T : !G)
  linalg.matmul ins(%T, %B : !G, !G) outs(%C : !G)
}

// UNWRITTEN: warning: reads a workspace that no run before it writes
// UNWRITTEN: note: the workspace
//--- unwritten.mlir
!G = memref<64x64xf32>
tile.kernel @unwritten(%A: !G[64, 64], %B: !G[64, 64], %C: !G[64, 64]) {
  %T = memref.alloc() : !G
  linalg.matmul ins(%A, %B : !G, !G) outs(%T : !G)
  linalg.matmul ins(%T, %B : !G, !G) outs(%C : !G)
}

// READ: read in 2 launches on the emulator
// READ: all launches: random: all 4096 elements of C agree
//--- read.mlir
!G = memref<64x64xf32>
tile.kernel @read(%C: !G[64, 64]) {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%C : !G)
  linalg.exp ins(%C : !G) outs(%C : !G)
}
