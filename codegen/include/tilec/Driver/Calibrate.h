//===- Calibrate.h - The machine that is present, measured -------*- C++ -*-===//
//
// Runs small kernels of tilec's own on the GPU present and writes a machine file with what they show. Standard types only.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DRIVER_CALIBRATE_H
#define TILEC_DRIVER_CALIBRATE_H

#include "tilec/Driver/Compiler.h"

#include <functional>
#include <string>

namespace tilec {

struct CalibrateOptions {
  /// What the machine is called in its file.
  std::string name = "calibrated";
  /// Explicit CUDA toolkit folder, tried before all others.
  std::string cudaPath;
  /// Told what is measured next.
  std::function<void(const std::string &)> onProgress;
};

struct CalibrateResult {
  Status status = Status::Missing;
  /// Where `status` is not Done.
  std::string error;
  /// A machine file: what the driver says and what was measured, over the nearest built-in machine of the same compute capability.
  std::string file;
  /// What was measured beside what that machine has, as a table.
  std::string table;
};

/// Takes some seconds, nearly all of them on the GPU.
CalibrateResult calibrate(const CalibrateOptions &options);

} // namespace tilec

#endif // TILEC_DRIVER_CALIBRATE_H
