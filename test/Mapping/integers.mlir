// RUN: tilec %s --target=h100-sxm --explain --emit=report -o %t 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: FileCheck %s --check-prefix=REPORT < %t

// Integers of all widths are computed at the rate that the machine states of multiply-adds of 32 bits, 64 a cycle: their mappings have times, and are chosen
// by them. 256 MiB at most in 268.4 MB / 2969 GB/s = 90.4 us.
// EXPLAIN: predicted us
// EXPLAIN-NEXT: {{9[0-9]\.[0-9]}} rows in steps of
// EXPLAIN-NEXT: dram: busy for
// EXPLAIN-NOT: unknown

// 64 maxima a cycle take 4 bytes each: 256 B.
// REPORT: dram -> rf {{.*}} 256
func.func @greatest(%x: memref<8192x8192xi32>, %y: memref<8192xi32>) {
  linalg.reduce ins(%x : memref<8192x8192xi32>) outs(%y : memref<8192xi32>) dimensions = [1]
    (%a: i32, %b: i32) {
      %0 = arith.maxsi %a, %b : i32
      linalg.yield %0 : i32
    }
  return
}
