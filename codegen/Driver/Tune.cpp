//===- Tune.cpp - The fastest mapping, measured ------------------*- C++ -*-===//

#include "tilec/Driver/Tune.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;

namespace {
/// The device is warm after the first candidate; each gets this long to settle.
constexpr double kWarmUpSeconds = 0.5;
constexpr unsigned kRepetitions = 15;
} // namespace

static std::string formatLine(double predicted, double measured, const std::string &mapping) {
  std::string line;
  llvm::raw_string_ostream(line) << llvm::format("%12.1f %12.1f  ", predicted * 1e6, measured * 1e6) << mapping;
  return line;
}

TuneResult tilec::tune(const CompileResult &compiled, const CompileOptions &compiling, const RunOptions &running, unsigned count) {
  TuneResult result;
  if (compiled.searches.size() != 1) {
    result.lines = {"there are " + std::to_string(compiled.searches.size()) + " kernels whose mapping is open; one is tuned at a time"};
    return result;
  }
  const std::vector<Candidate> &best = compiled.searches.front().best;
  RunOptions timing = running;
  timing.place = RunPlace::GPU;
  timing.verify = timing.againstCublas = false;
  timing.benchRepetitions = kRepetitions;
  timing.warmUpSeconds = kWarmUpSeconds;
  timing.saves.clear();
  result.lines.push_back("predicted us  measured us  mapping");
  std::optional<double> first, fastest;
  for (const Candidate &candidate : llvm::ArrayRef(best).take_front(count)) {
    CompileOptions silent = compiling;
    silent.onDiagnostic = nullptr;
    silent.cuda = silent.cubin = true;
    CompileResult built = compile(candidate.nest, compiled.fileName, silent);
    if (built.status != Status::Done) {
      result.lines.push_back("  cannot be compiled      " + candidate.mapping);
      continue;
    }
    RunResult ran = run(built, 0, timing);
    if (ran.status != Status::Done || !ran.medianSeconds) {
      result.status = ran.status;
      result.lines.insert(result.lines.end(), ran.lines.begin(), ran.lines.end());
      return result;
    }
    result.lines.push_back(formatLine(candidate.seconds, *ran.medianSeconds, candidate.mapping));
    if (!first)
      first = ran.medianSeconds;
    if (!fastest || *ran.medianSeconds < *fastest) {
      fastest = ran.medianSeconds;
      result.nest = candidate.nest;
    }
  }
  if (!fastest)
    return result;
  std::string share;
  llvm::raw_string_ostream(share) << "the choice of the analysis takes " << llvm::format("%.3f", *first / *fastest) << " times as long as the fastest";
  result.lines.push_back(share);
  result.status = Status::Done;
  return result;
}
