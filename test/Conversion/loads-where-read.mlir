// What threads hold together is loaded by the computation that reads it first, group by group. What stands ahead of a store, or the kernel writes, is loaded where the nest stages it.
// RUN: tilec-opt %s -split-input-file -tile-kernel-pipeline | FileCheck %s

// CHECK-LABEL: kernel.func @once
// CHECK: %[[C:.*]] = kernel.registers init(0.000000e+00 : f32) : memref<4xf32, #tile.level<rf>>
// CHECK: kernel.ldg_vector 4, %[[R:[0-9]+]][%c0], %arg1[
// CHECK-NEXT: kernel.for
// CHECK: memref.load %[[R]]
// CHECK: memref.store %{{.*}}, %[[C]]
// CHECK: kernel.ldg %arg1[
// CHECK-NEXT: memref.store %{{.*}}, %[[R]]
// CHECK-NEXT: memref.load %[[R]]
// CHECK: memref.store %{{.*}}, %[[C]]
!V = memref<?xf32, strided<[1]>>
!c = memref<128xf32, #tile.level<rf>>
!r = memref<4xf32, #tile.level<rf>>
#id = affine_map<(i) -> (i)>
tile.kernel @once(%X: !V[%N], %R: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (128) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%t) in (128) by (4) at smem on thread {
      %x = tile.stage %X[%i + %t] pad(zero) : !V to !r
      %own = tile.part %c[%t] : !c to !r
      linalg.copy ins(%x : !r) outs(%own : !r)
    }
    %r = tile.stage %R[%i] : !V to !c
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%r : !c) outs(%c : !c) {
    ^bb0(%factor: f32, %old: f32):
      %new = arith.mulf %old, %factor : f32
      linalg.yield %new : f32
    }
    tile.store %c to %Y[%i] : !c to !V
  }
}

// -----

// Of two tiles the last. The first is used again, and stays.
// CHECK-LABEL: kernel.func @two
// CHECK: kernel.ldg_vector 4, %[[P:[0-9]+]][%c0], %arg1[
// CHECK-NEXT: }
// CHECK: kernel.ldg_vector 4, %[[Q:[0-9]+]][%c0], %arg2[
// CHECK-NEXT: kernel.for
// CHECK: memref.load %[[P]]
// CHECK: memref.load %[[Q]]
// CHECK: arith.mulf
// CHECK: memref.load %[[P]]
// CHECK: arith.subf
!V = memref<?xf32, strided<[1]>>
!c = memref<128xf32, #tile.level<rf>>
!r = memref<4xf32, #tile.level<rf>>
#id = affine_map<(i) -> (i)>
tile.kernel @two(%X: !V[%N], %P: !V[%N], %Q: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (128) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%t) in (128) by (4) at smem on thread {
      %x = tile.stage %X[%i + %t] pad(zero) : !V to !r
      %own = tile.part %c[%t] : !c to !r
      linalg.copy ins(%x : !r) outs(%own : !r)
    }
    %p = tile.stage %P[%i] : !V to !c
    %q = tile.stage %Q[%i] : !V to !c
    linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%p, %q : !c, !c) outs(%c : !c) {
    ^bb0(%factor: f32, %added: f32, %old: f32):
      %product = arith.mulf %old, %factor : f32
      %new = arith.addf %product, %added : f32
      linalg.yield %new : f32
    }
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%p : !c) outs(%c : !c) {
    ^bb0(%taken: f32, %old: f32):
      %new = arith.subf %old, %taken : f32
      linalg.yield %new : f32
    }
    tile.store %c to %Y[%i] : !c to !V
  }
}

// -----

// A store stands between.
// CHECK-LABEL: kernel.func @stored
// CHECK: kernel.ldg_vector 4, %{{[0-9]+}}[%c0], %arg1[
// CHECK-NEXT: }
// CHECK: kernel.stg_vector 4, %arg3[
// CHECK: arith.mulf
!V = memref<?xf32, strided<[1]>>
!c = memref<128xf32, #tile.level<rf>>
!r = memref<4xf32, #tile.level<rf>>
#id = affine_map<(i) -> (i)>
tile.kernel @stored(%X: !V[%N], %R: !V[%N], %Y: !V[%N], %Z: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (128) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%t) in (128) by (4) at smem on thread {
      %x = tile.stage %X[%i + %t] pad(zero) : !V to !r
      %own = tile.part %c[%t] : !c to !r
      linalg.copy ins(%x : !r) outs(%own : !r)
    }
    %r = tile.stage %R[%i] : !V to !c
    tile.store %c to %Z[%i] : !c to !V
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%r : !c) outs(%c : !c) {
    ^bb0(%factor: f32, %old: f32):
      %new = arith.mulf %old, %factor : f32
      linalg.yield %new : f32
    }
    tile.store %c to %Y[%i] : !c to !V
  }
}

// -----

// What is used again stays in the registers that it was loaded to.
// CHECK-LABEL: kernel.func @again
// CHECK: kernel.ldg_vector 4, %[[R:[0-9]+]][%c0], %arg1[
// CHECK-NEXT: kernel.for
// CHECK: memref.load %[[R]]
// CHECK: arith.mulf
// CHECK-NOT: kernel.registers
// CHECK: memref.load %[[R]]
// CHECK: arith.subf
!V = memref<?xf32, strided<[1]>>
!c = memref<128xf32, #tile.level<rf>>
!r = memref<4xf32, #tile.level<rf>>
#id = affine_map<(i) -> (i)>
tile.kernel @again(%X: !V[%N], %R: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (128) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%t) in (128) by (4) at smem on thread {
      %x = tile.stage %X[%i + %t] pad(zero) : !V to !r
      %own = tile.part %c[%t] : !c to !r
      linalg.copy ins(%x : !r) outs(%own : !r)
    }
    %r = tile.stage %R[%i] : !V to !c
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%r : !c) outs(%c : !c) {
    ^bb0(%factor: f32, %old: f32):
      %new = arith.mulf %old, %factor : f32
      linalg.yield %new : f32
    }
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%r : !c) outs(%c : !c) {
    ^bb0(%taken: f32, %old: f32):
      %new = arith.subf %old, %taken : f32
      linalg.yield %new : f32
    }
    tile.store %c to %Y[%i] : !c to !V
  }
}

// -----

// What the kernel writes is loaded where the nest stages it.
// CHECK-LABEL: kernel.func @written
// CHECK: kernel.ldg_vector 4, %[[R:[0-9]+]][%c0], %arg1[
// CHECK-NEXT: }
// CHECK: memref.load %[[R]]
// CHECK: arith.mulf
!V = memref<?xf32, strided<[1]>>
!c = memref<128xf32, #tile.level<rf>>
!r = memref<4xf32, #tile.level<rf>>
#id = affine_map<(i) -> (i)>
tile.kernel @written(%X: !V[%N], %R: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (128) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%t) in (128) by (4) at smem on thread {
      %x = tile.stage %X[%i + %t] pad(zero) : !V to !r
      %own = tile.part %c[%t] : !c to !r
      linalg.copy ins(%x : !r) outs(%own : !r)
    }
    %r = tile.stage %R[%i] : !V to !c
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%r : !c) outs(%c : !c) {
    ^bb0(%factor: f32, %old: f32):
      %new = arith.mulf %old, %factor : f32
      linalg.yield %new : f32
    }
    tile.store %c to %R[%i] : !c to !V
  }
}
