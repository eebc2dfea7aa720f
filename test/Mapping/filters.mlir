// A convolution is a product in tiles that have one place of the image and of the filter: of images, channels and results. Tensor cores compute that where the
// sizes show that the filter never leaves the image; what one op walks innermost is a choice.
// RUN: split-file %s %t
// RUN: tilec %t/half.mlir --target=h200 --emit=nest -o %t/half.nest && FileCheck %s --check-prefix=HALF --input-file=%t/half.nest
// RUN: tilec %t/half.mlir --target=h200 --run=cpu --verify | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/few.mlir --target=sm80 --emit=nest | FileCheck %s --check-prefix=WARPS
// RUN: tilec %t/few.mlir --target=sm80 --run=cpu --verify | FileCheck %s --check-prefix=FEW
// RUN: tilec %t/planes.mlir --target=h200 --emit=nest | FileCheck %s --check-prefix=PLANES

// HALF: in (70, 4, 4, 136) by ([[N:[0-9]+]], 1, 1, [[F:[0-9]+]]) at dram on block
// HALF: in (3) by (1) at dram {
// HALF-NEXT: in (3) by (1) at dram {
// HALF-NEXT: in (72) by ([[C:[0-9]+]]) at dram pipeline({{[0-9]+}}) producers({{[0-9]+}}) {
// HALF-NEXT: tile.stage %x{{.*}} copy(tma) : memref<70x6x6x72xbf16> to memref<[[N]]x1x1x[[C]]xbf16, #tile.level<smem>>
// HALF-NEXT: tile.stage %w{{.*}} copy(tma) : memref<3x3x72x136xbf16> to memref<1x1x[[C]]x[[F]]xbf16, #tile.level<smem>>
// HALF: on warpgroup
// HALF: linalg.conv_2d_nhwc_hwcf {{.*}} outs({{.*}} : memref<64x1x1x[[F]]xf32, #tile.level<rf>>)
// RAN: integers: all 152320 elements of y agree, largest error 0
//--- half.mlir
func.func @half(%x: memref<70x6x6x72xbf16>, %w: memref<3x3x72x136xbf16>, %y: memref<70x4x4x136xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<70x4x4x136xf32>)
  linalg.conv_2d_nhwc_hwcf ins(%x, %w : memref<70x6x6x72xbf16>, memref<3x3x72x136xbf16>) outs(%y : memref<70x4x4x136xf32>)
  return
}

// Warps multiply matrices of 16 columns, of fewer images and channels too.
// WARPS: linalg.conv_2d_nhwc_hwcf {{.*}} outs({{.*}} : memref<16x1x1x8xf32, #tile.level<rf>>)
// FEW: integers: all 26928 elements of y agree, largest error 0
//--- few.mlir
func.func @few(%x: memref<33x5x4x40xbf16>, %w: memref<3x3x40x136xbf16>, %y: memref<33x3x2x136xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<33x3x2x136xf32>)
  linalg.conv_2d_nhwc_hwcf ins(%x, %w : memref<33x5x4x40xbf16>, memref<3x3x40x136xbf16>) outs(%y : memref<33x3x2x136xf32>)
  return
}

// Three columns of a filter are few steps: channels are walked innermost.
// PLANES: in (3) by (1) at dram {
// PLANES-NEXT: in (3) by (1) at dram {
// PLANES-NEXT: in (64) by ({{8|16|32|64}}) at dram pipeline
//--- planes.mlir
func.func @planes(%x: memref<16x64x128x128xf32>, %w: memref<64x64x3x3xf32>, %y: memref<16x64x126x126xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<16x64x126x126xf32>)
  linalg.conv_2d_nchw_fchw ins(%x, %w : memref<16x64x128x128xf32>, memref<64x64x3x3xf32>) outs(%y : memref<16x64x126x126xf32>)
  return
}
