// RUN: tilec-opt %S/../../examples/seed/tile64.mlir --tile-set-target="target=sm80 shape=4096,4096,4096" --tile-annotate-reuse | FileCheck %s
// CHECK: tile.kernel @tile64
// CHECK-SAME: tile.stages = [{guaranteed_reuse = 6.400000e+01 : f64, required_reuse = 38.23{{[0-9]*}} : f64, satisfied = true, stage = "dram -> smem"}, {guaranteed_reuse = 4.000000e+00 : f64, required_reuse = 4.000000e+00 : f64, satisfied = true, stage = "smem -> rf"}]
// CHECK: tile.stage {{.*}} {tile.traffic = [{bytes = 4294967296 : i64, global_reuse = 6.400000e+01 : f64, local_reuse = 1.600000e+01 : f64, operand = "A", sent_bytes = 4294967296 : i64, stage = "dram -> smem"}]}

// RUN: tilec-opt %S/../../examples/seed/tile64.mlir --tile-set-target="target=sm80 shape=4096,4096,4096" --tile-annotate-reuse=remarks=true 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: tile64.mlir:{{[0-9]+:[0-9]+}}: remark: A dram -> smem: 4294967296 bytes, reuse 16.00 local, 64.00 global, multicast 1
// REMARK: remark: dram -> smem: needs 38.24x reuse, has 64.00x guaranteed
