// Softmax of rows, by the named op.
!T = tensor<?x?xf32>
func.func @softmax(%x: !T) -> !T {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : !T
  %n = tensor.dim %x, %c1 : !T
  %empty = tensor.empty(%m, %n) : !T
  %y = linalg.softmax dimension(1) ins(%x : !T) outs(%empty : !T) -> !T
  return %y : !T
}
