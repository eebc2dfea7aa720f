//===- PlanCompute.cpp - tile-plan-compute ----------------------*- C++ -*-===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilec/Tile/Order.h"
#include "tilec/Transforms/Passes.h"
#include "tilec/Transforms/PlanNest.h"

namespace tilec {
#define GEN_PASS_DEF_PLANCOMPUTEPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

LogicalResult tilec::planComputations(tile::KernelOp kernel, bool remarks) {
  kernel.walk([&](linalg::LinalgOp compute) {
    if (tile::getOrder(compute) || compute.getNumLoops() < 2)
      return;
    auto dims = llvm::to_vector(llvm::seq<int64_t>(compute.getNumLoops()));
    compute->setAttr(tile::kOrder, DenseI64ArrayAttr::get(kernel.getContext(), dims));
    if (remarks)
      compute->emitRemark("walks its dimensions as they are numbered, the last one innermost");
  });
  return success();
}

namespace {
struct PlanCompute : tilec::impl::PlanComputePassBase<PlanCompute> {
  using Base::Base;
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<tile::KernelOp>())
      if (failed(planComputations(kernel, remarks)))
        return signalPassFailure();
  }
};
} // namespace
