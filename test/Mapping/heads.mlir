// Heads as models have them. Each section is a file of its own.
// RUN: split-file %s %t
// RUN: tilec %S/../perf/Inputs/heads.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=HEADS
// RUN: tilec %t/shared.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=SHARED
// RUN: tilec %t/shared.mlir --target=h200 --run=cpu --verify | FileCheck %s --check-prefix=SHARED-RAN
// RUN: tilec %t/rotary.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=ROTARY
// RUN: tilec %t/numbered.mlir --target=h200 --run=cpu --verify | FileCheck %s --check-prefix=NUMBERED
// RUN: tilec %t/rotary.mlir --target=h200 --run=cpu --verify | FileCheck %s --check-prefix=ROTARY-RAN

// Queries, keys and values are parts of what one product makes, read where they lie: three launches, the second with softmax between.
// HEADS: tile.run @heads_0(%x, %wa, %ba, %[[QKV:.*]]) :
// HEADS: tile.run @heads_1(%{{.*}}, %{{.*}}) : memref<4x1024x3x16x64xbf16>, memref<4x1024x16x64xbf16>
// HEADS: tile.run @heads_2(
// HEADS-NOT: tile.run

// Two heads of queries share one of keys and values, which nobody repeats; blocks take queries of one head, though the other has the same keys.
// SHARED: tile.kernel @shared{{[^(]*}}(%{{[^:]*}}: memref<1x2x128x32xbf16>[1, 2, 128, 32], %{{[^:]*}}: memref<1x2x128x32xbf16>[1, 2, 128, 32], %{{[^:]*}}: memref<1x2x2x128x32xbf16>[1, 2, 2, 128, 32], %{{[^:]*}}: memref<1x2x2x128x32xbf16>[1, 2, 2, 128, 32])
// SHARED-NOT: tile.kernel
// SHARED-RAN: shared in 1 launch on the emulator
// SHARED-RAN: all launches: random: all {{[0-9]+}} elements of result agree
//--- shared.mlir
#five = affine_map<(b, k, r, t, d) -> (b, k, r, t, d)>
#once = affine_map<(b, k, r, t, d) -> (b, k, t, d)>
#id = affine_map<(b, h, t, s) -> (b, h, t, s)>
#query = affine_map<(b, h, t, s, d) -> (b, h, t, d)>
#key = affine_map<(b, h, t, s, d) -> (b, h, s, d)>
#score = affine_map<(b, h, t, s, d) -> (b, h, t, s)>
#share = affine_map<(b, h, t, d, s) -> (b, h, t, s)>
#value = affine_map<(b, h, t, d, s) -> (b, h, s, d)>
#sum = affine_map<(b, h, t, d, s) -> (b, h, t, d)>
func.func @shared(%k: tensor<1x2x128x32xbf16>, %v: tensor<1x2x128x32xbf16>, %q: tensor<1x4x128x32xbf16>) -> tensor<1x4x128x32xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x2x128x32xbf16>
  %ks = linalg.generic {indexing_maps = [#once, #five], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%k : tensor<1x2x128x32xbf16>) outs(%e : tensor<1x2x2x128x32xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    linalg.yield %a : bf16
  } -> tensor<1x2x2x128x32xbf16>
  %vs = linalg.generic {indexing_maps = [#once, #five], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v : tensor<1x2x128x32xbf16>) outs(%e : tensor<1x2x2x128x32xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    linalg.yield %a : bf16
  } -> tensor<1x2x2x128x32xbf16>
  %k4 = tensor.collapse_shape %ks [[0], [1, 2], [3], [4]] : tensor<1x2x2x128x32xbf16> into tensor<1x4x128x32xbf16>
  %v4 = tensor.collapse_shape %vs [[0], [1, 2], [3], [4]] : tensor<1x2x2x128x32xbf16> into tensor<1x4x128x32xbf16>
  %scores = tensor.empty() : tensor<1x4x128x128xf32>
  %scores0 = linalg.fill ins(%zero : f32) outs(%scores : tensor<1x4x128x128xf32>) -> tensor<1x4x128x128xf32>
  %qk = linalg.generic {indexing_maps = [#query, #key, #score], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k4 : tensor<1x4x128x32xbf16>, tensor<1x4x128x32xbf16>) outs(%scores0 : tensor<1x4x128x128xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %a1 = arith.extf %a : bf16 to f32
    %c1 = arith.extf %c : bf16 to f32
    %m = arith.mulf %a1, %c1 : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x4x128x128xf32>
  %shares = linalg.softmax dimension(3) ins(%qk : tensor<1x4x128x128xf32>) outs(%scores : tensor<1x4x128x128xf32>) -> tensor<1x4x128x128xf32>
  %narrow = tensor.empty() : tensor<1x4x128x128xbf16>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%shares : tensor<1x4x128x128xf32>) outs(%narrow : tensor<1x4x128x128xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<1x4x128x128xbf16>
  %sums = tensor.empty() : tensor<1x4x128x32xf32>
  %sums0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<1x4x128x32xf32>) -> tensor<1x4x128x32xf32>
  %pv = linalg.generic {indexing_maps = [#share, #value, #sum], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v4 : tensor<1x4x128x128xbf16>, tensor<1x4x128x32xbf16>) outs(%sums0 : tensor<1x4x128x32xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %a1 = arith.extf %a : bf16 to f32
    %c1 = arith.extf %c : bf16 to f32
    %m = arith.mulf %a1, %c1 : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x4x128x32xf32>
  %out = tensor.empty() : tensor<1x4x128x32xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%pv : tensor<1x4x128x32xf32>) outs(%out : tensor<1x4x128x32xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %n = arith.truncf %a : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<1x4x128x32xbf16>
  return %r : tensor<1x4x128x32xbf16>
}

// Halves that change places, one of them negated: a choice by the half, in the one launch that turns all.
// ROTARY: tile.run @rotary_0(
// ROTARY-NOT: tile.run
// ROTARY-RAN: all launches: random: all 2048 elements of result agree
//--- rotary.mlir
#id = affine_map<(h, t, d) -> (h, t, d)>
#turn = affine_map<(h, t, d) -> (t, d)>
func.func @rotary(%x: tensor<4x32x16xf32>, %cos: tensor<32x16xf32>, %sin: tensor<32x16xf32>) -> tensor<4x32x16xf32> {
  %a = tensor.extract_slice %x[0, 0, 0] [4, 32, 8] [1, 1, 1] : tensor<4x32x16xf32> to tensor<4x32x8xf32>
  %b = tensor.extract_slice %x[0, 0, 8] [4, 32, 8] [1, 1, 1] : tensor<4x32x16xf32> to tensor<4x32x8xf32>
  %half = tensor.empty() : tensor<4x32x8xf32>
  %n = linalg.negf ins(%b : tensor<4x32x8xf32>) outs(%half : tensor<4x32x8xf32>) -> tensor<4x32x8xf32>
  %turned = tensor.concat dim(2) %n, %a : (tensor<4x32x8xf32>, tensor<4x32x8xf32>) -> tensor<4x32x16xf32>
  %e = tensor.empty() : tensor<4x32x16xf32>
  %xc = linalg.generic {indexing_maps = [#id, #turn, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %cos : tensor<4x32x16xf32>, tensor<32x16xf32>) outs(%e : tensor<4x32x16xf32>) {
  ^bb0(%p: f32, %c: f32, %o: f32):
    %m = arith.mulf %p, %c : f32
    linalg.yield %m : f32
  } -> tensor<4x32x16xf32>
  %ts = linalg.generic {indexing_maps = [#id, #turn, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%turned, %sin : tensor<4x32x16xf32>, tensor<32x16xf32>) outs(%e : tensor<4x32x16xf32>) {
  ^bb0(%p: f32, %s: f32, %o: f32):
    %m = arith.mulf %p, %s : f32
    linalg.yield %m : f32
  } -> tensor<4x32x16xf32>
  %r = linalg.add ins(%xc, %ts : tensor<4x32x16xf32>, tensor<4x32x16xf32>) outs(%e : tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  return %r : tensor<4x32x16xf32>
}

// A half that is computed from its place keeps it where it is computed with the other.
// NUMBERED: numbered in 1 launch on the emulator
// NUMBERED: all launches: integers: all 128 elements of result agree, largest error 0
//--- numbered.mlir
#id = affine_map<(t, d) -> (t, d)>
func.func @numbered(%x: tensor<8x8xf32>) -> tensor<8x16xf32> {
  %half = tensor.empty() : tensor<8x8xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%half : tensor<8x8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %d = linalg.index 1 : index
    %i = arith.index_cast %d : index to i32
    %f = arith.sitofp %i : i32 to f32
    %s = arith.addf %p, %f : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %joined = tensor.concat dim(1) %x, %n : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %r = linalg.add ins(%joined, %joined : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
