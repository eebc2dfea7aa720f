// A layer of a network of images, channels last: 3x3 filters of 128 channels to 128, in f32.
func.func @filter(%x: memref<32x58x58x128xf32>, %w: memref<3x3x128x128xf32>, %y: memref<32x56x56x128xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<32x56x56x128xf32>)
  linalg.conv_2d_nhwc_hwcf ins(%x, %w : memref<32x58x58x128xf32>, memref<3x3x128x128xf32>) outs(%y : memref<32x56x56x128xf32>)
  return
}
