// Which ops are one group of rows, what becomes of it, and when several launches stay. Each section is a file of its own.
// REQUIRES: host-compiler
// RUN: split-file %s %t
// RUN: tilec %t/softmax.mlir --target=h100 --shape=x0=8192,x1=4096 --emit=nest --explain 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: tilec %t/softmax.mlir --target=h100 --shape=x0=8192,x1=131072 --emit=nest | FileCheck %s --check-prefix=LONG
// RUN: tilec %t/softmax.mlir --target=h100 --shape=x0=1,x1=4194304 --emit=nest --explain 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: tilec %t/short.mlir --target=h100 --shape=M=8192 --emit=nest | FileCheck %s --check-prefix=SHORT
// RUN: tilec %t/columns.mlir --target=h100 --shape=M=37,N=133 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: tilec %t/three.mlir --target=h100 --shape=x0=7,x1=9,w1=77 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: tilec %t/inplace.mlir --target=h100 --shape=x0=9,x1=133 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=INPLACE
// RUN: tilec %t/addnorm.mlir --target=h100 --shape=x0=9,x1=133 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// RUN: tilec %t/causal.mlir --target=h100 --shape=x0=2,x1=17,x2=133 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=CAUSAL
// RUN: tilec %t/maskrow.mlir --target=h100 --shape=x0=2,x1=17,x2=133 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=MASKED
// RUN: tilec %t/ints.mlir --target=h100 --shape=M=9,N=133 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=INTS
// RUN: tilec %t/plane.mlir --target=h100 --shape=x0=2,x3=45 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=PLANE
// RUN: tilec %t/beside.mlir --target=h100 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=BESIDE
// RUN: tilec %t/gate.mlir --target=h100 --emit=nest -o %t/gate.nest && FileCheck %s --check-prefix=GATE < %t/gate.nest
// RUN: tilec %t/gate.mlir --target=h100 --run=cpu --verify 2>&1 | FileCheck %s --check-prefix=GATED
// RUN: sed 's/<1x/<2x/g' %t/gate.mlir > %t/gates.mlir && tilec %t/gates.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=GATES

// The row stays in registers over the threads of a block, and its exponentials take its place there; what is longer than that when it is launched is read, and computed, again.
// ONE: softmax: {{[0-9]+}} mappings considered
// ONE: not taken: the same ops in 4 launches
// ONE: rows in steps of {{[0-9x]+}}, {{[0-9]+}} in registers
// ONE: tile.kernel @softmax(
// ONE: %[[REST:.*]] = arith.subi %x1, %
// ONE: tile.for ({{.*}}) in (%x0) by ({{[0-9]+}}) at dram on block {
// ONE-NEXT: %[[E:.*]] = tile.stage %x{{.*}} to memref<{{[0-9]+}}x4096xf32, #tile.level<rf>>
// ONE: on thread reduce(max)
// ONE: at rf on unroll
// ONE: arith.maximumf
// ONE: in (%[[REST]]) by
// ONE: on thread reduce(add)
// ONE: %[[P:.*]] = tile.part %[[E]]
// ONE: outs(%[[P]] :
// ONE: math.exp
// ONE: ins(%[[P]] :
// ONE: arith.addf
// ONE: in (%[[REST]]) by
// ONE: math.exp
// ONE: on thread {
// ONE: tile.part %[[E]]
// ONE-NOT: math.exp
// ONE: arith.divf
// ONE: tile.store
// ONE: in (%[[REST]]) by
// ONE: math.exp
// ONE: arith.divf
// ONE: tile.store
// ONE-NOT: tile.kernel
// ONE-NOT: tile.program

// Of rows that are too long for registers and shared memory the beginning is kept.
// LONG: tile.stage %x{{.*}} to memref<{{[0-9]+x[0-9]+}}xf32, #tile.level<{{rf|smem}}>>
// LONG-NOT: tile.program

// A single row of a block leaves the machine idle, where several launches share its elements.
// SEVERAL: not taken: the same ops in 1 launch
// SEVERAL: tile.kernel @softmax_0
// SEVERAL: tile.program @softmax

// Blocks take several short rows.
// SHORT: tile.for ({{.*}}) in (%M) by ([[ROWS:[0-9]+]]) at dram on block {
// SHORT: tile.for ({{.*}}, {{.*}}) in ([[ROWS]], {{[0-9]+}}) by (1, {{[0-9]+}}) at dram on thread reduce(add)
//--- short.mlir
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
tile.kernel @short(%X: memref<?x100xf32>[%M, 100], %Y: memref<?x100xf32>[%M, 100], %M: index) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc(%M) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<?xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%X : memref<?x100xf32>) outs(%s : memref<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%X, %s : memref<?x100xf32>, memref<?xf32>) outs(%Y : memref<?x100xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  }
}

//--- softmax.mlir
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %s0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %s1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %er = tensor.empty(%s0) : tensor<?xf32>
  %eo = tensor.empty(%s0, %s1) : tensor<?x?xf32>
  %v1 = linalg.fill ins(%low : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v2 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%v1 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v3 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %v2 : tensor<?x?xf32>, tensor<?xf32>) outs(%eo : tensor<?x?xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %d = arith.subf %i0, %i1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v4 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %v5 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%v3 : tensor<?x?xf32>) outs(%v4 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v6 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%v3, %v5 : tensor<?x?xf32>, tensor<?xf32>) outs(%eo : tensor<?x?xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %r = arith.divf %i0, %i1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %v6 : tensor<?x?xf32>
}

// Sums of columns are of no group of rows, but what stands behind them is.
// COLUMNS: columns in 2 launches on the emulator
// COLUMNS: all launches: random: all 4921 elements of Y agree
//--- columns.mlir
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
tile.kernel @columns(%X: memref<?x?xf32>[%M, %N], %Y: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc(%N) : memref<?xf32>
  %t = memref.alloc(%M) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<?xf32>)
  linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]} ins(%X : memref<?x?xf32>) outs(%s : memref<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  }
  linalg.fill ins(%zero : f32) outs(%t : memref<?xf32>)
  linalg.generic {indexing_maps = [#all, #column, #row], iterator_types = ["parallel", "reduction"]} ins(%X, %s : memref<?x?xf32>, memref<?xf32>) outs(%t : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%X, %t : memref<?x?xf32>, memref<?xf32>) outs(%Y : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  }
}

// What a product leaves is a launch of its own; the named op works on memrefs as on tensors, and what follows element by element joins.
// THREE: three in 2 launches on the emulator
// THREE: all launches: random: all 539 elements of y agree
//--- three.mlir
func.func @three(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %t: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%t : memref<?x?xf32>)
  linalg.matmul ins(%x, %w : memref<?x?xf32>, memref<?x?xf32>) outs(%t : memref<?x?xf32>)
  linalg.softmax dimension(1) ins(%t : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  linalg.exp ins(%y : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return
}

// What is divided in place was read by the same threads.
// INPLACE: {{^}}inplace on the emulator
// INPLACE: random: all 1197 elements of x agree
// INPLACE: random: all 9 elements of s agree
//--- inplace.mlir
func.func @inplace(%x: memref<?x?xf32>, %s: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%s : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<?x?xf32>) outs(%s : memref<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = math.absf %a : f32
    %r = arith.addf %o, %q : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s : memref<?xf32>) outs(%x : memref<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.divf %o, %a : f32
    linalg.yield %r : f32
  }
  return
}

// All operands that are written are stored, those of rows and those along them.
// OUTPUTS: {{^}}add_norm on the emulator
// OUTPUTS: random: all 1197 elements of sum agree
// OUTPUTS: random: all 9 elements of scale agree
// OUTPUTS: random: all 1197 elements of y agree
//--- addnorm.mlir
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @add_norm(%x: memref<?x?xf32>, %residual: memref<?x?xf32>, %sum: memref<?x?xf32>, %scale: memref<?xf32>, %y: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.add ins(%x, %residual : memref<?x?xf32>, memref<?x?xf32>) outs(%sum : memref<?x?xf32>)
  linalg.fill ins(%zero : f32) outs(%scale : memref<?xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%sum : memref<?x?xf32>) outs(%scale : memref<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %r = arith.addf %o, %q : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%scale : memref<?xf32>) {
  ^bb0(%o: f32):
    %eps = arith.constant 1.0e-3 : f32
    %p = arith.addf %o, %eps : f32
    %r = math.rsqrt %p : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%sum, %scale : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  }
  return
}

// Bodies may ask where they are.
// CAUSAL: {{^}}causal on the emulator
// CAUSAL: random: all 4522 elements of result agree
//--- causal.mlir
#all = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>
func.func @causal(%x: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x?xbf16>
  %m = tensor.dim %x, %c1 : tensor<?x?x?xbf16>
  %n = tensor.dim %x, %c2 : tensor<?x?x?xbf16>
  %low = arith.constant -1.0e30 : f32
  %zero = arith.constant 0.0 : f32
  %ef = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %e = tensor.empty(%b, %m, %n) : tensor<?x?x?xbf16>
  %er = tensor.empty(%b, %m) : tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<?x?x?xbf16>) outs(%ef : tensor<?x?x?xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %is = arith.cmpi ule, %j, %i : index
    %w = arith.extf %a : bf16 to f32
    %r = arith.select %is, %w, %low : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %max = linalg.reduce ins(%s : tensor<?x?x?xf32>) outs(%fm : tensor<?x?xf32>) dimensions = [2] (%a: f32, %o: f32) {
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  }
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %max : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%ef : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %t: f32, %o: f32):
    %d = arith.subf %a, %t : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.reduce ins(%p : tensor<?x?x?xf32>) outs(%fs : tensor<?x?xf32>) dimensions = [2] (%a: f32, %o: f32) {
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  }
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %sum : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?x?xbf16>) {
  ^bb0(%a: f32, %t: f32, %o: bf16):
    %q = arith.divf %a, %t : f32
    %r = arith.truncf %q : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<?x?x?xbf16>
  return %y : tensor<?x?x?xbf16>
}

// Operands may lie along some of the dimensions.
// MASKED: {{^}}masked on the emulator
// MASKED: random: all 4522 elements of y agree
// MASKED: random: all 34 elements of lse agree
//--- maskrow.mlir
#all = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>
func.func @masked(%x: memref<?x?x?xf32>, %mask: memref<?x?xf32>, %rows: memref<?xf32>, %y: memref<?x?x?xf32>, %lse: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%lse : memref<?x?xf32>)
  linalg.generic {indexing_maps = [#all, affine_map<(b, i, j) -> (b, j)>, affine_map<(b, i, j) -> (i)>, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %mask, %rows : memref<?x?x?xf32>, memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?x?xf32>) {
  ^bb0(%a: f32, %m: f32, %w: f32, %o: f32):
    %p = arith.mulf %a, %w : f32
    %r = arith.addf %p, %m : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y : memref<?x?x?xf32>) outs(%lse : memref<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = math.exp %a : f32
    %r = arith.addf %e, %o : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%lse : memref<?x?xf32>) outs(%y : memref<?x?x?xf32>) {
  ^bb0(%s: f32, %a: f32):
    %e = math.exp %a : f32
    %r = arith.divf %e, %s : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [affine_map<(b, i) -> (b, i)>], iterator_types = ["parallel", "parallel"]} outs(%lse : memref<?x?xf32>) {
  ^bb0(%s: f32):
    %e = math.log %s : f32
    linalg.yield %e : f32
  }
  return
}

// What divides integers is computed for rows that there are.
// INTS: {{^}}ints on the emulator
// INTS: random: all 1197 elements of Y agree
//--- ints.mlir
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
tile.kernel @ints(%X: memref<?x?xi32>[%M, %N], %Y: memref<?x?xi32>[%M, %N], %M: index, %N: index) {
  %c = arith.constant 1 : i32
  %low = arith.constant -2147483648 : i32
  %s = memref.alloc(%M) : memref<?xi32>
  %t = memref.alloc(%M) : memref<?xi32>
  linalg.fill ins(%low : i32) outs(%s : memref<?xi32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%X : memref<?x?xi32>) outs(%s : memref<?xi32>) {
  ^bb0(%a: i32, %o: i32):
    %r = arith.maxsi %a, %o : i32
    linalg.yield %r : i32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%s : memref<?xi32>) outs(%t : memref<?xi32>) {
  ^bb0(%a: i32, %o: i32):
    %q = arith.muli %a, %a : i32
    %b = arith.addi %q, %c : i32
    %r = arith.divsi %a, %b : i32
    linalg.yield %r : i32
  }
  linalg.generic {indexing_maps = [#all, #row, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%X, %s, %t : memref<?x?xi32>, memref<?xi32>, memref<?xi32>) outs(%Y : memref<?x?xi32>) {
  ^bb0(%a: i32, %b: i32, %d: i32, %o: i32):
    %r0 = arith.subi %a, %b : i32
    %r = arith.addi %r0, %d : i32
    linalg.yield %r : i32
  }
}

// Rows may have two dimensions, and their sums begin with what an operand holds.
// PLANE: {{^}}instance_norm on the emulator
// PLANE: random: all 3510 elements of y agree
// PLANE: random: all 6 elements of first agree
//--- plane.mlir
#all = affine_map<(b, h, w, c) -> (b, c, h, w)>
#row = affine_map<(b, h, w, c) -> (b, c)>
func.func @instance_norm(%x: memref<?x3x13x?xf32>, %y: memref<?x3x13x?xf32>, %first: memref<?x3xf32>) {
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction", "reduction", "parallel"]} ins(%x : memref<?x3x13x?xf32>) outs(%first : memref<?x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %first : memref<?x3x13x?xf32>, memref<?x3xf32>) outs(%y : memref<?x3x13x?xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %r = arith.subf %a, %s : f32
    linalg.yield %r : f32
  }
  return
}

// What is read beside the result of the op ahead, and is no operand, is held too.
// BESIDE: {{^}}beside on the emulator
// BESIDE: random: all 8 elements of R agree
//--- beside.mlir
#row = affine_map<(i) -> (i)>
tile.kernel @beside(%X: memref<8x7xf32>[8, 7], %R: memref<8xf32>[8]) {
  %low = arith.constant -100.0 : f32
  %t = memref.alloc() : memref<8xf32>
  linalg.fill ins(%low : f32) outs(%t : memref<8xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%X : memref<8x7xf32>) outs(%t : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  }
  linalg.exp ins(%t : memref<8xf32>) outs(%R : memref<8xf32>)
  linalg.add ins(%R, %t : memref<8xf32>, memref<8xf32>) outs(%R : memref<8xf32>)
}

// Two matrices times a vector, and a gate: each element of the vector is loaded once for both. The vector's rows are one by what it is made of, not by what it is called with;
// of two rows each is read for all columns, which is no group.
// GATE: tile.kernel @gate
// GATE-NOT: tile.kernel
// GATE: tile.for (%{{.*}}) in ({{.*}}) by ({{.*}}) at dram on thread reduce(add)
// GATE: tile.stage %x[
// GATE: tile.stage %w[
// GATE-NOT: tile.stage %x[
// GATE: tile.stage %v[
// GATE-NOT: tile.stage
// GATE: tile.store
// GATED: {{^}}gate on the emulator
// GATED: random: all 37 elements of result agree
// GATES: tile.kernel @gate_0
// GATES: tile.kernel @gate_1
//--- gate.mlir
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(m, n) -> (m, n)>
func.func @gate(%x: tensor<1x133xf16>, %w: tensor<37x133xf16>, %v: tensor<37x133xf16>) -> tensor<1x37xf16> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<1x37xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x37xf32>) -> tensor<1x37xf32>
  %a = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x133xf16>, tensor<37x133xf16>) outs(%f0 : tensor<1x37xf32>) {
  ^bb0(%p: f16, %q: f16, %o: f32):
    %p1 = arith.extf %p : f16 to f32
    %q1 = arith.extf %q : f16 to f32
    %r = arith.mulf %p1, %q1 : f32
    %s = arith.addf %o, %r : f32
    linalg.yield %s : f32
  } -> tensor<1x37xf32>
  %b = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %v : tensor<1x133xf16>, tensor<37x133xf16>) outs(%f0 : tensor<1x37xf32>) {
  ^bb0(%p: f16, %q: f16, %o: f32):
    %p1 = arith.extf %p : f16 to f32
    %q1 = arith.extf %q : f16 to f32
    %r = arith.mulf %p1, %q1 : f32
    %s = arith.addf %o, %r : f32
    linalg.yield %s : f32
  } -> tensor<1x37xf32>
  %e1 = tensor.empty() : tensor<1x37xf16>
  %c = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<1x37xf32>, tensor<1x37xf32>) outs(%e1 : tensor<1x37xf16>) {
  ^bb0(%p: f32, %q: f32, %o: f16):
    %r = arith.maximumf %p, %zero : f32
    %s = arith.mulf %r, %q : f32
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<1x37xf16>
  return %c : tensor<1x37xf16>
}
