// Rows of 1001 floats, each walked from where its first vector of 4 would have begun: loads and stores are of 16 bytes, those at a row's ends ask and go one by one, and of
// the iterations that are written out only the first and the last ask. Of a place that goes back by 2 a row nothing is known to be aligned; both are right.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t
// RUN: tilec %t/skewed.mlir --target=sm90 --emit=cuda -o - 2>/dev/null | FileCheck %s --check-prefix=TEXT
// RUN: tilec %t/skewed.mlir --target=sm90 --emit=plan -o - 2>/dev/null | FileCheck %s --check-prefix=PLAN
// RUN: tilec %t/skewed.mlir --target=sm90 --run=cpu --verify --schedule=random 2>&1 | FileCheck %s --check-prefix=RUNS
// RUN: sed 's/13x1001/12x1001/g; s/13, /12, /g' %t/skewed.mlir > %t/whole.mlir
// RUN: tilec %t/whole.mlir --target=sm90 --emit=cuda -o - 2>/dev/null | FileCheck %s --check-prefix=WHOLE
// RUN: tilec %t/whole.mlir --target=sm90 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=TWELVE
// RUN: sed 's/- %r1/- 2 * %r1/' %t/skewed.mlir > %t/twice.mlir
// RUN: tilec %t/twice.mlir --target=sm90 --emit=plan -o - 2>/dev/null | FileCheck %s --check-prefix=TWICE
// RUN: tilec %t/twice.mlir --target=sm90 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=RUNS
// RUN: sed 's/: !G to memref<1x1280xf32/wide(4) &/' %t/twice.mlir > %t/stated.mlir
// RUN: not tilec %t/stated.mlir --target=sm90 --emit=plan -o - 2>&1 | FileCheck %s --check-prefix=STATED
// RUN: sed 's/xf32/xf64/g; s/: f32/: f64/g' %t/skewed.mlir > %t/double.mlir
// RUN: tilec %t/double.mlir --target=sm90 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=RUNS

// PLAN: tile.stage {{.*}} edges(element) wide(4)
// PLAN: tile.store {{.*}} edges(tile) wide(4)
// TWICE: tile.stage {{.*}} edges(element) wide(1)
// TWICE: tile.store {{.*}} edges(tile) wide(1)
// STATED: error: 'tile.stage' op wide(4) loads elements at once that a thread does not hold side by side, or that are in no launch side by side, aligned and all there in the operand

// TEXT: if (is_aligned<16>(&x[0])) {
// TEXT: if ({{.*}} >= 0 && {{.*}} < 1001) {
// TEXT-NEXT: ldg_vector<4>(&
// TEXT-NEXT: } else {
// The first iteration asks for the row's beginning, the last two for its end, those in between for neither.
// TEXT: if (gr < 13 && gcolumn >= 0) {
// TEXT: stg_vector<4>(
// TEXT: for (int c = 1; c < 3; ++c) {
// TEXT: if (gr < 13) {
// TEXT: stg_vector<4>(
// TEXT: for (int c = 3; c < 5; ++c) {
// TEXT: if (gr < 13 && {{.*}} < 1001) {
// TEXT: stg_vector<4>(
// Where all rows of a period are there, loads in between ask for nothing, and are the first.
// WHOLE: if (is_aligned<16>(&x[0])) {
// WHOLE: for (int i = 1; i < 3; ++i) {
// WHOLE-NOT: if
// WHOLE: ldg_vector<4>(&t[i][0],
// WHOLE: if ({{.*}} >= 0) {
// WHOLE-NEXT: ldg_vector<4>(&t[0][0],
// WHOLE: for (int i = 3; i < 5; ++i) {
// WHOLE: if ({{.*}} + 3 < 1001) {
// TWELVE: integers: all 12012 elements of y agree, largest error 0
// RUNS: integers: all 13013 elements of y agree, largest error 0
// RUNS: random: all 13013 elements of y agree
//--- skewed.mlir
!G = memref<13x1001xf32>
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
tile.kernel @skewed(%x: !G[13, 1001], %y: !G[13, 1001]) {
  tile.for (%r0, %r1) in (13, 4) by (4, 1) at dram on block {
    %t = tile.stage %x[%r0 + %r1, 0 - %r1] : !G to memref<1x1280xf32, #tile.level<rf>>
    %sum = tile.hold init(0.0 : f32) : memref<1xf32, #tile.level<rf>>
    tile.for (%column) in (256) by (4) at dram on thread reduce(add) {
      tile.for (%c) in (1280) by (256) at rf on unroll {
        %p = tile.part %t[0, %column + %c] : memref<1x1280xf32, #tile.level<rf>> to memref<1x4xf32, #tile.level<rf>>
        linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%p : memref<1x4xf32, #tile.level<rf>>) outs(%sum : memref<1xf32, #tile.level<rf>>) {
        ^bb0(%a: f32, %s: f32):
          %b = arith.addf %s, %a : f32
          linalg.yield %b : f32
        }
      }
    }
    tile.for (%column) in (256) by (4) at dram on thread {
      tile.for (%c) in (1280) by (256) at rf on unroll {
        %p = tile.part %t[0, %column + %c] : memref<1x1280xf32, #tile.level<rf>> to memref<1x4xf32, #tile.level<rf>>
        %r = tile.hold init(0.0 : f32) : memref<1x4xf32, #tile.level<rf>>
        linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%p, %sum : memref<1x4xf32, #tile.level<rf>>, memref<1xf32, #tile.level<rf>>) outs(%r : memref<1x4xf32, #tile.level<rf>>) {
        ^bb0(%a: f32, %s: f32, %old: f32):
          %b = arith.subf %a, %s : f32
          linalg.yield %b : f32
        }
        tile.store %r to %y[%r0 + %r1, %column + %c - %r1] : memref<1x4xf32, #tile.level<rf>> to !G
      }
    }
  }
}
