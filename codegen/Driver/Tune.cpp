//===- Tune.cpp - The fastest mapping, measured ------------------*- C++ -*-===//

#include "tilec/Driver/Tune.h"

#include "tilec/NVRTC/Compiler.h"
#include "tilec/Runtime/Device.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
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

/// All that the answer depends on: what is measured, for what sizes, on what device, compiled by whom. Empty where there is no device.
static std::string writeQuestion(llvm::ArrayRef<Candidate> candidates, const CompileOptions &compiling) {
  runtime::CudaSearch search = runtime::cudaSearchOfProcess(compiling.cudaPath);
  runtime::Result<runtime::Device> device = runtime::Device::open(search);
  runtime::Result<nvrtc::Compiler> compiler = nvrtc::Compiler::open(search);
  if (!device || !compiler)
    return "";
  const runtime::DeviceProperties &machine = device->properties();
  std::string question;
  llvm::raw_string_ostream os(question);
  os << "tilec " TILEC_VERSION ", NVRTC " << compiler->versionMajor() << "." << compiler->versionMinor() << ", " << machine.name << ", " << machine.smCount << " SMs at "
     << machine.clockKHz << " kHz, memory at " << machine.memoryClockKHz << " kHz, " << compiling.arch << "\n";
  for (const auto &[name, extent] : compiling.shape)
    os << name << "=" << extent << "\n";
  for (const Candidate &candidate : candidates)
    os << candidate.mapping << "\n" << candidate.nest;
  return question;
}

/// An answer: the number of lines, the lines, the nest.
static std::string writeAnswer(const TuneResult &result) {
  return std::to_string(result.lines.size()) + "\n" + llvm::join(result.lines, "\n") + "\n" + result.nest;
}

static TuneResult readAnswer(llvm::StringRef answer) {
  TuneResult result;
  auto [count, rest] = answer.split('\n');
  unsigned lines = 0;
  count.getAsInteger(10, lines);
  for (unsigned line = 0; line < lines; ++line) {
    auto [first, others] = rest.split('\n');
    result.lines.push_back(first.str());
    rest = others;
  }
  result.lines.push_back("as it was measured before; --cache=off measures again");
  result.nest = rest.str();
  result.status = Status::Done;
  return result;
}

TuneResult tilec::tune(const CompileResult &compiled, const CompileOptions &compiling, const RunOptions &running, unsigned count, const Answers &answers) {
  TuneResult result;
  if (compiled.searches.size() != 1) {
    result.lines = {"there are " + std::to_string(compiled.searches.size()) + " kernels whose mapping is open; one is tuned at a time"};
    return result;
  }
  // The nest of its kernel would not be called as the program is.
  if (!compiled.programs.empty()) {
    result.lines = {"'" + compiled.programs.front().name + "' becomes a program; only what stays one kernel is tuned"};
    return result;
  }
  llvm::ArrayRef<Candidate> best = llvm::ArrayRef(compiled.searches.front().best).take_front(count);
  std::string question = writeQuestion(best, compiling);
  if (std::optional<std::string> known = answers.find(question))
    return readAnswer(*known);
  RunOptions timing = running;
  timing.place = RunPlace::GPU;
  timing.verify = timing.againstCublas = false;
  timing.benchRepetitions = kRepetitions;
  timing.warmUpSeconds = kWarmUpSeconds;
  timing.saves.clear();
  result.lines.push_back("predicted us  measured us  mapping");
  std::optional<double> first, fastest;
  for (const Candidate &candidate : best) {
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
  if (!question.empty())
    answers.keep(question, writeAnswer(result));
  return result;
}
