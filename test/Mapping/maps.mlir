// Nothing is known by name: contractions with other maps, batches, added to what is there, an operand that is used twice, a sum of squares.
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=M=66,N=70,K=34 2>&1 | FileCheck %s
// RUN: tilec %s --target=h100 --emit=nest | FileCheck %s --check-prefix=NEST
!G = memref<?x?xf32>

// Columns times rows: both operands transposed, dimensions in another order.
// CHECK: both on the emulator
// CHECK: integers: all 4620 elements of C agree, largest error 0
// NEST-LABEL: @both
// NEST: on warp
tile.kernel @both(%A: !G[%K, %M], %B: !G[%N, %K], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : !G)
  linalg.generic {indexing_maps = [affine_map<(k, n, m) -> (k, m)>, affine_map<(k, n, m) -> (n, k)>, affine_map<(k, n, m) -> (m, n)>],
                  iterator_types = ["reduction", "parallel", "parallel"]} ins(%A, %B : !G, !G) outs(%C : !G) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %b, %a : f32
    %s = arith.addf %p, %c : f32
    linalg.yield %s : f32
  }
}

// CHECK: added on the emulator
// CHECK: integers: all 4620 elements of C agree, largest error 0
// NEST-LABEL: @added
// NEST: on warp
// NEST: tile.stage %C
tile.kernel @added(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  linalg.matmul ins(%A, %B : !G, !G) outs(%C : !G)
}

// CHECK: gram on the emulator
// CHECK: integers: all 4356 elements of C agree, largest error 0
// NEST-LABEL: @gram
// NEST: on warp
tile.kernel @gram(%A: !G[%M, %K], %C: !G[%M, %M], %N: index, %M: index, %K: index, %unused: !G[%N, %N]) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : !G)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%A, %A : !G, !G) outs(%C : !G)
}

// CHECK: batches on the emulator
// CHECK: integers: all 13860 elements of C agree, largest error 0
// NEST-LABEL: @batches
// NEST: on warp
!B = memref<3x?x?xf32>
tile.kernel @batches(%A: !B[3, %M, %K], %B: !B[3, %K, %N], %C: !B[3, %M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : !B)
  linalg.batch_matmul ins(%A, %B : !B, !B) outs(%C : !B)
}

// CHECK: squares on the emulator
// CHECK: integers: all 66 elements of S agree, largest error 0
// NEST-LABEL: @squares
// NEST: on thread reduce(add)
tile.kernel @squares(%X: !G[%M, %K], %S: memref<?xf32>[%M], %M: index, %K: index, %N: index, %unused: !G[%N, %N]) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%S : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%X : !G) outs(%S : memref<?xf32>) {
  ^bb0(%x: f32, %s: f32):
    %p = arith.mulf %x, %x : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
}
