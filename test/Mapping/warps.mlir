// Products go to the tensor cores of machines without wgmma by instructions of warps (rule C8), of each type that the machine and the rule have; where wgmma
// does not take what lies along rows or columns, the two compete. Each section is a file of its own.
// RUN: split-file %s %t
// RUN: tilec %t/layer.mlir --target=sm80 --emit=nest -o %t/layer.nest && FileCheck %s --check-prefix=LAYER --input-file=%t/layer.nest
// RUN: tilec %t/layer.nest --target=sm80 --run=cpu --verify --shape=M=130,N=72,K=100 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/layer.mlir --target=sm86 --run=cpu --verify --shape=M=65,N=37,K=33 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/layer.mlir --target=l40s --emit=nest | FileCheck %s --check-prefix=LAYER
// RUN: tilec %t/layer.mlir --target=b200 --emit=nest | FileCheck %s --check-prefix=LAYER
// RUN: tilec %t/layer.mlir --target=h100 --arch=sm_80 --emit=nest | FileCheck %s --check-prefix=LAYER
// RUN: tilec %t/layer.mlir --target=h100 --explain --emit=nest -o %t/h100.nest 2>&1 | FileCheck %s --check-prefix=HOPPER
// RUN: tilec %t/layer.mlir --target=v100 --emit=nest | FileCheck %s --check-prefix=OLD
// RUN: tilec %t/bytes.mlir --target=sm80 --emit=nest -o %t/bytes.nest && FileCheck %s --check-prefix=BYTES --input-file=%t/bytes.nest
// RUN: tilec %t/bytes.nest --target=sm80 --run=cpu --verify --shape=M=70,N=50,K=65 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/rounded.mlir --target=sm80 --emit=nest -o %t/rounded.nest && FileCheck %s --check-prefix=ROUNDED --input-file=%t/rounded.nest
// RUN: tilec %t/rounded.nest --target=sm80 --run=cpu --verify --shape=M=70,N=50,K=65 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/exact.mlir --target=sm80 --emit=nest | FileCheck %s --check-prefix=EXACT
// RUN: tilec %t/open.mlir --target=sm80 --emit=nest -o %t/open.nest && FileCheck %s --check-prefix=OPEN --input-file=%t/open.nest
// RUN: tilec %t/open.nest --target=sm80 --run=cpu --verify --shape=M=70,N=50,K=65 | FileCheck %s --check-prefix=RAN

// RAN: integers: all {{[0-9]+}} elements of {{.*}} agree, largest error 0

// Operands that lie along the depth and along rows; bias, activation and rounding on the held tile.
// LAYER: tile.stage %A[{{.*}} to memref<{{[0-9]+}}x{{[0-9]+}}xbf16, #tile.layout<"Sw<
// LAYER: tile.stage %B[{{.*}} to memref<{{[0-9]+}}x{{[0-9]+}}xbf16, #tile.layout<"Sw<
// LAYER: at smem on warp {
// LAYER: at smem pipeline(2) {
// LAYER-COUNT-2: tile.stage {{.*}} #tile.level<rf>>
// LAYER: by (16, 8) at rf on unroll
// LAYER: linalg.matmul {{.*}} outs(%{{.*}} : memref<16x8xf32, #tile.level<rf>>)
// LAYER: arith.maximumf
// LAYER: arith.truncf
// HOPPER: {{[0-9.]+}}  block {{.*}}, wgmma, {{.*}}, 4 producers
// OLD-NOT: by (16, 8) at rf on unroll
//--- layer.mlir
!H = memref<?x?xbf16>
!F = memref<?x?xf32>
#id = affine_map<(m, n) -> (m, n)>
tile.kernel @layer(%A: !H[%K, %M], %B: !H[%N, %K], %bias: memref<?xf32>[%N], %D: !H[%M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  %C = memref.alloc(%M, %N) : !F
  linalg.fill ins(%zero : f32) outs(%C : !F)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
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

// Bytes that lie along columns are no rows of matrices: lanes load them one by one from lines with gaps. What is added to is loaded as the instruction holds it.
// BYTES: tile.stage %C[{{.*}}xi32, #tile.level<rf>>
// BYTES: tile.stage %A[{{.*}} to memref<{{[0-9]+}}x{{[0-9]+}}xi8, #tile.layout<"Sw<
// BYTES: tile.stage %B[{{.*}} to memref<{{[0-9]+}}x[[N:[0-9]+]]xi8, #tile.layout<"({{[0-9]+}},[[N]]):({{[0-9]+}},1)">
// BYTES: linalg.matmul {{.*}} outs(%{{.*}} : memref<16x8xi32, #tile.level<rf>>)
//--- bytes.mlir
!S = memref<?x?xi8, strided<[?, 1]>>
tile.kernel @bytes(%A: !S[%M, %K], %B: !S[%K, %N], %C: memref<?x?xi32>[%M, %N], %M: index, %N: index, %K: index) {
  linalg.matmul ins(%A, %B : !S, !S) outs(%C : memref<?x?xi32>)
}

// ROUNDED: linalg.generic {{.*}} outs(%{{.*}} : memref<16x8xf32, #tile.level<rf>>)
// ROUNDED: arith.truncf {{.*}} toward_zero : f32 to tf32
//--- rounded.mlir
tile.kernel @rounded(%A: memref<?x?xf32>[%M, %K], %B: memref<?x?xf32>[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<?x?xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %a0 = arith.truncf %a toward_zero : f32 to tf32
    %b0 = arith.truncf %b toward_zero : f32 to tf32
    %a1 = arith.extf %a0 : tf32 to f32
    %b1 = arith.extf %b0 : tf32 to f32
    %p = arith.mulf %a1, %b1 : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
}

// Nothing rounds what does not say so.
// EXACT-NOT: by (16, 8) at rf on unroll
// EXACT: linalg.matmul {{.*}} outs(%{{.*}} : memref<4x2xf32, #tile.level<rf>>)
//--- exact.mlir
tile.kernel @exact(%A: memref<?x?xf32>[%M, %K], %B: memref<?x?xf32>[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<?x?xf32>)
  linalg.matmul ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?x?xf32>)
}

// A tile of 96 rows and four slots are kept.
// OPEN: in (%M, %N) by (96, {{[0-9]+}}) at dram on block
// OPEN: in (%K) by ({{[0-9]+}}) at dram pipeline(4)
// OPEN: by (16, 8) at rf on unroll
//--- open.mlir
!H = memref<?x?xf16>
!p = memref<?x?xf16, strided<[?, ?], offset: ?>>
!c = memref<96x?xf32, #tile.level<rf>>
tile.kernel @open(%A: !H[%M, %K], %B: !H[%K, %N], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (96, ?) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (?) at dram pipeline(4) {
      %a = tile.part %A[%m0, %k0] : !H to !p
      %b = tile.part %B[%k0, %n0] : !H to !p
      linalg.matmul ins(%a, %b : !p, !p) outs(%c : !c)
    }
    tile.store %c to %C[%m0, %n0] : !c to memref<?x?xf32>
  }
}
