// Computations that warpgroups execute, and that are no instruction of theirs.
// RUN: tilec-opt %s -split-input-file -verify-diagnostics

!sA = memref<64x16xbf16, #tile.level<smem>>
!sB = memref<16x24xbf16, #tile.level<smem>>
!c = memref<64x24xbf16, #tile.level<rf>>
tile.kernel @kernel_c7_types(%A: memref<64x16xbf16>[64, 16], %B: memref<16x24xbf16>[16, 24]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %a = tile.stage %A[0, 0] : memref<64x16xbf16> to !sA
    %b = tile.stage %B[0, 0] : memref<16x24xbf16> to !sB
    %c = tile.hold init(0.0 : bf16) : !c
    // expected-note@+1 {{the loop on warpgroup; a loop on thread in it would say which thread computes what}}
    tile.for (%w) in (1) by (1) at smem on warpgroup {
      // expected-error@+1 {{is executed by a warpgroup, but is no instruction of one: no instruction multiplies bf16 and bf16 and adds up in bf16}}
      linalg.matmul ins(%a, %b : !sA, !sB) outs(%c : !c)
    }
  }
}

// -----

!sA = memref<64x16xf16, #tile.level<smem>>
!sB = memref<16x20xf16, #tile.level<smem>>
!c = memref<64x20xf32, #tile.level<rf>>
tile.kernel @kernel_c7_sizes(%A: memref<64x16xf16>[64, 16], %B: memref<16x20xf16>[16, 20]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %a = tile.stage %A[0, 0] : memref<64x16xf16> to !sA
    %b = tile.stage %B[0, 0] : memref<16x20xf16> to !sB
    %c = tile.hold init(0.0 : f32) : !c
    // expected-note@+1 {{the loop on warpgroup}}
    tile.for (%w) in (1) by (1) at smem on warpgroup {
      // expected-error@+1 {{is executed by a warpgroup, but is no instruction of one: wgmma with n = 20, a multiple of 8 up to 256 is needed}}
      linalg.matmul ins(%a, %b : !sA, !sB) outs(%c : !c)
    }
  }
}

// -----

// f32 is not multiplied as tf32 unless the body says so.
!sA = memref<64x8xf32, #tile.level<smem>>
!sB = memref<8x24xf32, #tile.level<smem>>
!c = memref<64x24xf32, #tile.level<rf>>
tile.kernel @kernel_c7_tf32(%A: memref<64x8xf32>[64, 8], %B: memref<8x24xf32>[8, 24]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %a = tile.stage %A[0, 0] : memref<64x8xf32> to !sA
    %b = tile.stage %B[0, 0] : memref<8x24xf32> to !sB
    %c = tile.hold init(0.0 : f32) : !c
    // expected-note@+1 {{the loop on warpgroup}}
    tile.for (%w) in (1) by (1) at smem on warpgroup {
      // expected-error@+1 {{no instruction multiplies f32 and f32 and adds up in f32; a body that rounds both by arith.truncf toward_zero to tf32 has one}}
      linalg.matmul ins(%a, %b : !sA, !sB) outs(%c : !c)
    }
  }
}

// -----

!sA = memref<64x32xi8, #tile.level<smem>>
!sB = memref<32x40xi8, #tile.level<smem>>
!c = memref<64x40xi32, #tile.level<rf>>
tile.kernel @kernel_c7_integers(%A: memref<64x32xi8>[64, 32], %B: memref<32x40xi8>[32, 40]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %a = tile.stage %A[0, 0] : memref<64x32xi8> to !sA
    %b = tile.stage %B[0, 0] : memref<32x40xi8> to !sB
    %c = tile.hold init(0 : i32) : !c
    // expected-note@+1 {{the loop on warpgroup}}
    tile.for (%w) in (1) by (1) at smem on warpgroup {
      // expected-error@+1 {{is executed by a warpgroup, but is no instruction of one: wgmma of integers with n = 40; 8, 16, 24 or a multiple of 16 up to 256 is needed}}
      linalg.matmul ins(%a, %b : !sA, !sB) outs(%c : !c)
    }
  }
}

// -----

!c = memref<64x16xf32, #tile.level<rf>>
tile.kernel @kernel_c7_no_product() {
  tile.for (%i) in (1) by (1) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    // expected-note@+1 {{the loop on warpgroup}}
    tile.for (%w) in (1) by (1) at smem on warpgroup {
      // expected-error@+1 {{expected a product c(m, n) += a(m, k) * b(n, k)}}
      linalg.exp ins(%c : !c) outs(%c : !c)
    }
  }
}

// -----

!rA = memref<64x8xf32, #tile.level<rf>>
!sB = memref<8x24xf32, #tile.level<smem>>
!c = memref<64x24xf32, #tile.level<rf>>
tile.kernel @kernel_c7_place(%B: memref<8x24xf32>[8, 24]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %a = tile.hold init(0.0 : f32) : !rA
    %b = tile.stage %B[0, 0] : memref<8x24xf32> to !sB
    %c = tile.hold init(0.0 : f32) : !c
    // expected-note@+1 {{the loop on warpgroup}}
    tile.for (%w) in (1) by (1) at smem on warpgroup {
      // expected-error@+1 {{operand #0 lies in rf, not in smem; of bf16 and f16 it may lie in rf}}
      linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : !rA, !sB) outs(%c : !c) {
      ^bb0(%x: f32, %y: f32, %z: f32):
        %u = arith.truncf %x toward_zero : f32 to tf32
        %v = arith.truncf %y toward_zero : f32 to tf32
        %s = arith.extf %u : tf32 to f32
        %t = arith.extf %v : tf32 to f32
        %p = arith.mulf %s, %t : f32
        %q = arith.addf %z, %p : f32
        linalg.yield %q : f32
      }
    }
  }
}

// -----

!sA = memref<64x16xbf16, #tile.level<smem>>
!rB = memref<16x24xbf16, #tile.level<rf>>
!c = memref<64x24xf32, #tile.level<rf>>
tile.kernel @kernel_c7_second_place(%A: memref<64x16xbf16>[64, 16]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %a = tile.stage %A[0, 0] : memref<64x16xbf16> to !sA
    %b = tile.hold init(0.0 : bf16) : !rB
    %c = tile.hold init(0.0 : f32) : !c
    // expected-note@+1 {{the loop on warpgroup}}
    tile.for (%w) in (1) by (1) at smem on warpgroup {
      // expected-error@+1 {{operand #1 lies in rf, not in smem}}
      linalg.matmul ins(%a, %b : !sA, !rB) outs(%c : !c)
    }
  }
}

// -----

!sA = memref<64x16xbf16, #tile.level<smem>>
!sB = memref<24x16xbf16, #tile.level<smem>>
!c = memref<64x24xf32, #tile.level<rf>>
tile.kernel @kernel_c7_stated(%A: memref<64x16xbf16>[64, 16], %B: memref<24x16xbf16>[24, 16]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %a = tile.stage %A[0, 0] : memref<64x16xbf16> to !sA
    %b = tile.stage %B[0, 0] : memref<24x16xbf16> to !sB
    %c = tile.hold init(0.0 : f32) : !c
    // expected-note@+1 {{the loop on warpgroup}}
    tile.for (%w) in (1) by (1) at smem on warpgroup {
      // expected-error@+1 {{tile.instruction is 'fma', but unit, types and sizes make it 'wgmma.m64n24k16'}}
      linalg.generic {tile.instruction = "fma", indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : !sA, !sB) outs(%c : !c) {
      ^bb0(%x: bf16, %y: bf16, %z: f32):
        %u = arith.extf %x : bf16 to f32
        %v = arith.extf %y : bf16 to f32
        %p = arith.mulf %u, %v : f32
        %s = arith.addf %z, %p : f32
        linalg.yield %s : f32
      }
    }
  }
}

// -----

// Thread tiles part what an instruction has parted.
!sA = memref<64x16xbf16, #tile.level<smem>>
!sB = memref<16x24xbf16, #tile.level<smem>>
!c = memref<64x24xf32, #tile.level<rf>>
!t = memref<1x12xf32, #tile.level<rf>>
tile.kernel @hold_h4_instruction(%A: memref<64x16xbf16>[64, 16], %B: memref<16x24xbf16>[16, 24]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %a = tile.stage %A[0, 0] : memref<64x16xbf16> to !sA
    %b = tile.stage %B[0, 0] : memref<16x24xbf16> to !sB
    // expected-note@+1 {{the tile}}
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%w) in (1) by (1) at smem on warpgroup {
      // expected-note@+1 {{the other loop parts it here}}
      linalg.matmul ins(%a, %b : !sA, !sB) outs(%c : !c)
    }
    tile.for (%m, %n) in (64, 24) by (1, 12) at rf on thread {
      %t = tile.part %c[%m, %n] : !c to !t
      // expected-error@+1 {{parts a register tile otherwise than another loop does}}
      linalg.exp ins(%t : !t) outs(%t : !t)
    }
  }
}

// -----

tile.kernel @store_w7_slots(%Y: memref<64x64xf32>[64, 64]) {
  %c = tile.hold init(0.0 : f32) : memref<64x64xf32, #tile.level<rf>>
  // expected-error@+1 {{slots needs copy(tma), which stores slices while threads go on}}
  tile.store %c to %Y[0, 0] through(32) slots(2) : memref<64x64xf32, #tile.level<rf>> to memref<64x64xf32>
}

// -----

tile.kernel @store_w7_straight(%Y: memref<64x64xf32>[64, 64]) {
  %c = tile.hold init(0.0 : f32) : memref<64x64xf32, #tile.level<rf>>
  // expected-error@+1 {{copy is for slices of through(N) that TMA stores, copy(tma), and beside it nothing is wide}}
  tile.store %c to %Y[0, 0] through(0) copy(tma) : memref<64x64xf32, #tile.level<rf>> to memref<64x64xf32>
}

// -----

tile.kernel @store_w7_other(%Y: memref<64x64xf32>[64, 64]) {
  %c = tile.hold init(0.0 : f32) : memref<64x64xf32, #tile.level<rf>>
  // expected-error@+1 {{copy is for slices of through(N) that TMA stores, copy(tma), and beside it nothing is wide}}
  tile.store %c to %Y[0, 0] through(32) copy(cp_async) : memref<64x64xf32, #tile.level<rf>> to memref<64x64xf32>
}

// -----

tile.kernel @store_w7_wide(%Y: memref<64x64xf32>[64, 64]) {
  %c = tile.hold init(0.0 : f32) : memref<64x64xf32, #tile.level<rf>>
  // expected-error@+1 {{copy is for slices of through(N) that TMA stores, copy(tma), and beside it nothing is wide}}
  tile.store %c to %Y[0, 0] wide(4) through(32) copy(tma) : memref<64x64xf32, #tile.level<rf>> to memref<64x64xf32>
}

// -----

tile.kernel @store_w7_row(%Y: memref<64x64xf32>[64, 64]) {
  %c = tile.hold init(0.0 : f32) : memref<64x64xf32, #tile.level<rf>>
  // expected-error@+1 {{copy(tma) stores slices whose rows have 32, 64 or 128 bytes; those of through(64) have 256}}
  tile.store %c to %Y[0, 0] through(64) copy(tma) : memref<64x64xf32, #tile.level<rf>> to memref<64x64xf32>
}

// -----

tile.kernel @store_w7_none(%Y: memref<64x64xf32>[64, 64]) {
  %c = tile.hold init(0.0 : f32) : memref<64x64xf32, #tile.level<rf>>
  // expected-error@+1 {{slots(0) is not from 1 to 1024}}
  tile.store %c to %Y[0, 0] through(32) copy(tma) slots(0) : memref<64x64xf32, #tile.level<rf>> to memref<64x64xf32>
}

// -----

tile.kernel @store_w7_time(%Y: memref<64x64xf32>[64, 64]) {
  // expected-note@+1 {{the loop}}
  tile.for (%i) in (2) by (1) at dram {
    %c = tile.hold init(0.0 : f32) : memref<64x64xf32, #tile.level<rf>>
    // expected-error@+1 {{copy(tma) may still be on its way in the next iteration of a loop on time}}
    tile.store %c to %Y[0, 0] through(32) copy(tma) : memref<64x64xf32, #tile.level<rf>> to memref<64x64xf32>
  }
}

// -----

tile.kernel @store_w7_others(%Y: memref<64x64xf32>[64, 64]) {
  %c = tile.hold init(0.0 : f32) : memref<64x64xf32, #tile.level<rf>>
  // expected-error@+1 {{copy(tma) may still be on its way when something else touches the operand}}
  tile.store %c to %Y[0, 0] through(32) copy(tma) : memref<64x64xf32, #tile.level<rf>> to memref<64x64xf32>
  // expected-note@+1 {{here}}
  tile.store %c to %Y[0, 0] : memref<64x64xf32, #tile.level<rf>> to memref<64x64xf32>
}

// -----

tile.kernel @store_w6_columns(%Y: memref<64x64xbf16>[64, 64]) {
  %c = tile.hold init(0.0 : bf16) : memref<64x64xbf16, #tile.level<rf>>
  // expected-error@+1 {{through(48) does not part 'memref<64x64xbf16, #tile.level<rf>>' into slices of so many columns}}
  tile.store %c to %Y[0, 0] through(48) : memref<64x64xbf16, #tile.level<rf>> to memref<64x64xbf16>
}

// -----

tile.kernel @store_w6_combine(%Y: memref<64x64xf32>[64, 64]) {
  %c = tile.hold init(0.0 : f32) : memref<64x64xf32, #tile.level<rf>>
  // expected-error@+1 {{through is for a tile in rf that is stored to dram without combine}}
  tile.store %c to %Y[0, 0] combine(add) unordered through(32) : memref<64x64xf32, #tile.level<rf>> to memref<64x64xf32>
}

// -----

tile.kernel @store_w6_place(%Y: memref<64x64xf32>[64, 64]) {
  %c = tile.hold init(0.0 : f32) : memref<64x64xf32, #tile.level<rf>>
  // expected-error@+1 {{smem_at needs through, which puts slices in shared memory}}
  tile.store %c to %Y[0, 0] through(0) smem_at(128) : memref<64x64xf32, #tile.level<rf>> to memref<64x64xf32>
}

// -----

tile.kernel @store_w6_multiple(%Y: memref<64x64xf32>[64, 64]) {
  %c = tile.hold init(0.0 : f32) : memref<64x64xf32, #tile.level<rf>>
  // expected-error@+1 {{smem_at(100) is no multiple of 128}}
  tile.store %c to %Y[0, 0] through(32) smem_at(100) : memref<64x64xf32, #tile.level<rf>> to memref<64x64xf32>
}

// -----

tile.kernel @store_w6_loop(%Y: memref<64x64xf32>[64, 64]) {
  // expected-note@+1 {{the loop}}
  tile.for (%i) in (1) by (1) at rf on thread {
    %c = tile.hold init(0.0 : f32) : memref<64x64xf32, #tile.level<rf>>
    // expected-error@+1 {{through is for all threads of a block together, not in a loop on thread}}
    tile.store %c to %Y[0, 0] through(32) : memref<64x64xf32, #tile.level<rf>> to memref<64x64xf32>
  }
}

// -----

!a = memref<16x16xbf16, #tile.level<rf>>
!b = memref<16x16xbf16, #tile.level<rf>>
!c = memref<16x16xf32, #tile.level<rf>>
tile.kernel @kernel_c8_sizes() {
  tile.for (%i) in (1) by (1) at dram on block {
    tile.for (%w) in (1) by (1) at smem on warp {
      %a = tile.hold init(0.0 : bf16) : !a
      %c = tile.hold init(0.0 : f32) : !c
      // expected-error@+1 {{is to be computed by 'mma.m16n8k16.16' in a loop on warp, but multiplies 16 x 16 and 16 x 16 elements of 'bf16' and 'bf16' and adds up in 'f32'; expected m16 n8 k16 of its types}}
      linalg.matmul {tile.instruction = "mma.m16n8k16.16"} ins(%a, %a : !a, !b) outs(%c : !c)
    }
  }
}

// -----

!a = memref<16x16xbf16, #tile.level<smem>>
!b = memref<16x8xbf16, #tile.level<rf>>
!c = memref<16x8xf32, #tile.level<rf>>
tile.kernel @kernel_c8_place(%A: memref<16x16xbf16>[16, 16]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %a = tile.stage %A[0, 0] : memref<16x16xbf16> to !a
    tile.for (%w) in (1) by (1) at smem on warp {
      %b = tile.hold init(0.0 : bf16) : !b
      %c = tile.hold init(0.0 : f32) : !c
      // expected-error@+1 {{is to be computed by 'mma.m16n8k16.16' in a loop on warp, but operand #0 lies in smem, not in rf}}
      linalg.matmul {tile.instruction = "mma.m16n8k16.16"} ins(%a, %b : !a, !b) outs(%c : !c)
    }
  }
}

// -----

!c = memref<16x8xf32, #tile.level<rf>>
tile.kernel @kernel_c8_no_product() {
  tile.for (%i) in (1) by (1) at dram on block {
    tile.for (%w) in (1) by (1) at smem on warp {
      %c = tile.hold init(0.0 : f32) : !c
      // expected-error@+1 {{is to be computed by 'mma.m16n8k16.16' in a loop on warp, but is no product c(m, n) += a(m, k) * b(n, k)}}
      linalg.exp {tile.instruction = "mma.m16n8k16.16"} ins(%c : !c) outs(%c : !c)
    }
  }
}

// -----

!s = memref<16x16xbf16, #tile.level<smem>>
!a = memref<16x16xbf16, #tile.level<rf>>
tile.kernel @stage_s12(%A: memref<16x16xbf16>[16, 16]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %s = tile.stage %A[0, 0] : memref<16x16xbf16> to !s
    tile.for (%t) in (32) by (1) at smem on thread {
      // expected-error@+1 {{copy(ldmatrix) needs a tile in rf that is staged from smem, in a loop on warp with no loop on thread around the stage}}
      %a = tile.stage %s[0, 0] copy(ldmatrix) : !s to !a
    }
  }
}

// -----

// One instruction multiplies one product of a batch.
!sA = memref<2x64x16xbf16, #tile.level<smem>>
!sB = memref<2x16x24xbf16, #tile.level<smem>>
!c = memref<2x64x24xf32, #tile.level<rf>>
tile.kernel @kernel_c7_batch(%A: memref<2x64x16xbf16>[2, 64, 16], %B: memref<2x16x24xbf16>[2, 16, 24]) {
  tile.for (%i) in (1) by (1) at dram on block {
    %a = tile.stage %A[0, 0, 0] : memref<2x64x16xbf16> to !sA
    %b = tile.stage %B[0, 0, 0] : memref<2x16x24xbf16> to !sB
    %c = tile.hold init(0.0 : f32) : !c
    // expected-note@+1 {{the loop on warpgroup}}
    tile.for (%w) in (1) by (1) at smem on warpgroup {
      // expected-error@+1 {{expected a product c(m, n) += a(m, k) * b(n, k), with one place in all other dimensions}}
      linalg.batch_matmul ins(%a, %b : !sA, !sB) outs(%c : !c)
    }
  }
}
