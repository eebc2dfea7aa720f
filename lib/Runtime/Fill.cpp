//===- Fill.cpp - Values for a kernel to be tried on ---------------*- C++ -*-===//

#include "tilec/Runtime/Fill.h"

#include <algorithm>

void tilec::runtime::fillWhole(const KernelDescription &kernel, size_t number, const std::vector<int64_t> &sizes, uint64_t seed, HostTensor &tensor) {
  const std::vector<Extent> &numbered = kernel.tensors[number].numbered;
  if (numbered.empty())
    return fillIntegers(tensor, seed);
  int64_t last = maxExtent;
  for (const Extent &extent : numbered)
    last = std::min(last, (extent.size ? sizes[*extent.size] : extent.value) - 1);
  last = std::max<int64_t>(last, 0);
  if (kernel.tensors[number].unique)
    fillDistinct(tensor, seed, last + 1);
  else
    fillIntegers(tensor, seed, 0, static_cast<int>(last));
}
