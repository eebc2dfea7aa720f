//===- Nests.h - Kernels that the tests analyse ------------------*- C++ -*-===//
//
// Parses kernels from text and names their arguments as the source does.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TEST_UNIT_ANALYSIS_NESTS_H
#define TILEC_TEST_UNIT_ANALYSIS_NESTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tilec/Machine/Targets.h"
#include "tilec/Tile/Tile.h"

#include <string>
#include <vector>

namespace tilec::test {

/// A parsed module and its only kernel.
struct Nest {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tile::KernelOp kernel;
};

/// Sizes of a GEMM C = A * B whose blocks stage `bm` x `bk` of A and `bk` x `bn` of B in
/// shared memory and whose threads hold `tm` x `tn` of C.
struct GemmSizes {
  int64_t bm = 64, bn = 64, bk = 16, tm = 4, tn = 4;
  /// Type of A and B.
  std::string type = "f32";
  /// What computes C; empty where the nest leaves it open.
  std::string instruction;
  /// Blocks of a cluster along m and n; 1 x 1 makes loops on block only.
  int64_t clusterM = 1, clusterN = 1;
};

/// The text of such a kernel; its arguments are A, B, C, M, N, K.
std::string gemmText(const GemmSizes &sizes);

/// Parses and verifies `text`; arguments get `names`. Diagnostics go to `error` where given, and
/// fail the running test where not.
Nest parse(mlir::MLIRContext &context, const std::string &text,
           const std::vector<std::string> &names = {"A", "B", "C", "M", "N", "K"});

/// The text of a file of the examples' folder.
std::string exampleText(const std::string &name);

/// A context with all dialects that nests use.
class Context : public mlir::MLIRContext {
public:
  Context();
};

/// A built-in machine, or one that `text` describes.
MachineSpec machine(const std::string &name);
MachineSpec machineFromText(const std::string &text);

/// sm80 with clusters: the machine of the worked example of multicast, which no vendor sells.
MachineSpec sm80WithClusters();

} // namespace tilec::test

#endif // TILEC_TEST_UNIT_ANALYSIS_NESTS_H
