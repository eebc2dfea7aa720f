// REQUIRES: host-compiler
// RUN: tilec %s --run=cpu --verify --shape=M=70,N=45,K=37 | FileCheck %s
// RUN: tilec %s --run=cpu --verify --shape=M=129,N=136,K=5 | FileCheck %s

// A pipelined GEMM with a swizzled and a nested tile: the right result, fours of elements copied and loaded at once.
// CHECK: integers: all {{.*}} elements of C agree, largest error 0
// CHECK: random: all {{.*}} elements of C agree

// RUN: tilec %s --emit=cuda -o - | FileCheck %s --check-prefix=TEXT
// TEXT-DAG: lds_vector<4>(&rA
// TEXT-DAG: lds_vector<4>(&rB
// TEXT-DAG: sA_at = {{.*}} ^
// TEXT-DAG: cp_async<4>(sB, 

!G = memref<?x?xf32, strided<[?, ?]>>
!sA = memref<128x16xf32, #tile.layout<"Sw<2,2,5> o 0 o (128,16):(1,128)">, #tile.level<smem>>
!sB = memref<16x128xf32, #tile.layout<"(16,(4,32)):(4,(1,64))">, #tile.level<smem>>
!c = memref<128x128xf32, #tile.level<rf>>
!rA = memref<128x1xf32, #tile.level<rf>>
!rB = memref<1x128xf32, #tile.level<rf>>
!qA = memref<4x1xf32, #tile.level<rf>>
!qB = memref<1x4xf32, #tile.level<rf>>
!q = memref<4x4xf32, #tile.level<rf>>

tile.kernel @gemm(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index,
                  %alpha: f32, %beta: f32) dataflow(output_stationary) {
  %zero = arith.constant 0.0 : f32
  %reads = arith.cmpf une, %beta, %zero : f32
  tile.for (%m0, %n0) in (%M, %N) by (128, 128) at dram on block raster(grouped = 8) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (16) at dram pipeline(3) {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] : !G to !sB
      tile.for (%k1) in (16) by (1) at smem pipeline(2) {
        %rA = tile.stage %sA[0, %k1] : !sA to !rA
        %rB = tile.stage %sB[%k1, 0] : !sB to !rB
        tile.for (%mq, %nq) in (128, 128) by (64, 64) at rf on unroll {
          tile.for (%m1, %n1) in (64, 64) by (4, 4) at rf on thread {
            %a = tile.part %rA[%mq + %m1, 0] : !rA to !qA
            %b = tile.part %rB[0, %nq + %n1] : !rB to !qB
            %q = tile.part %c[%mq + %m1, %nq + %n1] : !c to !q
            linalg.matmul ins(%a, %b : !qA, !qB) outs(%q : !q)
          }
        }
      }
    }
    tile.for (%mq, %nq) in (128, 128) by (64, 64) at rf on unroll {
      tile.for (%m1, %n1) in (64, 64) by (4, 4) at rf on thread {
        %q = tile.part %c[%mq + %m1, %nq + %n1] : !c to !q
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
            outs(%q : !q) {
        ^bb0(%x: f32):
          %y = arith.mulf %alpha, %x : f32
          linalg.yield %y : f32
        }
        scf.if %reads {
          %old = tile.stage %C[%m0 + %mq + %m1, %n0 + %nq + %n1] : !G to !q
          linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                          iterator_types = ["parallel", "parallel"]} ins(%old : !q) outs(%q : !q) {
          ^bb0(%o: f32, %x: f32):
            %s = arith.mulf %beta, %o : f32
            %y = arith.addf %x, %s : f32
            linalg.yield %y : f32
          }
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}
