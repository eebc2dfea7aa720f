//===- WriteDecisions.h - What analyses decide, in the nest ------*- C++ -*-===//

#ifndef TILEC_TRANSFORMS_WRITEDECISIONS_H
#define TILEC_TRANSFORMS_WRITEDECISIONS_H

#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Analysis/PipelineDecisions.h"

namespace tilec {

/// Writes what ops of these kinds leave open, as `decide` says of each, in the order of the nest. Fails where what one states cannot be carried out.
template <typename... Ops, typename Decide>
mlir::LogicalResult writeDecisions(tile::KernelOp kernel, bool remarks, Decide decide) {
  auto write = [&](auto op) -> mlir::LogicalResult {
    if (!op)
      return mlir::success();
    if (failed(analysis::checkDecisions(op)))
      return mlir::failure();
    mlir::FailureOr<analysis::Decisions> open = decide(op);
    if (failed(open))
      return mlir::failure();
    for (const analysis::Decision &decision : *open) {
      op->setAttr(decision.clause, decision.value);
      if (remarks && !decision.remark.empty())
        op->emitRemark(decision.remark);
    }
    return mlir::success();
  };
  mlir::WalkResult result = kernel.walk([&](mlir::Operation *op) -> mlir::WalkResult {
    return mlir::success((succeeded(write(llvm::dyn_cast<Ops>(op))) && ...));
  });
  return mlir::failure(result.wasInterrupted());
}

} // namespace tilec

#endif // TILEC_TRANSFORMS_WRITEDECISIONS_H
