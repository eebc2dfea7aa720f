// RUN: tilec-opt %s -tile-plan-compute | FileCheck %s
// RUN: tilec-opt %s -tile-plan-compute=remarks=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

!c = memref<4x4xf32, #tile.level<rf>>
!v = memref<4xf32, #tile.level<rf>>
// CHECK-LABEL: @orders
tile.kernel @orders() {
  %a = tile.hold init(0.0 : f32) : !c
  %c = tile.hold init(0.0 : f32) : !c
  %v = tile.hold init(0.0 : f32) : !v
  // CHECK: linalg.matmul {tile.instruction = "fma", tile.order = array<i64: 0, 1, 2>}
  // WHY: remark: walks its dimensions as they are numbered, the last one innermost
  linalg.matmul ins(%a, %a : !c, !c) outs(%c : !c)
  // What the nest states is kept.
  // CHECK: linalg.matmul {tile.instruction = "fma", tile.order = array<i64: 2, 0, 1>}
  linalg.matmul {tile.instruction = "fma", tile.order = array<i64: 2, 0, 1>} ins(%a, %a : !c, !c) outs(%c : !c)
  // Of one loop there is one order.
  // CHECK: linalg.add {tile.instruction = "fma"} ins
  linalg.add ins(%v, %v : !v, !v) outs(%v : !v)
}
