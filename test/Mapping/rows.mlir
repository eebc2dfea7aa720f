// Chains of ops over rows, as one launch each, on rows of awkward lengths and in awkward numbers. Each section is a file of its own.
// REQUIRES: host-compiler
// RUN: split-file %s %t
// RUN: tilec %t/softmax.mlir --target=h100 --shape=x0=70,x1=1 --run=cpu --verify 2>&1 | FileCheck %s
// RUN: tilec %t/softmax.mlir --target=h100 --shape=x0=5,x1=4097 --run=cpu --verify 2>&1 | FileCheck %s
// RUN: tilec %t/softmax.mlir --target=h100 --shape=x0=33,x1=33 --run=cpu --verify 2>&1 | FileCheck %s
// RUN: tilec %t/log_softmax.mlir --target=h100 --shape=x0=70 --run=cpu --verify 2>&1 | FileCheck %s
// RUN: tilec %t/lse.mlir --target=h100 --shape=x0=1,x1=1000 --run=cpu --verify 2>&1 | FileCheck %s
// RUN: tilec %t/layer_norm.mlir --target=h100 --shape=x0=5,x1=31 --run=cpu --verify 2>&1 | FileCheck %s
// RUN: tilec %t/layer_norm_bf16.mlir --target=h100 --shape=x0=3 --run=cpu --verify 2>&1 | FileCheck %s
// RUN: tilec %t/rms.mlir --target=h100 --shape=x0=33,x1=133 --run=cpu --verify 2>&1 | FileCheck %s
// RUN: tilec %t/masked.mlir --target=h100 --shape=x0=9,x1=1000 --run=cpu --verify 2>&1 | FileCheck %s
// RUN: tilec %t/masked_batch.mlir --target=h100 --shape=x0=3,x1=13 --run=cpu --verify 2>&1 | FileCheck %s
// RUN: tilec %t/l2.mlir --target=h100 --shape=x0=1,x1=4097 --run=cpu --verify 2>&1 | FileCheck %s
// RUN: tilec %t/l2_columns.mlir --target=h100 --shape=x0=133,x1=45 --run=cpu --verify 2>&1 | FileCheck %s
// RUN: tilec %t/scaled.mlir --target=h100 --shape=x0=9,x1=133 --run=cpu --verify 2>&1 | FileCheck %s
// RUN: tilec %t/batch.mlir --target=h100 --shape=x0=3,x1=11,x2=133 --run=cpu --verify 2>&1 | FileCheck %s
// What was mapped for short rows is right for longer ones, whose ends are read again, and for shorter ones.
// RUN: tilec %t/masked.mlir --target=h100 --shape=x0=70,x1=133 --emit=nest -o %t/short.mlir
// RUN: tilec %t/short.mlir --target=h100 --shape=x0=3,x1=1000 --run=cpu --verify 2>&1 | FileCheck %s
// RUN: tilec %t/short.mlir --target=h100 --shape=x0=9,x1=31 --run=cpu --verify 2>&1 | FileCheck %s
// CHECK: {{^[a-z_0-9]+ on the emulator}}
// CHECK: integers: all {{[0-9]+}} elements of result agree
// CHECK: random: all {{[0-9]+}} elements of result agree

//--- softmax.mlir
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %s0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %s1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %er = tensor.empty(%s0) : tensor<?xf32>
  %eo = tensor.empty(%s0, %s1) : tensor<?x?xf32>
  %v1 = linalg.fill ins(%low : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v2 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%v1 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v3 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %v2 : tensor<?x?xf32>, tensor<?xf32>) outs(%eo : tensor<?x?xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %d = arith.subf %i0, %i1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v4 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v5 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%v3 : tensor<?x?xf32>) outs(%v4 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v6 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%v3, %v5 : tensor<?x?xf32>, tensor<?xf32>) outs(%eo : tensor<?x?xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %r = arith.divf %i0, %i1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %v6 : tensor<?x?xf32>
}

//--- scaled.mlir
#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
#one = affine_map<(d0) -> (d0)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @scaled(%x: tensor<?x?xf32>, %gain: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %s0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %s1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %er = tensor.empty(%s0) : tensor<?xf32>
  %eo = tensor.empty(%s0, %s1) : tensor<?x?xf32>
  %eg = tensor.empty(%s1) : tensor<?xf32>
  %g = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%gain : tensor<?xf32>) outs(%eg : tensor<?xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %r = math.exp %i0 : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v1 = linalg.fill ins(%low : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v2 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%v1 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v3 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %v2 : tensor<?x?xf32>, tensor<?xf32>) outs(%eo : tensor<?x?xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %d = arith.subf %i0, %i1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v4 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v5 = linalg.generic {indexing_maps = [#all, #column, #row], iterator_types = ["parallel", "reduction"]} ins(%v3, %g : tensor<?x?xf32>, tensor<?xf32>) outs(%v4 : tensor<?xf32>) {
  ^bb0(%a: f32, %k: f32, %b: f32):
    %p = arith.mulf %a, %k : f32
    %r = arith.addf %b, %p : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v6 = linalg.generic {indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%v3, %v5, %g : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%eo : tensor<?x?xf32>) {
  ^bb0(%i0: f32, %i1: f32, %k: f32, %o: f32):
    %p = arith.mulf %i0, %k : f32
    %r = arith.divf %p, %i1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %v6 : tensor<?x?xf32>
}

//--- log_softmax.mlir
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>
func.func @log_softmax(%x: tensor<?x33xf32>) -> tensor<?x33xf32> {
  %c0 = arith.constant 0 : index
  %s0 = tensor.dim %x, %c0 : tensor<?x33xf32>
  %c1 = arith.constant 1 : index
  %s1 = tensor.dim %x, %c1 : tensor<?x33xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %er = tensor.empty(%s0) : tensor<?xf32>
  %eo = tensor.empty(%s0) : tensor<?x33xf32>
  %v1 = linalg.fill ins(%low : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v2 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x33xf32>) outs(%v1 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v3 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %v2 : tensor<?x33xf32>, tensor<?xf32>) outs(%eo : tensor<?x33xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %r = arith.subf %i0, %i1 : f32
    linalg.yield %r : f32
  } -> tensor<?x33xf32>
  %v4 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%v3 : tensor<?x33xf32>) outs(%eo : tensor<?x33xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %r = math.exp %i0 : f32
    linalg.yield %r : f32
  } -> tensor<?x33xf32>
  %v5 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v6 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%v4 : tensor<?x33xf32>) outs(%v5 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v7 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%v6 : tensor<?xf32>) outs(%er : tensor<?xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %r = math.log %i0 : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v8 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%v3, %v7 : tensor<?x33xf32>, tensor<?xf32>) outs(%eo : tensor<?x33xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %r = arith.subf %i0, %i1 : f32
    linalg.yield %r : f32
  } -> tensor<?x33xf32>
  return %v8 : tensor<?x33xf32>
}

//--- lse.mlir
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>
func.func @log_sum_exp(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %s0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %s1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %er = tensor.empty(%s0) : tensor<?xf32>
  %eo = tensor.empty(%s0, %s1) : tensor<?x?xf32>
  %v1 = linalg.fill ins(%low : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v2 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%v1 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v3 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %v2 : tensor<?x?xf32>, tensor<?xf32>) outs(%eo : tensor<?x?xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %d = arith.subf %i0, %i1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v4 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v5 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%v3 : tensor<?x?xf32>) outs(%v4 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v6 = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]} ins(%v5, %v2 : tensor<?xf32>, tensor<?xf32>) outs(%er : tensor<?xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %l = math.log %i0 : f32
    %r = arith.addf %l, %i1 : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %v6 : tensor<?xf32>
}

//--- layer_norm.mlir
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @layer_norm(%x: tensor<?x?xf32>, %gain: tensor<?xf32>, %bias: tensor<?xf32>, %eps: f32) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %s0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %s1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty(%s0) : tensor<?xf32>
  %eo = tensor.empty(%s0, %s1) : tensor<?x?xf32>
  %inv = arith.constant 0.125 : f32
  %v1 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v2 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%v1 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v3 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%v2 : tensor<?xf32>) outs(%er : tensor<?xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %r = arith.mulf %i0, %inv : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v4 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %v3 : tensor<?x?xf32>, tensor<?xf32>) outs(%eo : tensor<?x?xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %r = arith.subf %i0, %i1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v5 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v6 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%v4 : tensor<?x?xf32>) outs(%v5 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %d = arith.mulf %a, %a : f32
    %r = arith.addf %b, %d : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v7 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%v6 : tensor<?xf32>) outs(%er : tensor<?xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %v = arith.mulf %i0, %inv : f32
    %w = arith.addf %v, %eps : f32
    %r = math.rsqrt %w : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v8 = linalg.generic {indexing_maps = [#all, #row, #column, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%v4, %v7, %gain, %bias : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%eo : tensor<?x?xf32>) {
  ^bb0(%i0: f32, %i1: f32, %i2: f32, %i3: f32, %o: f32):
    %p = arith.mulf %i0, %i1 : f32
    %g = arith.mulf %p, %i2 : f32
    %r = arith.addf %g, %i3 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %v8 : tensor<?x?xf32>
}

//--- layer_norm_bf16.mlir
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @layer_norm(%x: tensor<?x1000xbf16>, %gain: tensor<1000xbf16>, %bias: tensor<1000xbf16>, %eps: f32) -> tensor<?x1000xbf16> {
  %c0 = arith.constant 0 : index
  %s0 = tensor.dim %x, %c0 : tensor<?x1000xbf16>
  %c1 = arith.constant 1 : index
  %s1 = tensor.dim %x, %c1 : tensor<?x1000xbf16>
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty(%s0) : tensor<?xf32>
  %ea = tensor.empty(%s0) : tensor<?x1000xf32>
  %eo = tensor.empty(%s0) : tensor<?x1000xbf16>
  %inv = arith.constant 0.125 : f32
  %v1 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v2 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x1000xbf16>) outs(%v1 : tensor<?xf32>) {
  ^bb0(%a: bf16, %b: f32):
    %w = arith.extf %a : bf16 to f32
    %r = arith.addf %b, %w : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v3 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%v2 : tensor<?xf32>) outs(%er : tensor<?xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %r = arith.mulf %i0, %inv : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v4 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %v3 : tensor<?x1000xbf16>, tensor<?xf32>) outs(%ea : tensor<?x1000xf32>) {
  ^bb0(%i0: bf16, %i1: f32, %o: f32):
    %x0 = arith.extf %i0 : bf16 to f32
    %r = arith.subf %x0, %i1 : f32
    linalg.yield %r : f32
  } -> tensor<?x1000xf32>
  %v5 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v6 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%v4 : tensor<?x1000xf32>) outs(%v5 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %d = arith.mulf %a, %a : f32
    %r = arith.addf %b, %d : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v7 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%v6 : tensor<?xf32>) outs(%er : tensor<?xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %v = arith.mulf %i0, %inv : f32
    %w = arith.addf %v, %eps : f32
    %r = math.rsqrt %w : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v8 = linalg.generic {indexing_maps = [#all, #row, #column, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%v4, %v7, %gain, %bias : tensor<?x1000xf32>, tensor<?xf32>, tensor<1000xbf16>, tensor<1000xbf16>) outs(%eo : tensor<?x1000xbf16>) {
  ^bb0(%i0: f32, %i1: f32, %i2: bf16, %i3: bf16, %o: bf16):
    %x2 = arith.extf %i2 : bf16 to f32
    %x3 = arith.extf %i3 : bf16 to f32
    %p = arith.mulf %i0, %i1 : f32
    %g = arith.mulf %p, %x2 : f32
    %r = arith.addf %g, %x3 : f32
    %q = arith.truncf %r : f32 to bf16
    linalg.yield %q : bf16
  } -> tensor<?x1000xbf16>
  return %v8 : tensor<?x1000xbf16>
}

//--- rms.mlir
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @rms_norm(%x: tensor<?x?xbf16>, %gain: tensor<?xbf16>, %eps: f32) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %s0 = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %c1 = arith.constant 1 : index
  %s1 = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty(%s0) : tensor<?xf32>
  %ea = tensor.empty(%s0, %s1) : tensor<?x?xf32>
  %eo = tensor.empty(%s0, %s1) : tensor<?x?xbf16>
  %inv = arith.constant 0.125 : f32
  %v1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xbf16>) outs(%ea : tensor<?x?xf32>) {
  ^bb0(%i0: bf16, %o: f32):
    %x0 = arith.extf %i0 : bf16 to f32
    %r = arith.mulf %x0, %x0 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v2 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v3 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%v1 : tensor<?x?xf32>) outs(%v2 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v4 = linalg.generic {indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %v3, %gain : tensor<?x?xbf16>, tensor<?xf32>, tensor<?xbf16>) outs(%eo : tensor<?x?xbf16>) {
  ^bb0(%i0: bf16, %i1: f32, %i2: bf16, %o: bf16):
    %x0 = arith.extf %i0 : bf16 to f32
    %x2 = arith.extf %i2 : bf16 to f32
    %v = arith.mulf %i1, %inv : f32
    %w = arith.addf %v, %eps : f32
    %z = math.rsqrt %w : f32
    %p = arith.mulf %x0, %z : f32
    %r = arith.mulf %p, %x2 : f32
    %q = arith.truncf %r : f32 to bf16
    linalg.yield %q : bf16
  } -> tensor<?x?xbf16>
  return %v4 : tensor<?x?xbf16>
}

//--- masked.mlir
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @masked_softmax(%x: tensor<?x?xf32>, %mask: tensor<?x?xf32>, %scale: f32) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %s0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %s1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %er = tensor.empty(%s0) : tensor<?xf32>
  %eo = tensor.empty(%s0, %s1) : tensor<?x?xf32>
  %v1 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %mask : tensor<?x?xf32>, tensor<?x?xf32>) outs(%eo : tensor<?x?xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %p = arith.mulf %i0, %scale : f32
    %r = arith.addf %p, %i1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v2 = linalg.fill ins(%low : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v3 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%v1 : tensor<?x?xf32>) outs(%v2 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v4 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%v1, %v3 : tensor<?x?xf32>, tensor<?xf32>) outs(%eo : tensor<?x?xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %d = arith.subf %i0, %i1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v5 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v6 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%v4 : tensor<?x?xf32>) outs(%v5 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v7 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%v4, %v6 : tensor<?x?xf32>, tensor<?xf32>) outs(%eo : tensor<?x?xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %r = arith.divf %i0, %i1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %v7 : tensor<?x?xf32>
}

//--- masked_batch.mlir
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @masked_softmax(%x: tensor<?x?x31xf32>, %mask: tensor<?x?x31xf32>, %scale: f32) -> tensor<?x?x31xf32> {
  %c0 = arith.constant 0 : index
  %s0 = tensor.dim %x, %c0 : tensor<?x?x31xf32>
  %c1 = arith.constant 1 : index
  %s1 = tensor.dim %x, %c1 : tensor<?x?x31xf32>
  %c2 = arith.constant 2 : index
  %s2 = tensor.dim %x, %c2 : tensor<?x?x31xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %er = tensor.empty(%s0, %s1) : tensor<?x?xf32>
  %eo = tensor.empty(%s0, %s1) : tensor<?x?x31xf32>
  %v1 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %mask : tensor<?x?x31xf32>, tensor<?x?x31xf32>) outs(%eo : tensor<?x?x31xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %p = arith.mulf %i0, %scale : f32
    %r = arith.addf %p, %i1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?x31xf32>
  %v2 = linalg.fill ins(%low : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v3 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v1 : tensor<?x?x31xf32>) outs(%v2 : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v4 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v1, %v3 : tensor<?x?x31xf32>, tensor<?x?xf32>) outs(%eo : tensor<?x?x31xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %d = arith.subf %i0, %i1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?x31xf32>
  %v5 = linalg.fill ins(%zero : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v6 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v4 : tensor<?x?x31xf32>) outs(%v5 : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v7 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v4, %v6 : tensor<?x?x31xf32>, tensor<?x?xf32>) outs(%eo : tensor<?x?x31xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %r = arith.divf %i0, %i1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?x31xf32>
  return %v7 : tensor<?x?x31xf32>
}

//--- l2.mlir
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>
func.func @l2_normalise(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %s0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %s1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty(%s0) : tensor<?xf32>
  %eo = tensor.empty(%s0, %s1) : tensor<?x?xf32>
  %tiny = arith.constant 1.0e-12 : f32
  %v1 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v2 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%v1 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %d = arith.mulf %a, %a : f32
    %r = arith.addf %b, %d : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v3 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%v2 : tensor<?xf32>) outs(%er : tensor<?xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %q = math.sqrt %i0 : f32
    %r = arith.maximumf %q, %tiny : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v4 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %v3 : tensor<?x?xf32>, tensor<?xf32>) outs(%eo : tensor<?x?xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %r = arith.divf %i0, %i1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %v4 : tensor<?x?xf32>
}

//--- l2_columns.mlir
#all = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>
func.func @l2_normalise(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %s0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %s1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty(%s1) : tensor<?xf32>
  %eo = tensor.empty(%s0, %s1) : tensor<?x?xf32>
  %tiny = arith.constant 1.0e-12 : f32
  %v1 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v2 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%v1 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %d = arith.mulf %a, %a : f32
    %r = arith.addf %b, %d : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v3 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%v2 : tensor<?xf32>) outs(%er : tensor<?xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %q = math.sqrt %i0 : f32
    %r = arith.maximumf %q, %tiny : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v4 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %v3 : tensor<?x?xf32>, tensor<?xf32>) outs(%eo : tensor<?x?xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %r = arith.divf %i0, %i1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %v4 : tensor<?x?xf32>
}

//--- batch.mlir
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @softmax(%x: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> {
  %c0 = arith.constant 0 : index
  %s0 = tensor.dim %x, %c0 : tensor<?x?x?xbf16>
  %c1 = arith.constant 1 : index
  %s1 = tensor.dim %x, %c1 : tensor<?x?x?xbf16>
  %c2 = arith.constant 2 : index
  %s2 = tensor.dim %x, %c2 : tensor<?x?x?xbf16>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %er = tensor.empty(%s0, %s1) : tensor<?x?xf32>
  %ea = tensor.empty(%s0, %s1, %s2) : tensor<?x?x?xf32>
  %eo = tensor.empty(%s0, %s1, %s2) : tensor<?x?x?xbf16>
  %v1 = linalg.fill ins(%low : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v2 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<?x?x?xbf16>) outs(%v1 : tensor<?x?xf32>) {
  ^bb0(%a: bf16, %b: f32):
    %w = arith.extf %a : bf16 to f32
    %r = arith.maximumf %b, %w : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v3 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %v2 : tensor<?x?x?xbf16>, tensor<?x?xf32>) outs(%ea : tensor<?x?x?xf32>) {
  ^bb0(%i0: bf16, %i1: f32, %o: f32):
    %x0 = arith.extf %i0 : bf16 to f32
    %d = arith.subf %x0, %i1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %v4 = linalg.fill ins(%zero : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v5 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v3 : tensor<?x?x?xf32>) outs(%v4 : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v6 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v3, %v5 : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%eo : tensor<?x?x?xbf16>) {
  ^bb0(%i0: f32, %i1: f32, %o: bf16):
    %r = arith.divf %i0, %i1 : f32
    %q = arith.truncf %r : f32 to bf16
    linalg.yield %q : bf16
  } -> tensor<?x?x?xbf16>
  return %v6 : tensor<?x?x?xbf16>
}
