// A matrix times a vector, in f32.
func.func @matvec(%a: memref<8192x8192xf32>, %x: memref<8192xf32>, %y: memref<8192xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<8192xf32>)
  linalg.matvec ins(%a, %x : memref<8192x8192xf32>, memref<8192xf32>) outs(%y : memref<8192xf32>)
  return
}
