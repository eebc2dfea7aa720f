//===- PlanPipelines.cpp - tile-plan-pipeline -------------------*- C++ -*-===//

#include "PlanPass.h"
#include "WriteDecisions.h"

namespace tilec {
#define GEN_PASS_DEF_PLANPIPELINEPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

LogicalResult tilec::planPipelines(tile::KernelOp kernel, bool remarks) {
  return writeDecisions<tile::ForOp>(kernel, remarks, [](tile::ForOp loop) { return analysis::decide(loop); });
}

template struct tilec::PlanPass<tilec::impl::PlanPipelinePassBase, planPipelines>;
