//===- RunPlan.h - What a kernel is run on -----------------------*- C++ -*-===//
//
// The user's words (--shape, --arg) as sizes, scalars and layouts of tensors.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_DRIVER_RUNPLAN_H
#define TILEC_CODEGEN_DRIVER_RUNPLAN_H

#include "tilec/Driver/Run.h"
#include "tilec/Runtime/HostTensor.h"

namespace tilec {

struct TensorPlan {
  std::vector<int64_t> shape;
  /// In elements.
  std::vector<int64_t> strides;
  /// Elements between an address aligned to 256 bytes and element 0.
  int64_t offset = 0;
  /// A .npy file, or empty.
  std::string file;
};

/// One entry for each argument of the description, in its order.
struct RunPlan {
  std::vector<int64_t> sizes;
  /// As they read in their types.
  std::vector<double> scalars;
  std::vector<TensorPlan> tensors;
};

/// The extents of a kernel's sizes where nobody gives them; see defaultExtentOnCPU.
std::vector<int64_t> getDefaultExtents(const runtime::KernelDescription &kernel, const RunOptions &options, RunPlace place);

/// Resolves names, extents and strides. The error names what does not fit and
/// what the kernel has.
runtime::Result<RunPlan> planRun(const runtime::KernelDescription &kernel, const RunOptions &options,
                                 const std::vector<int64_t> &defaultExtents);

/// The same with 16 bytes more between rows (columns) wherever the kernel allows them and `options` say nothing of a gap: what
/// reads past a row does not meet the next one. Rows that began at multiples of 16 bytes still do.
RunPlan addGaps(const runtime::KernelDescription &kernel, const RunOptions &options, const RunPlan &plan);

/// Memory for the plan's tensors, holding the guard pattern.
runtime::Result<std::vector<runtime::HostTensor>> createTensors(const runtime::KernelDescription &kernel,
                                                                const RunPlan &plan);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_RUNPLAN_H
