//===- time_analysis.cpp - How long one analysis takes ----------*- C++ -*-===//
//
//   tilec-time-analysis TARGET LIST [MOST]
//
// The file LIST has lines "FILE <tab> SHAPE", a shape as "m=64,n=8". Analyses the first kernel of each FILE at SHAPE, as a search
// over mappings does, and prints the milliseconds of processor time of the fastest of 15 analyses, and how many times as long that is as
// reading the first FILE takes, as a measure of the machine's speed at that time. Exit status 1 where one takes more than MOST times as long.
//
//===----------------------------------------------------------------------===//

#include "NestList.h"
#include "Parse.h"

#include "tilec/Machine/Targets.h"
#include "tilec/Report/BuildRecord.h"
#include "tilec/Transforms/ModuleTarget.h"
#include "tilec/Transforms/PlanNest.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <ctime>
#include <limits>

using namespace tilec;

// A program that is built to find errors is no measure of time.
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
constexpr double kSlowdown = 100;
#else
constexpr double kSlowdown = 1;
#endif

/// Of this thread, in milliseconds: what others do beside it costs it little.
static double processorTime() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

namespace {
/// Milliseconds of the fastest of some runs.
struct Times {
  double analysis = std::numeric_limits<double>::infinity();
  /// Of reading the yardstick, once beside each analysis.
  double yardstick = std::numeric_limits<double>::infinity();
};
} // namespace

/// Absent where the analysis fails.
static std::optional<Times> timeAnalysis(tile::KernelOp kernel, llvm::ArrayRef<int64_t> arguments, const MachineSpec &machine,
                                         llvm::StringRef yardstick) {
  Times fastest;
  for (int run = 0; run < 15; ++run) {
    double start = processorTime();
    if (failed(report::analyzeKernel(kernel, arguments, machine)))
      return std::nullopt;
    double middle = processorTime();
    if (!parseNests(yardstick, "yardstick", *kernel.getContext()))
      return std::nullopt;
    fastest.analysis = std::min(fastest.analysis, middle - start);
    fastest.yardstick = std::min(fastest.yardstick, processorTime() - middle);
  }
  return fastest;
}

int main(int argc, char **argv) {
  double most = std::numeric_limits<double>::infinity();
  if (argc < 3 || argc > 4 || (argc == 4 && llvm::StringRef(argv[3]).getAsDouble(most))) {
    llvm::errs() << "usage: tilec-time-analysis TARGET LIST [MOST]\n";
    return 2;
  }
  TargetResult target = resolveTarget(argv[1]);
  auto list = llvm::MemoryBuffer::getFile(argv[2]);
  if (!target.spec || !list) {
    llvm::errs() << (list ? target.error : std::string("no such list")) << "\n";
    return 1;
  }
  mlir::MLIRContext context(nestDialects(), mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::vector<ListedNest> nests = readNestList((*list)->getBuffer());
  std::string yardstick;
  int over = 0;
  for (const ListedNest &nest : nests) {
    auto buffer = llvm::MemoryBuffer::getFile(nest.file);
    mlir::OwningOpRef<mlir::ModuleOp> module;
    if (buffer)
      module = parseNests((*buffer)->getBuffer(), nest.file, context);
    if (!module || failed(partLoops(*module)))
      return 1;
    if (yardstick.empty())
      yardstick = (*buffer)->getBuffer().str();
    setSizes(*module, nest.shape);
    tile::KernelOp kernel = *module->getOps<tile::KernelOp>().begin();
    std::optional<Times> times = timeAnalysis(kernel, getArguments(kernel), *target.spec, yardstick);
    if (!times)
      return 1;
    double ratio = times->analysis / times->yardstick;
    bool tooLong = ratio > most * kSlowdown;
    over += tooLong;
    llvm::outs() << llvm::formatv("{0,8:f3} ms {1,6:f1}  {2}{3}\n", times->analysis, ratio, nest.file, tooLong ? "  TOO LONG" : "");
  }
  llvm::outs() << nests.size() << " analyses, " << over << " too long\n";
  return over ? 1 : 0;
}
