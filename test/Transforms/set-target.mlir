// RUN: tilec-opt %s -tile-set-target="target=h100-sxm shape=M=64" | FileCheck %s --check-prefix=GIVEN
// RUN: tilec-opt %s -tile-set-target="shape=32,16" | FileCheck %s --check-prefix=ORDER
// RUN: tilec-opt %s -tile-set-target="shape=m=32" | FileCheck %s --check-prefix=CASE
// RUN: not tilec-opt %s -tile-set-target="shape=k=3" 2>&1 | FileCheck %s --check-prefix=NAMES
// RUN: not tilec-opt %s -tile-set-target="shape=M=-1" 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not tilec-opt %s -tile-set-target="shape=1,2,3" 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not tilec-opt %s -tile-set-target="shape=M=x" 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not tilec-opt %s -tile-set-target="target=h1000" 2>&1 | FileCheck %s --check-prefix=MACHINE
// RUN: sed 's/N = 8/N = 8 : i8/' %s | not tilec-opt -tile-set-target 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: sed 's/"a100-80gb-sxm"/7/' %s | not tilec-opt -tile-set-target 2>&1 | FileCheck %s --check-prefix=KIND

// The machine and the sizes stand on the module; what options leave out stays.

// GIVEN: module attributes {tile.sizes = {M = 64 : i64, N = 8 : i64}, tile.target = "h100-sxm"}
// ORDER: module attributes {tile.sizes = {M = 32 : i64, N = 16 : i64}, tile.target = "a100-80gb-sxm"}
// CASE: tile.sizes = {N = 8 : i64, m = 32 : i64}
// NAMES: error: the shape gives 'k', but the sizes are M, N
// RANGE: error: the shape gives 'M' as -1, but sizes go from 0 to 2147418111
// COUNT: error: shape has 3 numbers, the kernel has 2 sizes
// NUMBER: error: shape 'M=x' is not a number
// MACHINE: error: unknown machine 'h1000'
// BITS: error: tile.sizes gives 'N' as 8 : i8, expected a number of 64 bits
// KIND: error: tile.target is neither the name of a machine nor what a driver says of one

module attributes {tile.target = "a100-80gb-sxm", tile.sizes = {N = 8}} {
  tile.kernel @sizes(%X: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  }
}
