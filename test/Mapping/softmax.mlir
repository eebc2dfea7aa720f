// The ops that linalg.softmax stands for look for the greatest number of a row by maxnumf, from NaN: threads share rows for it as for any reduction, all in one launch.
// RUN: tilec %s --target=h100 --shape=x0=512,x1=2048 --emit=nest | FileCheck %s
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=x0=7,x1=133 | FileCheck %s --check-prefix=RAN
// CHECK: tile.hold init(0xFFC00000 : f32)
// CHECK: on thread reduce(maxnum)
// CHECK: arith.maxnumf
// CHECK: on thread reduce(add)
// CHECK-NOT: tile.program
// RAN: {{^}}rows on the emulator
// RAN: integers: all 931 elements of result agree
// RAN: random: all 931 elements of result agree
func.func @rows(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
