// Functions that name arrays by other extents: programs give views of them to kernels. What reduces all of an array is a view of one element. Each section is a file of its own.
// REQUIRES: host-compiler
// RUN: split-file %s %t
// RUN: tilec %t/heads.mlir --target=h100 --shape=x0=3,x1=37 --emit=nest | FileCheck %s --check-prefix=HEADS
// RUN: tilec %t/heads.mlir --target=h100 --shape=x0=3,x1=37 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=HEADS-DONE
// RUN: tilec %t/classify.mlir --target=h100 --shape=x0=11 --emit=nest | FileCheck %s --check-prefix=CLASSIFY
// RUN: tilec %t/classify.mlir --target=h100 --shape=x0=11 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=CLASSIFY-DONE
// RUN: tilec %t/alias.mlir --target=h100 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=ALIAS
// RUN: tilec %t/loss.mlir --target=h100 --shape=x0=5003 --emit=nest | FileCheck %s --check-prefix=LOSS
// RUN: tilec %t/loss.mlir --target=h100 --shape=x0=5003 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=LOSS-DONE
// RUN: not tilec %t/product.mlir --target=h100 2>&1 | FileCheck %s --check-prefix=PRODUCT

// Extents of dimensions that stay are sizes, those that are parted are numbers.
// HEADS: tile.kernel @heads_0(
// HEADS: tile.program @heads(%x: memref<?x?x96xf32>[%x0, %x1, 96], %result: memref<?x6x?x16xf32>[%x0, 6, %x1, 16], %x0: index, %x1: index)
// HEADS-NEXT: %[[H:.*]] = memref.expand_shape %x {{\[\[}}0], [1], [2, 3]] output_shape [%x0, %x1, 6, 16] : memref<?x?x96xf32> into memref<?x?x6x16xf32>
// HEADS-NEXT: tile.run @heads_0(%{{.*}}%[[H]]
// HEADS-DONE: all launches: integers: all 10656 elements of result agree, largest error 0
// HEADS-DONE: all launches: random: all 10656 elements of result agree, largest error 0
//--- heads.mlir
func.func @heads(%x: tensor<?x?x96xf32>) -> tensor<?x6x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x96xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x96xf32>
  %h = tensor.expand_shape %x [[0],[1],[2,3]] output_shape [%b, %s, 6, 16] : tensor<?x?x96xf32> into tensor<?x?x6x16xf32>
  %e = tensor.empty(%b, %s) : tensor<?x6x?x16xf32>
  %t = linalg.transpose ins(%h : tensor<?x?x6x16xf32>) outs(%e : tensor<?x6x?x16xf32>) permutation = [0, 2, 1, 3]
  return %t : tensor<?x6x?x16xf32>
}

// What is returned by other extents is written by those that it is made with.
// CLASSIFY: tile.kernel @classify_0
// CLASSIFY: tile.program @classify(%x: memref<?x8x7x7xf32>[%x0, 8, 7, 7], %w: memref<392x10xf32>[392, 10], %result: memref<?x2x5xf32>[%x0, 2, 5], %x0: index)
// CLASSIFY-DAG: memref.collapse_shape %result {{\[\[}}0], [1, 2]] : memref<?x2x5xf32> into memref<?x10xf32>
// CLASSIFY-DAG: memref.collapse_shape %x {{\[\[}}0], [1, 2, 3]] : memref<?x8x7x7xf32> into memref<?x392xf32>
// CLASSIFY-DONE: all launches: integers: all 110 elements of result agree, largest error 0
// CLASSIFY-DONE: all launches: random: all 110 elements of result agree
//--- classify.mlir
func.func @classify(%x: tensor<?x8x7x7xf32>, %w: tensor<392x10xf32>) -> tensor<?x2x5xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x8x7x7xf32>
  %f = tensor.collapse_shape %x [[0],[1,2,3]] : tensor<?x8x7x7xf32> into tensor<?x392xf32>
  %e = tensor.empty(%b) : tensor<?x10xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x10xf32>) -> tensor<?x10xf32>
  %p = linalg.matmul ins(%f, %w : tensor<?x392xf32>, tensor<392x10xf32>) outs(%z : tensor<?x10xf32>) -> tensor<?x10xf32>
  %r = linalg.abs ins(%p : tensor<?x10xf32>) outs(%e : tensor<?x10xf32>) -> tensor<?x10xf32>
  %o = tensor.expand_shape %r [[0],[1,2]] output_shape [%b, 2, 5] : tensor<?x10xf32> into tensor<?x2x5xf32>
  return %o : tensor<?x2x5xf32>
}

// Who reads by one name what another has written by another is no part of its launch.
// ALIAS: alias in 2 launches on the emulator
// ALIAS: all launches: integers: all 96 elements of y agree
// ALIAS: all launches: integers: all 96 elements of z agree
//--- alias.mlir
func.func @alias(%x: memref<8x12xf32>, %y: memref<96xf32>, %z: memref<96xf32>) {
  %v = memref.expand_shape %y [[0, 1]] output_shape [8, 12] : memref<96xf32> into memref<8x12xf32>
  linalg.abs ins(%x : memref<8x12xf32>) outs(%v : memref<8x12xf32>)
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%y : memref<96xf32>) outs(%z : memref<96xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  return
}

// LOSS: tile.program @loss(%x: memref<?xf32>[%x0], %y: memref<?xf32>[%x0], %result: memref<f32>, %x0: index)
// LOSS: memref.expand_shape %result [] output_shape [1] : memref<f32> into memref<1xf32>
// LOSS-DONE: all launches: random: all 1 elements of result agree
//--- loss.mlir
func.func @loss(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>, affine_map<(i)->()>], iterator_types = ["reduction"]} ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %q = arith.mulf %d, %d : f32
    %t = arith.addf %c, %q : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<()->()>, affine_map<()->()>], iterator_types = []} ins(%s : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %q = math.sqrt %a : f32
    linalg.yield %q : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// PRODUCT: error: {{.*}}has a product of sizes for extent of dimension 0; what a kernel without loops merges are dimensions whose extents are numbers (rule C4)
//--- product.mlir
func.func @product(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  %v = memref.collapse_shape %x [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  linalg.exp ins(%v : memref<?xf32>) outs(%y : memref<?xf32>)
  return
}
