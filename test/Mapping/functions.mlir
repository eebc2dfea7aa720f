// Functions of linalg ops become kernels: on memrefs as they stand, on tensors by MLIR's bufferization, with results as operands.
// RUN: tilec %s --target=h100 --emit=nest | FileCheck %s
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=A0=70,A1=33,B1=44 | FileCheck %s --check-prefix=RAN

// CHECK: tile.kernel @memrefs(%A: memref<?x?xf32>[%A0, %A1], %B: memref<?x?xf32>[%A1, %B1], %C: memref<?x?xf32>[%A0, %B1], %A0: index, %A1: index, %B1: index)
// RAN: memrefs on the emulator
// RAN: integers: all 3080 elements of C agree, largest error 0
func.func @memrefs(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<?x?xf32>)
  linalg.matmul ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?x?xf32>)
  return
}

// CHECK: tile.kernel @tensors(%A: memref<?x?xf32>[%A0, %A1], %B: memref<?x?xf32>[%A1, %B1], %bias: memref<?xf32>[%B1],
// CHECK-SAME: %result: memref<?x?xf32>[%A0, %B1], %A0: index, %A1: index, %B1: index)
// CHECK-NOT: alloc
// RAN: tensors on the emulator
// RAN: integers: all 3080 elements of result agree, largest error 0
func.func @tensors(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %bias: tensor<?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %A, %c0 : tensor<?x?xf32>
  %n = tensor.dim %B, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%bias : tensor<?xf32>) outs(%p : tensor<?x?xf32>) {
  ^bb0(%b: f32, %c: f32):
    %s = arith.addf %b, %c : f32
    %q = arith.maximumf %s, %zero : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Arrays between ops may be freed.
// CHECK: tile.kernel @freed(%A: memref<?x?xf32>[%A0, %A1], %C: memref<?x?xf32>[%A0, %A1], %A0: index, %A1: index)
// CHECK-NOT: alloc
// RAN: freed on the emulator
// RAN: random: all 2310 elements of C agree
func.func @freed(%A: memref<?x?xf32>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  %t = memref.alloc(%m, %n) : memref<?x?xf32>
  linalg.exp ins(%A : memref<?x?xf32>) outs(%t : memref<?x?xf32>)
  linalg.add ins(%t, %A : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?x?xf32>)
  memref.dealloc %t : memref<?x?xf32>
  return
}

// What is computed in place of an argument stays there.
// CHECK: tile.kernel @inplace(%A: memref<?x?xf32>[%A0, %A1], %B: memref<?x?xf32>[%A1, %B1], %C: memref<?x?xf32>[%A0, %B1], %A0: index, %A1: index, %B1: index)
// RAN: inplace on the emulator
// RAN: integers: all 3080 elements of C agree, largest error 0
func.func @inplace(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%C : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
