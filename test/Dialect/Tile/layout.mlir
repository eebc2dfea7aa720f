// RUN: tilec-opt %s -split-input-file -verify-diagnostics | FileCheck %s
// RUN: tilec-opt %s -split-input-file -verify-diagnostics | tilec-opt -split-input-file | FileCheck %s
// RUN: tilec-opt %s -split-input-file -verify-diagnostics -canonicalize -cse -loop-invariant-code-motion -sccp -o %t

// The layout attribute: text in normal form, and errors with their place in the text.

// CHECK-LABEL: func.func private @nested(memref<4x2xf32, #tile.layout<"((2,2),2):((2,4),1)">>)
func.func private @nested(memref<4x2xf32, #tile.layout<" ( (2, 2) , _2 ) : ((2,4),1)">>)

// A shape alone is column-major.
// CHECK-LABEL: func.func private @shape(memref<4x8xf32, #tile.layout<"(4,8):(1,4)">>)
func.func private @shape(memref<4x8xf32, #tile.layout<"(4,8)">>)

// CHECK-LABEL: func.func private @swizzle(memref<8x64xf16, #tile.layout<"Sw<3,3,3> o 0 o (8,64):(64,1)">, #tile.level<smem>>)
func.func private @swizzle(memref<8x64xf16, #tile.layout<"SW_3_3_3 o 0 o (8,64):(64,1)">, #tile.level<smem>>)

// CHECK-LABEL: func.func private @no_swizzle(memref<8xf16, #tile.layout<"8:2">>)
func.func private @no_swizzle(memref<8xf16, #tile.layout<"Sw<0,3,3> o 0 o 8:2">>)

// CHECK-LABEL: func.func private @unknown(memref<?x6xf32, #tile.layout<"(?,(2,3)):(?,(1,?))">>)
func.func private @unknown(memref<?x6xf32, #tile.layout<"(?,(2,3)):(?,(1,?))">>)

// A part of a tile whose layout is no sum of strides states none.
// CHECK-LABEL: tile.kernel @part
tile.kernel @part(%A: memref<?x?xf32, #tile.layout<"(?,?):(?,1)">>[%M, %N], %M: index, %N: index) {
  tile.for (%m, %n) in (%M, %N) by (8, 64) at dram on block {
    // CHECK: tile.stage {{.*}} to memref<8x64xf32, #tile.layout<"Sw<3,2,3> o 0 o (8,64):(64,1)">, #tile.level<smem>>
    %s = tile.stage %A[%m, %n] : memref<?x?xf32, #tile.layout<"(?,?):(?,1)">>
        to memref<8x64xf32, #tile.layout<"Sw<3,2,3> o 0 o (8,64):(64,1)">, #tile.level<smem>>
    tile.for (%i, %j) in (8, 64) by (1, 4) at smem on thread {
      %p = tile.part %s[%i, %j] : memref<8x64xf32, #tile.layout<"Sw<3,2,3> o 0 o (8,64):(64,1)">, #tile.level<smem>>
          to memref<1x4xf32, #tile.level<smem>>
      linalg.copy ins(%p : memref<1x4xf32, #tile.level<smem>>) outs(%p : memref<1x4xf32, #tile.level<smem>>)
    }
  }
}

// -----

// expected-error@+1 {{layout '(4,8:(8,1)', column 5: expected ')' or ',' after a mode, got ':'}}
func.func private @unclosed(memref<4x8xf32, #tile.layout<"(4,8:(8,1)">>)

// -----

// expected-error@+1 {{layout '(4,8):(8,1', column 11:}}
func.func private @at_the_end(memref<4x8xf32, #tile.layout<"(4,8):(8,1">>)

// -----

// expected-error@+1 {{layout '', column 1:}}
func.func private @empty(memref<4xf32, #tile.layout<"">>)

// -----

// expected-error@+1 {{layout '(4,8):(8,(1,2))'}}
func.func private @incongruent(memref<4x8xf32, #tile.layout<"(4,8):(8,(1,2))">>)

// -----

// expected-error@+1 {{layout 'Sw<3,3,1> o 0 o 8:1', column}}
func.func private @swizzle_overlaps(memref<8xf32, #tile.layout<"Sw<3,3,1> o 0 o 8:1">>)

// -----

// expected-error@+1 {{mode 0 of layout ((?,2)):((1,4)) has an unknown extent}}
func.func private @unknown_first(memref<?xf32, #tile.layout<"((?,2)):((1,4))">>)

// -----

// expected-error@+1 {{layout (4,8):(8,1) has 2 top-level modes but the memref has rank 1}}
func.func private @rank(memref<32xf32, #tile.layout<"(4,8):(8,1)">>)

// -----

// expected-error@+1 {{mode 1 of layout (8,(2,2)):(4,(1,2)) has 4 elements but dimension 1 of the memref has 8}}
func.func private @extent(memref<8x8xf32, #tile.layout<"(8,(2,2)):(4,(1,2))">>)

// -----

// expected-error@+1 {{mode 0 of layout (4,8):(8,1) has 4 elements but dimension 0 of the memref has ?}}
func.func private @dynamic(memref<?x8xf32, #tile.layout<"(4,8):(8,1)">>)

// -----

// expected-error@+1 {{operand #0 must be a strided memref in dram}}
tile.kernel @operand(%A: memref<8x64xf32, #tile.layout<"Sw<3,2,3> o 0 o (8,64):(64,1)">>[8, 64]) {
}

// -----

// expected-error@+1 {{operand #0 starts at element 5 of its memory; an operand starts at element 0}}
tile.kernel @operand_offset(%A: memref<8xf32, #tile.layout<"Sw<0,0,0> o 5 o 8:1">>[8]) {
}

// -----

tile.kernel @stated_stride(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%m) in (%M) by (8) at dram on block {
    %s = tile.stage %A[%m] : memref<?xf32> to memref<8xf32, #tile.layout<"8:2">, #tile.level<smem>>
    // expected-error@+1 {{states stride 3 for dimension 0 but the source has 2}}
    %p = tile.part %s[0] : memref<8xf32, #tile.layout<"8:2">, #tile.level<smem>> to memref<4xf32, #tile.layout<"4:3">, #tile.level<smem>>
  }
}

// -----

tile.kernel @held(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%m) in (%M) by (8) at dram on block {
    // expected-error@+1 {{a tile in rf is spread over threads and has no layout, got 'memref<8xf32, #tile.layout<"8:2">, #tile.level<rf>>'}}
    %c = tile.hold init(0.0 : f32) : memref<8xf32, #tile.layout<"8:2">, #tile.level<rf>>
  }
}

// -----

tile.kernel @staged_to_registers(%A: memref<?xf32>[%M], %M: index) {
  tile.for (%m) in (%M) by (8) at dram on block {
    // expected-error@+1 {{a tile in rf is spread over threads and has no layout}}
    %r = tile.stage %A[%m] : memref<?xf32> to memref<8xf32, #tile.layout<"8:1">, #tile.level<rf>>
  }
}
