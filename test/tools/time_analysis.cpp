//===- time_analysis.cpp - How long one analysis takes ----------*- C++ -*-===//
//
//   tilec-time-analysis TARGET FILE SHAPE [FILE SHAPE]...
//
// Analyses the first kernel of each file at SHAPE ("m=4096,n=4096,k=4096"), as a search over
// mappings does, and prints the milliseconds of the fastest of 15 analyses.
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "Report.h"

#include "tilec/Machine/Targets.h"
#include "tilec/Report/BuildRecord.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace tilec;

static CompileOptions readShape(llvm::StringRef text) {
  CompileOptions options;
  llvm::SmallVector<llvm::StringRef> entries;
  text.split(entries, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef entry : entries) {
    auto [name, value] = entry.split('=');
    int64_t extent = 0;
    if (!value.getAsInteger(10, extent))
      options.shape[name.str()] = extent;
  }
  return options;
}

/// The fastest of some runs, in milliseconds; negative where the analysis fails.
static double timeAnalysis(tile::KernelOp kernel, llvm::ArrayRef<int64_t> arguments, const MachineSpec &machine) {
  std::vector<double> times;
  for (int run = 0; run < 15; ++run) {
    auto start = std::chrono::steady_clock::now();
    if (failed(report::analyzeKernel(kernel, arguments, machine)))
      return -1;
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return *llvm::min_element(times);
}

int main(int argc, char **argv) {
  if (argc < 4 || argc % 2 != 0) {
    llvm::errs() << "usage: tilec-time-analysis TARGET FILE SHAPE [FILE SHAPE]...\n";
    return 2;
  }
  TargetResult target = resolveTarget(argv[1]);
  if (!target.spec) {
    llvm::errs() << target.error << "\n";
    return 1;
  }
  mlir::MLIRContext context(nestDialects(), mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  for (int i = 2; i < argc; i += 2) {
    auto buffer = llvm::MemoryBuffer::getFile(argv[i]);
    mlir::OwningOpRef<mlir::ModuleOp> module;
    if (buffer)
      module = parseNests((*buffer)->getBuffer(), argv[i], context);
    if (!module)
      return 1;
    tile::KernelOp kernel = *module->getOps<tile::KernelOp>().begin();
    double milliseconds = timeAnalysis(kernel, argumentsOf(kernel, readShape(argv[i + 1])), *target.spec);
    if (milliseconds < 0)
      return 1;
    llvm::outs() << llvm::formatv("{0,8:f3} ms  {1} {2}\n", milliseconds, argv[i], argv[i + 1]);
  }
  return 0;
}
