// Sums of 3x3 windows, weighted.
func.func @window(%x: memref<?x?xf32>, %w: memref<3x3xf32>, %y: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<?x?xf32>)
  linalg.conv_2d ins(%x, %w : memref<?x?xf32>, memref<3x3xf32>) outs(%y : memref<?x?xf32>)
  return
}
