// Bytes and 16-bit elements whose neighbours lie across the result's, in lines one element longer or shorter than whole vectors: threads load vectors from where these are aligned, line i
// of 16 from i elements earlier, or of 8, and store them to a tile whose lines are as much further apart, so that they are aligned there, too: 192 columns and 16 that lines begin
// earlier are 13 vectors; with 16 more for what lies before the first column that is needed lines are 224 long, and 225 apart. 128 columns of the result, of rows that begin up to 31
// columns apart, are 159 lines: five rounds of 32. Neighbours read 8 vectors of a row, 16 lines of 225 bytes or 4 banks (modulo 32) apart, of four rows two apart, since a row further
// lies one line and one element further, 226 bytes or half a bank (modulo 4). Each section is a file of its own.
// RUN: split-file %s %t
// RUN: tilec %t/bytes.mlir --target=h100-sxm --emit=nest -o %t/bytes.nest && FileCheck %s --check-prefix=BYTES --input-file=%t/bytes.nest
// RUN: tilec %t/bytes.nest --target=h100-sxm --advice=off --emit=report -o %t/bytes.report 2>&1 | FileCheck %s --check-prefix=CONFLICTS --allow-empty
// RUN: tilec %t/shorter.mlir --target=h100-sxm --emit=nest -o %t/shorter.nest && FileCheck %s --check-prefix=SHORTER --input-file=%t/shorter.nest
// RUN: tilec %t/shorter.nest --target=h100-sxm --run=cpu --verify | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/halves.mlir --target=h100-sxm --emit=nest -o %t/halves.nest && FileCheck %s --check-prefix=HALVES --input-file=%t/halves.nest
// RUN: tilec %t/halves.nest --target=h100-sxm --run=cpu --verify | FileCheck %s --check-prefix=RAN
// Lines that begin further apart are copied element by element.
// RUN: tilec %t/further.mlir --target=h100-sxm --emit=nest | FileCheck %s --check-prefix=FURTHER
// RAN: random: all {{[0-9]+}} elements of y agree
// FURTHER-NOT: edges(block)

// BYTES: in (8193, 8223) by (192, 128) at dram on block
// BYTES: %[[TILE:.*]] = tile.hold init(0 : i8) : memref<160x224xi8, #tile.layout<"(160,224):(225,1)">, #tile.level<smem>>
// BYTES: in (160) by (32) at dram on unroll
// BYTES: tile.for (%[[H:.*]], %[[I:.*]], %[[V:.*]]) in (32, 16, 208) by (16, 1, 16) at dram on thread
// BYTES: %[[LINE:.*]] = tile.stage %x[{{.*}} + %[[H]] + %[[I]] - 32, %{{.*}} + %[[V]] - %[[I]]] pad(zero) edges(block) : {{.*}} to memref<1x16xi8, #tile.level<rf>>
// BYTES: tile.store %[[LINE]] to %[[TILE]][{{.*}} + %[[H]] + %[[I]], %[[V]] - %[[I]] + 16]
// BYTES: in (192) by (32) at smem on unroll
// BYTES: tile.for ({{.*}}) in (2, 32, 128) by (1, 2, 16) at smem on thread
// BYTES: tile.stage %[[TILE]]
// CONFLICTS-NOT: a warp reads
//--- bytes.mlir
func.func @bytes(%x: memref<8191x8193xi8>, %y: memref<8193x8191xi8>) {
  linalg.transpose ins(%x : memref<8191x8193xi8>) outs(%y : memref<8193x8191xi8>) permutation = [1, 0]
  return
}

// Lines that begin one element later each: a vector back, and forward by it. The rows of the result begin one earlier each, and the first line that is loaded is one that begins where
// vectors do, 32 ahead in place of 31.
// SHORTER: tile.stage %x[{{.*}} - 32, %{{.*}} + %[[I:[a-z0-9_]+]] - 16] pad(zero) edges(block)
//--- shorter.mlir
func.func @shorter(%x: memref<1025x1023xi8>, %y: memref<1023x1025xi8>) {
  linalg.transpose ins(%x : memref<1025x1023xi8>) outs(%y : memref<1023x1025xi8>) permutation = [1, 0]
  return
}

// HALVES: memref<{{[0-9]+}}x{{[0-9]+}}xf16, #tile.layout
// HALVES: edges(block) : {{.*}} to memref<1x8xf16, #tile.level<rf>>
//--- halves.mlir
func.func @halves(%x: memref<1023x1025xf16>, %y: memref<1025x1023xf16>) {
  linalg.transpose ins(%x : memref<1023x1025xf16>) outs(%y : memref<1025x1023xf16>) permutation = [1, 0]
  return
}

//--- further.mlir
func.func @further(%x: memref<8189x8195xi8>, %y: memref<8195x8189xi8>) {
  linalg.transpose ins(%x : memref<8189x8195xi8>) outs(%y : memref<8195x8189xi8>) permutation = [1, 0]
  return
}
