//===- Guards.h - Points that a computation leaves out -----------*- C++ -*-===//
//
// PointGuards.h says which, of the nest; here they are sums of the model's loops.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_ANALYSIS_GUARDS_H
#define TILEC_LIB_ANALYSIS_GUARDS_H

#include "CountingBox.h"

namespace tilec::analysis {

/// What must exist for a point of `compute` to run. The op's dimensions are the box's from `first`
/// on.
llvm::SmallVector<Presence> getGuards(const NestModel &model, const ComputeModel &compute,
                                      unsigned first);

} // namespace tilec::analysis

#endif // TILEC_LIB_ANALYSIS_GUARDS_H
