// Bytes and 16-bit elements whose neighbours lie across the result's are turned in registers on their way to shared memory, so that threads load vectors, store words of banks, load
// vectors and store vectors: 4 lines of 16 bytes become 16 words. A tile is 8 vectors by 32 words; groups of 16 bytes change places by the number of the column of vectors, whose bits
// are those of the element's number from 7 + 4 on in rows of 128 bytes, and from 6 + 3 on in rows of 64 halves. Each section is a file of its own.
// RUN: split-file %s %t
// RUN: tilec %t/bytes.mlir --target=h100-sxm --shape=x0=8192,x1=8192 --emit=nest -o %t/bytes.nest && FileCheck %s --check-prefix=BYTES --input-file=%t/bytes.nest
// RUN: tilec %t/bytes.nest --target=h100-sxm --run=cpu --verify --shape=x0=300,x1=272 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/bytes.nest --target=h100-sxm --run=cpu --verify --shape=x0=131,x1=17 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/halves.mlir --target=h100-sxm --shape=x0=64,x1=1024,x2=1024 --emit=nest -o %t/halves.nest && FileCheck %s --check-prefix=HALVES --input-file=%t/halves.nest
// RUN: tilec %t/halves.nest --target=h100-sxm --run=cpu --verify --shape=x0=3,x1=264,x2=200 | FileCheck %s --check-prefix=RAN
// Of moves the one that stores counts: one for each element that is read and written.
// RUN: tilec %t/bytes.nest --target=h100-sxm --shape=x0=8192,x1=8192 --emit=report | FileCheck %s --check-prefix=REPORT
// REPORT: roofline): 0.50 FMA/B
// Rows that begin where no vectors do are not turned so, nor is what lies as the result does.
// RUN: tilec %t/bytes.mlir --target=h100-sxm --shape=x0=8191,x1=8193 --emit=nest | FileCheck %s --check-prefix=ODD
// RAN: random: all {{[0-9]+}} elements of y agree
// ODD-NOT: Sw<

// BYTES: %[[TILE:.*]] = tile.hold init(0 : i8) : memref<128x128xi8, #tile.layout<"Sw<3,4,7> o 0 o (128,128):(128,1)">, #tile.level<smem>>
// BYTES: in (128, 128) by (4, 16) at dram on thread
// BYTES: %[[LINES:.*]] = tile.stage %x[{{.*}} to memref<4x16xi8, #tile.level<rf>>
// BYTES: %[[TURNED:.*]] = tile.hold init(0 : i8) : memref<16x4xi8, #tile.level<rf>>
// BYTES: linalg.generic {{.*}} ins(%[[LINES]] : {{.*}}) outs(%[[TURNED]] :
// BYTES: tile.store %[[TURNED]] to %[[TILE]]
// BYTES: in (128) by (32) at smem on unroll
// BYTES: in (32, 128) by (1, 16) at smem on thread
// BYTES: tile.stage %[[TILE]]
// BYTES: tile.store %{{.*}} to %y
//--- bytes.mlir
func.func @bytes(%x: memref<?x?xi8>, %y: memref<?x?xi8>) {
  linalg.transpose ins(%x : memref<?x?xi8>) outs(%y : memref<?x?xi8>) permutation = [1, 0]
  return
}

// Of two operands the one that lies across is turned; each image has tiles of its own.
// HALVES: tile.hold init(0.0{{.*}} : f16) : memref<1x64x64xf16, #tile.layout<"Sw<3,3,6> o 0 o (1,64,64):(0,64,1)">, #tile.level<smem>>
// HALVES: tile.stage %x[{{.*}} to memref<1x2x8xf16, #tile.level<rf>>
// HALVES-NOT: tile.stage %z[{{.*}}#tile.level<smem>>
//--- halves.mlir
#x = affine_map<(b, i, j) -> (b, j, i)>
#y = affine_map<(b, i, j) -> (b, i, j)>
func.func @halves(%x: memref<?x?x?xf16>, %z: memref<?x?x?xf16>, %y: memref<?x?x?xf16>) {
  linalg.generic {indexing_maps = [#x, #y, #y], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %z : memref<?x?x?xf16>, memref<?x?x?xf16>) outs(%y : memref<?x?x?xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16):
    %d = arith.addf %a, %b : f16
    linalg.yield %d : f16
  }
  return
}
