// f16 and bf16: staged through shared memory and registers, added up over threads, as scalar arguments; products
// computed in f32 by the nest's own conversions, and sums in the type itself, each rounded to it.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t
// RUN: tilec %t/gemm.mlir --emit=cuda --target=sm80 -o - | FileCheck %s --check-prefix=TEXT
// RUN: tilec %t/gemm.mlir --target=sm80 --run=cpu --verify --shape=m=70,n=45,k=37 2>&1 | FileCheck %s --check-prefix=GEMM
// RUN: tilec %t/gemm.mlir --target=sm80 --run=cpu --verify --shape=m=64,n=64,k=32 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: tilec %t/sums.mlir --run=cpu --verify --shape=m=70,n=37 2>&1 | FileCheck %s --check-prefix=SUMS
// RUN: tilec %t/scale.mlir --run=cpu --verify --shape=n=1001 --arg=s=-0.3 2>&1 | FileCheck %s --check-prefix=SCALE

//--- gemm.mlir
!A = memref<?x?xf16, strided<[?, 1]>>
!B = memref<?x?xbf16, strided<[?, 1]>>
!sA = memref<32x16xf16, #tile.level<smem>>
!sB = memref<16x32xbf16, #tile.level<smem>>
!c = memref<32x32xf32, #tile.level<rf>>
!h = memref<32x32xf16, #tile.level<rf>>
!rA = memref<4x1xf16, #tile.level<rf>>
!rB = memref<1x4xbf16, #tile.level<rf>>
!r = memref<4x4xf32, #tile.level<rf>>
!q = memref<4x4xf16, #tile.level<rf>>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#ij = affine_map<(i, j) -> (i, j)>
// TEXT-DAG: struct Half { unsigned short bits; };
// TEXT-DAG: struct BFloat { unsigned short bits; };
// TEXT-DAG: cvt.rn.f16.f32
// TEXT: gemm(const Half *__restrict__ A, const BFloat *__restrict__ B, Half *__restrict__ C
// TEXT: float_from_half(
// TEXT-SAME: float_from_bfloat(
// TEXT: half_from(
// GEMM: random: all 3150 elements of C agree
// WHOLE: random: all 4096 elements of C agree
tile.kernel @gemm(%A: !A[%M, %K], %B: !B[%K, %N], %C: !A[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    %h = tile.hold init(1.0 : f16) : !h
    tile.for (%k0) in (%K) by (16) at dram {
      %sA = tile.stage %A[%m0, %k0] : !A to !sA
      %sB = tile.stage %B[%k0, %n0] : !B to !sB
      tile.for (%m1, %n1) in (32, 32) by (4, 4) at smem on thread {
        %p = tile.part %c[%m1, %n1] : !c to !r
        tile.for (%k1) in (16) by (1) at smem on unroll {
          %a = tile.stage %sA[%m1, %k1] : !sA to !rA
          %b = tile.stage %sB[%k1, %n1] : !sB to !rB
          linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
              ins(%a, %b : !rA, !rB) outs(%p : !r) {
          ^bb0(%x: f16, %y: bf16, %z: f32):
            %u = arith.extf %x : f16 to f32
            %v = arith.extf %y : bf16 to f32
            %w = arith.mulf %u, %v : f32
            %s = arith.addf %z, %w : f32
            linalg.yield %s : f32
          }
        }
      }
    }
    tile.for (%m1, %n1) in (32, 32) by (4, 4) at smem on thread {
      %p = tile.part %c[%m1, %n1] : !c to !r
      %q = tile.part %h[%m1, %n1] : !h to !q
      linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%p : !r) outs(%q : !q) {
      ^bb0(%x: f32, %y: f16):
        %u = arith.truncf %x : f32 to f16
        %v = arith.addf %u, %y : f16
        linalg.yield %v : f16
      }
    }
    tile.store %h to %C[%m0, %n0] : !h to !A
  }
}

//--- sums.mlir
!G = memref<?x?xbf16, strided<[?, 1]>>
!V = memref<?xbf16>
!o = memref<1xbf16, #tile.level<rf>>
!x = memref<1x1xbf16, #tile.level<rf>>
#ij = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// SUMS: all 70 elements of Y agree
tile.kernel @sums(%X: !G[%M, %N], %Y: !V[%M], %M: index, %N: index) {
  tile.for (%m) in (%M) by (1) at dram on block {
    %y = tile.hold init(0.0 : bf16) : !o
    tile.for (%t) in (64) by (1) at dram on thread reduce(add) {
      %x = tile.stage %X[%m, %t] pad(zero) : !G to !x
      linalg.generic {indexing_maps = [#ij, #row], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%y : !o) {
      ^bb0(%a: bf16, %b: bf16):
        %s = arith.addf %a, %b : bf16
        linalg.yield %s : bf16
      }
    }
    tile.store %y to %Y[%m] : !o to !V
  }
}

//--- scale.mlir
!V = memref<?xf16>
!W = memref<?xbf16>
!e = memref<1xf16, strided<[?], offset: ?>>
!d = memref<1xbf16, strided<[?], offset: ?>>
#i = affine_map<(i) -> (i)>
// SCALE: random: all 1001 elements of Y agree
tile.kernel @scale(%X: !V[%N], %Y: !W[%N], %N: index, %s: f16) {
  tile.for (%b) in (%N) by (128) at dram on block {
    tile.for (%t) in (128) by (1) at dram on thread {
      %x = tile.part %X[%b + %t] : !V to !e
      %y = tile.part %Y[%b + %t] : !W to !d
      linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : !e) outs(%y : !d) {
      ^bb0(%a: f16, %o: bf16):
        %p = arith.mulf %a, %s : f16
        %q = arith.maximumf %p, %a : f16
        %w = arith.extf %q : f16 to f32
        %r = arith.truncf %w : f32 to bf16
        linalg.yield %r : bf16
      }
    }
  }
}
