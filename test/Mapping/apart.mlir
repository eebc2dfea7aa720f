// Convolutions whose neighbours in a row of the result read elements that lie apart: the image is copied ahead. Where strides and dilations have a common factor, every so
// many-th element of a row and of a column alone, and the rest has none; else one row for each place of a window, in which neighbours lie beside each other.
// RUN: split-file %s %t
// RUN: tilec %t/common.mlir --target=h100-sxm --emit=nest -o - | FileCheck %s --check-prefix=COMMON
// RUN: tilec %t/windows.mlir --target=h100-sxm --emit=nest -o - | FileCheck %s --check-prefix=WINDOWS
// RUN: tilec %t/windows.mlir --target=h100-sxm --run=cpu --verify | FileCheck %s --check-prefix=VERIFIED
// RUN: tilec %t/mixed.mlir --target=h100-sxm --run=cpu --verify | FileCheck %s --check-prefix=MIXED
// RUN: tilec %t/residual.mlir --target=h100-sxm --emit=nest -o - | FileCheck %s --check-prefix=KEPT
// RUN: tilec %t/residual.mlir --target=h100-sxm --run=cpu --verify | FileCheck %s --check-prefix=RESIDUAL
// KEPT-NOT: memref<2x32x33x3x33xf32
// KEPT: tile.stage %x[{{.*}} : memref<2x32x33x67xf32>
// KEPT-NOT: memref<2x32x33x3x33xf32
// RESIDUAL: integers: all 33792 elements of y agree, largest error 0
// COMMON: tile.kernel @common_rows0
// COMMON: tile.stage %x[{{.*}} * 2, {{.*}} * 2]
// COMMON: tile.kernel @common_rest(%{{.*}}: memref<16x64x64x64xf32, strided<[?, ?, ?, 1]>>[16, 64, 64, 64]
// COMMON: tile.program @common
// COMMON: tile.workspace [16, 64, 64, 64] rows(16)
// WINDOWS: tile.stage %x[{{.*}} + ({{.*}}) * 2]
// WINDOWS: tile.kernel @windows_rest(%{{.*}}: memref<2x16x33x3x33xf32, strided<[?, ?, ?, ?, 1]>>[2, 16, 33, 3, 33]
// WINDOWS: tile.program @windows
// VERIFIED: all launches: integers: all 33792 elements of y agree, largest error 0
// MIXED: all launches: integers: all 23040 elements of y agree, largest error 0
//--- common.mlir
!x = memref<16x64x128x128xf32>
!w = memref<64x64x3x3xf32>
!y = memref<16x64x62x62xf32>
func.func @common(%x: !x, %w: !w, %y: !y) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : !y)
  linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>, dilations = dense<2> : tensor<2xi64>} ins(%x, %w : !x, !w) outs(%y : !y)
  return
}
//--- windows.mlir
!x = memref<2x16x33x67xf32>
!w = memref<32x16x3x3xf32>
!y = memref<2x32x16x33xf32>
func.func @windows(%x: !x, %w: !w, %y: !y) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : !y)
  linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%x, %w : !x, !w) outs(%y : !y)
  return
}
//--- mixed.mlir
!x = memref<3x24x30x130xf32>
!w = memref<48x24x3x3xf32>
!y = memref<3x48x5x32xf32>
func.func @mixed(%x: !x, %w: !w, %y: !y) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : !y)
  linalg.conv_2d_nchw_fchw {strides = dense<4> : tensor<2xi64>, dilations = dense<[6, 2]> : tensor<2xi64>} ins(%x, %w : !x, !w) outs(%y : !y)
  return
}
//--- residual.mlir
// What is added is read of the image, too, which is not copied then.
!x = memref<2x32x33x67xf32>
!w = memref<32x32x3x3xf32>
!y = memref<2x32x16x33xf32>
func.func @residual(%x: !x, %w: !w, %y: !y) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : !y)
  linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%x, %w : !x, !w) outs(%y : !y)
  linalg.generic {indexing_maps = [affine_map<(n, f, h, w) -> (n, f, 2 * h, 2 * w)>, affine_map<(n, f, h, w) -> (n, f, h, w)>],
        iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : !x) outs(%y : !y) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  }
  return
}
