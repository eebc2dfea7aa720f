//===- RunBench.h - Timing a kernel on the GPU -------------------*- C++ -*-===//
//
// Medians of interleaved runs, beside cublasLt where the user asks for it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_DRIVER_RUNBENCH_H
#define TILEC_CODEGEN_DRIVER_RUNBENCH_H

#include "RunExecutor.h"

namespace tilec {

/// Times as RunOptions::benchRepetitions says; adds lines and measuredJson to
/// `result`, and its status where timing fails. `isProduct`: the kernel sums
/// products, so that three fitting tensors make it 2 m n k operations.
void benchKernel(const RunPlan &plan, const GPUExecutor &executor, const RunOptions &options, bool isProduct, RunResult &result);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_RUNBENCH_H
