// Transposes and views that models come with. Each section is a file of its own.
// RUN: split-file %s %t
// RUN: tilec %t/layer.mlir --target=l40s --emit=nest -o %t/layer.nest && FileCheck %s --check-prefix=LAYER --input-file=%t/layer.nest
// RUN: tilec %t/layer.mlir --target=l40s --run=cpu --verify | FileCheck %s --check-prefix=LAYER-RAN
// RUN: tilec %t/heads.mlir --target=h100-sxm --emit=nest -o %t/heads.nest && FileCheck %s --check-prefix=HEADS --input-file=%t/heads.nest
// RUN: tilec %t/heads.mlir --target=h100-sxm --run=cpu --verify | FileCheck %s --check-prefix=HEADS-RAN
// RUN: tilec %t/fills.mlir --target=h100-sxm --run=cpu --verify | FileCheck %s --check-prefix=FILLS
// RUN: tilec %t/copied.mlir --target=h100-sxm --run=cpu --verify | FileCheck %s --check-prefix=COPIED
// RUN: tilec %t/kept.mlir --target=h100-sxm --emit=nest | FileCheck %s --check-prefix=KEPT
// RUN: tilec %t/channels.mlir --target=h100-sxm --emit=nest -o %t/channels.nest && FileCheck %s --check-prefix=CHANNELS --input-file=%t/channels.nest
// RUN: tilec %t/channels.nest --target=h100-sxm --run=cpu --verify | FileCheck %s --check-prefix=CHANNELS-RAN
// RUN: tilec %t/batches.mlir --target=h100-sxm --emit=nest | FileCheck %s --check-prefix=BATCHES
// RUN: tilec %t/layers.mlir --target=h100-sxm --emit=nest | FileCheck %s --check-prefix=LAYERS
// RUN: tilec %t/unbounded.mlir --target=h100-sxm --run=cpu --verify | FileCheck %s --check-prefix=UNBOUNDED
// RUN: tilec %t/narrowed.mlir --target=h100-sxm --emit=nest -o %t/narrowed.nest && FileCheck %s --check-prefix=NARROWED --input-file=%t/narrowed.nest
// RUN: tilec %t/narrowed.mlir --target=h100-sxm --run=cpu --verify | FileCheck %s --check-prefix=NARROWED-RAN
// RUN: tilec %t/norm.mlir --target=h100-sxm --emit=nest | FileCheck %s --check-prefix=NORM
// RUN: tilec %t/norm.mlir --target=h100-sxm --run=cpu --verify | FileCheck %s --check-prefix=NORM-RAN
// RUN: tilec %t/in-place.mlir --target=h100-sxm --emit=nest -o %t/in-place.nest && FileCheck %s --check-prefix=PLACE --input-file=%t/in-place.nest
// RUN: tilec %t/in-place.mlir --target=h100-sxm --shape=a0=50 --run=cpu --verify | FileCheck %s --check-prefix=PLACE-RAN
// CHANNELS-RAN: random: all 3200 elements of {{.*}} agree

// A layer as exporters write it: weights are transposed, tokens of all rows are one dimension, and what follows has two again. One launch.
// LAYER: tile.kernel @layer_0(%w: memref<40x24xf32>[40, 24]
// LAYER-NOT: linalg.transpose
// LAYER-NOT: tile.kernel
// LAYER: tile.program @layer
// LAYER-NOT: tile.workspace
// LAYER-RAN: layer in 1 launch on the emulator
// LAYER-RAN: all launches: random: all 960 elements of result agree
//--- layer.mlir
func.func @layer(%x: tensor<4x6x24xf32>, %w: tensor<40x24xf32>) -> tensor<4x6x40xf32> {
  %zero = arith.constant 0.0 : f32
  %wt_e = tensor.empty() : tensor<24x40xf32>
  %wt = linalg.transpose ins(%w : tensor<40x24xf32>) outs(%wt_e : tensor<24x40xf32>) permutation = [1, 0]
  %rows = tensor.collapse_shape %x [[0, 1], [2]] : tensor<4x6x24xf32> into tensor<24x24xf32>
  %m_e = tensor.empty() : tensor<24x40xf32>
  %m_f = linalg.fill ins(%zero : f32) outs(%m_e : tensor<24x40xf32>) -> tensor<24x40xf32>
  %m = linalg.matmul ins(%rows, %wt : tensor<24x24xf32>, tensor<24x40xf32>) outs(%m_f : tensor<24x40xf32>) -> tensor<24x40xf32>
  %tokens = tensor.expand_shape %m [[0, 1], [2]] output_shape [4, 6, 40] : tensor<24x40xf32> into tensor<4x6x40xf32>
  %y_e = tensor.empty() : tensor<4x6x40xf32>
  %y = linalg.tanh ins(%tokens : tensor<4x6x40xf32>) outs(%y_e : tensor<4x6x40xf32>) -> tensor<4x6x40xf32>
  return %y : tensor<4x6x40xf32>
}

// Heads of attention: what is moved is read, and written, where it lies. A product of scaled rows and one with V, two launches.
// HEADS: tile.kernel @heads_0(%q: memref<2x8x3x16xf32>[2, 8, 3, 16], %k: memref<2x8x3x16xf32>[2, 8, 3, 16]
// HEADS: tile.kernel @heads_1({{.*}}%y: memref<2x8x3x16xf32>[2, 8, 3, 16]
// HEADS-NOT: tile.kernel
// HEADS-NOT: linalg.transpose
// HEADS-RAN: heads in 2 launches on the emulator
// HEADS-RAN: all launches: random: all 768 elements of result agree
//--- heads.mlir
func.func @heads(%q: tensor<2x8x3x16xf32>, %k: tensor<2x8x3x16xf32>) -> tensor<2x8x48xf32> {
  %zero = arith.constant 0.0 : f32
  %quarter = arith.constant 0.25 : f32
  %q_e = tensor.empty() : tensor<2x3x8x16xf32>
  %qt = linalg.transpose ins(%q : tensor<2x8x3x16xf32>) outs(%q_e : tensor<2x3x8x16xf32>) permutation = [0, 2, 1, 3]
  %qs = tensor.collapse_shape %qt [[0, 1], [2], [3]] : tensor<2x3x8x16xf32> into tensor<6x8x16xf32>
  %k_e = tensor.empty() : tensor<2x3x16x8xf32>
  %kt = linalg.transpose ins(%k : tensor<2x8x3x16xf32>) outs(%k_e : tensor<2x3x16x8xf32>) permutation = [0, 2, 3, 1]
  %ks = tensor.collapse_shape %kt [[0, 1], [2], [3]] : tensor<2x3x16x8xf32> into tensor<6x16x8xf32>
  %v_e = tensor.empty() : tensor<2x3x8x16xf32>
  %vt = linalg.transpose ins(%k : tensor<2x8x3x16xf32>) outs(%v_e : tensor<2x3x8x16xf32>) permutation = [0, 2, 1, 3]
  %vs = tensor.collapse_shape %vt [[0, 1], [2], [3]] : tensor<2x3x8x16xf32> into tensor<6x8x16xf32>
  %s_e = tensor.empty() : tensor<6x8x8xf32>
  %s_f = linalg.fill ins(%zero : f32) outs(%s_e : tensor<6x8x8xf32>) -> tensor<6x8x8xf32>
  %s = linalg.batch_matmul ins(%qs, %ks : tensor<6x8x16xf32>, tensor<6x16x8xf32>) outs(%s_f : tensor<6x8x8xf32>) -> tensor<6x8x8xf32>
  %p_e = tensor.empty() : tensor<6x8x8xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<6x8x8xf32>) outs(%p_e : tensor<6x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.mulf %a, %quarter : f32
    linalg.yield %r : f32
  } -> tensor<6x8x8xf32>
  %o_e = tensor.empty() : tensor<6x8x16xf32>
  %o_f = linalg.fill ins(%zero : f32) outs(%o_e : tensor<6x8x16xf32>) -> tensor<6x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %vs : tensor<6x8x8xf32>, tensor<6x8x16xf32>) outs(%o_f : tensor<6x8x16xf32>) -> tensor<6x8x16xf32>
  %parted = tensor.expand_shape %o [[0, 1], [2], [3]] output_shape [2, 3, 8, 16] : tensor<6x8x16xf32> into tensor<2x3x8x16xf32>
  %r_e = tensor.empty() : tensor<2x8x3x16xf32>
  %r = linalg.transpose ins(%parted : tensor<2x3x8x16xf32>) outs(%r_e : tensor<2x8x3x16xf32>) permutation = [0, 2, 1, 3]
  %y = tensor.collapse_shape %r [[0], [1], [2, 3]] : tensor<2x8x3x16xf32> into tensor<2x8x48xf32>
  return %y : tensor<2x8x48xf32>
}

// Two sums begin with one fill, as after common subexpressions are shared.
// FILLS: random: all 12 elements of result agree
//--- fills.mlir
func.func @fills(%x: tensor<12x40xf32>) -> tensor<12xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  %s = linalg.reduce ins(%x : tensor<12x40xf32>) outs(%f : tensor<12xf32>) dimensions = [1] (%a: f32, %b: f32) {
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  }
  %d_e = tensor.empty() : tensor<12x40xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<12x40xf32>, tensor<12xf32>) outs(%d_e : tensor<12x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.maximumf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<12x40xf32>
  %t = linalg.reduce ins(%d : tensor<12x40xf32>) outs(%f : tensor<12xf32>) dimensions = [1] (%a: f32, %b: f32) {
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  }
  return %t : tensor<12xf32>
}

// Copies between memrefs are ops as others are.
// COPIED: random: all 64 elements of B agree, largest error 0
//--- copied.mlir
func.func @copied(%A: memref<64xf32>, %B: memref<64xf32>, %C: memref<64xf32>) {
  memref.copy %A, %B : memref<64xf32> to memref<64xf32>
  linalg.exp ins(%A : memref<64xf32>) outs(%C : memref<64xf32>)
  return
}

// What two ops read is moved once.
// KEPT: linalg.transpose
//--- kept.mlir
func.func @kept(%x: tensor<32x48xf32>) -> (tensor<48x32xf32>, tensor<48x32xf32>) {
  %e = tensor.empty() : tensor<48x32xf32>
  %t = linalg.transpose ins(%x : tensor<32x48xf32>) outs(%e : tensor<48x32xf32>) permutation = [1, 0]
  %a_e = tensor.empty() : tensor<48x32xf32>
  %a = linalg.exp ins(%t : tensor<48x32xf32>) outs(%a_e : tensor<48x32xf32>) -> tensor<48x32xf32>
  return %t, %a : tensor<48x32xf32>, tensor<48x32xf32>
}

// Images and weights whose channels are brought to where windows want them are, and so is the result.
// CHANNELS: permutation = [0, 2, 3, 1]
// CHANNELS: permutation = [2, 3, 1, 0]
// CHANNELS: permutation = [0, 3, 1, 2]
//--- channels.mlir
func.func @channels(%x: tensor<2x8x12x12xf32>, %w: tensor<16x8x3x3xf32>) -> tensor<2x16x10x10xf32> {
  %zero = arith.constant 0.0 : f32
  %a_e = tensor.empty() : tensor<2x12x12x8xf32>
  %a = linalg.transpose ins(%x : tensor<2x8x12x12xf32>) outs(%a_e : tensor<2x12x12x8xf32>) permutation = [0, 2, 3, 1]
  %b_e = tensor.empty() : tensor<3x3x8x16xf32>
  %b = linalg.transpose ins(%w : tensor<16x8x3x3xf32>) outs(%b_e : tensor<3x3x8x16xf32>) permutation = [2, 3, 1, 0]
  %c_e = tensor.empty() : tensor<2x10x10x16xf32>
  %c_f = linalg.fill ins(%zero : f32) outs(%c_e : tensor<2x10x10x16xf32>) -> tensor<2x10x10x16xf32>
  %c = linalg.conv_2d_nhwc_hwcf ins(%a, %b : tensor<2x12x12x8xf32>, tensor<3x3x8x16xf32>) outs(%c_f : tensor<2x10x10x16xf32>) -> tensor<2x10x10x16xf32>
  %y_e = tensor.empty() : tensor<2x16x10x10xf32>
  %y = linalg.transpose ins(%c : tensor<2x10x10x16xf32>) outs(%y_e : tensor<2x16x10x10xf32>) permutation = [0, 3, 1, 2]
  return %y : tensor<2x16x10x10xf32>
}

// Matrices of which those of one batch lie between each other's elements are put apart first.
// BATCHES: linalg.transpose
//--- batches.mlir
func.func @batches(%x: tensor<6x16x24xf32>, %w: tensor<24x20x6xf32>) -> tensor<6x16x20xf32> {
  %zero = arith.constant 0.0 : f32
  %t_e = tensor.empty() : tensor<6x24x20xf32>
  %t = linalg.transpose ins(%w : tensor<24x20x6xf32>) outs(%t_e : tensor<6x24x20xf32>) permutation = [2, 0, 1]
  %y_e = tensor.empty() : tensor<6x16x20xf32>
  %y_f = linalg.fill ins(%zero : f32) outs(%y_e : tensor<6x16x20xf32>) -> tensor<6x16x20xf32>
  %y = linalg.batch_matmul ins(%x, %t : tensor<6x16x24xf32>, tensor<6x24x20xf32>) outs(%y_f : tensor<6x16x20xf32>) -> tensor<6x16x20xf32>
  return %y : tensor<6x16x20xf32>
}

// Of two layers each has a copy of its weights ahead, turned, where that is predicted to be faster.
// LAYERS: tile.run @layers_0_rows0(%w0, %[[FIRST:.*]]) :
// LAYERS: tile.run @layers_0_rest({{.*}}%[[FIRST]]
// LAYERS: tile.run @layers_1_rows0(%w1, %[[SECOND:.*]]) :
// LAYERS: tile.run @layers_1_rest({{.*}}%[[SECOND]]
//--- layers.mlir
func.func @layers(%x: tensor<4096x1024xf32>, %w0: tensor<1024x1024xf32>, %w1: tensor<1024x1024xf32>) -> tensor<4096x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %a_e = tensor.empty() : tensor<4096x1024xf32>
  %a_f = linalg.fill ins(%zero : f32) outs(%a_e : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %a = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w0 : tensor<4096x1024xf32>, tensor<1024x1024xf32>) outs(%a_f : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %b_e = tensor.empty() : tensor<4096x1024xf32>
  %b_f = linalg.fill ins(%zero : f32) outs(%b_e : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %b = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %w1 : tensor<4096x1024xf32>, tensor<1024x1024xf32>) outs(%b_f : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  return %b : tensor<4096x1024xf32>
}

// A sum of differences that may be nothing but rounding, and its inverse: each launch is compared, and all of them together are not.
// UNBOUNDED: all launches: random: no element of result was compared
//--- unbounded.mlir
func.func @unbounded(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %m_e = tensor.empty() : tensor<16x16xf32>
  %m_f = linalg.fill ins(%zero : f32) outs(%m_e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %m = linalg.matmul ins(%x, %x : tensor<16x16xf32>, tensor<16x16xf32>) outs(%m_f : tensor<16x16xf32>) -> tensor<16x16xf32>
  %d_e = tensor.empty() : tensor<16x16xf32>
  %d_f = linalg.fill ins(%zero : f32) outs(%d_e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %d = linalg.matmul ins(%m, %m : tensor<16x16xf32>, tensor<16x16xf32>) outs(%d_f : tensor<16x16xf32>) -> tensor<16x16xf32>
  %r_e = tensor.empty() : tensor<16x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%d, %d : tensor<16x16xf32>, tensor<16x16xf32>) outs(%r_e : tensor<16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.subf %a, %a : f32
    %q = arith.divf %b, %s : f32
    linalg.yield %q : f32
  } -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// What is rounded of a product is written where heads lie between tokens, and so is the product: one launch, by instructions.
// NARROWED: tile.kernel @narrowed({{.*}}memref<2x512x3x64xbf16>[2, 512, 3, 64]
// NARROWED: on warp{{(group)?}}
// NARROWED: arith.truncf
// NARROWED-NOT: tile.kernel
// NARROWED-RAN: integers: all {{[0-9]+}} elements of {{.*}} agree
//--- narrowed.mlir
func.func @narrowed(%p: tensor<2x3x512x256xbf16>, %v: tensor<2x256x3x64xbf16>) -> tensor<2x512x3x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %o_e = tensor.empty() : tensor<2x3x512x64xf32>
  %o_f = linalg.fill ins(%zero : f32) outs(%o_e : tensor<2x3x512x64xf32>) -> tensor<2x3x512x64xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, k) -> (b, h, m, k)>, affine_map<(b, h, m, n, k) -> (b, k, h, n)>, affine_map<(b, h, m, n, k) -> (b, h, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x3x512x256xbf16>, tensor<2x256x3x64xbf16>) outs(%o_f : tensor<2x3x512x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %x = arith.mulf %a32, %b32 : f32
    %s = arith.addf %c, %x : f32
    linalg.yield %s : f32
  } -> tensor<2x3x512x64xf32>
  %r_e = tensor.empty() : tensor<2x3x512x64xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%o : tensor<2x3x512x64xf32>) outs(%r_e : tensor<2x3x512x64xbf16>) {
  ^bb0(%a: f32, %b: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x3x512x64xbf16>
  %y_e = tensor.empty() : tensor<2x512x3x64xbf16>
  %y = linalg.transpose ins(%r : tensor<2x3x512x64xbf16>) outs(%y_e : tensor<2x512x3x64xbf16>) permutation = [0, 2, 1, 3]
  return %y : tensor<2x512x3x64xbf16>
}

// Tokens that have been one dimension are two again where rows of them are reduced: the view moves behind the sum as well as behind what is computed element by element.
// NORM: tile.kernel @norm_0(
// NORM-NOT: tile.kernel
// NORM: tile.program @norm
// NORM-NOT: tile.workspace
// NORM-RAN: all launches: random: all 960 elements of {{.*}} agree
//--- norm.mlir
func.func @norm(%x: tensor<24x40xf32>) -> tensor<4x6x40xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %g_e = tensor.empty() : tensor<24x40xf32>
  %g = linalg.tanh ins(%x : tensor<24x40xf32>) outs(%g_e : tensor<24x40xf32>) -> tensor<24x40xf32>
  %tokens = tensor.expand_shape %g [[0, 1], [2]] output_shape [4, 6, 40] : tensor<24x40xf32> into tensor<4x6x40xf32>
  %h_e = tensor.empty() : tensor<4x6x40xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%tokens : tensor<4x6x40xf32>) outs(%h_e : tensor<4x6x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.mulf %a, %half : f32
    linalg.yield %r : f32
  } -> tensor<4x6x40xf32>
  %s_e = tensor.empty() : tensor<4x6xf32>
  %s_f = linalg.fill ins(%zero : f32) outs(%s_e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %s = linalg.reduce ins(%h : tensor<4x6x40xf32>) outs(%s_f : tensor<4x6xf32>) dimensions = [2] (%a: f32, %b: f32) {
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  }
  %y_e = tensor.empty() : tensor<4x6x40xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%h, %s : tensor<4x6x40xf32>, tensor<4x6xf32>) outs(%y_e : tensor<4x6x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x6x40xf32>
  return %y : tensor<4x6x40xf32>
}
// What is added in place, once and again, is computed with the product and its rounding all the same.
// PLACE-COUNT-1: tile.kernel
// PLACE: arith.truncf
// PLACE-NOT: tile.kernel
// PLACE-RAN: integers: all 2400 elements of result agree, largest error 0
// PLACE-RAN: random: all 2400 elements of result agree
//--- in-place.mlir
#mn = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>
func.func @f(%a: tensor<?x32xf16>, %b: tensor<32x48xf16>, %bias: tensor<48xf32>, %r: tensor<?x48xf32>) -> tensor<?x48xf16> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %a, %c0 : tensor<?x32xf16>
  %e = tensor.empty(%d) : tensor<?x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x48xf32>) -> tensor<?x48xf32>
  %y = linalg.matmul ins(%a, %b : tensor<?x32xf16>, tensor<32x48xf16>) outs(%f : tensor<?x48xf32>) -> tensor<?x48xf32>
  %z = linalg.generic {indexing_maps = [#n, #mn], iterator_types = ["parallel", "parallel"]} ins(%bias : tensor<48xf32>) outs(%y : tensor<?x48xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %o, %x : f32
    linalg.yield %s : f32
  } -> tensor<?x48xf32>
  %w = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<?x48xf32>) outs(%z : tensor<?x48xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %o, %x : f32
    linalg.yield %s : f32
  } -> tensor<?x48xf32>
  %h_e = tensor.empty(%d) : tensor<?x48xf16>
  %h = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<?x48xf32>) outs(%h_e : tensor<?x48xf16>) {
  ^bb0(%x: f32, %o: f16):
    %s = arith.truncf %x : f32 to f16
    linalg.yield %s : f16
  } -> tensor<?x48xf16>
  return %h : tensor<?x48xf16>
}
