// A family: each shape is mapped, and a program asks for sizes to choose among the few nests that pay. All members are right at all sizes.
// REQUIRES: host-compiler
// RUN: tilec %s --target=h100 --family=A0=16..4096,A1=4096,B1=4096 --explain --emit=plan -o %t.plan 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t.plan
// RUN: tilec %t.plan --target=h100 --emit=plan -o %t.again && diff %t.plan %t.again
// RUN: tilec %t.plan --target=h100 --shape=A0=5,A1=40,B1=33 --run=cpu --verify | FileCheck %s --check-prefix=FEW
// RUN: tilec %t.plan --target=h100 --shape=A0=600,A1=20,B1=64 --run=cpu --verify | FileCheck %s --check-prefix=MANY
// RUN: tilec %t.plan --target=h100 --shape=A0=4096,A1=4096,B1=4096 --emit=report | FileCheck %s --check-prefix=REPORT
// From the function at once, where the whole is compared, too; one shape needs one nest; a nest with open steps.
// RUN: tilec %s --target=h100 --family=A0=16,A1=4096,B1=4096 --family=A0=4096,A1=4096,B1=4096 --shape=A0=17,A1=30,B1=9 --run=cpu --verify | FileCheck %s --check-prefix=WHOLE
// RUN: tilec %s --target=h100 --family=A0=16..32,A1=64,B1=64 --emit=plan | FileCheck %s --check-prefix=ONE
// RUN: tilec %tilec_root/test/perf/Inputs/ladder/4-open.mlir --target=h100 --family=M=64..4096,N=2048,K=2048 --shape=M=70,N=96,K=40 --run=cpu --verify | FileCheck %s --check-prefix=OPEN
// The time of the search is that of its shapes; nothing is left to chance.
// RUN: tilec %s --target=h100 --family=A0=16..4096,A1=4096,B1=4096 --emit=plan -o %t.second && diff %t.plan %t.second

// EXPLAIN: predicted us of the best member shape
// EXPLAIN-NEXT: {{[0-9.]+ +(0.9[5-9]|1.0)[0-9]* +}}0 A0 = 16, A1 = 4096, B1 = 4096
// EXPLAIN-COUNT-7: {{[0-9.]+ +(0.9[5-9]|1.0)[0-9]* +}}
// EXPLAIN: {{[0-9.]+ +(0.9[5-9]|1.0)[0-9]* +[1-3]}} A0 = 4096, A1 = 4096, B1 = 4096

// PLAN: tile.kernel @matmul_0(
// PLAN: tile.launch
// PLAN: tile.kernel @matmul_1(
// PLAN: tile.program @matmul(
// PLAN: arith.cmpi ult, %A0, %c{{[0-9]+}} : index
// PLAN-NEXT: scf.if
// PLAN: tile.run @matmul_0
// PLAN: tile.run @matmul_1

// FEW: matmul in 1 launch
// FEW: launch 1, matmul_0: integers: all 165 elements of C agree
// MANY: launch 1, matmul_{{[1-3]}}: integers: all 38400 elements of C agree
// REPORT-NOT: matmul_0 on
// REPORT: matmul_{{[1-3]}} on
// REPORT: matmul on {{.*}}: 1 launch
// WHOLE: launch 1, matmul_0: integers: all 153 elements of C agree
// WHOLE: all launches: integers: all 153 elements of C agree
// ONE-NOT: tile.program
// ONE: tile.kernel @matmul(
// ONE-NOT: tile.program
// OPEN: rung4 in 1 launch
// OPEN: integers: all 6720 elements of C agree

func.func @matmul(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<?x?xf32>)
  linalg.matmul ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?x?xf32>)
  return
}
