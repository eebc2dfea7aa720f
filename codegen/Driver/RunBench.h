//===- RunBench.h - Timing a kernel on the GPU -------------------*- C++ -*-===//
//
// Medians of interleaved runs, beside cublasLt where the user asks for it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_DRIVER_RUNBENCH_H
#define TILEC_CODEGEN_DRIVER_RUNBENCH_H

#include "RunExecutor.h"

namespace tilec {

/// A kernel or a program that is ready on a device.
struct Launched {
  /// What it is called with.
  const runtime::KernelDescription &arguments;
  const runtime::Device &device;
  /// What it was compiled for, and the most registers that a thread takes.
  std::string arch;
  int registers = 0;
  std::function<runtime::MaybeError(const runtime::LaunchArguments &, runtime::Stream &)> launch;
};

/// Times as RunOptions::benchRepetitions says; adds lines and measuredJson to
/// `result`, and its status where timing fails. `isProduct`: it sums
/// products, so that three fitting tensors make it 2 m n k operations.
void benchmarkLaunch(const RunPlan &plan, const Launched &launched, const RunOptions &options, bool isProduct, RunResult &result);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_RUNBENCH_H
