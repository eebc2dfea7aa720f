// RUN: tilec-opt %s -kernel-lower-floats | FileCheck %s

// Each op computes in f32 and rounds, also in between: the sum is rounded before it is multiplied. Constants are numbers
// of f32 from the start.
// CHECK-LABEL: kernel.func @narrow
// CHECK-SAME: %[[X:[a-z0-9]+]]: f16, %[[Y:[a-z0-9]+]]: bf16, %[[N:[a-z0-9]+]]: i32
kernel.func @narrow(%x: f16, %y: bf16, %n: i32, %to: memref<?xf16>, %i: index) threads(32) {
  %half = arith.constant 0.5 : f16
  // CHECK: %[[WIDE:.*]] = kernel.widen %[[X]] : f16
  // CHECK: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
  // CHECK: %[[SUM:.*]] = arith.addf %[[WIDE]], %[[HALF]] : f32
  // CHECK: %[[ROUNDED:.*]] = kernel.round %[[SUM]] : f32 -> f16
  %sum = arith.addf %x, %half : f16
  // CHECK: %[[AGAIN:.*]] = kernel.widen %[[ROUNDED]] : f16
  // CHECK: arith.mulf %[[AGAIN]], %{{.*}} : f32
  // CHECK: kernel.round
  %product = arith.mulf %sum, %x : f16
  // A conversion to f32 is the wider number itself.
  // CHECK: %[[F:.*]] = kernel.widen %[[Y]] : bf16
  // CHECK-NOT: arith.extf
  %f = arith.extf %y : bf16 to f32
  // An integer may have more digits than f32: it is rounded once, from f64.
  // CHECK: %[[D:.*]] = arith.sitofp %[[N]] : i32 to f64
  // CHECK: kernel.round %[[D]] : f64 -> f16
  %k = arith.sitofp %n : i32 to f16
  // CHECK: %[[B:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}} : f32
  %b = arith.cmpf olt, %product, %k : f16
  // What is only moved keeps its type.
  // CHECK: arith.select %[[B]], %{{.*}}, %{{.*}} : f16
  %s = arith.select %b, %product, %k : f16
  // CHECK: arith.bitcast %{{.*}} : f16 to i16
  %bits = arith.bitcast %s : f16 to i16
  // CHECK: kernel.shfl_xor %{{.*}}, %{{.*}} : f32
  %o = kernel.shfl_xor %s, %i : f16
  kernel.stg %o, %to[%i] : f16, memref<?xf16>, index
  kernel.return
}

// Numbers of 8 bits are widened, and rounded where they become another narrow type.
// CHECK-LABEL: kernel.func @short
kernel.func @short(%x: f8E4M3FN, %y: f8E5M2) threads(32) {
  // CHECK: kernel.widen %{{.*}} : f8E4M3FN
  // CHECK-NOT: kernel.round
  %a = arith.extf %x : f8E4M3FN to f32
  // CHECK: %[[H:.*]] = kernel.widen %{{.*}} : f8E5M2
  // CHECK: kernel.round %[[H]] : f32 -> f16
  %b = arith.extf %y : f8E5M2 to f16
  kernel.return
}

// CUDA's fmaxf drops NaN and does not tell zeros apart.
// CHECK-LABEL: kernel.func @extrema
kernel.func @extrema(%x: f32, %d: f64, %h: f16) threads(32) {
  // CHECK: kernel.max_nan %{{.*}}, %{{.*}} : f32
  %0 = arith.maximumf %x, %x : f32
  // CHECK: kernel.min_nan %{{.*}}, %{{.*}} : f64
  %1 = arith.minimumf %d, %d : f64
  // CHECK: kernel.max_nan %{{.*}}, %{{.*}} : f32
  // CHECK: kernel.round
  %2 = arith.maximumf %h, %h : f16
  // CHECK: arith.maxnumf %{{.*}}, %{{.*}} : f32
  %3 = arith.maxnumf %x, %x : f32
  kernel.return
}
