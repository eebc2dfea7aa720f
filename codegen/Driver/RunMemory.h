//===- RunMemory.h - What a run takes on the host ----------------*- C++ -*-===//

#ifndef TILEC_CODEGEN_DRIVER_RUNMEMORY_H
#define TILEC_CODEGEN_DRIVER_RUNMEMORY_H

#include "RunPlan.h"

namespace tilec {

/// An error where tensors of this plan, and what a comparison keeps beside them, do not fit into the memory that is free.
runtime::MaybeError checkMemory(const runtime::KernelDescription &kernel, const RunPlan &plan, bool compares);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_RUNMEMORY_H
