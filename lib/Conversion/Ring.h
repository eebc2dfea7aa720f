//===- Ring.h - A pipeline that warps of their own fill ------------*- C++ -*-===//

#ifndef TILEC_CONVERSION_RING_H
#define TILEC_CONVERSION_RING_H

#include "Lowering.h"

namespace tilec {

struct Ring {
  tile::ForOp loop;
  llvm::SmallVector<tile::StageOp> stages;
  int64_t slots;
  /// Barriers, one a slot.
  mlir::Value full, empty;
  /// The pipeline, and of the role that is emitted the turn of its threads.
  mlir::Value pipeline, turn;
  /// Of the threads that compute: the lane, and, where slots are given back in the next iteration, the slot that
  /// they have not given back yet, or -1.
  mlir::Value lane, held;
  /// The blocks that fill each other's slots, one where none does, and the rank of the one that the lane tells.
  analysis::BlockGroup sharers;
  mlir::Value sharer;

  mlir::Location getLoc() { return unnamed(loop.getLoc()); }
  bool isShared() const { return sharers.size() > 1; }
};

/// One thread asks for boxes of the tiles of `stages`, for slot `slot`; where a launch does not allow that, all copy them.
mlir::LogicalResult copyBulk(llvm::ArrayRef<tile::StageOp> stages, mlir::Value slot, Lowering &lowering);

} // namespace tilec

#endif // TILEC_CONVERSION_RING_H
