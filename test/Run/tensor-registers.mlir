// wgmma whose first matrix the threads hold: what they have loaded and converted, what one product has left for the next, and what stays for all steps.
// REQUIRES: host-compiler
// RUN: mkdir -p %t && tilec %s --target=h100 --emit=cuda -o %t/ && FileCheck %s --check-prefix=TEXT --input-file=%t/tensor-registers.chained.cu
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=M=130,N=72,K=136,J=200 | FileCheck %s
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=M=65,N=9,K=35,J=67 | FileCheck %s
// RUN: tilec %s --target=h100 --run=cpu --verify --shape=M=1,N=1,K=1,J=1 --schedule=reversed | FileCheck %s
// The sums of the first product, 64 x 64, are its first matrix when they are rounded: 16 columns are two of the 8 that a thread has of them.
// TEXT: float s[8][2][2] = {};
// TEXT: wgmma_m64n64k16_f32_bf16_bf16<0, 0>(s,
// TEXT: wgmma_wait_f32<0>(s);
// TEXT: BFloat p[8][2][2] = {};
// TEXT: p[{{.*}}] = bfloat_from(
// TEXT: wgmma_fence();
// TEXT: for (int j = 0; j < 4; ++j) {
// TEXT: wgmma_registers_m64n64k16_f32_bf16_bf16<1>(c, &p[j * 2][0][0], {{[^,]*}});
// TEXT: wgmma_commit();
// TEXT: wgmma_wait_f32<0>(c);
// CHECK: turned on the emulator
// CHECK: integers: all {{[0-9]+}} elements of C agree
// CHECK: random: all {{[0-9]+}} elements of C agree
// CHECK: chained on the emulator
// CHECK: integers: all {{[0-9]+}} elements of C agree
// CHECK: random: all {{[0-9]+}} elements of C agree
// CHECK: stays on the emulator
// CHECK: integers: all {{[0-9]+}} elements of C agree
// CHECK: random: all {{[0-9]+}} elements of C agree
!G = memref<?x?xbf16, strided<[?, 1]>>
!H = memref<?x?xf16, strided<[?, 1]>>
!F = memref<?x?xf32>
!K = memref<?x64xbf16, strided<[?, 1]>>
!s = memref<64x64xbf16, #tile.level<smem>>
!h = memref<64x64xf16, #tile.level<smem>>
!iS = memref<64x16xbf16, #tile.level<smem>>
!iT = memref<16x64xbf16, #tile.level<smem>>
!iH = memref<16x64xf16, #tile.level<smem>>
!iP = memref<64x16xbf16, #tile.level<rf>>
!iR = memref<16x64xf16, #tile.level<rf>>
!c = memref<64x64xf32, #tile.level<rf>>
!p = memref<64x64xbf16, #tile.level<rf>>
#id = affine_map<(m, n) -> (m, n)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// A is given as [k, m], in f32, and loaded straight from DRAM; two warpgroups, of which each runs two instructions side by side.
tile.kernel @turned(%A: !F[%K, %M], %B: !H[%K, %N], %C: !F[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (128, 128) at dram on block {
    %c = tile.hold init(0.0 : f32) : memref<128x128xf32, #tile.level<rf>>
    tile.for (%k) in (%K) by (64) at dram pipeline(2) producers(1) {
      %sB = tile.stage %B[%k, %n] pad(zero) copy(tma) : !H to memref<64x128xf16, #tile.level<smem>>
      %a32 = tile.stage %A[%k, %m] : !F to memref<64x128xf32, #tile.level<rf>>
      %a = tile.hold init(0.0 : f16) : memref<64x128xf16, #tile.level<rf>>
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a32 : memref<64x128xf32, #tile.level<rf>>) outs(%a : memref<64x128xf16, #tile.level<rf>>) {
      ^bb0(%x: f32, %old: f16):
        %y = arith.truncf %x : f32 to f16
        linalg.yield %y : f16
      }
      tile.for (%w) in (128) by (64) at smem on warpgroup {
        tile.for (%k1, %n1) in (64, 128) by (16, 64) at smem {
          %x = tile.part %a[%k1, %w] : memref<64x128xf16, #tile.level<rf>> to memref<16x64xf16, #tile.level<rf>>
          %y = tile.part %sB[%k1, %n1] : memref<64x128xf16, #tile.level<smem>> to !iH
          %z = tile.part %c[%w, %n1] : memref<128x128xf32, #tile.level<rf>> to !c
          linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, #c] ins(%x, %y : !iR, !iH) outs(%z : !c)
        }
      }
    }
    tile.store %c to %C[%m, %n] : memref<128x128xf32, #tile.level<rf>> to !F
  }
}

// C = relu(A * B) * D, the inner product rounded to bf16, over J in steps of 64.
tile.kernel @chained(%A: !K[%M, 64], %B: !K[%J, 64], %D: !G[%J, %N], %C: !F[%M, %N], %M: index, %N: index, %J: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%j0) in (%J) by (64) at dram pipeline(2) producers(1) {
      %sA = tile.stage %A[%m, 0] pad(zero) copy(tma) : !K to !s
      %sB = tile.stage %B[%j0, 0] pad(zero) copy(tma) : !K to !s
      %sD = tile.stage %D[%j0, %n] pad(zero) copy(tma) : !G to !s
      %s = tile.hold init(0.0 : f32) : !c
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k) in (64) by (16) at smem on unroll {
          %x = tile.part %sA[0, %k] : !s to !iS
          %y = tile.part %sB[0, %k] : !s to !iS
          linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %y : !iS, !iS) outs(%s : !c)
        }
      }
      %p = tile.hold init(0.0 : bf16) : !p
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : !c) outs(%p : !p) {
      ^bb0(%x: f32, %old: bf16):
        %zero = arith.constant 0.0 : f32
        %y = arith.maximumf %x, %zero : f32
        %z = arith.truncf %y : f32 to bf16
        linalg.yield %z : bf16
      }
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%j) in (64) by (16) at smem on unroll {
          %x = tile.part %p[0, %j] : !p to !iP
          %y = tile.part %sD[%j, 0] : !s to !iT
          linalg.matmul ins(%x, %y : !iP, !iT) outs(%c : !c)
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to !F
  }
}

// C = A * sum over j of B_j, of which A is loaded once: instructions of one step run on in the next.
tile.kernel @stays(%A: !K[%M, 64], %B: !G[%J, %N], %C: !F[%M, %N], %M: index, %N: index, %J: index) {
  tile.for (%m, %n) in (%M, %N) by (64, 64) at dram on block persistent {
    %c = tile.hold init(0.0 : f32) : !c
    %a = tile.stage %A[%m, 0] pad(zero) : !K to !p
    tile.for (%j) in (%J) by (64) at dram pipeline(2) producers(1) {
      %sB = tile.stage %B[%j, %n] pad(zero) copy(tma) : !G to !s
      tile.for (%w) in (1) by (1) at smem on warpgroup {
        tile.for (%k) in (64) by (16) at smem on unroll {
          %x = tile.part %a[0, %k] : !p to !iP
          %y = tile.part %sB[%k, 0] : !s to !iT
          linalg.matmul ins(%x, %y : !iP, !iT) outs(%c : !c)
        }
      }
    }
    tile.store %c to %C[%m, %n] : !c to !F
  }
}
