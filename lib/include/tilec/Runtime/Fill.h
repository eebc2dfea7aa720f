//===- Fill.h - Values for a kernel to be tried on -----------------*- C++ -*-===//

#ifndef TILEC_RUNTIME_FILL_H
#define TILEC_RUNTIME_FILL_H

#include "tilec/Runtime/HostTensor.h"
#include "tilec/Runtime/KernelDescription.h"

namespace tilec::runtime {

/// Fills operand `number` of `kernel` at these sizes with integers, a pure function of the seed: from -4 to 4, indices with numbers of
/// elements that there are, all different where that is asked for and there are enough.
void fillWhole(const KernelDescription &kernel, size_t number, const std::vector<int64_t> &sizes, uint64_t seed, HostTensor &tensor);

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_FILL_H
