// What a body computes from the numbers of its points (linalg.index) counts from where each tile is.
// RUN: tilec %s --target=h100 --emit=nest | FileCheck %s
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=M=130,N=100 | FileCheck %s --check-prefix=RAN
!G = memref<?x?xf32>

// A triangle: elements above the diagonal stay.
// CHECK-LABEL: tile.kernel @triangle
// CHECK: tile.for (%m0, %n0) in (%M, %N)
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = linalg.index 0 : index
// CHECK: arith.addi %[[I]], %m0 : index
// RAN: elements of C agree, largest error 0
tile.kernel @triangle(%A: !G[%M, %N], %C: !G[%M, %N], %M: index, %N: index) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : !G) outs(%C : !G) {
  ^bb0(%a: f32, %c: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %below = arith.cmpi sge, %i, %j : index
    %r = arith.select %below, %a, %c : f32
    linalg.yield %r : f32
  }
}

// A product whose operand has no elements above the diagonal, scaled by rows: in what reduces and in what follows.
// CHECK-LABEL: tile.kernel @masked
// RAN: elements of C agree, largest error 0
tile.kernel @masked(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : !G)
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%A, %B : !G, !G) outs(%C : !G) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %zeroed = arith.constant 0.0 : f32
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %below = arith.cmpi sge, %i, %k : index
    %x = arith.select %below, %a, %zeroed : f32
    %m = arith.mulf %x, %b : f32
    %r = arith.addf %c, %m : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%C : !G) {
  ^bb0(%c: f32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %f = arith.sitofp %n : i32 to f32
    %r = arith.mulf %c, %f : f32
    linalg.yield %r : f32
  }
}

// The same where the result lies turned, so that its tiles are walked in another order.
// CHECK-LABEL: tile.kernel @turned
// CHECK-NOT: affine.apply
// RAN: elements of C agree, largest error 0
tile.kernel @turned(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : !G)
  linalg.generic {indexing_maps = [affine_map<(j, i, k) -> (i, k)>, affine_map<(j, i, k) -> (k, j)>, affine_map<(j, i, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%A, %B : !G, !G) outs(%C : !G) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %c, %m : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%C : !G) {
  ^bb0(%c: f32):
    %j = linalg.index 0 : index
    %n = arith.index_cast %j : index to i32
    %f = arith.sitofp %n : i32 to f32
    %r = arith.mulf %c, %f : f32
    linalg.yield %r : f32
  }
}
