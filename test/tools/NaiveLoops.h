//===- NaiveLoops.h - What the examples compute, in plain loops --*- C++ -*-===//
//
// An oracle that knows nothing of nests: each function is the formula in the
// first line of an example, written by hand.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TEST_TOOLS_NAIVELOOPS_H
#define TILEC_TEST_TOOLS_NAIVELOOPS_H

#include "tilec/Runtime/KernelDescription.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilec {

/// Operands of one run, by the names that the kernel gives them.
struct NaiveOperands {
  const runtime::KernelDescription &kernel;
  /// Row-major and compact, in the kernel's order.
  std::vector<std::vector<double>> values;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<double> scalars;

  std::vector<double> &of(const std::string &tensor);
  const std::vector<int64_t> &shapeOf(const std::string &tensor) const;
  /// 1 for alpha and 0 for beta where the kernel has none.
  double scalar(const std::string &name, double otherwise) const;
};

/// Writes what the kernel should; false where no formula is known for it.
bool runNaively(NaiveOperands &operands);

} // namespace tilec

#endif // TILEC_TEST_TOOLS_NAIVELOOPS_H
