//===- Plan.cpp - Filling in what a nest leaves open ------------*- C++ -*-===//

#include "Plan.h"

#include "Report.h"
#include "tilec/Transforms/PlanLayouts.h"
#include "tilec/Transforms/PlanNest.h"

using namespace tilec;

mlir::LogicalResult tilec::planNests(mlir::ModuleOp module, const CompileOptions &options, const MachineSpec &machine) {
  for (auto kernel : module.getOps<tile::KernelOp>())
    if (failed(planLayouts(kernel, argumentsOf(kernel, options), machine)) || failed(planNest(kernel)))
      return mlir::failure();
  return mlir::success();
}
