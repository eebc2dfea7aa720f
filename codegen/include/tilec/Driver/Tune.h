//===- Tune.h - The fastest mapping, measured ---------------------*- C++ -*-===//
//
// The analysis chooses a mapping without a GPU; where there is one, its best
// choices can be measured. Standard types only, as Compiler.h.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DRIVER_TUNE_H
#define TILEC_DRIVER_TUNE_H

#include "tilec/Driver/Answers.h"
#include "tilec/Driver/Run.h"

namespace tilec {

struct TuneResult {
  /// Done, or why nothing was measured; `lines` say it.
  Status status = Status::Rejected;
  /// A table for the user: each mapping with its predicted and its measured time, and how far the analysis' choice was from the fastest.
  std::vector<std::string> lines;
  /// The fastest nest, as a file of its own.
  std::string nest;
};

/// Measures the best `count` candidates of the only search of `compiled` on the GPU. `compiling` and `running` are the options
/// of the compilation and of a run; each candidate is timed on its own, and its result is not verified. What `answers` have for the
/// same candidates, sizes, device, tilec and NVRTC is not measured again.
TuneResult tune(const CompileResult &compiled, const CompileOptions &compiling, const RunOptions &running, unsigned count, const Answers &answers);

} // namespace tilec

#endif // TILEC_DRIVER_TUNE_H
