// Boxes and stores of TMA at places that an int may not have, since a loop's induction variable is multiplied: what stands for them has no elements either.
// REQUIRES: host-compiler
// RUN: tilec %s --target=h100 --emit=cuda -o - | FileCheck %s --check-prefix=TEXT
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=M=136,K=130,S=3 | FileCheck %s
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=M=8,K=64,S=5 | FileCheck %s
// There may be more rows of 64 than an int has. B is walked in steps of 2^30, from -2^30 on: its last place is 2^31, beyond it.
// TEXT: tma_load_2d(&a[{{.*}}], &A_map, {{s(_1)?}} * 64, (int)min((long long){{.*}} * 64, (long long)2147418112), &full[use]);
// TEXT: tma_load_2d(&b[{{.*}}], &B_map, (int)min((long long){{s(_1)?}} * 1073741824 - 1073741824, (long long)2147418112),
// TEXT-NEXT: (int)min((long long){{.*}} * 64, (long long)2147418112), &full[use]);
// TEXT: tma_store_2d(&C_map, (int)min((long long)
// CHECK: integers: all {{[0-9]+}} elements of C agree, largest error 0
// CHECK: random: all {{[0-9]+}} elements of C agree
!G = memref<?x?xbf16, strided<[?, 1]>>
!a = memref<64x64xbf16, #tile.level<smem>>
!iA = memref<64x16xbf16, #tile.level<smem>>
!c = memref<64x64xf32, #tile.level<rf>>
!r = memref<64x64xbf16, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>
tile.kernel @far(%A: !G[%M, %K], %B: !G[%M, %K], %V: memref<?xf32>[%S], %C: !G[%M, %M], %M: index, %K: index, %S: index) {
  tile.for (%m, %n) in (%S, %S) by (1, 1) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%s) in (4) by (1) at dram pipeline(2) producers(1) {
      %a = tile.stage %A[64 * %m, 64 * %s] pad(zero) copy(tma) : !G to !a
      %b = tile.stage %B[64 * %n, 1073741824 * %s - 1073741824] pad(zero) copy(tma) : !G to !a
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k) in (64) by (16) at smem on unroll {
          %x = tile.part %a[0, %k] : !a to !iA
          %y = tile.part %b[0, %k] : !a to !iA
          linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
              ins(%x, %y : !iA, !iA) outs(%c : !c)
        }
      }
    }
    %r = tile.hold init(0.0 : bf16) : !r
    %v = tile.stage %V[%m] : memref<?xf32> to memref<1xf32, #tile.level<rf>>
    linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> (0)>, #id], iterator_types = ["parallel", "parallel"]}
        ins(%c, %v : !c, memref<1xf32, #tile.level<rf>>) outs(%r : !r) {
    ^bb0(%sum: f32, %factor: f32, %old: bf16):
      %scaled = arith.mulf %sum, %factor : f32
      %rounded = arith.truncf %scaled : f32 to bf16
      linalg.yield %rounded : bf16
    }
    tile.store %r to %C[64 * %m, 64 * %n] : !r to !G
  }
}
