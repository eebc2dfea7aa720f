// C = A*B of row-major matrices on Hopper: four producer warps copy, A by 4 bytes into columns, B in boxes by TMA, so
// that eight warps of 64x64 only compute. A ring of two slots with barriers of its own, registers divided by role.
// A slot is 64 deep, so that warps wait for one rarely, and is computed in runs of 16, which instruction caches hold.
// Where the tiles leave much of the machine idle, those of the last wave are cut along k and shared by all blocks.
!G = memref<?x?xf32, strided<[?, 1]>>
!sA = memref<128x64xf32, #tile.layout<"(128,64):(1,132)">, #tile.level<smem>>
!sB = memref<64x256xf32, #tile.level<smem>>
!c = memref<128x256xf32, #tile.level<rf>>
!cw = memref<64x64xf32, #tile.level<rf>>
!rA = memref<64x1xf32, #tile.level<rf>>
!rB = memref<1x64xf32, #tile.level<rf>>
!qA = memref<4x1xf32, #tile.level<rf>>
!qB = memref<1x2xf32, #tile.level<rf>>
!q = memref<4x2xf32, #tile.level<rf>>

tile.kernel @s2(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(output_stationary) {
  tile.for (%m0, %n0) in (%M, %N) by (128, 256) at dram on block persistent raster(grouped = 8) {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (64) at dram tail(cut) pipeline(2) producers(4) registers(80, 208) {
      %sA = tile.stage %A[%m0, %k0] : !G to !sA
      %sB = tile.stage %B[%k0, %n0] copy(tma) : !G to !sB
      tile.for (%mw, %nw) in (128, 256) by (64, 64) at smem on warp {
        %cw = tile.part %c[%mw, %nw] : !c to !cw
        tile.for (%kh) in (64) by (16) at smem {
          tile.for (%k1) in (16) by (1) at smem pipeline(2) {
            %rA = tile.stage %sA[%mw, %kh + %k1] : !sA to !rA
            %rB = tile.stage %sB[%kh + %k1, %nw] : !sB to !rB
            tile.for (%nt) in (32) by (8) at rf on thread {
              tile.for (%mt) in (16) by (4) at rf on thread {
                tile.for (%nz) in (8) by (4) at rf on thread {
                  tile.for (%nu) in (64) by (32) at rf on unroll {
                    tile.for (%j) in (4) by (2) at rf on unroll {
                      tile.for (%mu) in (64) by (16) at rf on unroll {
                        %a = tile.part %rA[%mu + %mt, 0] : !rA to !qA
                        %b = tile.part %rB[0, %nu + %nt + %nz + %j] : !rB to !qB
                        %q = tile.part %cw[%mu + %mt, %nu + %nt + %nz + %j] : !cw to !q
                        linalg.matmul ins(%a, %b : !qA, !qB) outs(%q : !q)
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
}
