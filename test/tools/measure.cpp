//===- measure.cpp - Times many kernels on the GPU, in one process ---*- C++ -*-===//
//
//   tilec-measure LIST TARGET [RUNS [cublas]]
//
// The file LIST has lines "FILE <tab> SHAPE", a shape as "m=64,n=8". The first kernel of each FILE is run at SHAPE: RUNS times,
// timed, after a quarter of a second of warm-up; without RUNS once, as a profiler wants it. `cublas`: each a matrix product, timed beside
// cublasLt at the best of its heuristics, in turns. One line of JSON for each, in their order and as soon as it is known:
// {"kernel", "registers", "seconds", "device"}, with cublas "share" too, or {"error"}.
//
// One process, since the driver takes seconds to start. All compile at once, and none runs before the last one has: a busy
// processor launches late, which short kernels would be blamed for.
//
//===----------------------------------------------------------------------===//

#include "NestList.h"

#include "tilec/Driver/Run.h"
#include "tilec/Runtime/CudaPaths.h"
#include "tilec/Runtime/Device.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

using namespace tilec;

namespace {

struct Line {
  ListedNest nest;
  CompileResult compiled;
  std::string error;
};

} // namespace

static void compileLine(Line &line, const std::string &target) {
  CompileOptions options;
  options.target = target;
  options.shape = line.nest.shape;
  options.onDiagnostic = [&](const Diagnostic &diagnostic) {
    if (diagnostic.severity == Severity::Error && line.error.empty())
      line.error = diagnostic.message;
  };
  auto buffer = llvm::MemoryBuffer::getFile(line.nest.file);
  if (!buffer)
    line.error = "cannot be read";
  else
    line.compiled = compile((*buffer)->getBuffer().str(), line.nest.file, options);
  if (line.error.empty() && (line.compiled.status != Status::Done || line.compiled.kernels.empty()))
    line.error = "there is no kernel";
}

static llvm::json::Object runLine(const Line &line, unsigned runs, bool cublas) {
  if (!line.error.empty())
    return llvm::json::Object{{"error", line.error}};
  RunOptions options;
  options.place = RunPlace::GPU;
  options.shape = line.nest.shape;
  options.verify = false;
  options.benchRepetitions = runs;
  options.warmUpSeconds = 0.25;
  options.againstCublas = cublas;
  RunResult ran = run(line.compiled, 0, options);
  if (ran.status != Status::Done)
    return llvm::json::Object{{"error", ran.lines.empty() ? "it did not run" : ran.lines.back()}};
  llvm::json::Object result{{"kernel", line.compiled.kernels[0].launch.symbol}};
  if (runs > 0)
    if (llvm::Expected<llvm::json::Value> measured = llvm::json::parse(ran.measuredJson)) {
      const llvm::json::Object &values = *measured->getAsObject();
      for (const char *key : {"registers", "seconds", "device"})
        if (const llvm::json::Value *value = values.get(key))
          result[key] = *value;
      if (const llvm::json::Object *rival = values.getObject("against"))
        result["share"] = rival->getNumber("share");
    }
  return result;
}

int main(int argc, char **argv) {
  unsigned runs = 0;
  bool cublas = argc == 5 && llvm::StringRef(argv[4]) == "cublas";
  if (argc < 3 || argc > (cublas ? 5 : 4) || (argc > 3 && llvm::StringRef(argv[3]).getAsInteger(10, runs))) {
    llvm::errs() << "usage: tilec-measure LIST TARGET [RUNS [cublas]]\n";
    return 2;
  }
  auto list = llvm::MemoryBuffer::getFile(argv[1]);
  if (!list) {
    llvm::errs() << "tilec-measure: no such list\n";
    return 1;
  }
  std::string target = argv[2];
  std::vector<Line> lines;
  for (ListedNest &nest : readNestList((*list)->getBuffer()))
    lines.push_back({std::move(nest), {}, {}});
  // Held open, so that each run finds a context.
  runtime::Result<runtime::Device> device = runtime::Device::open(runtime::cudaSearchOfProcess(""));
  std::atomic<size_t> next = 0;
  std::vector<std::thread> workers;
  unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < std::min<size_t>(cores, lines.size()); ++i)
    workers.emplace_back([&] {
      for (size_t number; (number = next++) < lines.size();)
        compileLine(lines[number], target);
    });
  for (std::thread &worker : workers)
    worker.join();
  // The first kernel on a cold device, once more than the others.
  if (runs > 0 && !lines.empty())
    runLine(lines.front(), runs, /*cublas=*/false);
  for (Line &line : lines) {
    llvm::outs() << llvm::json::Value(runLine(line, runs, cublas)) << "\n";
    llvm::outs().flush();
    line.compiled = CompileResult();
  }
  return 0;
}
