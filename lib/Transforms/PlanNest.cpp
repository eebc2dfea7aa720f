//===- PlanNest.cpp - The planning passes in their order --------*- C++ -*-===//

#include "tilec/Transforms/PlanNest.h"

#include "mlir/Pass/PassManager.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;
using namespace tilec;

LogicalResult tilec::planNest(tile::KernelOp kernel) {
  for (auto plan : {planCopies, planPipelines, planComputations, planRaster, placeShared})
    if (failed(plan(kernel, /*remarks=*/false)))
      return failure();
  return success();
}

void tilec::buildPlanPipeline(OpPassManager &manager) {
  manager.addPass(createPlanCopyPass());
  manager.addPass(createPlanPipelinePass());
  manager.addPass(createPlanComputePass());
  manager.addPass(createPlanRasterPass());
  manager.addPass(createPlanSharedPass());
}
