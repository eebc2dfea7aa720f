//===- Trial.cpp - What becomes of a nest -----------------------*- C++ -*-===//

#include "Trial.h"

#include "mlir/Pass/PassManager.h"
#include "tilec/Conversion/Passes.h"
#include "tilec/Kernel/Kernel.h"
#include "tilec/Transforms/ModuleTarget.h"
#include "tilec/Transforms/PlanNest.h"

using namespace tilec;

std::optional<report::Analyses> tilec::planAndAnalyze(mlir::ModuleOp module, const MachineSpec &named, const MachineSpec &machine) {
  if (failed(planModule(module, named)))
    return std::nullopt;
  auto kernel = *module.getOps<tile::KernelOp>().begin();
  mlir::FailureOr<report::Analyses> analyses = report::analyzeKernel(kernel, getArguments(kernel), machine);
  if (failed(analyses) || !analyses->violations.empty())
    return std::nullopt;
  return std::move(*analyses);
}

bool tilec::lowers(mlir::ModuleOp module, const report::Analyses &analyses) {
  mlir::PassManager passes(module.getContext());
  buildKernelPipeline(passes);
  if (failed(passes.run(module)))
    return false;
  return llvm::all_of(module.getOps<kernel::FuncOp>(), [&](kernel::FuncOp function) {
    return int64_t(function.getStaticShared() + function.getDynamicShared()) == analyses.resources.smemBytes;
  });
}
