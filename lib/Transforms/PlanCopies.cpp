//===- PlanCopies.cpp - tile-plan-copy --------------------------*- C++ -*-===//
//
// How tiles are copied to shared memory, loaded from there, and stored.
//
//===----------------------------------------------------------------------===//

#include "PlanPass.h"
#include "WriteDecisions.h"

namespace tilec {
#define GEN_PASS_DEF_PLANCOPYPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

LogicalResult tilec::planCopies(tile::KernelOp kernel, bool remarks) {
  return writeDecisions<tile::StageOp, tile::StoreOp>(kernel, remarks);
}

template struct tilec::PlanPass<tilec::impl::PlanCopyPassBase, planCopies>;
