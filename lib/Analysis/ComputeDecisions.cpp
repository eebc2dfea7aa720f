//===- ComputeDecisions.cpp - How points are computed -----------*- C++ -*-===//

#include "tilec/Analysis/ComputeDecisions.h"

#include "tilec/Tile/ComputeClauses.h"

using namespace mlir;
using namespace tilec;

LogicalResult tilec::analysis::checkDecisions(linalg::LinalgOp compute) {
  std::optional<StringRef> instruction = tile::getInstruction(compute);
  if (!instruction || *instruction == tile::kByElement)
    return success();
  // limit_x31
  return compute->emitOpError("is to be computed by '") << *instruction << "', which is not lowered; '" << tile::kByElement << "' is";
}
