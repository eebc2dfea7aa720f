//===- AnalyzeModule.cpp - Analyses as passes ask for them ------*- C++ -*-===//

#include "AnalyzeModule.h"

#include "tilec/Transforms/ModuleTarget.h"

using namespace mlir;
using namespace tilec;

LogicalResult tilec::analyzeModule(ModuleOp module, llvm::function_ref<void(const report::Analyses &)> see) {
  TargetResult machine = getTarget(module);
  if (!machine)
    return module.emitError(machine.error);
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    FailureOr<report::Analyses> analyses = report::analyzeKernel(kernel, getArguments(kernel), *machine.spec);
    if (failed(analyses))
      return failure();
    report::findLayouts(*analyses, *machine.spec);
    see(*analyses);
  }
  return success();
}
