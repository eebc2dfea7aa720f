// RUN: not tilec-opt %S/../../examples/seed/verbatim.mlir --tile-set-target="target=sm80" --tile-check-machine 2>&1 | FileCheck %s --check-prefix=CAPACITY
// CAPACITY: verbatim.mlir:{{[0-9]+:[0-9]+}}: error: stages of [64, 4096] and [4096, 64] f32 take 2097152 bytes of shared memory, a100-80gb-sxm allows 166912 per block
// CAPACITY: verbatim.mlir:{{[0-9]+:[0-9]+}}: note: A: [64, 4096] f32 = 1048576 bytes
// CAPACITY: note: tile k (dimension 1 of A, dimension 0 of B): the largest power of two that fits is 256, which takes 131072 bytes

// RUN: tilec-opt %S/../../examples/seed/tile32.mlir --tile-set-target="target=h100-sxm shape=4096,4096,4096" --tile-check-machine 2>&1 >/dev/null | FileCheck %s --check-prefix=STARVED
// STARVED: tile32.mlir:{{[0-9]+:[0-9]+}}: warning: smem -> rf needs 8.00x reuse, has 4.00x guaranteed

// RUN: not tilec-opt %S/../../examples/seed/tile32.mlir --tile-set-target="target=h100-sxm shape=4096,4096,4096" --tile-check-machine=werror=true 2>&1 | FileCheck %s --check-prefix=WERROR
// WERROR: error: smem -> rf needs 8.00x reuse, has 4.00x guaranteed

// RUN: tilec-opt %S/../../examples/seed/tile64.mlir --tile-set-target="target=sm80 shape=4096,4096,4096" --tile-check-machine 2>&1 >/dev/null | FileCheck %s --check-prefix=FED --implicit-check-not=needs
// FED: tile64.mlir:{{[0-9]+:[0-9]+}}: warning: a warp reads A in shared memory in 2 wavefronts instead of 1: threads 0, 1, 2 ... (32) use bank 0 at bytes 0, 256

// RUN: tilec-opt %S/../../examples/transpose_naive.mlir --tile-set-target="target=sm80 shape=4096,4096" --tile-check-machine 2>&1 >/dev/null | FileCheck %s --check-prefix=SCATTERED
// SCATTERED: transpose_naive.mlir:{{[0-9]+:[0-9]+}}: warning: a warp writes B in 32 sectors instead of 4: thread 0 at byte 0, thread 1 at byte 16384 (4 if consecutive threads took elements along dimension 1)

// RUN: sed "s/:(33,1)/:(32,1)/" %S/../../examples/transpose.mlir | tilec-opt --tile-set-target="target=sm80 shape=4096,4096" --tile-check-machine 2>&1 >/dev/null | FileCheck %s --check-prefix=BANKS
// BANKS: warning: a warp reads A in shared memory in 32 wavefronts instead of 1: threads 0, 1, 2 ... (32) use bank 0 at bytes 0, 128, 256 ... (32)

// RUN: tilec-opt %S/../../examples/transpose.mlir --tile-set-target="target=sm80 shape=4096,4096" --tile-check-machine 2>&1 >/dev/null | count 0

// RUN: tilec-opt %S/../../examples/seed/tile64.mlir --tile-check-machine 2>&1 >/dev/null | FileCheck %s --check-prefix=SIZES
// SIZES-NOT: needs

// RUN: not tilec-opt %S/../../examples/seed/tile64.mlir --tile-set-target="target=sm80 shape=x=3" --tile-check-machine 2>&1 | FileCheck %s --check-prefix=NAMES
// NAMES: error: the shape gives 'x', but the sizes are M, N, K

// Four warps of producers with 72 registers a thread, eight others with 240: 128 * 72 + 256 * 240 = 70656.
// RUN: sed "s/registers([0-9]*, [0-9]*)/registers(72, 240)/" %S/../../examples/fast/s2.mlir | not tilec-opt --tile-set-target="target=h100-sxm shape=4096,4096,4096" --tile-check-machine 2>&1 | FileCheck %s --check-prefix=ROLES
// ROLES: error: gives 72 registers to each of 128 threads and 240 to each of 256, 70656 together; a block of so many threads has 64512 of the 65536 registers of an SM of h100-sxm, and would wait for more for ever

// Three warpgroups and producers: sums of 64x256 leave an instruction too few of the registers that each thread starts with, whatever roles get later; those of 64x192 do not.
// RUN: sed "s/128x/192x/;s/(128/(192/;s/pipeline(4)/pipeline(3)/;s/registers(56, 224)/registers(32, 160)/" %S/../../examples/fast/wgmma.mlir > %t.mlir
// RUN: not tilec-opt %t.mlir --tile-set-target="target=h100-sxm shape=4096,4096,4096" --tile-check-machine 2>&1 | FileCheck %s --check-prefix=SUMS
// SUMS: error: needs 154 registers of a thread, 128 of them for its sums; each of 512 threads has 128 on h100-sxm
// RUN: sed "s/256/192/" %t.mlir | tilec-opt --tile-set-target="target=h100-sxm shape=4096,4096,4096" --tile-check-machine 2>&1 | FileCheck %s --check-prefix=FEWER --implicit-check-not=error
// FEWER: linalg.matmul

// What a nest asks for and the machine lacks: each at its op.
// RUN: not tilec-opt %S/../../examples/fast/s2.mlir --tile-set-target="target=v100 shape=4096,4096,4096" --tile-check-machine 2>&1 | FileCheck %s --check-prefix=LACKS
// LACKS-DAG: s2.mlir:{{[0-9]+}}:5: error: pipelines its copies to shared memory, which needs cp_async, which v100 (sm_70) lacks
// LACKS-DAG: s2.mlir:{{[0-9]+}}:5: error: leaves its copies to producers, which needs mbarrier, which v100 (sm_70) lacks
// LACKS-DAG: s2.mlir:{{[0-9]+}}:5: error: gives registers to producers and others, which needs setmaxnreg, which v100 (sm_70) lacks
// LACKS-DAG: s2.mlir:{{[0-9]+}}:13: error: copies by TMA, which needs tma, which v100 (sm_70) lacks

// RUN: not tilec-opt %S/plan-launch-dependent.mlir --tile-set-target="target=v100" --tile-check-machine 2>&1 | FileCheck %s --check-prefix=DEPENDENT
// DEPENDENT: plan-launch-dependent.mlir:[[#]]:3: error: is launched while the kernel ahead ends, which needs dependent_launch, which v100 (sm_70) lacks
