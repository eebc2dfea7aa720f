//===- PlanPipelines.cpp - tile-plan-pipeline -------------------*- C++ -*-===//

#include "PlanPass.h"

#include "tilec/Analysis/PipelineDecisions.h"

namespace tilec {
#define GEN_PASS_DEF_PLANPIPELINEPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tile::ForOp;

static void planPipeline(ForOp loop, bool remarks) {
  if (loop.getProducers()) {
    if (loop.getRelease())
      return;
    // An arrival right after an iteration's loads would wait for them; arithmetic on them is done an iteration later.
    loop.setRelease(tile::Release::Next);
    if (remarks)
      loop.emitRemark("gives a slot back in the next iteration, when its loads have returned");
    return;
  }
  if (getSharedStages(loop).empty())
    return;
  if (!loop.getChoose()) {
    loop.setChoose(chooseWhere(loop));
    if (remarks && loop.getChoose() == tile::Choose::Loop)
      loop.emitRemark("stands twice, for launches that take the first form of each copy and for others: a branch in an iteration would keep "
                      "loads and arithmetic apart");
  }
  if (!loop.getIssue()) {
    loop.setIssue(tile::Issue::AfterLoads);
    if (remarks)
      loop.emitRemark("asks for copies after its first loads to registers, which arithmetic waits for");
  }
}

LogicalResult tilec::planPipelines(tile::KernelOp kernel, bool remarks) {
  WalkResult result = kernel.walk([&](ForOp loop) -> WalkResult {
    if (!loop.getPipeline())
      return success();
    if (failed(checkDecisions(loop)))
      return failure();
    planPipeline(loop, remarks);
    return success();
  });
  return failure(result.wasInterrupted());
}

template struct tilec::PlanPass<tilec::impl::PlanPipelinePassBase, planPipelines>;
