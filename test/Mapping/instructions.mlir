// Products of bf16 added up in f32 go to the tensor cores of machines that have wgmma, with what follows on the tile that is held.
// RUN: tilec %s --target=h100 --emit=nest | FileCheck %s
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=M=200,N=136,K=72 | FileCheck %s --check-prefix=RAN
!H = memref<?x?xbf16>
!F = memref<?x?xf32>
#id = affine_map<(m, n) -> (m, n)>

// Three warpgroups beside each other would leave each thread too few registers for sums of 256 columns.
// CHECK: by (128, 256) at dram on block persistent
// CHECK: on warpgroup
// CHECK: linalg.matmul
// CHECK: arith.truncf
// RAN: integers: all 27200 elements of D agree, largest error 0
tile.kernel @layer(%A: !H[%M, %K], %B: !H[%N, %K], %bias: memref<?xf32>[%N], %D: !H[%M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  %C = memref.alloc(%M, %N) : !F
  linalg.fill ins(%zero : f32) outs(%C : !F)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%A, %B : !H, !H) outs(%C : !F)
  linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> (n)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%C, %bias : !F, memref<?xf32>) outs(%D : !H) {
  ^bb0(%c: f32, %b: f32, %old: bf16):
    %s = arith.addf %c, %b : f32
    %r = arith.maximumf %s, %zero : f32
    %t = arith.truncf %r : f32 to bf16
    linalg.yield %t : bf16
  }
}
