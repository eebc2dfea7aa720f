//===- RunReference.h - What a kernel should have computed -------*- C++ -*-===//
//
// The nest, executed in double precision on the values of host tensors.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_DRIVER_RUNREFERENCE_H
#define TILEC_CODEGEN_DRIVER_RUNREFERENCE_H

#include "RunPlan.h"

namespace tilec {

/// Of one written tensor, elements in row-major order.
struct ExpectedTensor {
  /// Index of the tensor in the description.
  size_t tensor = 0;
  std::vector<double> values;
  /// The same of a tensor of integers, in all their bits; empty for others.
  std::vector<int64_t> integers;
  /// What a kernel's value may differ by, 0 for nothing; infinite or NaN where the values give no bound.
  std::vector<double> bounds;
  /// 1 where the nest stores an element.
  std::vector<uint8_t> stored;
};

struct Expected {
  std::vector<ExpectedTensor> tensors;
  /// Blocks that were evaluated, of how many. Where these differ, only
  /// elements stored to are known.
  int64_t blocksChecked = 0, blocks = 0;
  /// Does the kernel add in floating point? Then the sign of a zero is not said (language.md, 1.2).
  bool adds = false;
};

/// One kernel of a nest's text.
class Reference {
public:
  /// Of kernel number `number` of `compiled`.
  Reference(const CompileResult &compiled, size_t number)
      : nest(compiled.nest), problem(compiled.problem), kernelName(compiled.kernels[number].name), kernel(compiled.kernels[number].launch) {}

  /// Of the function that `program` was made of, and what it was imported as.
  Reference(const CompileResult &compiled, const CompiledProgram &program)
      : problem(compiled.problem), kernelName(program.name), kernel(program.launch.arguments) {}

  /// Is there a kernel whose mapping was open, and can it be evaluated as a whole in a few seconds?
  bool isProblemSmall(const RunPlan &plan) const;

  /// Does some linalg op sum over an iterator? False for a nest that cannot be read.
  bool reduces() const;

  /// What the nest makes of the values that the tensors hold now. Where the nest was made for a kernel whose mapping was open, that is
  /// what is evaluated, as long as it is not too much work. A grid with
  /// too much work is sampled: corners first, then blocks spread evenly. At most
  /// `most` blocks where that is not 0. Runs on several threads where blocks are
  /// independent. Without `bounds` all of them are 0, which saves most of the time.
  runtime::Result<Expected> evaluate(const RunPlan &plan, const std::vector<runtime::HostTensor> &tensors, int64_t most = 0, bool bounds = true) const;

private:
  std::string nest, problem;
  std::string kernelName;
  const runtime::KernelDescription &kernel;
};

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_RUNREFERENCE_H
