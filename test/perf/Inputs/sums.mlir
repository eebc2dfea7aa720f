// Sums of rows.
func.func @sums(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%m) : tensor<?xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %y = linalg.reduce {arith.addf} ins(%x : tensor<?x?xf32>) outs(%filled : tensor<?xf32>) dimensions = [1]
  return %y : tensor<?xf32>
}
