// What follows a product of tensor cores and reads operands as large as its result, which threads load an element at a time. Each section is a file of its own.
// RUN: split-file %s %t
// RUN: tilec %t/residual.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=RESIDUAL
// RUN: tilec %t/gated.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=GATED

// A residual stays with the product, but teams, predicted to be as fast, are doubted (docs/results/gpu.md, "Functions as exporters write them").
// RESIDUAL: tile.kernel @residual(
// RESIDUAL-NOT: teams(
// RESIDUAL-NOT: tile.kernel
//--- residual.mlir
#id = affine_map<(m, n) -> (m, n)>
func.func @residual(%a: tensor<4096x2048xf16>, %b: tensor<2048x2048xf16>, %x: tensor<4096x2048xf16>) -> tensor<4096x2048xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
  %p = linalg.matmul ins(%a, %b : tensor<4096x2048xf16>, tensor<2048x2048xf16>) outs(%f : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
  %o = tensor.empty() : tensor<4096x2048xf16>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %x : tensor<4096x2048xf32>, tensor<4096x2048xf16>) outs(%o : tensor<4096x2048xf16>) {
  ^bb0(%v: f32, %w: f16, %old: f16):
    %t = arith.truncf %v : f32 to f16
    %s = arith.addf %t, %w : f16
    linalg.yield %s : f16
  } -> tensor<4096x2048xf16>
  return %r : tensor<4096x2048xf16>
}

// A function of such an operand is a launch of its own; what rounds the product stays with it.
// GATED: tile.kernel @gated_0({{.*}}memref<512x512xf16>[512, 512])
// GATED: tile.kernel @gated_1(
// GATED: math.exp
// GATED-NOT: tile.kernel
//--- gated.mlir
#id = affine_map<(m, n) -> (m, n)>
func.func @gated(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %g: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %p = linalg.matmul ins(%a, %b : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) -> tensor<512x512xf32>
  %o = tensor.empty() : tensor<512x512xf16>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<512x512xf32>) outs(%o : tensor<512x512xf16>) {
  ^bb0(%v: f32, %old: f16):
    %t = arith.truncf %v : f32 to f16
    linalg.yield %t : f16
  } -> tensor<512x512xf16>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %g : tensor<512x512xf16>, tensor<512x512xf16>) outs(%o : tensor<512x512xf16>) {
  ^bb0(%v: f16, %w: f16, %old: f16):
    %x = math.exp %w : f16
    %s = arith.mulf %v, %x : f16
    linalg.yield %s : f16
  } -> tensor<512x512xf16>
  return %r : tensor<512x512xf16>
}
