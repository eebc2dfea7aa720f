// Tiles of operands that are read backward begin where their least element is, before an operand where blocks go beyond it.
// RUN: tilec %s --target=h100 --run=cpu --verify 2>&1 | FileCheck %s
// RUN: tilec %s --target=h100 --emit=nest | FileCheck %s --check-prefix=NEST

// A reduction backward along one of its operands.
// CHECK: greatest on the emulator
// CHECK: integers: all 198 elements of C agree, largest error 0
// NEST-LABEL: @greatest
// NEST: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, -d0 + {{[0-9]+}}, d2)>
tile.kernel @greatest(%A: memref<66x3x3xf32>[66, 3, 3], %X: memref<3x66x3xf32>[3, 66, 3], %C: memref<66x3xf32>[66, 3]) {
  %least = arith.constant -4000.0 : f32
  linalg.fill ins(%least : f32) outs(%C : memref<66x3xf32>)
  linalg.generic {indexing_maps = [affine_map<(k, i, j) -> (i, 2 - k, j)>, affine_map<(k, i, j) -> (k, i, j)>, affine_map<(k, i, j) -> (i, j)>],
                  iterator_types = ["reduction", "parallel", "parallel"]} ins(%A, %X : memref<66x3x3xf32>, memref<3x66x3xf32>) outs(%C : memref<66x3xf32>) {
  ^bb0(%a: f32, %x: f32, %c: f32):
    %s = arith.addf %a, %x : f32
    %r = arith.maximumf %c, %s : f32
    linalg.yield %r : f32
  }
}

// A product whose rows are the last first.
// CHECK: rows on the emulator
// CHECK: integers: all 6720 elements of C agree, largest error 0
// NEST-LABEL: @rows
// NEST: tile.stage %A[-{{.*}} + 69, 0]
tile.kernel @rows(%A: memref<70x48xf32>[70, 48], %B: memref<48x96xf32>[48, 96], %C: memref<70x96xf32>[70, 96]) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<70x96xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (69 - m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%A, %B : memref<70x48xf32>, memref<48x96xf32>) outs(%C : memref<70x96xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
}

// Both dimensions, of a part of the operand.
// CHECK: part on the emulator
// CHECK: integers: all 1024 elements of C agree, largest error 0
// NEST-LABEL: @part
tile.kernel @part(%A: memref<50x50xf32>[50, 50], %C: memref<32x32xf32>[32, 32]) {
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (31 - m, 31 - n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<50x50xf32>) outs(%C : memref<32x32xf32>) {
  ^bb0(%a: f32, %c: f32):
    linalg.yield %a : f32
  }
}
