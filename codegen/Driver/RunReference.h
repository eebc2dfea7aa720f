//===- RunReference.h - What a kernel should have computed -------*- C++ -*-===//
//
// The nest, executed in double precision on the values of host tensors.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_DRIVER_RUNREFERENCE_H
#define TILEC_CODEGEN_DRIVER_RUNREFERENCE_H

#include "RunPlan.h"

namespace tilec {

/// What the scalar operations of a nest mean for its rounding errors.
struct Arithmetic {
  /// The first operation that rounds even on integers; empty for none.
  std::string rounding;
  /// Significant bits of the narrowest floating-point type computed in; 53
  /// where there is none.
  int significandBits = 53;
  /// Operations in the text of the nest.
  int64_t operations = 0;
  /// Binary digits right of the point that scalars and constants can add to a
  /// result computed from integers.
  int fractionBits = 0;
  /// Some linalg op sums over an iterator.
  bool reduces = false;
};

/// Of one written tensor, elements in row-major order.
struct ExpectedTensor {
  /// Index of the tensor in the description.
  size_t tensor = 0;
  std::vector<double> values, magnitudes;
  /// 1 where the nest stores an element.
  std::vector<uint8_t> stored;
};

struct Expected {
  std::vector<ExpectedTensor> tensors;
  /// Blocks that were evaluated, of how many. Where these differ, only
  /// elements stored to are known.
  int64_t blocksChecked = 0, blocks = 0;
};

/// One kernel of a nest's text.
class Reference {
public:
  /// `nest` as in CompileResult.
  Reference(std::string nest, std::string kernelName, const runtime::KernelDescription &kernel)
      : nest(std::move(nest)), kernelName(std::move(kernelName)), kernel(kernel) {}

  runtime::Result<Arithmetic> analyze(const std::vector<double> &scalars) const;

  /// What the nest makes of the values that the tensors hold now. A grid with
  /// too much work is sampled: corners first, then blocks spread evenly. At most
  /// `most` blocks where that is not 0. Runs on several threads where blocks are
  /// independent.
  runtime::Result<Expected> evaluate(const RunPlan &plan, const std::vector<runtime::HostTensor> &tensors, int64_t most = 0) const;

private:
  std::string nest;
  std::string kernelName;
  const runtime::KernelDescription &kernel;
};

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_RUNREFERENCE_H
