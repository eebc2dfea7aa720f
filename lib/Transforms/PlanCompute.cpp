//===- PlanCompute.cpp - tile-plan-compute ----------------------*- C++ -*-===//
//
// Writes by which instruction, and in which order, points are computed.
//
//===----------------------------------------------------------------------===//

#include "PlanPass.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilec/Tile/ComputeClauses.h"
#include "tilec/Tile/Distributions.h"
#include "tilec/Tile/InstructionUse.h"

namespace tilec {
#define GEN_PASS_DEF_PLANCOMPUTEPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

LogicalResult tilec::planComputations(tile::KernelOp kernel, bool remarks) {
  Builder builder(kernel.getContext());
  tile::Distributions distributions; // Which does not look at what is written here.
  kernel.walk([&](linalg::LinalgOp compute) {
    std::optional<tile::InstructionUse> use = tile::getInstructionUse(compute);
    if (!tile::getInstruction(compute))
      compute->setAttr(tile::kInstruction, builder.getStringAttr(use ? use->getName() : StringRef(tile::kByElement)));
    if (use || distributions.getSpreadOf(compute) || tile::getOrder(compute) || compute.getNumLoops() < 2)
      return;
    auto dims = llvm::to_vector(llvm::seq<int64_t>(compute.getNumLoops()));
    compute->setAttr(tile::kOrder, builder.getDenseI64ArrayAttr(dims));
    if (remarks)
      compute->emitRemark("walks its dimensions as they are numbered, the last one innermost");
  });
  return success();
}

template struct tilec::PlanPass<tilec::impl::PlanComputePassBase, planComputations>;
