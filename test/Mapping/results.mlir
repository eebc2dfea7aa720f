// Results of one op that know nothing of each other are made by an op each; the place of a greatest element is the least of the places where the greatest is,
// so that both are one launch, and what no element exceeds leaves the place as it was.
// RUN: split-file %s %t
// RUN: tilec %t/place.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=PLACE
// RUN: tilec %t/place.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=AGREES
// RUN: tilec %t/moments.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=MOMENTS
// RUN: tilec %t/moments.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=AGREES
// RUN: tilec %t/both.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=AGREES
// RUN: tilec %t/reduced.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=AGREES
// RUN: not tilec %t/tied.mlir --target=h100 2>&1 | FileCheck %s --check-prefix=TIED
// Of equal elements the first is taken by `ogt` and the last by `oge`; where none is greater than what there was before, the place before stays.
// RUN: %python -c "import sys; sys.path.insert(0, r'%S/../tools'); from npy import write_npy; import pathlib, array; write_npy(pathlib.Path(r'%t') / 'x.npy', '<f4', [4, 5], array.array('f', [3, 7, 7, 1, 7, -1, -1, -2, -1, -9, 0, 0, 0, 0, 0, 1, 0, 2, 0, 2]))"
// RUN: tilec %t/first.mlir --target=h100 --run=cpu --arg x=%t/x.npy --save=result=%t/first.npy
// RUN: sed 's/ogt/oge/' %t/first.mlir > %t/last.mlir
// RUN: tilec %t/last.mlir --target=h100 --run=cpu --arg x=%t/x.npy --save=result=%t/last.npy
// RUN: %python -c "import sys, array, pathlib; sys.path.insert(0, r'%S/../tools'); from npy import read_npy; [print(name, list(array.array('q', read_npy(pathlib.Path(r'%t') / (name + '.npy'))))) for name in ('first', 'last')]" | FileCheck %s --check-prefix=VALUES

// AGREES: agree
// VALUES: first [1, 77, 77, 2]
// VALUES: last [4, 77, 4, 4]
// PLACE: tile.kernel @place(%x: memref<33x70xf32>[33, 70], %result0: memref<33xf32>[33], %result1: memref<33xi64>[33])
// PLACE: reduce(max)
// PLACE: reduce(min)
// PLACE-NOT: tile.kernel
// MOMENTS: tile.kernel
// MOMENTS-NOT: tile.kernel
// TIED: tied.mlir:9:10: error: has 2 results; a mapping is known for one

//--- place.mlir
#i = affine_map<(m, k) -> (m, k)>
#o = affine_map<(m, k) -> (m)>
func.func @place(%x: tensor<33x70xf32>) -> (tensor<33xf32>, tensor<33xi64>) {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<33xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %ei = tensor.empty() : tensor<33xi64>
  %fi = linalg.fill ins(%zero : i64) outs(%ei : tensor<33xi64>) -> tensor<33xi64>
  %r:2 = linalg.generic {indexing_maps = [#i, #o, #o], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<33x70xf32>) outs(%f, %fi : tensor<33xf32>, tensor<33xi64>) {
  ^bb0(%v: f32, %m: f32, %mi: i64):
    %k = linalg.index 1 : index
    %ki = arith.index_cast %k : index to i64
    %mx = arith.maximumf %v, %m : f32
    %c = arith.cmpf ogt, %v, %m : f32
    %s = arith.select %c, %ki, %mi : i64
    linalg.yield %mx, %s : f32, i64
  } -> (tensor<33xf32>, tensor<33xi64>)
  return %r#0, %r#1 : tensor<33xf32>, tensor<33xi64>
}

//--- first.mlir
#i = affine_map<(m, k) -> (m, k)>
#o = affine_map<(m, k) -> (m)>
func.func @first(%x: tensor<4x5xf32>) -> tensor<4xi64> {
  %zero = arith.constant 0.0 : f32
  %no = arith.constant 77 : i64
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %ei = tensor.empty() : tensor<4xi64>
  %fi = linalg.fill ins(%no : i64) outs(%ei : tensor<4xi64>) -> tensor<4xi64>
  %r:2 = linalg.generic {indexing_maps = [#i, #o, #o], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x5xf32>) outs(%f, %fi : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%v: f32, %m: f32, %mi: i64):
    %k = linalg.index 1 : index
    %ki = arith.index_cast %k : index to i64
    %c = arith.cmpf ogt, %v, %m : f32
    %mx = arith.select %c, %v, %m : f32
    %s = arith.select %c, %ki, %mi : i64
    linalg.yield %mx, %s : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %r#1 : tensor<4xi64>
}

//--- moments.mlir
#i = affine_map<(m, k) -> (m, k)>
#o = affine_map<(m, k) -> (m)>
func.func @moments(%x: tensor<33x70xf32>) -> (tensor<33xf32>, tensor<33xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %r:2 = linalg.generic {indexing_maps = [#i, #o, #o], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<33x70xf32>) outs(%f, %f : tensor<33xf32>, tensor<33xf32>) {
  ^bb0(%v: f32, %s: f32, %q: f32):
    %s1 = arith.addf %v, %s : f32
    %v2 = arith.mulf %v, %v : f32
    %q1 = arith.addf %v2, %q : f32
    linalg.yield %s1, %q1 : f32, f32
  } -> (tensor<33xf32>, tensor<33xf32>)
  return %r#0, %r#1 : tensor<33xf32>, tensor<33xf32>
}

//--- both.mlir
#i = affine_map<(m, k) -> (m, k)>
func.func @both(%x: tensor<33x70xf32>) -> (tensor<33x70xf32>, tensor<33x70xf32>) {
  %e = tensor.empty() : tensor<33x70xf32>
  %r:2 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<33x70xf32>) outs(%e, %e : tensor<33x70xf32>, tensor<33x70xf32>) {
  ^bb0(%v: f32, %o: f32, %p: f32):
    %s = math.sin %v : f32
    %c = math.cos %v : f32
    linalg.yield %s, %c : f32, f32
  } -> (tensor<33x70xf32>, tensor<33x70xf32>)
  return %r#0, %r#1 : tensor<33x70xf32>, tensor<33x70xf32>
}

//--- reduced.mlir
func.func @reduced(%x: tensor<8x12xf32>, %y: tensor<8x12xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r:2 = linalg.reduce ins(%x, %y : tensor<8x12xf32>, tensor<8x12xf32>) outs(%f, %f : tensor<8xf32>, tensor<8xf32>) dimensions = [1] (%a: f32, %b: f32, %o: f32, %p: f32) {
    %s = arith.addf %a, %o : f32
    %t = arith.maximumf %b, %p : f32
    linalg.yield %s, %t : f32, f32
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

//--- tied.mlir
#i = affine_map<(m, k) -> (m, k)>
#o = affine_map<(m, k) -> (m)>
func.func @tied(%x: tensor<33x70xf32>) -> (tensor<33xf32>, tensor<33xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>

  // The mean so far, which each of the counts that the other result has moves.
  %r:2 = linalg.generic {indexing_maps = [#i, #o, #o], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<33x70xf32>) outs(%f, %f : tensor<33xf32>, tensor<33xf32>) {
  ^bb0(%v: f32, %n: f32, %mean: f32):
    %one = arith.constant 1.0 : f32
    %n1 = arith.addf %n, %one : f32
    %d = arith.subf %v, %mean : f32
    %q = arith.divf %d, %n1 : f32
    %m1 = arith.addf %mean, %q : f32
    linalg.yield %n1, %m1 : f32, f32
  } -> (tensor<33xf32>, tensor<33xf32>)
  return %r#0, %r#1 : tensor<33xf32>, tensor<33xf32>
}
