// Shuffles of lanes that hold a row together. One block of a warp; 8 x 4 lanes have 1 x 4 elements of a tile each, so of each row that a lane has, which is one, two steps
// (log2 of 4 lanes) of two instructions: 4 more than where 32 lanes have rows of their own, which are 4 elements as well. An SM issues four a cycle.
// RUN: tilec %s --target=h200 --emit=report --format=json -o %t.lanes 2>/dev/null
// RUN: sed 's/memref<8x16xf32/memref<32x4xf32/g;s/memref<8xf32/memref<32xf32/g;s/>\[8\]/>[32]/;s/(8, 16) by (1, 4)/(32, 4) by (1, 4)/' %s > %t.alone.mlir
// RUN: tilec %t.alone.mlir --target=h200 --emit=report --format=json -o %t.alone 2>/dev/null
// RUN: %python -c "import json,sys; a, b = (json.load(open(name))['kernels'][0]['predicted']['resource_cycles']['issue'] for name in sys.argv[1:]); print(round(4 * (a - b), 3))" %t.lanes %t.alone | FileCheck %s
// CHECK: {{^}}4.0{{$}}
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
!c = memref<8x16xf32, #tile.level<rf>>
!v = memref<8xf32, #tile.level<rf>>
tile.kernel @rows(%S: memref<8xf32>[8]) {
  tile.for (%b) in (1) by (1) at dram on block {
    %c = tile.hold init(1.0 : f32) : !c
    %v = tile.hold init(0.0 : f32) : !v
    tile.for (%i, %j) in (8, 16) by (1, 4) at rf on thread {
      %p = tile.part %c[%i, %j] : !c to memref<1x4xf32, #tile.level<rf>>
      linalg.add ins(%p, %p : memref<1x4xf32, #tile.level<rf>>, memref<1x4xf32, #tile.level<rf>>) outs(%p : memref<1x4xf32, #tile.level<rf>>)
    }
    linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%c : !c) outs(%v : !v) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %y, %x : f32
      linalg.yield %z : f32
    }
    tile.store %v to %S[0] : !v to memref<8xf32>
  }
}
