//===- Open.cpp - Nests that leave sizes open -------------------*- C++ -*-===//
//
// Rules O1 to O3 of docs/language.md.
//
//===----------------------------------------------------------------------===//

#include "tilec/Tile/Open.h"

#include "OpenRules.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

bool tilec::tile::isOpen(ForOp loop) {
  return llvm::is_contained(loop.getSteps(), kOpenStep) || llvm::is_contained(loop.getStaticExtents(), kOpenExtent);
}

ForOp tilec::tile::findOpenLoop(KernelOp kernel) {
  ForOp open;
  kernel.walk<WalkOrder::PreOrder>([&](ForOp loop) {
    if (!isOpen(loop))
      return WalkResult::advance();
    open = loop;
    return WalkResult::interrupt();
  });
  return open;
}

bool tilec::tile::isInOpenKernel(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  return kernel && findOpenLoop(kernel);
}

LogicalResult tilec::tile::refuseOpen(KernelOp kernel) {
  if (ForOp loop = findOpenLoop(kernel)) // limit_x40
    return loop.emitOpError("leaves sizes open (`?`), which tilec fills in when it compiles the nest; a pass or an analysis of its own needs numbers: tilec --emit=nest prints them");
  return success();
}

LogicalResult tilec::tile::verifyOpen(KernelOp kernel) {
  WalkResult result = kernel.getBody().walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
    if (isa<linalg::LinalgOp>(op))
      return WalkResult::skip();
    if (isa<LaunchOp, scf::IfOp>(op)) // rule_o2
      return op->emitOpError("stands in a kernel with open sizes (rule O2), which says with loops, tiles and computations alone what is computed");
    auto store = dyn_cast<StoreOp>(op);
    if (store && store.getCombine()) // rule_o2
      return op->emitOpError("combines with what its operand holds, in a kernel with open sizes (rule O2): how often depends on them");
    auto stage = dyn_cast<StageOp>(op);
    if (stage && stage.getIndices()) // rule_o2
      return op->emitOpError("gathers, in a kernel with open sizes (rule O2): its computation has no operand without that stage");
    auto loop = dyn_cast<ForOp>(op);
    if (!loop)
      return WalkResult::advance();
    if (!loop.getTied().empty()) // rule_o2
      return op->emitOpError("ties tiles together, in a kernel with open sizes (rule O2): what combine makes of two parts is said for the loops that are there");
    if (loop.getPrefix()) // rule_o2
      return op->emitOpError("scans, in a kernel with open sizes (rule O2): which elements come before others is said for the loops that are there");
    bool inner = loop->getParentOfType<ForOp>() != nullptr;
    if (!inner && llvm::is_contained(loop.getStaticExtents(), kOpenExtent)) // rule_o3
      return op->emitOpError("leaves an extent open (rule O3), but no loop around says of what it walks a tile");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
