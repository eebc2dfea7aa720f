//===- Guards.h - Points that a computation leaves out -----------*- C++ -*-===//
//
// A linalg op runs on all points of its tiles, but for those where an element that it
// reads or writes in place does not exist, and those where an absent element, read as
// zero, would change what is stored.
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
