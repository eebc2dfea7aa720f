// 3x3 filters of 64 channels to 64, channels first, every other place of every other element, in f32.
func.func @filter_strided(%x: memref<16x64x128x128xf32>, %w: memref<64x64x3x3xf32>, %y: memref<16x64x62x62xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<16x64x62x62xf32>)
  linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>, dilations = dense<2> : tensor<2xi64>}
    ins(%x, %w : memref<16x64x128x128xf32>, memref<64x64x3x3xf32>) outs(%y : memref<16x64x62x62xf32>)
  return
}
