//===- PointGuards.h - Points that a computation leaves out ------*- C++ -*-===//
//
// A linalg op runs on all points of its tiles, but for those where an element that it
// reads or writes in place does not exist, and those where an absent element, read as
// zero, would change what is stored.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_POINTGUARDS_H
#define TILEC_ANALYSIS_POINTGUARDS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilec::analysis {

/// Coordinate `dim` of the element of a staged tile that a point reads, in the kernel's operand that it is copied from.
struct StagedCoordinate {
  mlir::OpOperand *operand = nullptr;
  unsigned dim = 0;
};

/// What must exist for a point to run.
struct PointGuards {
  /// Elements that are read or written where they lie in DRAM.
  llvm::SmallVector<mlir::OpOperand *> inPlace;
  llvm::SmallVector<StagedCoordinate> staged;
};

/// Asks the nest alone: the indexing maps of `op` are sums, and its extents static.
PointGuards findGuards(mlir::linalg::LinalgOp op);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_POINTGUARDS_H
