//===- LaunchOp.cpp - tile.launch -------------------------------*- C++ -*-===//
//
// Rules L1 to L3 of tile.launch; L4 needs the loops and what they put into shared memory (analysis::checkLaunch).
//
//===----------------------------------------------------------------------===//

#include "tilec/Tile/Tile.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

LogicalResult LaunchOp::verify() {
  Block &body = *(*this)->getBlock();
  for (Operation &later : llvm::make_range(std::next((*this)->getIterator()), body.end()))
    if (isa<ForOp>(later)) { // launch_l1
      InFlightDiagnostic diag = emitOpError("is written before a loop of its kernel; launches follow the loops, in their order");
      diag.attachNote(later.getLoc()) << "the loop";
      return diag;
    }
  // A kernel without loops is one block.
  int64_t launches = llvm::range_size(body.getOps<LaunchOp>()), grids = std::max<int64_t>(1, llvm::range_size(body.getOps<ForOp>()));
  if (launches > grids) // launch_l1
    return emitOpError("is one of ") << launches << " in a kernel of " << grids << " outermost loops; each has at most one";
  if (getSteps().size() != getStaticExtents().size()) // launch_l2
    return emitOpError("has ") << getStaticExtents().size() << " extents and " << getSteps().size() << " steps";
  for (int64_t step : getSteps())
    if (step < 1) // launch_l3
      return emitOpError("has a step of ") << step << "; steps are at least 1";
  auto checkLeast = [&](StringRef word, std::optional<int64_t> number, int64_t least) -> LogicalResult {
    if (number && *number < least) // launch_l3
      return emitOpError() << word << " is at least " << least << ", got " << *number;
    return success();
  };
  if (failed(checkLeast("threads", getThreads(), 1)) || failed(checkLeast("cluster", getCluster(), 1)) ||
      failed(checkLeast("min_blocks", getMinBlocks(), 1)) || failed(checkLeast("static_smem", getStaticSmem(), 0)) ||
      failed(checkLeast("dynamic_smem", getDynamicSmem(), 0)))
    return failure();
  if (getStaticSmem() && getDynamicSmem()) // launch_l3
    return emitOpError("has static and dynamic shared memory; the arrays of a kernel lie in one of them");
  return success();
}
