// Sums of columns.
func.func @column_sums(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<?xf32>)
  linalg.reduce {arith.addf} ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) dimensions = [0]
  return
}
