// Products of a batch go to the tensor cores as single ones do, wherever the batch's dimension stands: tiles have one place of it, and instructions, swizzled
// layouts, boxes and stores see the other two dimensions.
// RUN: tilec %s --target=h200 --shape=B=16,M=1024,N=1024,K=1024 --emit=nest -o %t.hopper && FileCheck %s --check-prefix=HOPPER --input-file=%t.hopper
// RUN: tilec %t.hopper --target=h200 --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: tilec %t.hopper --target=h200 --run=cpu --verify --shape=B=3,M=70,N=136,K=40 | FileCheck %s --check-prefix=BOXES
// RUN: tilec %t.hopper --target=h200 --run=cpu --verify --shape=B=2,M=33,N=35,K=17 | FileCheck %s --check-prefix=RAN
// RUN: tilec %s --target=sm80 --shape=B=16,M=1024,N=1024,K=1024 --emit=nest -o %t.ampere && FileCheck %s --check-prefix=AMPERE --input-file=%t.ampere
// RUN: tilec %t.ampere --target=sm80 --run=cpu --verify --shape=B=3,M=70,N=136,K=40 | FileCheck %s --check-prefix=BOXES
// RUN: tilec %t.ampere --target=sm80 --run=cpu --verify --shape=B=2,M=33,N=35,K=17 | FileCheck %s --check-prefix=RAN

// HOPPER: in (%B, %M, %N) by (1, [[M:[0-9]+]], [[N:[0-9]+]]) at dram on block persistent
// HOPPER: tile.stage %A[%b0, %k0, %m0] copy(tma) : memref<?x?x?xbf16> to memref<1x{{[0-9]+}}x[[M]]xbf16, #tile.level<smem>>
// HOPPER: tile.stage %W[%n0, %b0, %k0] copy(tma) : memref<?x?x?xbf16> to memref<[[N]]x1x{{[0-9]+}}xbf16, #tile.level<smem>>
// HOPPER: on warpgroup
// HOPPER: outs(%{{.*}} : memref<64x1x[[N]]xf32, #tile.level<rf>>)
// PLAN: tile.stage %W[{{.*}}xbf16, #tile.layout<"Sw<3,3,3> o 0 o ([[N:[0-9]+]],1,64):(64,0,1)">, #tile.level<smem>>
// PLAN: tile.store {{.*}} through([[C:[0-9]+]]) copy(tma)
// PLAN: #tile.box<2, [2, 1, 0], {{\[}}[[C]], 1, {{[0-9]+}}], swizzle {{[0-9]+}}>
// BOXES: integers: all 28560 elements of C agree, largest error 0
// RAN: integers: all 2310 elements of C agree, largest error 0
// AMPERE: at smem on warp {
// AMPERE: outs(%{{.*}} : memref<16x1x8xf32, #tile.level<rf>>)
!H = memref<?x?x?xbf16>
!F = memref<?x?x?xf32>
#id = affine_map<(m, b, n) -> (m, b, n)>
tile.kernel @batches(%A: !H[%B, %K, %M], %W: !H[%N, %B, %K], %C: !H[%M, %B, %N], %B: index, %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  %S = memref.alloc(%M, %B, %N) : !F
  linalg.fill ins(%zero : f32) outs(%S : !F)
  linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, k, m)>, affine_map<(b, m, n, k) -> (n, b, k)>, affine_map<(b, m, n, k) -> (m, b, n)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%A, %W : !H, !H) outs(%S : !F) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %xf = arith.extf %x : bf16 to f32
    %yf = arith.extf %y : bf16 to f32
    %p = arith.mulf %xf, %yf : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%S : !F) outs(%C : !H) {
  ^bb0(%x: f32, %o: bf16):
    %r = arith.truncf %x : f32 to bf16
    linalg.yield %r : bf16
  }
}
