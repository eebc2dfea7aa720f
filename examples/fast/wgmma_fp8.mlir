// C = A * B with the scales of DeepGEMM: A (m, k) and B (n, k) are e4m3, with a factor in f32 for each row of A and each 128 of k, and one for each 128 x 128 of
// B. Tensor cores add up 8-bit floats with 13 bits or so behind the leading one of the largest; so after each 128 of k what they have added is multiplied by
// the factors, and added in f32 to a tile that stays.
// A step of the ring is 128 of k: four instructions of each of two warpgroups. While one waits for them, scales its partial sums and adds them up, the other's
// run. The factors of the rows come with the tiles, by TMA; a thread has two of them, and the one of B, in registers before it multiplies.
// The scales of A lie along m, as DeepGEMM has them. %NS and %KS are N and K in steps of 128.
!G = memref<?x?xf8E4M3FN, strided<[?, 1]>>
!SA = memref<?x?xf32, strided<[1, ?]>>
!SB = memref<?x?xf32, strided<[?, 1]>>
!C = memref<?x?xbf16, strided<[?, 1]>>
!s = memref<128x128xf8E4M3FN, #tile.level<smem>>
!f = memref<128x1xf32, #tile.level<smem>>
!iA = memref<64x32xf8E4M3FN, #tile.level<smem>>
!iB = memref<128x32xf8E4M3FN, #tile.level<smem>>
!iC = memref<64x128xf32, #tile.level<rf>>
!c = memref<128x128xf32, #tile.level<rf>>
!u = memref<128x1xf32, #tile.level<rf>>
!v = memref<1x1xf32, #tile.level<rf>>
!r = memref<128x128xbf16, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>

tile.kernel @wgmma_fp8(%A: !G[%M, %K], %B: !G[%N, %K], %SA: !SA[%M, %KS], %SB: !SB[%NS, %KS], %C: !C[%M, %N],
                       %M: index, %N: index, %K: index, %NS: index, %KS: index) dataflow(output_stationary) {
  tile.for (%m0, %ns) in (%M, %NS) by (128, 1) at dram on block persistent raster(grouped = 16) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%ks) in (%KS) by (1) at dram pipeline(5) producers(4) registers(56, 224) {
      %sA = tile.stage %A[%m0, 128 * %ks] copy(tma) : !G to !s
      %sB = tile.stage %B[128 * %ns, 128 * %ks] copy(tma) : !G to !s
      %f = tile.stage %SA[%m0, %ks] copy(tma) : !SA to !f
      %u = tile.stage %f[0, 0] : !f to !u
      %v = tile.stage %SB[%ns, %ks] : !SB to !v
      %p = tile.hold init(0.0 : f32) : !c
      tile.for (%mw) in (128) by (64) at smem on warpgroup {
        tile.for (%k1) in (128) by (32) at smem on unroll {
          %a = tile.part %sA[%mw, %k1] : !s to !iA
          %b = tile.part %sB[0, %k1] : !s to !iB
          %s = tile.part %p[%mw, 0] : !c to !iC
          linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
              ins(%a, %b : !iA, !iB) outs(%s : !iC)
        }
      }
      linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> (m, 0)>, affine_map<(m, n) -> (0, 0)>, #id], iterator_types = ["parallel", "parallel"]}
          ins(%p, %u, %v : !c, !u, !v) outs(%c : !c) {
      ^bb0(%part: f32, %ofA: f32, %ofB: f32, %sum: f32):
        %scale = arith.mulf %ofA, %ofB : f32
        %scaled = arith.mulf %part, %scale : f32
        %total = arith.addf %sum, %scaled : f32
        linalg.yield %total : f32
      }
    }
    %r = tile.hold init(0.0 : bf16) : !r
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : !c) outs(%r : !r) {
    ^bb0(%sum: f32, %old: bf16):
      %rounded = arith.truncf %sum : f32 to bf16
      linalg.yield %rounded : bf16
    }
    tile.store %r to %C[%m0, 128 * %ns] : !r to !C
  }
}
// RUN: tilec %s --target=sm90 --run=cpu --verify --shape=M=130,N=264,K=272,NS=3,KS=3 | FileCheck %s
// RUN: tilec %s --target=sm90 --run=cpu --verify --shape=M=65,N=257,K=67,NS=3,KS=1 | FileCheck %s
// CHECK: integers: all {{[0-9]+}} elements of C agree, largest error 0
// CHECK: random: all {{[0-9]+}} elements of C agree
