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
  // CHECK: kernel.round exact %[[H]] : f32 -> f16
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

// What is rounded and widened again is rounded as an f32; what is only stored is left to the compiler, which rounds neighbours
// together.
// CHECK-LABEL: kernel.func @between
kernel.func @between(%x: bf16, %y: bf16, %to: memref<?xbf16>, %i: index) threads(32) {
  // CHECK: %[[X:.*]] = kernel.widen %{{.*}} : bf16
  // CHECK: %[[Y:.*]] = kernel.widen %{{.*}} : bf16
  // CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[Y]] : f32
  // CHECK: %[[ROUNDED:.*]] = kernel.rounded_bfloat %[[SUM]]
  %sum = arith.addf %x, %y : bf16
  // CHECK: %[[PRODUCT:.*]] = arith.mulf %[[ROUNDED]], %{{.*}} : f32
  // CHECK: %[[B:.*]] = kernel.round %[[PRODUCT]] : f32 -> bf16
  %product = arith.mulf %sum, %y : bf16
  // CHECK: kernel.stg %[[B]]
  kernel.stg %product, %to[%i] : bf16, memref<?xbf16>, index
  kernel.return
}

// A variable that is computed with stays f32; the greater of two bf16 needs no rounding.
// CHECK-LABEL: kernel.func @greatest
kernel.func @greatest(%x: bf16, %to: memref<?xbf16>, %i: index) threads(32) {
  // CHECK: %[[MOST:.*]] = kernel.registers init(-1.000000e+00 : f32) : memref<f32
  %most = kernel.registers init(-1.0 : bf16) : memref<bf16, #tile.level<rf>>
  // CHECK: %[[HELD:.*]] = memref.load %[[MOST]][]
  // CHECK: %[[M:.*]] = arith.maxnumf %[[HELD]], %{{.*}} : f32
  %m = memref.load %most[] : memref<bf16, #tile.level<rf>>
  %new = arith.maxnumf %m, %x : bf16
  // CHECK: memref.store %[[M]], %[[MOST]][]
  memref.store %new, %most[] : memref<bf16, #tile.level<rf>>
  // CHECK: %[[END:.*]] = memref.load %[[MOST]][]
  // CHECK: kernel.round exact %[[END]] : f32 -> bf16
  %end = memref.load %most[] : memref<bf16, #tile.level<rf>>
  kernel.stg %end, %to[%i] : bf16, memref<?xbf16>, index
  kernel.return
}

// A variable that nothing computes with is left as it is.
// CHECK-LABEL: kernel.func @carried
kernel.func @carried(%x: bf16, %to: memref<?xbf16>, %i: index) threads(32) {
  // CHECK: kernel.registers : memref<bf16
  %held = kernel.registers : memref<bf16, #tile.level<rf>>
  memref.store %x, %held[] : memref<bf16, #tile.level<rf>>
  %again = memref.load %held[] : memref<bf16, #tile.level<rf>>
  kernel.stg %again, %to[%i] : bf16, memref<?xbf16>, index
  kernel.return
}

// What an array keeps to be computed with is rounded as an f32 as well.
// CHECK-LABEL: kernel.func @kept
kernel.func @kept(%x: bf16, %i: index, %to: memref<?xf32>) threads(32) {
  %kept = kernel.registers : memref<8xbf16, #tile.level<rf>>
  // CHECK: %[[R:.*]] = kernel.rounded_bfloat
  // CHECK: %[[B:.*]] = kernel.round exact %[[R]] : f32 -> bf16
  // CHECK: memref.store %[[B]]
  %twice = arith.addf %x, %x : bf16
  memref.store %twice, %kept[%i] : memref<8xbf16, #tile.level<rf>>
  %again = memref.load %kept[%i] : memref<8xbf16, #tile.level<rf>>
  %wide = arith.extf %again : bf16 to f32
  kernel.stg %wide, %to[%i] : f32, memref<?xf32>, index
  kernel.return
}

// Functions of what is rounded to few digits.
// CHECK-LABEL: kernel.func @functions
kernel.func @functions(%x: bf16, %y: f16, %z: f32) threads(32) {
  // CHECK: kernel.exp_narrow
  // CHECK: kernel.exp_narrow
  %0 = math.exp %x : bf16
  %1 = math.exp %y : f16
  // CHECK: math.exp %{{.*}} : f32
  %2 = math.exp %z : f32
  // CHECK: kernel.divide_bfloat
  // CHECK: kernel.divide_half
  // CHECK: arith.divf %{{.*}}, %{{.*}} : f32
  %3 = arith.divf %x, %x : bf16
  %4 = arith.divf %y, %y : f16
  %5 = arith.divf %z, %z : f32
  kernel.return
}
