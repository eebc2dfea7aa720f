// Nests that leave sizes open become the nests that an expert would write, and what is written in them stays.
// RUN: split-file %s %t
// RUN: tilec %t/naive.mlir --target=h100 --emit=nest | FileCheck %t/naive.mlir
// RUN: tilec %t/naive.mlir --target=h100 --run=cpu --verify --shape=M=130,N=100,K=33 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/threads.mlir --target=h100 --emit=nest | FileCheck %t/threads.mlir
// RUN: tilec %t/threads.mlir --target=sm80 --run=cpu --verify --shape=M=130,N=100,K=33 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/block.mlir --target=h100 --emit=nest | FileCheck %t/block.mlir
// RUN: tilec %t/block.mlir --target=h100 --run=cpu --verify --shape=M=130,N=100,K=33 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/staged.mlir --target=h100 --emit=nest | FileCheck %t/staged.mlir
// RUN: tilec %t/staged.mlir --target=h100 --run=cpu --verify --shape=M=130,N=100,K=33 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/inner.mlir --target=h100 --emit=nest | FileCheck %t/inner.mlir
// RUN: tilec %t/inner.mlir --target=h100 --run=cpu --verify --shape=M=130,N=100,K=33 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/split.mlir --target=h100 --emit=nest | FileCheck %t/split.mlir
// RUN: tilec %t/split.mlir --target=h100 --run=cpu --verify --shape=M=130,N=100,K=77 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/bf16.mlir --target=h100 --emit=nest | FileCheck %t/bf16.mlir
// RUN: tilec %t/rows.mlir --target=h100 --emit=nest | FileCheck %t/rows.mlir
// RUN: tilec %t/rows.mlir --target=h100 --run=cpu --verify --shape=M=130,N=100,K=33 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/sum.mlir --target=h100 --emit=nest | FileCheck %t/sum.mlir
// RUN: tilec %t/sum.mlir --target=h100 --run=cpu --verify --shape=M=33,N=1500 | FileCheck %s --check-prefix=RAN
// The same question has the same answer, and what was chosen is a nest as any other.
// RUN: tilec %t/staged.mlir --target=h100 --emit=plan -o %t.1 && tilec %t/staged.mlir --target=h100 --emit=plan -o %t.2 && diff %t.1 %t.2
// RUN: tilec %t/staged.mlir --target=h100 --emit=nest -o %t.mlir && tilec %t.mlir --target=h100 --emit=plan | diff - %t.1
// Runners-up are told of, and keep what is written, too.
// RUN: tilec %t/block.mlir --target=h100 --explain --emit=nest -o %t.nest 2>&1 | FileCheck %s --check-prefix=TOLD --implicit-check-not="block 128"
// TOLD: block: {{[0-9]+}} mappings considered, {{[0-9]+}} planned and analysed
// TOLD: block 64x96x{{[0-9]+}}, warp
// RAN: integers: all {{[0-9]+}} elements of {{[CS]}} agree, largest error 0
// RAN: random: all {{[0-9]+}} elements of {{[CS]}} agree

// Two loops and a computation.
//--- naive.mlir
!G = memref<?x?xf32>
!p = memref<?x?xf32, strided<[?, ?], offset: ?>>
// CHECK: tile.for (%m0, %n0) in (%M, %N) by (128, 256) at dram on block persistent raster(grouped = 8)
// CHECK: tile.for (%{{.*}}) in (%K) by ({{[0-9]+}}) at dram pipeline({{[0-9]+}}) producers(4)
// CHECK: tile.stage %A{{.*}}#tile.level<smem>
// CHECK: tile.stage %B{{.*}}copy(tma){{.*}}#tile.level<smem>
// CHECK: on warp
// CHECK: on thread
tile.kernel @naive(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (?, ?) at dram on block {
    tile.for (%k0) in (%K) by (?) at dram {
      %a = tile.part %A[%m0, %k0] : !G to !p
      %b = tile.part %B[%k0, %n0] : !G to !p
      %c = tile.part %C[%m0, %n0] : !G to !p
      linalg.matmul ins(%a, %b : !p, !p) outs(%c : !p)
    }
  }
}


// An element a thread, as one first writes it: who takes what is open, and where k is walked. What follows the product stays behind it.
//--- threads.mlir
!G = memref<?x?xf32>
!p = memref<?x?xf32, strided<[?, ?], offset: ?>>
!c = memref<?x?xf32, #tile.level<rf>>
// CHECK: tile.for (%m0, %n0) in (%M, %N) by (128, 256) at dram on block
// CHECK: tile.for (%{{.*}}) in (%K) by ({{[0-9]+}}) at dram tail(cut) pipeline
// CHECK: on thread
// CHECK: linalg.matmul
// CHECK: arith.mulf %alpha
// CHECK: tile.store
tile.kernel @threads(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index, %alpha: f32) {
  tile.for (%m0, %n0) in (%M, %N) by (?, ?) at dram on block {
    tile.for (%m1, %n1) in (?, ?) by (?, ?) at dram on thread {
      %c = tile.hold init(0.0 : f32) : !c
      tile.for (%k) in (%K) by (?) at dram {
        %a = tile.part %A[%m0 + %m1, %k] : !G to !p
        %b = tile.part %B[%k, %n0 + %n1] : !G to !p
        linalg.matmul ins(%a, %b : !p, !p) outs(%c : !c)
      }
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%c : !c) {
      ^bb0(%x: f32):
        %y = arith.mulf %alpha, %x : f32
        linalg.yield %y : f32
      }
      tile.store %c to %C[%m0 + %m1, %n0 + %n1] : !c to !G
    }
  }
}

// A tile that no scheme would take, a part of it said by a held tile, and a raster.
//--- block.mlir
!G = memref<?x?xf32>
!a = memref<64x?xf32, strided<[?, ?], offset: ?>>
!b = memref<?x?xf32, strided<[?, ?], offset: ?>>
!c = memref<64x96xf32, #tile.level<rf>>
// CHECK: tile.for (%m0, %n0) in (%M, %N) by (64, 96) at dram on block {{(persistent )?}}raster(column)
// CHECK: tile.hold init(0.000000e+00 : f32) : memref<64x96xf32
tile.kernel @block(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (64, ?) at dram on block raster(column) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (?) at dram {
      %a = tile.part %A[%m0, %k0] : !G to !a
      %b = tile.part %B[%k0, %n0] : !G to !b
      linalg.matmul ins(%a, %b : !a, !b) outs(%c : !c)
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}

// A is staged, 32 deep in four slots, in a layout of its own; B is open. Columns of blocks come first.
//--- staged.mlir
!G = memref<?x?xf32>
!a = memref<64x32xf32, #tile.layout<"(64,32):(1,72)">, #tile.level<smem>>
!b = memref<?x?xf32, strided<[?, ?], offset: ?>>
!c = memref<?x?xf32, #tile.level<rf>>
// CHECK: tile.for (%n0, %m0) in (%N, %M) by ({{[0-9]+}}, 64) at dram on block
// CHECK: tile.for (%kk) in (%K) by (32) at dram {{.*}}pipeline(4)
// CHECK: %mine = tile.stage %A[%m0, %kk] : memref<?x?xf32> to memref<64x32xf32, #tile.layout<"(64,32):(1,72)">, #tile.level<smem>>
// CHECK: tile.stage %B{{.*}}#tile.level<smem>
tile.kernel @staged(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%n0, %m0) in (%N, %M) by (?, ?) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%kk) in (%K) by (?) at dram pipeline(4) {
      %mine = tile.stage %A[%m0, %kk] : !G to !a
      %b = tile.part %B[%kk, %n0] : !G to !b
      linalg.matmul ins(%mine, %b : !a, !b) outs(%c : !c)
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}

// Rows of B are staged as a whole, by one subscript: who walks them part by part has another, and keeps the stage's name.
//--- rows.mlir
!G = memref<?x?xf32>
!p = memref<?x?xf32, strided<[?, ?], offset: ?>>
!s = memref<?x?xf32, #tile.level<smem>>
!c = memref<?x?xf32, #tile.level<rf>>
// CHECK: tile.for (%[[K:.*]]) in (%K) by ({{[0-9]+}}) at dram
// CHECK: %rows = tile.stage %B[%n0, %[[K]]]
tile.kernel @rows(%A: !G[%M, %K], %B: !G[%N, %K], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (?, ?) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    %a = tile.part %A[%m0, 0] : !G to !p
    %rows = tile.stage %B[%n0, 0] : !G to !s
    linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
        ins(%a, %rows : !p, !s) outs(%c : !c)
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}

// A loop on thread with a number stays as it is, and so does what is in it: numbers alone are filled in.
//--- inner.mlir
!G = memref<?x?xf32>
!s = memref<?x?xf32, #tile.level<smem>>
!c = memref<?x?xf32, #tile.level<rf>>
// CHECK: tile.for (%m0, %n0) in (%M, %N) by ([[M:[0-9]+]], [[N:[0-9]+]]) at dram on block
// CHECK: tile.for (%k0) in (%K) by ([[K:[0-9]+]]) at dram pipeline
// CHECK: tile.stage %A[%m0, %k0] : memref<?x?xf32> to memref<[[M]]x[[K]]xf32, {{.*}}#tile.level<smem>>
// CHECK: tile.for (%m1, %n1) in ([[M]], [[N]]) by (8, [[T:[0-9]+]]) at smem on thread
// CHECK: tile.for (%k1) in ([[K]]) by (1) at smem
// CHECK: outs(%{{.*}} : memref<8x[[T]]xf32, #tile.level<rf>>)
tile.kernel @inner(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (?, ?) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (?) at dram {
      %sA = tile.stage %A[%m0, %k0] : !G to !s
      %sB = tile.stage %B[%k0, %n0] : !G to !s
      tile.for (%m1, %n1) in (?, ?) by (8, ?) at smem on thread {
        %q = tile.part %c[%m1, %n1] : !c to !c
        tile.for (%k1) in (?) by (1) at smem {
          %ra = tile.stage %sA[%m1, %k1] : !s to !c
          %rb = tile.stage %sB[%k1, %n1] : !s to !c
          linalg.matmul ins(%ra, %rb : !c, !c) outs(%q : !c)
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}

// Blocks of a cluster share k.
//--- split.mlir
!G = memref<?x?xf32>
!p = memref<?x?xf32, strided<[?, ?], offset: ?>>
!c = memref<?x?xf32, #tile.level<rf>>
// CHECK: tile.for (%m0, %n0) in (%M, %N) by ({{[0-9]+}}, {{[0-9]+}}) at dram on cluster
// CHECK: tile.for (%ks) in ({{[0-9]+}}) by ({{[0-9]+}}) at dram on block reduce(add)
tile.kernel @split(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (?, ?) at dram on cluster {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%ks) in (%K) by (?) at dram on block reduce(add) {
      %a = tile.part %A[%m0, %ks] : !G to !p
      %b = tile.part %B[%ks, %n0] : !G to !p
      linalg.matmul ins(%a, %b : !p, !p) outs(%c : !c)
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}

// Instructions of a warpgroup, for 128 rows.
//--- bf16.mlir
!G = memref<?x?xbf16>
!C = memref<?x?xf32>
!p = memref<?x?xbf16, strided<[?, ?], offset: ?>>
!c = memref<?x?xf32, #tile.level<rf>>
// CHECK: tile.for (%m0, %n0) in (%M, %N) by (128, {{[0-9]+}}) at dram on block
// CHECK: on warpgroup
tile.kernel @bf16(%A: !G[%M, %K], %B: !G[%K, %N], %C: !C[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (128, ?) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (?) at dram {
      %a = tile.part %A[%m0, %k0] : !G to !p
      %b = tile.part %B[%k0, %n0] : !G to !p
      linalg.matmul ins(%a, %b : !p, !p) outs(%c : !c)
    }
    tile.store %c to %C[%m0, %n0] : !c to !C
  }
}

// Rows of a sum, whose loop over k is not written at all.
//--- sum.mlir
!G = memref<?x?xf32>
!S = memref<?xf32>
!p = memref<?x?xf32, strided<[?, ?], offset: ?>>
!s = memref<?xf32, #tile.level<rf>>
// CHECK: tile.for (%i) in (%M) by (1) at dram on block
// CHECK: on thread reduce(add)
tile.kernel @sum(%X: !G[%M, %N], %S: !S[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (?) at dram on block {
    %s = tile.hold init(0.0 : f32) : !s
    %x = tile.part %X[%i, 0] : !G to !p
    linalg.reduce ins(%x : !p) outs(%s : !s) dimensions = [1]
      (%a: f32, %b: f32) {
        %r = arith.addf %a, %b : f32
        linalg.yield %r : f32
      }
    tile.store %s to %S[%i] : !s to !S
  }
}
