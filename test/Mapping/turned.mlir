// Instructions of warpgroups take elements of 8 bits, and tf32, along the depth only, and CUDA cores the columns' operand best across it: operands that lie otherwise are
// copied ahead, turned, where that is predicted to be faster. Each section is a file of its own.
// RUN: split-file %s %t
// RUN: tilec %t/bytes.mlir --target=h100 --emit=nest -o %t/bytes.nest && FileCheck %s --check-prefix=BYTES --input-file=%t/bytes.nest
// RUN: tilec %t/bytes.nest --target=h100 --run=cpu --verify --shape=M=70,N=50,K=65 | FileCheck %s --check-prefix=BYTES-RAN
// RUN: tilec %t/bytes.mlir --target=h100 --shape=M=64,N=64,K=64 --emit=nest | FileCheck %s --check-prefix=SMALL
// RUN: tilec %t/short.mlir --target=h100 --emit=nest -o %t/short.nest && FileCheck %s --check-prefix=SHORT --input-file=%t/short.nest
// RUN: tilec %t/short.nest --target=h100 --run=cpu --verify --shape=M=70,K=65 | FileCheck %s --check-prefix=SHORT-RAN
// RUN: tilec %t/twice.mlir --target=h100 --run=cpu --verify --shape=M=40,K=33 | FileCheck %s --check-prefix=TWICE
// RUN: tilec %t/cores.mlir --target=h100 --shape=M=4096,N=4096,K=4096 --emit=nest -o %t/cores.nest && FileCheck %s --check-prefix=CORES --input-file=%t/cores.nest
// RUN: tilec %t/cores.nest --target=h100 --run=cpu --verify --shape=M=70,N=50,K=65 | FileCheck %s --check-prefix=CORES-RAN
// RUN: tilec %t/cores.mlir --target=h100 --shape=M=256,N=256,K=256 --emit=nest | FileCheck %s --check-prefix=CORES-SMALL

// B is read by columns: an array of its columns, whose rows begin at 16 bytes, and the product of that.
// BYTES: tile.kernel @bytes_rows0(%B: memref<?x?xi8>[%K, %N], %rows: memref<?x?xi8, strided<[?, 1]>>[%N, %K], %K: index, %N: index)
// BYTES: tile.kernel @bytes_rest(%A: memref<?x?xi8>[%M, %K], %B: memref<?x?xi8, strided<[?, 1]>>[%N, %K], %C: memref<?x?xi32>[%M, %N]
// BYTES: tile.stage %A[{{.*}} copy(tma)
// BYTES: tile.stage %B[{{.*}} copy(tma)
// BYTES: on warpgroup
// BYTES: tile.program @bytes
// BYTES: tile.workspace [%N, %K] rows(128) : memref<?x?xi8, strided<[?, 1]>>
// BYTES-RAN: launch 2, bytes_rest: integers: all 3500 elements of C agree, largest error 0
// Of few elements a launch more takes longer than it brings.
// SMALL-NOT: tile.program
// SMALL: tile.kernel @bytes(
//--- bytes.mlir
tile.kernel @bytes(%A: memref<?x?xi8>[%M, %K], %B: memref<?x?xi8>[%K, %N], %C: memref<?x?xi32>[%M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%C : memref<?x?xi32>)
  linalg.matmul ins(%A, %B : memref<?x?xi8>, memref<?x?xi8>) outs(%C : memref<?x?xi32>)
}

// Extents may be numbers; what follows stays fused; both operands are turned.
// SHORT: tile.kernel @short_rows1(%B: memref<?x96xf8E5M2>[%K, 96], %rows: memref<96x?xf8E5M2, strided<[?, 1]>>[96, %K], %K: index)
// SHORT: tile.kernel @short_rest
// SHORT: on warpgroup
// SHORT: arith.maximumf
// SHORT: tile.workspace [%M, %K] rows(128)
// SHORT: tile.workspace [96, %K] rows(128)
// SHORT-RAN: launch 3, short_rest: integers: all 6720 elements of D agree, largest error 0
//--- short.mlir
#id = affine_map<(m, n) -> (m, n)>
tile.kernel @short(%A: memref<?x?xf8E4M3FN>[%K, %M], %B: memref<?x96xf8E5M2>[%K, 96], %D: memref<?x96xf32>[%M, 96], %M: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  %C = memref.alloc(%M) : memref<?x96xf32>
  linalg.fill ins(%zero : f32) outs(%C : memref<?x96xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%A, %B : memref<?x?xf8E4M3FN>, memref<?x96xf8E5M2>) outs(%C : memref<?x96xf32>) {
  ^bb0(%a: f8E4M3FN, %b: f8E5M2, %c: f32):
    %x = arith.extf %a : f8E4M3FN to f32
    %y = arith.extf %b : f8E5M2 to f32
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%C : memref<?x96xf32>) outs(%D : memref<?x96xf32>) {
  ^bb0(%c: f32, %old: f32):
    %r = arith.maximumf %c, %zero : f32
    linalg.yield %r : f32
  }
}

// An operand that stands in the product twice lies along the depth once.
// TWICE: integers: all 1600 elements of C agree, largest error 0
//--- twice.mlir
tile.kernel @twice(%A: memref<?x?xi8>[%K, %M], %C: memref<?x?xi32>[%M, %M], %M: index, %K: index) {
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%C : memref<?x?xi32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%A, %A : memref<?x?xi8>, memref<?x?xi8>) outs(%C : memref<?x?xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32):
    %x = arith.extsi %a : i8 to i32
    %y = arith.extsi %b : i8 to i32
    %p = arith.muli %x, %y : i32
    %s = arith.addi %c, %p : i32
    linalg.yield %s : i32
  }
}

// CUDA cores take what moves with the result's columns along these, in boxes; what moves with its rows they turn on the way.
// CORES: tile.kernel @cores_rows0(%B: memref<?x?xf32>[%N, %K], %rows: memref<?x?xf32, strided<[?, 1]>>[%K, %N], %N: index, %K: index)
// CORES: tile.kernel @cores_rest(%A: memref<?x?xf32>[%M, %K], %B: memref<?x?xf32, strided<[?, 1]>>[%K, %N]
// CORES: tile.stage %A[{{.*}}#tile.layout<"{{.*}}:(1,{{[0-9]+}})">, #tile.level<smem>>
// CORES: tile.stage %B[{{.*}} copy(tma)
// CORES: tile.workspace [%K, %N] rows(128) : memref<?x?xf32, strided<[?, 1]>>
// CORES-RAN: launch 2, cores_rest: integers: all 3500 elements of C agree, largest error 0
// CORES-SMALL-NOT: tile.program
// CORES-SMALL: tile.kernel @cores(
//--- cores.mlir
tile.kernel @cores(%A: memref<?x?xf32>[%M, %K], %B: memref<?x?xf32>[%N, %K], %C: memref<?x?xf32>[%M, %N], %M: index, %N: index, %K: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<?x?xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?x?xf32>)
}
