//===- PlanRegisters.cpp - tile-plan-registers ------------------*- C++ -*-===//
//
// Writes who holds what of tiles in registers.
//
//===----------------------------------------------------------------------===//

#include "PlanPass.h"

#include "tilec/Tile/Spread.h"

namespace tilec {
#define GEN_PASS_DEF_PLANREGISTERSPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

LogicalResult tilec::planRegisters(tile::KernelOp kernel, bool remarks) {
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    if (!isa<tile::HoldOp, tile::StageOp>(op) || tile::getLevel(op->getResult(0).getType()) != tile::Level::RF || tile::getSpreadText(op))
      return success();
    FailureOr<tile::Distribution> distribution = tile::getDistribution(op->getResult(0));
    if (failed(distribution))
      return failure();
    if (distribution->isLocal())
      return success();
    std::string spread =
        tile::getThreadValueLayout(*distribution, cast<MemRefType>(op->getResult(0).getType()).getShape()).str();
    if (auto hold = dyn_cast<tile::HoldOp>(op))
      hold.setSpread(spread);
    else
      cast<tile::StageOp>(op).setSpread(spread);
    if (remarks)
      op->emitRemark("is spread over threads as loops on them part it: ") << distribution->getLocalElements() << " elements a thread";
    return success();
  });
  return failure(result.wasInterrupted());
}

template struct tilec::PlanPass<tilec::impl::PlanRegistersPassBase, planRegisters>;
