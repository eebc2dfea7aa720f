// Subscripts and loops are computed as exactly as in the nest: where an int is not known to hold them, in 64 bits.
// REQUIRES: host-compiler
// RUN: mkdir -p %t && tilec %s --emit=cuda -o %t/ && FileCheck %s --check-prefix=TEXT < %t/exact-subscripts.factor.cu
// RUN: FileCheck %s --check-prefix=LONG < %t/exact-subscripts.long_time.cu
// RUN: FileCheck %s --check-prefix=PLAIN < %t/exact-subscripts.plain.cu
// RUN: tilec %s --run=cpu --verify --shape=n=3000 > %t.out 2>&1
// RUN: FileCheck %s < %t.out
!V = memref<?xf32>
!e = memref<1xf32, #tile.level<rf>>

// 1024 * 2^22 is 2^32: of an int, element 0 again.
// TEXT: const long long g{{.*}} = (long long)
// CHECK: factor on the emulator
// CHECK-NEXT: integers: all 3000 elements of Y agree
tile.kernel @factor(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i0) in (%N) by (32) at dram on block {
    tile.for (%i1) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%i0 * 4194304 + %i1] pad(zero) : !V to !e
      tile.store %x to %Y[%i0 + %i1] : !e to !V
    }
  }
}

// CHECK: clamped on the emulator
// CHECK-NEXT: integers: all 3000 elements of Y agree
tile.kernel @clamped(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i0) in (%N) by (32) at dram on block {
    tile.for (%i1) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%i0 * 2097152 + %i1 - 2147483648] pad(clamp) : !V to !e
      tile.store %x to %Y[%i0 + %i1] : !e to !V
    }
  }
}

// CHECK: reflected on the emulator
// CHECK-NEXT: integers: all 3000 elements of Y agree
tile.kernel @reflected(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i0) in (%N) by (32) at dram on block {
    tile.for (%i1) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%i0 * 4194304 - %i1 + 4294967296] pad(reflect) : !V to !e
      tile.store %x to %Y[%i0 + %i1] : !e to !V
    }
  }
}

// CHECK: constants on the emulator
// CHECK-NEXT: integers: all 3000 elements of Y agree
tile.kernel @constants(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i0) in (%N) by (32) at dram on block {
    tile.for (%i1) in (32) by (1) at dram on thread {
      %a = tile.stage %X[%i0 + %i1 + 4294967296] pad(zero) : !V to !e
      %b = tile.stage %X[%i0 + %i1 + 2147483648] pad(zero) : !V to !e
      %c = tile.stage %X[%i0 + %i1 - 4294967296] pad(zero) : !V to !e
      linalg.add ins(%a, %b : !e, !e) outs(%a : !e)
      linalg.add ins(%a, %c : !e, !e) outs(%a : !e)
      tile.store %a to %Y[%i0 + %i1] : !e to !V
    }
  }
}

// 268,435,457 iterations are too many to run here.
// LONG: for (int k = 0; k < K; ++k)
// LONG: long long {{.*}}(long long)k * 16
tile.kernel @long_time(%X: !V[%N], %Y: !V[%N], %N: index, %Z: !V[%K], %K: index) {
  tile.for (%i0) in (%N) by (1) at dram on block {
    tile.for (%i1) in (1) by (1) at dram on thread {
      %c = tile.hold init(0.0 : f32) : !e
      tile.for (%k) in (%K) by (1) at dram {
        %x = tile.stage %X[%k * 16 + %i0] pad(zero) : !V to !e
        linalg.add ins(%c, %x : !e, !e) outs(%c : !e)
      }
      tile.store %c to %Y[%i0] : !e to !V
    }
  }
}

// The variable passes the extent by a step, which 65,536 elements of room hold.
// PLAIN: for (int k = 0; k < N; k += 65536)
tile.kernel @plain(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i0) in (%N) by (1) at dram on block {
    tile.for (%i1) in (1) by (1) at dram on thread {
      %c = tile.hold init(0.0 : f32) : !e
      tile.for (%k) in (%N) by (65536) at dram {
        %x = tile.stage %X[%k] pad(zero) : !V to !e
        linalg.add ins(%c, %x : !e, !e) outs(%c : !e)
      }
      tile.store %c to %Y[%i0] : !e to !V
    }
  }
}
