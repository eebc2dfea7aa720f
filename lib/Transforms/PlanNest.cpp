//===- PlanNest.cpp - The planning passes in their order --------*- C++ -*-===//

#include "tilec/Transforms/PlanNest.h"

#include "PlanSteps.h"
#include "mlir/Pass/PassManager.h"
#include "tilec/Tile/Open.h"
#include "tilec/Transforms/ModuleTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;
using namespace tilec;

/// A planning pass, and what it does to a kernel.
struct Step {
  std::unique_ptr<Pass> (*makePass)();
  LogicalResult (*plan)(tile::KernelOp kernel, const MachineSpec &machine);
};

template <auto plan>
static LogicalResult planSilently(tile::KernelOp kernel, const MachineSpec &machine) {
  if constexpr (std::is_invocable_v<decltype(plan), tile::KernelOp, const MachineSpec &, bool>)
    return plan(kernel, machine, /*remarks=*/false);
  else
    return plan(kernel, /*remarks=*/false);
}

static constexpr Step kSteps[] = {
    {createPartLoopsPass, planSilently<static_cast<LogicalResult (*)(tile::KernelOp, bool)>(partLoops)>},
    {createPlanLayoutPass, planSilently<planLayouts>},       {createPlanStorePass, planSilently<planStores>},
    {createPlanCopyPass, planSilently<planCopies>},          {createPlanPipelinePass, planSilently<planPipelines>},
    {createPlanComputePass, planSilently<planComputations>}, {createPlanRegistersPass, planSilently<planRegisters>},
    {createPlanRasterPass, planSilently<planRaster>},        {createPlanSharedPass, planSilently<placeShared>},
    {createPlanLaunchPass, planSilently<planLaunches>},
};

void tilec::buildPlanPipeline(OpPassManager &manager) {
  for (const Step &step : kSteps)
    manager.addPass(step.makePass());
}

LogicalResult tilec::partLoops(ModuleOp module) {
  for (auto kernel : module.getOps<tile::KernelOp>())
    if (failed(partLoops(kernel, /*remarks=*/false)))
      return failure();
  return success();
}

LogicalResult tilec::planModule(ModuleOp module) {
  TargetResult machine = getTarget(module);
  if (machine)
    return planModule(module, *machine.spec);
  auto kernels = module.getOps<tile::KernelOp>();
  return kernels.empty() ? success() : LogicalResult((*kernels.begin()).emitError(machine.error));
}

LogicalResult tilec::planModule(ModuleOp module, const MachineSpec &machine) {
  for (auto kernel : module.getOps<tile::KernelOp>())
    if (failed(tile::refuseOpen(kernel)))
      return failure();
  for (const Step &step : kSteps)
    for (auto kernel : module.getOps<tile::KernelOp>())
      if (failed(step.plan(kernel, machine)))
        return failure();
  return success();
}
