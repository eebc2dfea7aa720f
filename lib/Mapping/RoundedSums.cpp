//===- RoundedSums.cpp - Products that tensor cores cannot add up -*- C++ -*-===//
//
// What `linalg.matmul` of 16-bit floats into 16-bit floats says: each sum is rounded to 16 bits before the next product is added. Tensor cores add up in f32.
//
//===----------------------------------------------------------------------===//

#include "Schemes.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "tilec/Mapping/Mapping.h"

using namespace mlir;
using namespace tilec;

void mapping::warnOfRoundedSums(tile::KernelOp kernel, const MachineSpec &machine) {
  kernel.walk([&](linalg::LinalgOp op) {
    if (!linalg::isaContractionOpInterface(op))
      return;
    FailureOr<linalg::ContractionDimensions> dims = linalg::inferContractionDims(op);
    if (failed(dims) || dims->m.empty() || dims->n.empty())
      return;
    Type sum = getElementTypeOrSelf(op.getDpsInits().front().getType());
    bool isNarrow = sum.isBF16() || sum.isF16();
    if (!isNarrow || llvm::any_of(op.getDpsInputs(), [&](Value input) { return getElementTypeOrSelf(input.getType()) != sum; }))
      return;
    MathType type = *getMathType(sum);
    if (machine.rate(MathUnit::Wgmma, type) || machine.rate(MathUnit::Mma, type))
      op->emitWarning("adds up in ") << sum << " and rounds each sum, which no instruction of tensor cores does; a result of f32 that arith.truncf rounds to " << sum
                                     << " at the end is computed by them";
  });
}
