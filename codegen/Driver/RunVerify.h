//===- RunVerify.h - Holding a kernel against its nest -----------*- C++ -*-===//
//
// Runs a kernel on chosen values and compares with the reference.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_DRIVER_RUNVERIFY_H
#define TILEC_CODEGEN_DRIVER_RUNVERIFY_H

#include "RunExecutor.h"

namespace tilec {

/// Verifies as RunOptions::verify says; adds lines, the status and verifyJson
/// to `result`.
void verifyKernel(const CompileResult &compiled, const CompiledKernel &kernel, const RunPlan &plan, Executor &executor,
                  const RunOptions &options, RunResult &result);

/// Fills tensors with the user's files, or else random numbers of [-1, 1);
/// tensors that are only written with NaN (integers: -77).
runtime::MaybeError fillForUse(const runtime::KernelDescription &kernel, const RunPlan &plan, uint64_t seed,
                               std::vector<runtime::HostTensor> &tensors);

/// Keeps the tensors that `options` name in `result`.
void saveTensors(const runtime::KernelDescription &kernel, const RunOptions &options, const std::vector<runtime::HostTensor> &tensors,
                 RunResult &result);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_RUNVERIFY_H
