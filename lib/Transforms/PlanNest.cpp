//===- PlanNest.cpp - The planning passes in their order --------*- C++ -*-===//

#include "tilec/Transforms/PlanNest.h"

#include "mlir/Pass/PassManager.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;
using namespace tilec;

void tilec::buildPlanPipeline(OpPassManager &manager) {
  manager.addPass(createPlanLayoutPass());
  manager.addPass(createPlanStorePass());
  manager.addPass(createPlanCopyPass());
  manager.addPass(createPlanPipelinePass());
  manager.addPass(createPlanComputePass());
  manager.addPass(createPlanRegistersPass());
  manager.addPass(createPlanRasterPass());
  manager.addPass(createPlanSharedPass());
  manager.addPass(createPlanLaunchPass());
}

LogicalResult tilec::planModule(ModuleOp module) {
  PassManager manager(module.getContext());
  manager.enableVerifier(false); // What is planned has been parsed, and planning keeps the rules.
  buildPlanPipeline(manager);
  return manager.run(module);
}
