//===- AnalyzeModule.cpp - Analyses as passes ask for them ------*- C++ -*-===//
//
// Finds the machine and the sizes, then runs the analyses.
//
//===----------------------------------------------------------------------===//

#include "AnalyzeModule.h"

#include "tilec/Machine/Targets.h"

using namespace mlir;
using namespace tilec;

static SmallVector<BlockArgument> getSizes(tile::KernelOp kernel) {
  return llvm::filter_to_vector(kernel.getBody().getArguments(), [](BlockArgument argument) {
    return argument.getType().isIndex();
  });
}

/// `k` on the command line is `%K` in the source.
static bool isNamed(BlockArgument size, StringRef name) {
  return StringRef(analysis::nameOf(size)).equals_insensitive(name);
}

/// Each name in `shape` is that of a size.
static LogicalResult checkNames(ModuleOp module, ArrayRef<std::string> shape) {
  for (StringRef entry : shape) {
    StringRef name = entry.split('=').first;
    auto hasSize = [&](tile::KernelOp kernel) {
      return llvm::any_of(getSizes(kernel),
                          [&](BlockArgument size) { return isNamed(size, name); });
    };
    if (entry.contains('=') && llvm::none_of(module.getOps<tile::KernelOp>(), hasSize))
      return module.emitError("shape names '") << name << "', which is no size of any kernel";
  }
  return success();
}

/// The value of each size argument by its number; -1 where `shape` does not say.
static FailureOr<SmallVector<int64_t>> readShape(tile::KernelOp kernel,
                                                 ArrayRef<std::string> shape) {
  SmallVector<int64_t> values(kernel.getNumArguments(), -1);
  SmallVector<BlockArgument> sizes = getSizes(kernel);
  unsigned position = 0;
  for (StringRef entry : shape) {
    auto [name, text] = entry.split('=');
    bool named = entry.contains('=');
    int64_t value = 0;
    if ((named ? text : entry).getAsInteger(10, value) || value < 0)
      return kernel.emitError("shape '") << entry << "' is not a number of at least 0";
    if (!named) {
      if (position == sizes.size())
        return kernel.emitError("shape has more numbers than the kernel has sizes, ")
               << sizes.size();
      values[sizes[position++].getArgNumber()] = value;
      continue;
    }
    for (BlockArgument size : sizes)
      if (isNamed(size, name))
        values[size.getArgNumber()] = value;
  }
  return values;
}

LogicalResult tilec::forEachKernel(
    ModuleOp module, StringRef target, ArrayRef<std::string> shape,
    llvm::function_ref<LogicalResult(tile::KernelOp, ArrayRef<int64_t>, const MachineSpec &)>
        see) {
  TargetResult machine = resolveTarget(target.str());
  if (!machine)
    return module.emitError(machine.error);
  if (failed(checkNames(module, shape)))
    return failure();
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    FailureOr<SmallVector<int64_t>> values = readShape(kernel, shape);
    if (failed(values) || failed(see(kernel, *values, *machine.spec)))
      return failure();
  }
  return success();
}

LogicalResult tilec::analyzeModule(ModuleOp module, StringRef target, ArrayRef<std::string> shape,
                                   llvm::function_ref<void(const report::Analyses &)> see) {
  return forEachKernel(
      module, target, shape,
      [&](tile::KernelOp kernel, ArrayRef<int64_t> values, const MachineSpec &machine) {
        FailureOr<report::Analyses> analyses = report::analyzeKernel(kernel, values, machine);
        if (succeeded(analyses)) {
          report::findLayouts(*analyses, machine);
          see(*analyses);
        }
        return success(succeeded(analyses));
      });
}
