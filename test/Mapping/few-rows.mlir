// Products of few rows, which predictions take for faster than they are where warps are alone, or blocks have one row of tiles and several of these (docs/results/gpu.md, "A token's step").
// RUN: split-file %s %t
// RUN: tilec %t/rows.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=ROWS
// RUN: tilec %t/groups.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=GROUPS

// ROWS: at dram on block
// ROWS-NOT: persistent
// ROWS: on warpgroup
//--- rows.mlir
func.func @rows(%a: tensor<8x4096xf16>, %b: tensor<14336x4096xf16>) -> tensor<8x14336xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x14336xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x14336xf32>) -> tensor<8x14336xf32>
  %c = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<8x4096xf16>, tensor<14336x4096xf16>) outs(%f : tensor<8x14336xf32>) -> tensor<8x14336xf32>
  return %c : tensor<8x14336xf32>
}

// GROUPS-NOT: on warp {
// GROUPS: on warpgroup
//--- groups.mlir
func.func @groups(%a: tensor<8x4x4096xf16>, %b: tensor<8x4096x128xf16>) -> tensor<8x4x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4x128xf32>) -> tensor<8x4x128xf32>
  %c = linalg.batch_matmul ins(%a, %b : tensor<8x4x4096xf16>, tensor<8x4096x128xf16>) outs(%f : tensor<8x4x128xf32>) -> tensor<8x4x128xf32>
  return %c : tensor<8x4x128xf32>
}
