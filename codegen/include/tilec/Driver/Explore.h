//===- Explore.h - One nest on other machines --------------------*- C++ -*-===//
//
// What if the machine had more of this, or the nest kept another operand?
// Standard types only, as Compiler.h.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DRIVER_EXPLORE_H
#define TILEC_DRIVER_EXPLORE_H

#include "tilec/Driver/Compiler.h"

#include <functional>

namespace tilec {

/// A figure of the machine and the values that it is tried with.
struct Variation {
  /// One of variationKeys().
  std::string key;
  /// In the unit of machine files; empty for half, once and twice the machine's own.
  std::vector<double> values;
};

struct ExploreOptions {
  /// Machine, shape and callback are used.
  CompileOptions compile;
  /// All combinations are tried.
  std::vector<Variation> variations;
  /// Each machine with each dataflow of the nest's tiles.
  bool compareDataflows = false;
  /// Is told how many machines have been tried, and of how many.
  std::function<void(size_t done, size_t all)> onProgress;
};

struct ExploreResult {
  Status status = Status::Rejected;
  /// The same as a table and as JSON.
  std::string text, json;
};

/// What can be varied: "sms", "dram_bandwidth", "smem_bytes", ...
std::vector<std::string> variationKeys();

enum class ExportFormat { Timeloop, AccelForge };

/// The kernel of `text`, the machine and the mapping as an input of Timeloop (YAML, version 0.4 of its format) or of AccelForge, as
/// `text` of the result. Rejects files of several kernels, and nests that such mappings cannot say.
ExploreResult exportNest(const std::string &text, const std::string &fileName, ExportFormat format, const CompileOptions &options);

/// Analyses the kernels of `text` on each machine. Rejects, with a diagnostic, over 4096 combinations,
/// keys and values that make no machine, and nests without other dataflows where these are asked for.
ExploreResult explore(const std::string &text, const std::string &fileName, const ExploreOptions &options);

} // namespace tilec

#endif // TILEC_DRIVER_EXPLORE_H
