//===- PlanCopies.cpp - tile-plan-copy --------------------------*- C++ -*-===//
//
// How tiles are copied to shared memory, loaded from there, and stored.
//
//===----------------------------------------------------------------------===//

#include "PlanPass.h"
#include "WriteDecisions.h"
#include "tilec/Transforms/ModuleTarget.h"

namespace tilec {
#define GEN_PASS_DEF_PLANCOPYPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

LogicalResult tilec::planCopies(tile::KernelOp kernel, bool remarks) {
  SmallVector<int64_t> arguments = getArguments(kernel);
  auto decide = llvm::makeVisitor([&](tile::StageOp stage) { return analysis::decide(stage, arguments); }, [](tile::StoreOp store) { return analysis::decide(store); });
  return writeDecisions<tile::StageOp, tile::StoreOp>(kernel, remarks, decide);
}

template struct tilec::PlanPass<tilec::impl::PlanCopyPassBase, planCopies>;
