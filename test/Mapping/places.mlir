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
// RUN: tilec %t/append.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=APPEND
// RUN: tilec %t/append.mlir --target=h200 --emit=plan | FileCheck %s --check-prefix=APPEND-PLAN
// RUN: tilec %t/append.mlir --target=h200 --run=cpu --verify | FileCheck %s --check-prefix=APPEND-RAN
// RUN: tilec %t/jax.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=JAX
// RUN: tilec %t/jax.mlir --target=h200 --run=cpu --verify | FileCheck %s --check-prefix=JAX-RAN
// RUN: tilec %t/twice.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=TWICE
// RUN: tilec %t/twice.mlir --target=h200 --run=cpu --verify --arg at=2 | FileCheck %s --check-prefix=TWICE-RAN
// RUN: tilec %t/read.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=READ
// RUN: tilec %t/memrefs.mlir --target=h200 --run=cpu --verify | FileCheck %s --check-prefix=MEMREFS-RAN
// RUN: not tilec %t/between.mlir --target=h200 2>&1 | FileCheck %s --check-prefix=BETWEEN
// RUN: not tilec %t/part.mlir --target=h200 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not tilec %t/several.mlir --target=h200 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: tilec %t/unread.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=UNREAD

// The row of a token goes into a copy of a cache, which a step reads as it then is: one launch. An index is a number of 64 bits to the launcher.
// CACHE: tile.kernel @cache(%new: memref<1x8x16xf32>[1, 8, 16], %old: memref<24x8x16xf32>[24, 8, 16], %at: i64, %result0: memref<24x8x16xf32>[24, 8, 16], %result1: memref<24x8xf32>[24, 8])
// CACHE: arith.index_cast %at : i64 to index
// CACHE: arith.cmpi eq
// CACHE: arith.select
// CACHE-RAN: cache on the emulator
// CACHE-RAN: integers: all 3072 elements of result0 agree, largest error 0
// CACHE-RAN: integers: all 192 elements of result1 agree, largest error 0
//--- cache.mlir
func.func @cache(%new: tensor<1x8x16xf32>, %old: tensor<24x8x16xf32> {bufferization.writable = false}, %at: index) -> (tensor<24x8x16xf32>, tensor<24x8xf32>) {
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
func.func @put(%x: tensor<12x10xf32> {bufferization.writable = false}, %y: tensor<4xf32>, %at: i64) -> tensor<12x10xf32> {
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
// UNREAD-NOT: linalg.add
// UNREAD: linalg.mul
// UNREAD-NOT: linalg.add
//--- unread.mlir
func.func @unread(%x: tensor<12xf32>, %y: tensor<12xf32>, %at: index) -> tensor<12xf32> {
  %e = tensor.empty() : tensor<12xf32>
  %sum = linalg.add ins(%x, %x : tensor<12xf32>, tensor<12xf32>) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  %product = linalg.mul ins(%y, %y : tensor<12xf32>, tensor<12xf32>) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  %r = tensor.insert_slice %product into %sum[%at] [12] [1] : tensor<12xf32> into tensor<12xf32>
  return %r : tensor<12xf32>
}

// A token's keys go into a cache that nothing else reads, where an element says: the cache is an argument that is written, and what reads it does so where it lies. Eight neighbours a thread.
// APPEND: tile.program @append(%cache: memref<8x64x16xf16>[8, 64, 16], %new: memref<8x16xf16>[8, 16], %at: memref<i64>, %result: memref<8x64xf32>[8, 64])
// APPEND: tile.run @append_scatter0(%{{.*}}, %{{.*}}, %cache) : memref<8x1x16xf16>, memref<1xi64>, memref<8x64x16xf16>
// APPEND: tile.run @append_part1(%cache, %result)
// APPEND: tile.for ({{.*}}) in (8, 1, 16) by (8, 1, 16) at dram on block
// APPEND: tile.store %{{.*}} to %cache[{{.*}}] scatter(%{{.*}} : memref<1xi64> along 1) unique : memref<1x1x8xf16, #tile.level<rf>> to memref<8x64x16xf16>
// APPEND-PLAN: unique wide(8) :
// APPEND-PLAN: tile.launch {{.*}} dependent
// APPEND-RAN: launch 1, append_scatter0: integers: all 8192 elements of cache agree, largest error 0
// APPEND-RAN: launch 2, append_part1: integers: all 512 elements of {{.*}} agree, largest error 0
//--- append.mlir
func.func @append(%cache: tensor<8x64x16xf16>, %new: tensor<8x16xf16>, %at: tensor<i64>) -> (tensor<8x64x16xf16>, tensor<8x64xf32>) {
  %number = tensor.extract %at[] : tensor<i64>
  %place = arith.index_cast %number : i64 to index
  %r = tensor.insert_slice %new into %cache[0, %place, 0] [8, 1, 16] [1, 1, 1] : tensor<8x16xf16> into tensor<8x64x16xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(h, t, d) -> (h, t, d)>, affine_map<(h, t, d) -> (h, t)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%r : tensor<8x64x16xf16>) outs(%f : tensor<8x64xf32>) {
  ^bb0(%a: f16, %s: f32):
    %x = arith.extf %a : f16 to f32
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  } -> tensor<8x64xf32>
  return %r, %sums : tensor<8x64x16xf16>, tensor<8x64xf32>
}

// As JAX writes dynamic_update_slice: every place is clamped, the constant ones among them. Three tokens, whose numbers two caches share.
// JAX: %[[N:.*]] = tile.workspace [3] : memref<3xi64>
// JAX: tile.run @jax_part0{{.*}}(%[[N]], %{{.*}}) : memref<3xi64>, memref<1xi32>
// JAX: tile.run @jax_scatter{{.*}}(%k, %[[N]], %keys) : memref<2x3x16xf32>, memref<3xi64>, memref<2x40x16xf32>
// JAX: tile.run @jax_scatter{{.*}}(%v, %[[N]], %values) : memref<2x3x16xf32>, memref<3xi64>, memref<2x40x16xf32>
// JAX-NOT: tile.run
// JAX-RAN: launch 2, jax_scatter{{.*}}: integers: all 1280 elements of keys agree, largest error 0
// JAX-RAN: launch 3, jax_scatter{{.*}}: integers: all 1280 elements of values agree, largest error 0
//--- jax.mlir
func.func @jax(%keys: tensor<2x40x16xf32>, %values: tensor<2x40x16xf32>, %k: tensor<2x3x16xf32>, %v: tensor<2x3x16xf32>, %at: tensor<i32>) -> (tensor<2x40x16xf32>, tensor<2x40x16xf32>) {
  %c0 = arith.constant 0 : index
  %c37 = arith.constant 37 : index
  %zeros = arith.constant dense<0> : tensor<i32>
  %number = tensor.extract %at[] : tensor<i32>
  %place = arith.index_cast %number : i32 to index
  %low = arith.maxsi %place, %c0 : index
  %token = arith.minsi %low, %c37 : index
  %z = tensor.extract %zeros[] : tensor<i32>
  %first = arith.index_cast %z : i32 to index
  %least = arith.maxsi %first, %c0 : index
  %begin = arith.minsi %least, %c0 : index
  %r = tensor.insert_slice %k into %keys[%begin, %token, %begin] [2, 3, 16] [1, 1, 1] : tensor<2x3x16xf32> into tensor<2x40x16xf32>
  %s = tensor.insert_slice %v into %values[%begin, %token, %begin] [2, 3, 16] [1, 1, 1] : tensor<2x3x16xf32> into tensor<2x40x16xf32>
  return %r, %s : tensor<2x40x16xf32>, tensor<2x40x16xf32>
}

// One slice after the other into one array, every third element along the last dimension: no neighbours.
// TWICE: tile.store %{{.*}} scatter(%{{.*}} : memref<4xi64> along 1) unique : memref<1x1xf32
// TWICE: tile.store %{{.*}} scatter(%{{.*}} : memref<1xi64> along 0) unique : memref<1x1xf32
// TWICE-RAN: launch 3, twice_scatter1: integers: all 144 elements of x agree, largest error 0
// TWICE-RAN: launch 4, twice_scatter2: integers: all 144 elements of x agree, largest error 0
//--- twice.mlir
func.func @twice(%x: tensor<12x12xf32>, %y: tensor<6x4xf32>, %z: tensor<4xf32>, %at: index) -> tensor<12x12xf32> {
  %c1 = arith.constant 1 : index
  %next = arith.addi %at, %c1 : index
  %r = tensor.insert_slice %y into %x[3, %at] [6, 4] [1, 3] : tensor<6x4xf32> into tensor<12x12xf32>
  %s = tensor.insert_slice %z into %r[%next, 1] [1, 4] [1, 3] : tensor<4xf32> into tensor<12x12xf32>
  return %s : tensor<12x12xf32>
}

// What was there before is read, too: a new array.
// READ-NOT: scatter(
// READ: arith.select
// READ-NOT: scatter(
//--- read.mlir
func.func @read(%x: tensor<12x12xf32>, %y: tensor<1x12xf32>, %at: index) -> (tensor<12x12xf32>, tensor<12x12xf32>) {
  %r = tensor.insert_slice %y into %x[%at, 0] [1, 12] [1, 1] : tensor<1x12xf32> into tensor<12x12xf32>
  %e = tensor.empty() : tensor<12x12xf32>
  %s = linalg.sub ins(%r, %x : tensor<12x12xf32>, tensor<12x12xf32>) outs(%e : tensor<12x12xf32>) -> tensor<12x12xf32>
  return %r, %s : tensor<12x12xf32>, tensor<12x12xf32>
}

// A function on memrefs says where by itself.
// MEMREFS-RAN: launch 1, memrefs_scatter0: integers: all 480 elements of cache agree, largest error 0
//--- memrefs.mlir
func.func @memrefs(%cache: memref<2x12x20xi32>, %new: memref<2x1x20xi32>, %at: memref<5xi32>) {
  %c3 = arith.constant 3 : index
  %number = memref.load %at[%c3] : memref<5xi32>
  %place = arith.index_cast %number : i32 to index
  %row = memref.subview %cache[0, %place, 0] [2, 1, 20] [1, 1, 1] : memref<2x12x20xi32> to memref<2x1x20xi32, strided<[240, 20, 1], offset: ?>>
  memref.copy %new, %row : memref<2x1x20xi32> to memref<2x1x20xi32, strided<[240, 20, 1], offset: ?>>
  return
}

// One number says where one element lies, not several.
// SEVERAL: several.mlir:5:10: error: is a part of several elements along dimension 0, where its place is computed; expected 1, or a function on tensors
//--- several.mlir
func.func @several(%cache: memref<12x20xi32>, %new: memref<2x20xi32>, %at: memref<5xi32>) {
  %c3 = arith.constant 3 : index
  %number = memref.load %at[%c3] : memref<5xi32>
  %place = arith.index_cast %number : i32 to index
  %row = memref.subview %cache[%place, 0] [2, 20] [1, 1] : memref<12x20xi32> to memref<2x20xi32, strided<[20, 1], offset: ?>>
  memref.copy %new, %row : memref<2x20xi32> to memref<2x20xi32, strided<[20, 1], offset: ?>>
  return
}

// The number is read before another one takes its place.
// BETWEEN: between.mlir:3:13: error: stands in a function that is to become a kernel
//--- between.mlir
func.func @between(%cache: memref<12x20xi32>, %new: memref<1x20xi32>, %at: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %number = memref.load %at[%c0] : memref<1xi32>
  %place = arith.index_cast %number : i32 to index
  linalg.add ins(%at, %at : memref<1xi32>, memref<1xi32>) outs(%at : memref<1xi32>)
  %row = memref.subview %cache[%place, 0] [1, 20] [1, 1] : memref<12x20xi32> to memref<1x20xi32, strided<[20, 1], offset: ?>>
  memref.copy %new, %row : memref<1x20xi32> to memref<1x20xi32, strided<[20, 1], offset: ?>>
  return
}

// What is stored is a part itself.
// PART: part.mlir:5:11: error: is a part of an array, which what gathers or moves elements takes as a whole
//--- part.mlir
func.func @part(%cache: memref<12x20xi32>, %new: memref<3x20xi32>, %at: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %number = memref.load %at[%c0] : memref<1xi32>
  %place = arith.index_cast %number : i32 to index
  %from = memref.subview %new[1, 0] [1, 20] [1, 1] : memref<3x20xi32> to memref<1x20xi32, strided<[20, 1], offset: 20>>
  %row = memref.subview %cache[%place, 0] [1, 20] [1, 1] : memref<12x20xi32> to memref<1x20xi32, strided<[20, 1], offset: ?>>
  memref.copy %from, %row : memref<1x20xi32, strided<[20, 1], offset: 20>> to memref<1x20xi32, strided<[20, 1], offset: ?>>
  return
}
