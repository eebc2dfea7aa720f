// Functions of open extents, as of sequences whose length is known at launch: what exporters write of known ones compiles of these, too. Each section is a file of its own.
// RUN: split-file %s %t
// RUN: tilec %t/rope.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=ROPE
// RUN: tilec %t/rope.mlir --target=h200 --run=cpu --verify --shape=x0=5 | FileCheck %s --check-prefix=ROPE-RAN
// RUN: tilec %t/layer.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=LAYER
// RUN: tilec %t/layer.mlir --target=h200 --run=cpu --verify --shape=tokens0=37 | FileCheck %s --check-prefix=LAYER-RAN
// RUN: tilec %t/attention.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=ATTENTION
// RUN: tilec %t/attention.mlir --target=h200 --run=cpu --verify --shape=x0=19 | FileCheck %s --check-prefix=ATTENTION-RAN
// RUN: tilec %tilec_root/test/perf/Inputs/heads_open.mlir --target=h200 --shape=x1=1024 --emit=nest | FileCheck %s --check-prefix=HEADS
// RUN: tilec %t/parts.mlir --target=h200 --run=cpu --verify --shape=x0=21 | FileCheck %s --check-prefix=PARTS-RAN
// RUN: tilec %t/cache.mlir --target=h200 --run=cpu --verify --shape=cache0=13 | FileCheck %s --check-prefix=CACHE-RAN
// RUN: tilec %t/batch.mlir --target=h200 --run=cpu --verify --shape=table0=40,tokens1=9 | FileCheck %s --check-prefix=BATCH-RAN
// RUN: tilec %t/mixed.mlir --target=h200 --run=cpu --verify --shape=x0=8 | FileCheck %s --check-prefix=MIXED-RAN
// RUN: not tilec %t/some.mlir --target=h200 2>&1 | FileCheck %s --check-prefix=SOME

// Rotary embeddings of any number of tokens are one launch.
// ROPE: tile.kernel @rope_0({{.*}}%x0: index)
// ROPE-NOT: tile.kernel
// ROPE-RAN: all launches: integers: all 20480 elements of result agree, largest error 0
// ROPE-RAN: all launches: random: all 20480 elements of result agree
//--- rope.mlir
func.func @rope(%x: tensor<?x32x128xf32>, %cos: tensor<?x128xf32>, %sin: tensor<?x128xf32>) -> tensor<?x32x128xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x32x128xf32>
  %a = tensor.extract_slice %x[0, 0, 0] [%n, 32, 64] [1, 1, 1] : tensor<?x32x128xf32> to tensor<?x32x64xf32>
  %b = tensor.extract_slice %x[0, 0, 64] [%n, 32, 64] [1, 1, 1] : tensor<?x32x128xf32> to tensor<?x32x64xf32>
  %e = tensor.empty(%n) : tensor<?x32x64xf32>
  %nb = linalg.negf ins(%b : tensor<?x32x64xf32>) outs(%e : tensor<?x32x64xf32>) -> tensor<?x32x64xf32>
  %r = tensor.concat dim(2) %nb, %a : (tensor<?x32x64xf32>, tensor<?x32x64xf32>) -> tensor<?x32x128xf32>
  %o = tensor.empty(%n) : tensor<?x32x128xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, h, d) -> (m, h, d)>, affine_map<(m, h, d) -> (m, h, d)>, affine_map<(m, h, d) -> (m, d)>, affine_map<(m, h, d) -> (m, d)>, affine_map<(m, h, d) -> (m, h, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %r, %cos, %sin : tensor<?x32x128xf32>, tensor<?x32x128xf32>, tensor<?x128xf32>, tensor<?x128xf32>) outs(%o : tensor<?x32x128xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32):
    %p = arith.mulf %a0, %a2 : f32
    %q = arith.mulf %a1, %a3 : f32
    %z = arith.addf %p, %q : f32
    linalg.yield %z : f32
  } -> tensor<?x32x128xf32>
  return %y : tensor<?x32x128xf32>
}

// A lookup, a projection, and heads turned by the first rows of tables: what is taken of arguments is taken first, so that it parts nothing. An extent that is asked of what an op makes is an argument's.
// LAYER: tile.program @layer({{.*}}%tokens0: index)
// LAYER: tile.run @layer_slice0(%cos, %{{.*}}, %tokens0) : memref<512x64xf32>, memref<?x64xf32>, index
// LAYER: tile.run @layer_slice1(%sin,
// LAYER: tile.run @layer_gather2(%table, %tokens, %{{.*}}, %tokens0) : memref<1000x256xf32>, memref<?xi64>, memref<?x256xf32>, index
// LAYER: tile.run @layer_part3_0(
// LAYER: tile.run @layer_part3_1(
// LAYER-NOT: tile.run
// LAYER: tile.stage %{{.*}} pad(zero)
// LAYER-RAN: launch 5, layer_part3_1: integers: all 9472 elements of {{.*}} agree, largest error 0
//--- layer.mlir
func.func @layer(%table: tensor<1000x256xf32>, %tokens: tensor<?xi64>, %w: tensor<256x256xf32>, %cos: tensor<512x64xf32>, %sin: tensor<512x64xf32>) -> tensor<?x4x64xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %tokens, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?x256xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%tokens : tensor<?xi64>) outs(%e : tensor<?x256xf32>) {
  ^bb0(%t: i64, %o: f32):
    %at = arith.index_cast %t : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%at, %j] : tensor<1000x256xf32>
    linalg.yield %v : f32
  } -> tensor<?x256xf32>
  %d = tensor.dim %x, %c0 : tensor<?x256xf32>
  %e2 = tensor.empty(%d) : tensor<?x256xf32>
  %f = linalg.fill ins(%z : f32) outs(%e2 : tensor<?x256xf32>) -> tensor<?x256xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x256xf32>, tensor<256x256xf32>) outs(%f : tensor<?x256xf32>) -> tensor<?x256xf32>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [%d, 4, 64] : tensor<?x256xf32> into tensor<?x4x64xf32>
  %a = tensor.extract_slice %h[0, 0, 0] [%d, 4, 32] [1, 1, 1] : tensor<?x4x64xf32> to tensor<?x4x32xf32>
  %b = tensor.extract_slice %h[0, 0, 32] [%d, 4, 32] [1, 1, 1] : tensor<?x4x64xf32> to tensor<?x4x32xf32>
  %db = tensor.dim %b, %c0 : tensor<?x4x32xf32>
  %e3 = tensor.empty(%db) : tensor<?x4x32xf32>
  %nb = linalg.negf ins(%b : tensor<?x4x32xf32>) outs(%e3 : tensor<?x4x32xf32>) -> tensor<?x4x32xf32>
  %r = tensor.concat dim(2) %nb, %a : (tensor<?x4x32xf32>, tensor<?x4x32xf32>) -> tensor<?x4x64xf32>
  %cs = tensor.extract_slice %cos[0, 0] [%n, 64] [1, 1] : tensor<512x64xf32> to tensor<?x64xf32>
  %ss = tensor.extract_slice %sin[0, 0] [%n, 64] [1, 1] : tensor<512x64xf32> to tensor<?x64xf32>
  %o = tensor.empty(%d) : tensor<?x4x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, h, d) -> (m, h, d)>, affine_map<(m, h, d) -> (m, h, d)>, affine_map<(m, h, d) -> (m, d)>, affine_map<(m, h, d) -> (m, d)>, affine_map<(m, h, d) -> (m, h, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%h, %r, %cs, %ss : tensor<?x4x64xf32>, tensor<?x4x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) outs(%o : tensor<?x4x64xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32):
    %p1 = arith.mulf %a0, %a2 : f32
    %q = arith.mulf %a1, %a3 : f32
    %zz = arith.addf %p1, %q : f32
    linalg.yield %zz : f32
  } -> tensor<?x4x64xf32>
  return %y : tensor<?x4x64xf32>
}

// Heads of a fused projection are read where they lie, in one launch.
// ATTENTION: tile.run @attention_0(%{{.*}}) : memref<?x4x64xf32>, memref<?x3x4x64xf32>, memref<?x3x4x64xf32>, memref<?x3x4x64xf32>, index
// ATTENTION-NOT: tile.run
// ATTENTION-RAN: all launches: random: all 4864 elements of result agree
//--- attention.mlir
#q = affine_map<(h, i, j, d) -> (i, h, d)>
#k = affine_map<(h, i, j, d) -> (j, h, d)>
#s = affine_map<(h, i, j, d) -> (h, i, j)>
#id = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>
#w = affine_map<(h, i, d, j) -> (h, i, j)>
#v = affine_map<(h, i, d, j) -> (j, h, d)>
#o = affine_map<(h, i, d, j) -> (i, h, d)>
func.func @attention(%x: tensor<?x768xf32>) -> tensor<?x256xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %n = tensor.dim %x, %c0 : tensor<?x768xf32>
  %q0 = tensor.extract_slice %x[0, 0] [%n, 256] [1, 1] : tensor<?x768xf32> to tensor<?x256xf32>
  %k0 = tensor.extract_slice %x[0, 256] [%n, 256] [1, 1] : tensor<?x768xf32> to tensor<?x256xf32>
  %v0 = tensor.extract_slice %x[0, 512] [%n, 256] [1, 1] : tensor<?x768xf32> to tensor<?x256xf32>
  %q = tensor.expand_shape %q0 [[0], [1, 2]] output_shape [%n, 4, 64] : tensor<?x256xf32> into tensor<?x4x64xf32>
  %k = tensor.expand_shape %k0 [[0], [1, 2]] output_shape [%n, 4, 64] : tensor<?x256xf32> into tensor<?x4x64xf32>
  %v = tensor.expand_shape %v0 [[0], [1, 2]] output_shape [%n, 4, 64] : tensor<?x256xf32> into tensor<?x4x64xf32>
  %e = tensor.empty(%n, %n) : tensor<4x?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<?x4x64xf32>, tensor<?x4x64xf32>) outs(%f : tensor<4x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %c, %m : f32
    linalg.yield %r : f32
  } -> tensor<4x?x?xf32>
  %e2 = tensor.empty(%n, %n) : tensor<4x?x?xf32>
  %masked = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<4x?x?xf32>) outs(%e2 : tensor<4x?x?xf32>) {
  ^bb0(%a: f32, %c: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %ok = arith.cmpi sle, %j, %i : index
    %sc = arith.mulf %a, %scale : f32
    %r = arith.select %ok, %sc, %least : f32
    linalg.yield %r : f32
  } -> tensor<4x?x?xf32>
  %e3 = tensor.empty(%n, %n) : tensor<4x?x?xf32>
  %soft = linalg.softmax dimension(2) ins(%masked : tensor<4x?x?xf32>) outs(%e3 : tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
  %e4 = tensor.empty(%n) : tensor<?x4x64xf32>
  %f4 = linalg.fill ins(%z : f32) outs(%e4 : tensor<?x4x64xf32>) -> tensor<?x4x64xf32>
  %y = linalg.generic {indexing_maps = [#w, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%soft, %v : tensor<4x?x?xf32>, tensor<?x4x64xf32>) outs(%f4 : tensor<?x4x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %c, %m : f32
    linalg.yield %r : f32
  } -> tensor<?x4x64xf32>
  %out = tensor.collapse_shape %y [[0], [1, 2]] : tensor<?x4x64xf32> into tensor<?x256xf32>
  return %out : tensor<?x256xf32>
}

// On tensor cores that is one launch between two products, which writes tokens as the second reads them.
// HEADS: tile.program @heads(
// HEADS: tile.run @heads_0(
// HEADS: tile.run @heads_1(%{{.*}}) : memref<4x?x3x16x64xbf16>, memref<4x?x3x16x64xbf16>, memref<4x?x3x16x64xbf16>, memref<4x?x16x64xbf16>, index
// HEADS: tile.run @heads_2(
// HEADS-NOT: tile.run

// Arrays that are joined have the extents of the first along other dimensions; a constant is put around dimensions that are known.
// PARTS-RAN: launch 1, parts_slice0: integers: all 2016 elements of
// PARTS-RAN: launch 2, parts_slice1: integers: all 2016 elements of
// PARTS-RAN: launch 3, parts_pad2: integers: all 2058 elements of {{.*}} agree, largest error 0
//--- parts.mlir
func.func @parts(%x: tensor<?x64xf32>, %w: tensor<?x32xf32>) -> tensor<?x98xf32> {
  %one = arith.constant 1.0 : f32
  %y = tensor.concat dim(1) %x, %w : (tensor<?x64xf32>, tensor<?x32xf32>) -> tensor<?x96xf32>
  %p = tensor.pad %y low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<?x96xf32> to tensor<?x98xf32>
  return %p : tensor<?x98xf32>
}

// CACHE-RAN: launch 1, cache_scatter0: integers: all 13312 elements of cache agree, largest error 0
//--- cache.mlir
func.func @cache(%cache: tensor<?x64x16xf16>, %new: tensor<?x16xf16>, %at: tensor<i64>) -> tensor<?x64x16xf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %cache, %c0 : tensor<?x64x16xf16>
  %number = tensor.extract %at[] : tensor<i64>
  %place = arith.index_cast %number : i64 to index
  %r = tensor.insert_slice %new into %cache[0, %place, 0] [%n, 1, 16] [1, 1, 1] : tensor<?x16xf16> into tensor<?x64x16xf16>
  return %r : tensor<?x64x16xf16>
}

// Indices of one batch.
// BATCH-RAN: launch 1, batch_gather0: integers: all 576 elements of {{.*}} agree, largest error 0
//--- batch.mlir
func.func @batch(%table: tensor<?x64xf16>, %tokens: tensor<1x?xi64>) -> tensor<1x?x64xf16> {
  %c1 = arith.constant 1 : index
  %m = tensor.dim %tokens, %c1 : tensor<1x?xi64>
  %e = tensor.empty(%m) : tensor<1x?x64xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%tokens : tensor<1x?xi64>) outs(%e : tensor<1x?x64xf16>) {
  ^bb0(%t: i64, %o: f16):
    %at = arith.index_cast %t : i64 to index
    %b = linalg.index 0 : index
    %j = linalg.index 2 : index
    %x = tensor.extract %table[%at, %j] : tensor<?x64xf16>
    linalg.yield %x : f16
  } -> tensor<1x?x64xf16>
  return %r : tensor<1x?x64xf16>
}

// Some rows of an array, as many as another one has: nobody says that these are all, so that the rest would have to stay.
// SOME: some.mlir:4:8: error: stands in a function that is to become a kernel
//--- some.mlir
func.func @some(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?x8xf32>
  %r = tensor.insert_slice %y into %x[0, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// Halves of known and of open length.
// MIXED-RAN: agree
//--- mixed.mlir
func.func @mixed(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<8x8xf32> {
  %p = tensor.concat dim(1) %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<8x8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %r = linalg.exp ins(%p : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
