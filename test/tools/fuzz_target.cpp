//===- fuzz_target.cpp - Texts that are compiled in one process -*- C++ -*-===//
//
// A program that embeds tilec, for test/tools/fuzz.py: reads a job a line from
// standard input, compiles or explores its text, and answers with a line. What a
// hostile text does to it, it would do to any such program.
//
//   {"text": ..., "target": ..., "cubin": ..., "explore": ..., "shape": {...}}
//   {"status": ..., "errors": ..., "seconds": ..., "megabytes": ..., "why": ...}
//
// "seconds" are processor time, "megabytes" the most that the process has taken so far.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/Explore.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <ctime>
#include <iostream>
#include <sys/resource.h>

using namespace tilec;

static llvm::json::Object answer(const llvm::json::Object &job) {
  int errors = 0;
  std::string why;
  CompileOptions options;
  options.target = job.getString("target").value_or("sm80").str();
  options.cubin = job.getBoolean("cubin").value_or(false);
  if (const llvm::json::Object *shape = job.getObject("shape"))
    for (const auto &[name, extent] : *shape)
      options.shape[name.str()] = extent.getAsInteger().value_or(0);
  options.onDiagnostic = [&](const Diagnostic &diagnostic) {
    if (diagnostic.severity != Severity::Error)
      return;
    if (errors++ == 0)
      why = diagnostic.message;
  };
  std::string text = job.getString("text").value_or("").str();
  // Bytes that are no UTF-8 come as hexadecimal digits.
  if (std::optional<llvm::StringRef> bytes = job.getString("bytes"))
    text = llvm::fromHex(*bytes);
  clock_t start = std::clock();
  Status status;
  if (job.getBoolean("explore").value_or(false)) {
    ExploreOptions exploring;
    exploring.compile = options;
    exploring.variations = {{"smem_bytes", {}}};
    status = explore(text, "fuzzed.mlir", exploring).status;
  } else {
    status = compile(text, "fuzzed.mlir", options).status;
  }
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return llvm::json::Object{{"status", int(status)},
                            {"errors", errors},
                            {"seconds", double(std::clock() - start) / CLOCKS_PER_SEC},
                            {"megabytes", int64_t(usage.ru_maxrss / 1024)},
                            {"why", llvm::json::fixUTF8(why)}};
}

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    llvm::Expected<llvm::json::Value> job = llvm::json::parse(line);
    if (!job || !job->getAsObject()) {
      llvm::errs() << "not a job: " << line << "\n";
      return 2;
    }
    llvm::outs() << llvm::json::Value(answer(*job->getAsObject())) << "\n";
    llvm::outs().flush();
  }
  return 0;
}
