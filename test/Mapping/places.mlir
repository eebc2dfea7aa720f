// Slices at places that the function computes: bodies compute where elements are. Each section is a file of its own.
// RUN: split-file %s %t
// RUN: tilec %t/cache.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=CACHE
// RUN: tilec %t/cache.mlir --target=h200 --run=cpu --verify --arg at=5 | FileCheck %s --check-prefix=CACHE-RAN
// RUN: tilec %t/rows.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=ROWS
// RUN: tilec %t/rows.mlir --target=h200 --run=cpu --verify --arg at=37 | FileCheck %s --check-prefix=ROWS-RAN
// RUN: tilec %t/put.mlir --target=h200 --run=cpu --verify --arg at=3 | FileCheck %s --check-prefix=PUT-RAN
// RUN: tilec %t/chosen.mlir --target=h200 --run=cpu --verify --arg at=3 | FileCheck %s --check-prefix=CHOSEN-RAN
// RUN: tilec %t/row.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=ROW
// RUN: tilec %t/known.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=KNOWN
// RUN: tilec %t/unread.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=UNREAD

// The row of a token goes into a cache, which a step reads as it then is: one launch. An index is a number of 64 bits to the launcher.
// CACHE: tile.kernel @cache(%new: memref<1x8x16xf32>[1, 8, 16], %old: memref<24x8x16xf32>[24, 8, 16], %at: i64, %result0: memref<24x8x16xf32>[24, 8, 16], %result1: memref<24x8xf32>[24, 8])
// CACHE: arith.index_cast %at : i64 to index
// CACHE: arith.cmpi eq
// CACHE: arith.select
// CACHE-RAN: cache on the emulator
// CACHE-RAN: integers: all 3072 elements of result0 agree, largest error 0
// CACHE-RAN: integers: all 192 elements of result1 agree, largest error 0
//--- cache.mlir
func.func @cache(%new: tensor<1x8x16xf32>, %old: tensor<24x8x16xf32>, %at: index) -> (tensor<24x8x16xf32>, tensor<24x8xf32>) {
  %cache = tensor.insert_slice %new into %old[%at, 0, 0] [1, 8, 16] [1, 1, 1] : tensor<1x8x16xf32> into tensor<24x8x16xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  %sums = linalg.reduce ins(%cache : tensor<24x8x16xf32>) outs(%f : tensor<24x8xf32>) dimensions = [2]
    (%a: f32, %s: f32) {
      %t = arith.addf %a, %s : f32
      linalg.yield %t : f32
    }
  return %cache, %sums : tensor<24x8x16xf32>, tensor<24x8xf32>
}

// Four rows from a place that an element says, which JAX keeps within the array: the numbers of the rows, and a gather of 8 neighbours a thread.
// ROWS: tile.kernel @rows_part0{{.*}}memref<4xi64>
// ROWS: tile.kernel @rows_gather1
// ROWS: tile.stage %x[%{{.*}} + %{{.*}}, %{{.*}} + %{{.*}}] gather(%{{.*}} : memref<4xi64> along 0) : memref<40x64xf16> to memref<1x8xf16, #tile.level<rf>>
// ROWS-RAN: launch 2, rows_gather1: integers: all 256 elements of {{.*}} agree, largest error 0
//--- rows.mlir
func.func @rows(%x: tensor<40x64xf16>, %at: i32) -> tensor<4x64xf16> {
  %c0 = arith.constant 0 : i32
  %c36 = arith.constant 36 : i32
  %least = arith.maxsi %at, %c0 : i32
  %most = arith.minsi %least, %c36 : i32
  %row = arith.index_cast %most : i32 to index
  %r = tensor.extract_slice %x[%row, 0] [4, 64] [1, 1] : tensor<40x64xf16> to tensor<4x64xf16>
  return %r : tensor<4x64xf16>
}

// Several elements along a dimension, every other one, of which the slice has not the other dimension.
// PUT-RAN: launch 3, put_part2: integers: all 120 elements of {{.*}} agree, largest error 0
//--- put.mlir
func.func @put(%x: tensor<12x10xf32>, %y: tensor<4xf32>, %at: i64) -> tensor<12x10xf32> {
  %row = arith.index_cast %at : i64 to index
  %c7 = arith.constant 7 : index
  %r = tensor.insert_slice %y into %x[%row, %c7] [4, 1] [2, 1] : tensor<4xf32> into tensor<12x10xf32>
  return %r : tensor<12x10xf32>
}

// An index that bodies of a function on memrefs compute with.
// CHOSEN-RAN: integers: all 120 elements of y agree, largest error 0
//--- chosen.mlir
#id = affine_map<(i, j) -> (i, j)>
func.func @chosen(%x: memref<12x10xf32>, %y: memref<12x10xf32>, %at: index) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<12x10xf32>) outs(%y : memref<12x10xf32>) {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 0 : index
    %before = arith.cmpi slt, %i, %at : index
    %r = arith.select %before, %a, %b : f32
    linalg.yield %r : f32
  }
  return
}

// A place that an element of an array is, and no more, is read where it lies.
// ROW: tile.program @row(%x: memref<40x64xf16>[40, 64], %at: memref<i64>, %result: memref<64xf16>[64])
// ROW: tile.stage %x[{{.*}}] gather(%{{.*}} : memref<1xi64> along 0) : memref<40x64xf16> to memref<1x8xf16, #tile.level<rf>>
// ROW-NOT: tile.kernel
//--- row.mlir
func.func @row(%x: tensor<40x64xf16>, %at: tensor<i64>) -> tensor<64xf16> {
  %place = tensor.extract %at[] : tensor<i64>
  %row = arith.index_cast %place : i64 to index
  %r = tensor.extract_slice %x[%row, 0] [1, 64] [1, 1] : tensor<40x64xf16> to tensor<64xf16>
  return %r : tensor<64xf16>
}

// A constant is a place that is known.
// KNOWN: tile.kernel @known_slice0
//--- known.mlir
func.func @known(%x: tensor<12x10xf32>, %y: tensor<4x10xf32>) -> tensor<12x10xf32> {
  %c7 = arith.constant 7 : index
  %r = tensor.insert_slice %y into %x[%c7, 0] [4, 10] [1, 1] : tensor<4x10xf32> into tensor<12x10xf32>
  return %r : tensor<12x10xf32>
}

// A slice of all that there is leaves nothing of what another has made, which is not computed then.
// UNREAD-NOT: arith.addf
// UNREAD: arith.mulf
// UNREAD-NOT: arith.addf
//--- unread.mlir
func.func @unread(%x: tensor<12xf32>, %y: tensor<12xf32>, %at: index) -> tensor<12xf32> {
  %e = tensor.empty() : tensor<12xf32>
  %sum = linalg.add ins(%x, %x : tensor<12xf32>, tensor<12xf32>) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  %product = linalg.mul ins(%y, %y : tensor<12xf32>, tensor<12xf32>) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  %r = tensor.insert_slice %product into %sum[%at] [12] [1] : tensor<12xf32> into tensor<12xf32>
  return %r : tensor<12xf32>
}
