//===- ComputeDecisions.cpp - How points are computed -----------*- C++ -*-===//

#include "tilec/Analysis/ComputeDecisions.h"

#include "tilec/Analysis/InstructionPlan.h"
#include "tilec/Tile/ComputeClauses.h"

using namespace mlir;
using namespace tilec;

LogicalResult tilec::analysis::checkDecisions(linalg::LinalgOp compute) {
  if (std::optional<tile::InstructionUse> use = tile::getInstructionUse(compute))
    return use->isAsynchronous() ? failure(failed(planInstruction(compute, *use))) : checkWarpInstruction(compute, *use);
  std::optional<StringRef> instruction = tile::getInstruction(compute);
  if (!instruction || *instruction == tile::kByElement)
    return success();
  // limit_x31
  return compute->emitOpError("is to be computed by '") << *instruction << "', but its threads compute it by element: '" << tile::kByElement << "'";
}
