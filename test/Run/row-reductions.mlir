// What threads hold of rows together, put together by its kind: lanes that hold parts of a row hand on what they have.
// REQUIRES: host-compiler
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=M=70,N=45,K=33 | FileCheck %s
// RUN: tilec %s --target=sm80 --run=cpu --verify --shape=M=1,N=1,K=1 --schedule=reversed | FileCheck %s
// RUN: mkdir -p %t && tilec %s --target=sm80 --emit=cuda -o %t/ && FileCheck %s --check-prefix=TEXT --input-file=%t/row-reductions.products.cu
// RUN: tilec %s --target=sm80 --emit=plan -o %t.plan.mlir && tilec %t.plan.mlir --target=sm80 --run=cpu --verify --shape=M=70,N=45,K=33 | FileCheck %s
// CHECK: products on the emulator
// CHECK: integers: all {{[0-9]+}} elements of S agree, largest error 0
// CHECK: random: all {{[0-9]+}} elements of S agree
// CHECK: columns on the emulator
// CHECK: integers: all {{[0-9]+}} elements of S agree, largest error 0
// CHECK: batches on the emulator
// CHECK: integers: all {{[0-9]+}} elements of S agree, largest error 0
!A = memref<?x?xbf16, strided<[?, 1]>>
!s = memref<64x32xbf16, #tile.level<smem>>
!rA = memref<16x16xbf16, #tile.level<rf>>
!rB = memref<16x64xbf16, #tile.level<rf>>
!pB = memref<16x8xbf16, #tile.level<rf>>
!c = memref<64x64xf32, #tile.level<rf>>
!pc = memref<16x8xf32, #tile.level<rf>>
!v = memref<64xf32, #tile.level<rf>>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>

// Greatest numbers of the rows of A * B, 64 at a time: a quad of lanes has a row of a warp's 16, of 16 numbers a lane.
// TEXT: float most_part[2];
// TEXT: most_part[j] = max_nan(c[i][j][p], most_part[j]);
// TEXT: shfl_xor({{.*}}, 1)
// TEXT: shfl_xor({{.*}}, 2)
// TEXT: most[i] = max_nan(
tile.kernel @products(%A: !A[%M, %K], %B: !A[%K, %N], %S: memref<?xf32>[%M], %M: index, %N: index, %K: index) {
  tile.for (%m) in (%M) by (64) at dram on block {
    %most = tile.hold init(-1.0e+30 : f32) : !v
    tile.for (%n) in (%N) by (64) at dram {
      %c = tile.hold init(0.0 : f32) : !c
      tile.for (%k) in (%K) by (32) at dram {
        %sA = tile.stage %A[%m, %k] pad(zero) : !A to !s
        %sB = tile.stage %B[%k, %n] pad(zero) : !A to memref<32x64xbf16, #tile.level<smem>>
        tile.for (%w) in (64) by (16) at smem on warp {
          tile.for (%k1) in (32) by (16) at smem {
            %a = tile.stage %sA[%w, %k1] : !s to !rA
            %b = tile.stage %sB[%k1, 0] : memref<32x64xbf16, #tile.level<smem>> to !rB
            tile.for (%n1) in (64) by (8) at rf on unroll {
              %y = tile.part %b[0, %n1] : !rB to !pB
              %z = tile.part %c[%w, %n1] : !c to !pc
              linalg.matmul ins(%a, %y : !rA, !pB) outs(%z : !pc)
            }
          }
        }
      }
      linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%c : !c) outs(%most : !v) {
      ^bb0(%x: f32, %y: f32):
        %z = arith.maximumf %x, %y : f32
        linalg.yield %z : f32
      }
    }
    tile.store %most to %S[%m] : !v to memref<?xf32>
  }
}

// Sums of columns, and what is left of the elements: a warp has 8 x 4 parts, so lanes that are 4, 8 and 16 apart have a column.
tile.kernel @columns(%X: memref<?x?xi32>[%M, %N], %S: memref<?x?xi32>[%M, %N], %M: index, %N: index) {
  tile.for (%m, %n) in (%M, %N) by (16, 8) at dram on block {
    %x = tile.stage %X[%m, %n] : memref<?x?xi32> to memref<16x8xi32, #tile.level<rf>>
    %sum = tile.hold init(3 : i32) : memref<8xi32, #tile.level<rf>>
    linalg.generic {indexing_maps = [#ij, #j], iterator_types = ["reduction", "parallel"]} ins(%x : memref<16x8xi32, #tile.level<rf>>) outs(%sum : memref<8xi32, #tile.level<rf>>) {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %b, %a : i32
      linalg.yield %c : i32
    }
    linalg.generic {indexing_maps = [#j, #ij], iterator_types = ["parallel", "parallel"]} ins(%sum : memref<8xi32, #tile.level<rf>>) outs(%x : memref<16x8xi32, #tile.level<rf>>) {
    ^bb0(%a: i32, %b: i32):
      %c = arith.subi %a, %b : i32
      linalg.yield %c : i32
    }
    tile.for (%i, %j) in (16, 8) by (2, 2) at rf on thread {
      %p = tile.part %x[%i, %j] : memref<16x8xi32, #tile.level<rf>> to memref<2x2xi32, #tile.level<rf>>
      linalg.add ins(%p, %p : memref<2x2xi32, #tile.level<rf>>, memref<2x2xi32, #tile.level<rf>>) outs(%p : memref<2x2xi32, #tile.level<rf>>)
    }
    tile.store %x to %S[%m, %n] : memref<16x8xi32, #tile.level<rf>> to memref<?x?xi32>
  }
}

// Two results of one computation, tiles of one column; a warp of 16 lanes a row has two rows at a time, of which each lane has one element.
tile.kernel @batches(%X: memref<?x?xf32>[%M, %N], %S: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  tile.for (%m, %n) in (%M, %N) by (8, 16) at dram on block {
    %x = tile.stage %X[%m, %n] pad(zero) : memref<?x?xf32> to memref<8x16xf32, #tile.level<rf>>
    %sum = tile.hold init(0.0 : f32) : memref<8x1xf32, #tile.level<rf>>
    %least = tile.hold init(5.0 : f32) : memref<8x1xf32, #tile.level<rf>>
    linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<8x16xf32, #tile.level<rf>>) outs(%sum, %least : memref<8x1xf32, #tile.level<rf>>, memref<8x1xf32, #tile.level<rf>>) {
    ^bb0(%a: f32, %s: f32, %l: f32):
      %c = arith.addf %s, %a : f32
      %d = arith.minimumf %l, %a : f32
      linalg.yield %c, %d : f32, f32
    }
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, 0)>, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sum, %least : memref<8x1xf32, #tile.level<rf>>, memref<8x1xf32, #tile.level<rf>>) outs(%x : memref<8x16xf32, #tile.level<rf>>) {
    ^bb0(%s: f32, %l: f32, %a: f32):
      %c = arith.addf %s, %a : f32
      %d = arith.subf %c, %l : f32
      linalg.yield %d : f32
    }
    tile.for (%i, %j) in (8, 16) by (2, 1) at rf on thread {
      tile.for (%u) in (2) by (1) at rf on unroll {
        %p = tile.part %x[%i + %u, %j] : memref<8x16xf32, #tile.level<rf>> to memref<1x1xf32, #tile.level<rf>>
        linalg.add ins(%p, %p : memref<1x1xf32, #tile.level<rf>>, memref<1x1xf32, #tile.level<rf>>) outs(%p : memref<1x1xf32, #tile.level<rf>>)
      }
    }
    tile.store %x to %S[%m, %n] : memref<8x16xf32, #tile.level<rf>> to memref<?x?xf32>
  }
}
