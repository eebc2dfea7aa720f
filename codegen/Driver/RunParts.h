//===- RunParts.h - What runs of kernels and programs share ------*- C++ -*-===//

#ifndef TILEC_CODEGEN_DRIVER_RUNPARTS_H
#define TILEC_CODEGEN_DRIVER_RUNPARTS_H

#include "RunPlan.h"

namespace tilec {

/// An error where the user's wishes contradict each other.
runtime::MaybeError checkOptions(const RunOptions &options);

/// "M=64, N=32, alpha=1".
std::string describeShape(const runtime::KernelDescription &kernel, const RunPlan &plan);

/// Ends `result` with a status and its reason.
RunResult &reject(RunResult &result, Status status, const std::string &message);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_RUNPARTS_H
