// What is computed element by element, from elements elsewhere, from windows, and sums along rows and columns.
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=M=70,N=50 2>&1 | FileCheck %s
// RUN: tilec %s --target=h100 --emit=nest | FileCheck %s --check-prefix=NEST
!G = memref<?x?xf32>
!V = memref<?xf32>

// CHECK: add on the emulator
// CHECK: integers: all 3500 elements of C agree, largest error 0
tile.kernel @add(%A: !G[%M, %N], %B: !G[%M, %N], %C: !G[%M, %N], %M: index, %N: index) {
  linalg.add ins(%A, %B : !G, !G) outs(%C : !G)
}

// Rows are read and written by neighbouring threads, so the tile goes through shared memory.
// NEST-LABEL: @transpose
// NEST: tile.stage %A[{{.*}} to memref<{{.*}}#tile.level<smem>>
// CHECK: transpose on the emulator
// CHECK: integers: all 3500 elements of B agree, largest error 0
tile.kernel @transpose(%A: !G[%M, %N], %B: !G[%N, %M], %M: index, %N: index) {
  linalg.transpose ins(%A : !G) outs(%B : !G) permutation = [1, 0]
}

// A row with a scale for each of its columns, in two steps with an array between them that stays on the chip.
// NEST-LABEL: @chain
// NEST-NOT: alloc
// CHECK: chain on the emulator
// CHECK: integers: all 3500 elements of B agree, largest error 0
tile.kernel @chain(%A: !G[%M, %N], %S: !V[%N], %B: !G[%M, %N], %M: index, %N: index) {
  %T = memref.alloc(%M, %N) : !G
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]} ins(%A, %S : !G, !V) outs(%T : !G) {
  ^bb0(%a: f32, %s: f32, %t: f32):
    %p = arith.mulf %a, %s : f32
    linalg.yield %p : f32
  }
  linalg.abs ins(%T : !G) outs(%B : !G)
}

// NEST-LABEL: @rows
// NEST: on thread reduce(add)
// CHECK: rows on the emulator
// CHECK: integers: all 70 elements of S agree, largest error 0
tile.kernel @rows(%A: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%S : !V)
  linalg.reduce ins(%A : !G) outs(%S : !V) dimensions = [1] (%a: f32, %s: f32) {
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  }
}

// CHECK: columns on the emulator
// CHECK: integers: all 50 elements of S agree, largest error 0
tile.kernel @columns(%A: !G[%M, %N], %S: !V[%N], %M: index, %N: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%S : !V)
  linalg.reduce ins(%A : !G) outs(%S : !V) dimensions = [0] (%a: f32, %s: f32) {
    %t = arith.maximumf %a, %s : f32
    linalg.yield %t : f32
  }
}

// CHECK: matvec on the emulator
// CHECK: integers: all 70 elements of Y agree, largest error 0
tile.kernel @matvec(%A: !G[%M, %N], %X: !V[%N], %Y: !V[%M], %M: index, %N: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%Y : !V)
  linalg.matvec ins(%A, %X : !G, !V) outs(%Y : !V)
}
