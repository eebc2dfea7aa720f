// Arrays of truth values hold bytes: 0 is false, whatever else stands there is true, and 1 is written. A comparison and what is chosen by it are one launch.
// RUN: split-file %s %t
// RUN: tilec %t/mask.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=MASK
// RUN: tilec %t/mask.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=AGREES
// RUN: tilec %t/between.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=AGREES
// RUN: tilec %t/between.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=BETWEEN
// RUN: tilec %t/all.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=AGREES
// RUN: tilec %t/memrefs.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=AGREES
// RUN: %python -c "import sys; sys.path.insert(0, r'%S/../tools'); from npy import write_npy; import pathlib; d = pathlib.Path(r'%t'); import array; write_npy(d / 'x.npy', '<f4', [2, 3], array.array('f', [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])); write_npy(d / 'm.npy', '|i1', [2, 3], array.array('b', [0, 1, 2, -1, 0, -128]))"
// RUN: tilec %t/small.mlir --target=h100 --run=cpu --arg x=%t/x.npy --arg mask=%t/m.npy --save=result=%t/r.npy
// RUN: %python -c "import sys, array, pathlib; sys.path.insert(0, r'%S/../tools'); from npy import read_npy; print(list(array.array('f', read_npy(pathlib.Path(r'%t') / 'r.npy'))))" | FileCheck %s --check-prefix=VALUES

// VALUES: [0.0, 2.0, 3.0, 4.0, 0.0, 6.0]
// AGREES: agree
// MASK: tile.kernel @masked(%x: memref<33x70xf32>[33, 70], %mask: memref<33x70xi8>[33, 70], %result: memref<33x70xf32>[33, 70])
// MASK: arith.cmpi ne
// BETWEEN: tile.kernel @between(%x: memref<33x70xf32>[33, 70], %y: memref<33x70xf32>[33, 70], %result: memref<33x70xf32>[33, 70])
// BETWEEN-NOT: tile.kernel

//--- mask.mlir
#i = affine_map<(m, k) -> (m, k)>
func.func @masked(%x: tensor<33x70xf32>, %mask: tensor<33x70xi1>) -> tensor<33x70xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x70xf32>
  %r = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel", "parallel"]} ins(%mask, %x : tensor<33x70xi1>, tensor<33x70xf32>) outs(%e : tensor<33x70xf32>) {
  ^bb0(%b: i1, %v: f32, %o: f32):
    %s = arith.select %b, %v, %zero : f32
    linalg.yield %s : f32
  } -> tensor<33x70xf32>
  return %r : tensor<33x70xf32>
}

//--- small.mlir
#i = affine_map<(m, k) -> (m, k)>
func.func @small(%x: tensor<2x3xf32>, %mask: tensor<2x3xi1>) -> tensor<2x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3xf32>
  %r = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel", "parallel"]} ins(%mask, %x : tensor<2x3xi1>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%b: i1, %v: f32, %o: f32):
    %s = arith.select %b, %v, %zero : f32
    linalg.yield %s : f32
  } -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

//--- between.mlir
#i = affine_map<(m, k) -> (m, k)>
func.func @between(%x: tensor<33x70xf32>, %y: tensor<33x70xf32>) -> tensor<33x70xf32> {
  %flags = tensor.empty() : tensor<33x70xi1>
  %b = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<33x70xf32>, tensor<33x70xf32>) outs(%flags : tensor<33x70xi1>) {
  ^bb0(%v: f32, %w: f32, %o: i1):
    %c = arith.cmpf ogt, %v, %w : f32
    linalg.yield %c : i1
  } -> tensor<33x70xi1>
  %e = tensor.empty() : tensor<33x70xf32>
  %r = linalg.generic {indexing_maps = [#i, #i, #i, #i], iterator_types = ["parallel", "parallel"]} ins(%b, %x, %y : tensor<33x70xi1>, tensor<33x70xf32>, tensor<33x70xf32>) outs(%e : tensor<33x70xf32>) {
  ^bb0(%c: i1, %v: f32, %w: f32, %o: f32):
    %s = arith.select %c, %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<33x70xf32>
  return %r : tensor<33x70xf32>
}

//--- all.mlir
func.func @all(%x: tensor<33x70xi1>) -> tensor<33xi1> {
  %true = arith.constant true
  %e = tensor.empty() : tensor<33xi1>
  %f = linalg.fill ins(%true : i1) outs(%e : tensor<33xi1>) -> tensor<33xi1>
  %r = linalg.reduce { arith.andi } ins(%x : tensor<33x70xi1>) outs(%f : tensor<33xi1>) dimensions = [1]
  return %r : tensor<33xi1>
}

//--- memrefs.mlir
#i = affine_map<(m, k) -> (m, k)>
func.func @negated(%x: memref<33x70xi1>, %r: memref<33x70xi1>) {
  %true = arith.constant true
  linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel", "parallel"]} ins(%x : memref<33x70xi1>) outs(%r : memref<33x70xi1>) {
  ^bb0(%v: i1, %o: i1):
    %n = arith.xori %v, %true : i1
    linalg.yield %n : i1
  }
  return
}
