// Two products with softmax between are one launch on tensor cores, wherever they are predicted to be faster so (lib/Mapping/Chain.cpp). Each section is a file of its own.
// REQUIRES: host-compiler
// RUN: split-file %s %t
// RUN: tilec %tilec_root/test/perf/Inputs/attention.mlir --target=h200 --shape=q0=16,q1=1024 --emit=nest -o %t/attention.nest && FileCheck %s --check-prefix=ATTENTION --input-file=%t/attention.nest
// RUN: tilec %tilec_root/test/perf/Inputs/attention.mlir --target=h200 --run=cpu --verify --shape=q0=2,q1=75 | FileCheck %s --check-prefix=RAN
// RUN: tilec %tilec_root/test/perf/Inputs/attention.mlir --target=h200 --shape=q0=16,q1=1024 --explain -o %t/attention.cu 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: tilec %tilec_root/test/perf/Inputs/attention.mlir --target=v100 --shape=q0=16,q1=1024 --emit=nest | FileCheck %s --check-prefix=APART
// RUN: tilec %tilec_root/test/perf/Inputs/attention.mlir --target=l40s --shape=q0=16,q1=1024 --emit=nest -o %t/warps.nest && FileCheck %s --check-prefix=WARPS --input-file=%t/warps.nest
// RUN: tilec %tilec_root/test/perf/Inputs/attention.mlir --target=sm80 --run=cpu --verify --shape=q0=2,q1=75 | FileCheck %s --check-prefix=RAN
// RUN: tilec %tilec_root/test/perf/Inputs/attention.mlir --target=l40s --shape=q0=16,q1=1024 --explain -o %t/attention.cu 2>&1 | FileCheck %s --check-prefix=WORDS
// RUN: tilec %tilec_root/test/perf/Inputs/attention_f32.mlir --target=l40s --shape=q0=16,q1=1024 --emit=nest -o %t/threads.nest && FileCheck %s --check-prefix=THREADS --input-file=%t/threads.nest
// RUN: tilec %tilec_root/test/perf/Inputs/attention_f32.mlir --target=l40s --shape=q0=16,q1=1024 --explain -o %t/attention.cu 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: sed 's/x64x/x128x/g;s/x64xf32/x128xf32/g' %tilec_root/test/perf/Inputs/attention_f32.mlir > %t/long_f32.mlir && tilec %t/long_f32.mlir --target=h200 --shape=q0=16,q1=2048 --emit=nest -o %t/lines.nest && FileCheck %s --check-prefix=LINES --input-file=%t/lines.nest
// RUN: tilec %t/lines.nest --target=h200 --run=cpu --verify --shape=q0=1,q1=75 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/long_f32.mlir --target=rtx4090 --shape=q0=16,q1=2048 --emit=nest | FileCheck %s --check-prefix=THREADS
// RUN: tilec %tilec_root/test/perf/Inputs/attention_f32.mlir --target=h100 --shape=q0=16,q1=1024 --emit=nest | FileCheck %s --check-prefix=THREADS
// RUN: tilec %tilec_root/test/perf/Inputs/attention_f32.mlir --target=h200 --shape=q0=40,q1=1000 --emit=nest | FileCheck %s --check-prefix=SEVERAL
// RUN: tilec %tilec_root/test/perf/Inputs/attention_f32.mlir --target=rtx4090 --run=cpu --verify --shape=q0=2,q1=75 | FileCheck %s --check-prefix=RAN
// RUN: sed 's/x64xf32/x40xf32/g' %tilec_root/test/perf/Inputs/attention_f32.mlir > %t/forty_f32.mlir && tilec %t/forty_f32.mlir --target=h100 --run=cpu --verify --shape=q0=3,q1=130 | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/forty_f32.mlir --target=h200 --shape=q0=16,q1=1024 --emit=nest | FileCheck %s --check-prefix=FORTY
// RUN: sed 's/128/40/g' %tilec_root/test/perf/Inputs/attention.mlir | tilec - --target=h200 --shape=q0=16,q1=1024 --emit=nest | FileCheck %s --check-prefix=FORTY
// RUN: tilec %t/heads.mlir --target=b200 --emit=nest -o %t/heads.nest && FileCheck %s --check-prefix=HEADS --input-file=%t/heads.nest
// RUN: tilec %t/heads.mlir --target=b200 --run=cpu --verify | FileCheck %s --check-prefix=RAN
// RUN: sed 's/%%scaled, %%low/%%low, %%scaled/;s/sle, %%n, %%m/slt, %%m, %%n/' %t/heads.mlir > %t/turned.mlir
// RUN: tilec %t/heads.mlir --target=h100 --emit=nest -o %t/heads.nest && FileCheck %s --check-prefix=HEADS --input-file=%t/heads.nest
// RUN: tilec %t/turned.mlir --target=h100 --emit=nest -o %t/turned.nest && FileCheck %s --check-prefix=HEADS --input-file=%t/turned.nest
// RUN: tilec %t/heads.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=RAN
// RUN: tilec %t/turned.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=RAN
// RUN: sed 's/arith.divf %%a, %%b : f32/arith.divf %%b, %%a : f32/' %t/heads.mlir | tilec - --target=h100 --emit=nest | FileCheck %s --check-prefix=APART
// RUN: sed 's/sle, %%n, %%m/sle, %%n, %%h/;s/linalg.index 2/linalg.index 1/' %t/heads.mlir > %t/other.mlir
// RUN: tilec %t/other.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=OTHER
// RUN: tilec %t/other.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=RAN
// RUN: sed 's/%%seen = arith.cmpi sle, %%n, %%m/%%c150 = arith.constant 150 : index\n    %%seen = arith.cmpi sge, %%n, %%c150/' %t/heads.mlir > %t/late.mlir
// RUN: tilec %t/late.mlir --target=h100 --emit=nest | FileCheck %s --check-prefix=OTHER
// RUN: tilec %t/late.mlir --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=RAN
// RUN: sed 's/sle, %%n, %%m/slt, %%n, %%m/' %t/heads.mlir | tilec - --target=h100 --run=cpu --verify | FileCheck %s --check-prefix=RAN
// RUN: %python %tilec_root/test/tools/chain_gen.py 97 > %t/drawn.mlir && tilec %t/drawn.mlir --target=h100 --shape=Q1=17 --run=cpu --verify | FileCheck %s --check-prefix=RAN

// Scores stay in registers. Their maximum so far scales what is added up, by powers of 2: log2(e) / sqrt(128) = 0.127517432 is a factor of the exponent.
// ATTENTION-NOT: tile.workspace
// ATTENTION: at dram on block {
// ATTENTION: tile.stage %q{{.*}} pad(zero) : {{.*}}#tile.level<rf>>
// ATTENTION: tile.hold init(-3.40282347E+38 : f32)
// ATTENTION: tile.for ({{.*}}) in (%q1) by (128) at dram pipeline({{.*}}) producers(4) {
// ATTENTION: copy(tma)
// ATTENTION: copy(tma)
// ATTENTION: on warpgroup
// Keys that are not there are asked for in the last step alone.
// ATTENTION: scf.if
// ATTENTION: arith.constant 0.1275174{{[0-9]+}} : f32
// ATTENTION: math.exp2 {{.*}} fastmath<afn>
// ATTENTION: on warpgroup
// ATTENTION: arith.divf
// ATTENTION-NOT: tile.kernel
// RAN: integers: all {{[0-9]+}} elements of result agree
// RAN: random: all {{[0-9]+}} elements of result agree
// EXPLAIN: not taken: the same ops in 3 launches
// EXPLAIN-NEXT: wgmma, softmax between

// Where warps multiply all threads copy, by cp.async, and warps load keys, and values transposed, to registers for each step of the depth.
// WARPS-NOT: tile.workspace
// WARPS: at dram on block {
// WARPS: tile.stage %q{{.*}} pad(zero) : {{.*}}#tile.level<rf>>
// WARPS: tile.for ({{.*}}) in (%q1) by ({{.*}}) at dram pipeline(2) {
// WARPS-COUNT-2: tile.stage {{.*}} pad(zero) : {{.*}}#tile.layout<"Sw<3,3,3>{{.*}}#tile.level<smem>>
// WARPS: by ([[ROWS:16|32]]) at smem on warp {
// WARPS: tile.stage %sk
// WARPS: in ([[ROWS]], {{.*}}) by (16, 8) at rf on unroll
// WARPS: by ([[ROWS]]) at smem on warp {
// WARPS: tile.stage %sv
// WARPS-NOT: tile.kernel
// WORDS: mma.sync, softmax between, 2 stages

// Of f32 threads multiply, 16 by 16 of them where 100 KB of shared memory are all there is, also for 128 numbers a token, or where blocks of rows beside each other would leave
// an SM fewer than eight warps (128 blocks of 128 rows for 132 SMs), and weights go by way of it. Powers are exact.
// THREADS-NOT: tile.workspace
// THREADS: at dram on block {
// THREADS: tile.stage %q{{.*}} pad(zero) : {{.*}}#tile.level<smem>>
// THREADS: at dram pipeline(2) {
// THREADS: in ({{64|128}}) by (4) at smem pipeline(2) {
// THREADS: in (16, 16) by (1, 1) at rf on thread {
// THREADS: math.exp2 %{{[a-z_0-9]+}} : f32
// THREADS: %[[WEIGHTS:.*]] = tile.hold {{.*}}#tile.level<smem>>
// THREADS: tile.store {{.*}} to %[[WEIGHTS]]
// THREADS: in (16, 64) by (1, 4) at rf on thread {
// THREADS-NOT: tile.kernel
// Elsewhere they take 8 rows beside each other, of queries and weights that lie by columns, in parts of the depth that are written out; the second product goes down one column and up the next.
// LINES-NOT: tile.workspace
// LINES: in (%q0, %q1) by (1, 256) at dram on block {
// LINES: tile.stage %q{{.*}} to memref<1x256x128xf32, #tile.layout<"(1,256,128):(32768,1,256)">, #tile.level<smem>>
// LINES: tile.for ({{.*}}) in (%q1) by (32) at dram pipeline(2) {
// LINES: in (128) by (64) at smem {
// LINES-NEXT: in (64) by (1) at smem pipeline(2) {
// LINES: in (256, 8, 32, 2) by (32, 2, 8, 1) at rf on thread {
// LINES-NEXT: in (32) by (8) at rf on unroll
// LINES-NOT: tile.snake
// LINES: tile.store {{.*}}#tile.layout<"(1,256,32):(8320,1,260)">
// LINES: in (32) by (16) at smem {
// LINES: in (256, 32, 32, 8) by (32, 8, 8, 4) at rf on thread {
// LINES-NEXT: in (128) by (32) at rf on unroll
// LINES: tile.snake
// LINES-NOT: tile.kernel
// Of several blocks of an SM, of two warps each, loops write out 512 multiply-adds: 16 steps of 8x4.
// SEVERAL: in (%q0, %q1) by (1, 64) at dram on block {
// SEVERAL: in (64) by (16) at smem {
// SEVERAL-NEXT: in (16) by (1) at smem pipeline(2) {
// 40 numbers a token: 48 are multiplied where instructions or threads take 16 at once, and what is beyond is zero.
// FORTY-NOT: tile.workspace
// FORTY: pad(zero) : {{.*}}x40x{{.*}} to memref<1x{{[0-9]+}}x{{48xbf16|40xf32}}
// FORTY-NOT: tile.workspace
// PLAIN: not taken: the same ops in 3 launches
// PLAIN-NEXT: {{[0-9.]+}} block {{[0-9x]+}}, softmax between, loaded ahead, 2 stages

// Where there are no instructions for it, and where it is something else, there are several launches.
// APART: tile.workspace
// APART: tile.workspace

// Heads that lie between tokens, and queries that see no later keys: blocks of the last queries, which go through most keys, begin first.
// HEADS-NOT: tile.workspace
// HEADS: tile.for (%[[ROW:.*]], %{{.*}}, %{{.*}}) in (200, 2, 3) by ([[STEP:16|32|64|128|192]], 1, 1) at dram on block {
// HEADS: %[[FIRST:.*]] = arith.subi {{.*}}, %[[ROW]] : index
// HEADS: tile.stage %q[{{.*}}-%[[ROW]] + {{.*}}] pad(zero)
// HEADS: %[[END:.*]] = arith.addi %[[FIRST]]
// HEADS: in (%[[END]]) by
// HEADS: scf.if
// HEADS: tile.store {{.*}}-%[[ROW]] + {{.*}} : memref<1x[[STEP]]x1x32xf16
// HEADS-NOT: tile.kernel
// Numbers of heads that are compared make no triangle, nor do rows whose first keys are left out, which are as right as others. A first row that sees no key is NaN, as it is by several launches.
// OTHER: tile.for ({{.*}}) in (200) by ({{.*}}) at dram pipeline
//--- heads.mlir
func.func @heads(%q: tensor<2x200x3x32xf16>, %k: tensor<2x200x3x32xf16>, %v: tensor<2x200x3x32xf16>) -> tensor<2x200x3x32xf16> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 5.0 : f32
  %s_e = tensor.empty() : tensor<2x3x200x200xf32>
  %s_f = linalg.fill ins(%zero : f32) outs(%s_e : tensor<2x3x200x200xf32>) -> tensor<2x3x200x200xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, d) -> (b, m, h, d)>, affine_map<(b, h, m, n, d) -> (b, n, h, d)>, affine_map<(b, h, m, n, d) -> (b, h, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x200x3x32xf16>, tensor<2x200x3x32xf16>) outs(%s_f : tensor<2x3x200x200xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %a32 = arith.extf %a : f16 to f32
    %b32 = arith.extf %b : f16 to f32
    %z = arith.mulf %a32, %b32 : f32
    %r = arith.addf %c, %z : f32
    linalg.yield %r : f32
  } -> tensor<2x3x200x200xf32>
  %x_e = tensor.empty() : tensor<2x3x200x200xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x3x200x200xf32>) outs(%x_e : tensor<2x3x200x200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = linalg.index 0 : index
    %m = linalg.index 2 : index
    %n = linalg.index 3 : index
    %scaled = arith.divf %a, %scale : f32
    %seen = arith.cmpi sle, %n, %m : index
    %r = arith.select %seen, %scaled, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x3x200x200xf32>
  %most_e = tensor.empty() : tensor<2x3x200xf32>
  %most_f = linalg.fill ins(%low : f32) outs(%most_e : tensor<2x3x200xf32>) -> tensor<2x3x200xf32>
  %most = linalg.reduce ins(%x : tensor<2x3x200x200xf32>) outs(%most_f : tensor<2x3x200xf32>) dimensions = [3] (%a: f32, %b: f32) {
    %r = arith.maximumf %a, %b : f32
    linalg.yield %r : f32
  }
  %e_e = tensor.empty() : tensor<2x3x200x200xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>, affine_map<(b, h, m, n) -> (b, h, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %most : tensor<2x3x200x200xf32>, tensor<2x3x200xf32>) outs(%e_e : tensor<2x3x200x200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x3x200x200xf32>
  %l_e = tensor.empty() : tensor<2x3x200xf32>
  %l_f = linalg.fill ins(%zero : f32) outs(%l_e : tensor<2x3x200xf32>) -> tensor<2x3x200xf32>
  %l = linalg.reduce ins(%e : tensor<2x3x200x200xf32>) outs(%l_f : tensor<2x3x200xf32>) dimensions = [3] (%a: f32, %b: f32) {
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  }
  %p_e = tensor.empty() : tensor<2x3x200x200xf16>
  %p = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>, affine_map<(b, h, m, n) -> (b, h, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%e, %l : tensor<2x3x200x200xf32>, tensor<2x3x200xf32>) outs(%p_e : tensor<2x3x200x200xf16>) {
  ^bb0(%a: f32, %b: f32, %o: f16):
    %w = arith.divf %a, %b : f32
    %r = arith.truncf %w : f32 to f16
    linalg.yield %r : f16
  } -> tensor<2x3x200x200xf16>
  %y_e = tensor.empty() : tensor<2x200x3x32xf32>
  %y_f = linalg.fill ins(%zero : f32) outs(%y_e : tensor<2x200x3x32xf32>) -> tensor<2x200x3x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, h, m, e, n) -> (b, h, m, n)>, affine_map<(b, h, m, e, n) -> (b, n, h, e)>, affine_map<(b, h, m, e, n) -> (b, m, h, e)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x3x200x200xf16>, tensor<2x200x3x32xf16>) outs(%y_f : tensor<2x200x3x32xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %a32 = arith.extf %a : f16 to f32
    %b32 = arith.extf %b : f16 to f32
    %z = arith.mulf %a32, %b32 : f32
    %r = arith.addf %c, %z : f32
    linalg.yield %r : f32
  } -> tensor<2x200x3x32xf32>
  %r_e = tensor.empty() : tensor<2x200x3x32xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(b, h, m, e) -> (b, h, m, e)>, affine_map<(b, h, m, e) -> (b, h, m, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<2x200x3x32xf32>) outs(%r_e : tensor<2x200x3x32xf16>) {
  ^bb0(%a: f32, %o: f16):
    %t = arith.truncf %a : f32 to f16
    linalg.yield %t : f16
  } -> tensor<2x200x3x32xf16>
  return %r : tensor<2x200x3x32xf16>
}
