// Products of tensor cores whose tiles end often: two warpgroups take tiles in turn, so that one stores while the other multiplies. Long products of few rows: as many slots as fit, no instruction
// and no block of a cluster without a row.
// RUN: tilec %s --target=h100 --shape=M=8192,N=8192,K=8192 --emit=nest | FileCheck %s --check-prefix=LARGE
// RUN: tilec %s --target=h100 --shape=M=4096,N=4096,K=256 --emit=nest | FileCheck %s --check-prefix=SHORT
// RUN: tilec %s --target=h100 --shape=M=64,N=4096,K=4096 --emit=nest | FileCheck %s --check-prefix=FEW
// RUN: tilec %s --target=%S/../Run/Inputs/five_sm90.yaml --run=cpu --verify --shape=M=300,N=520,K=72 | FileCheck %s --check-prefix=RAN
!H = memref<?x?xbf16>
!F = memref<?x?xf32>
#id = affine_map<(m, n) -> (m, n)>

// LARGE: by (128, 192) at dram on block persistent teams(2)
// SHORT: by (128, 128) at dram on block persistent teams(2)
// SHORT: pipeline(6) producers(4)
// SHORT: tile.for (%mw) in (128) by (128) at smem on warpgroup
// SHORT: tile.for (%k1, %m1) in (64, 128) by (16, 64) at smem on unroll
// FEW: by (64, 64) at dram on block raster
// FEW: pipeline(12) producers(4)
// RAN: integers: all 156000 elements of D agree, largest error 0
tile.kernel @product(%A: !H[%M, %K], %B: !H[%K, %N], %D: !H[%M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  %C = memref.alloc(%M, %N) : !F
  linalg.fill ins(%zero : f32) outs(%C : !F)
  linalg.matmul ins(%A, %B : !H, !H) outs(%C : !F)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%C : !F) outs(%D : !H) {
  ^bb0(%c: f32, %old: bf16):
    %t = arith.truncf %c : f32 to bf16
    linalg.yield %t : bf16
  }
}
