//===- Ring.h - A pipeline that warps of their own fill ------------*- C++ -*-===//

#ifndef TILEC_CONVERSION_RING_H
#define TILEC_CONVERSION_RING_H

#include "Lowering.h"

namespace tilec {

struct Ring {
  tile::ForOp loop;
  llvm::SmallVector<tile::StageOp> stages;
  int64_t slots = 0;
  /// Barriers, one a slot, and where teams read slots in turn one a team.
  mlir::Value full, empty, order;
  int64_t teams = 1;
  /// The pipeline, and of the role that is emitted the turn of its threads.
  mlir::Value pipeline, turn;
  /// Of the threads that compute: the lane, and, where slots are given back in the next iteration, the slot that
  /// they have not given back yet, or -1.
  mlir::Value lane, held;
  /// Does TMA copy all tiles wherever a launch lets it? Then one thread fills the slots where `alone` holds; null: always.
  bool byBoxes = false;
  mlir::Value alone;
  /// The blocks that fill each other's slots, one where none does, and the rank of the one that the lane tells.
  analysis::BlockGroup sharers;
  mlir::Value sharer;

  mlir::Location getLoc() { return unnamed(loop.getLoc()); }
  bool isShared() const { return sharers.size() > 1; }
};

/// What a launch must be like for boxes of the tiles of `stages`, as a condition; null for nothing.
mlir::Value getBulkCondition(llvm::ArrayRef<tile::StageOp> stages, Lowering &lowering);
/// One thread asks for boxes of the tiles of `stages`, for slot `slot`; where a launch does not allow that, all copy them. Of a ring that is
/// filled by boxes, the one that fills slots, or all, also arrive.
mlir::LogicalResult copyBulk(llvm::ArrayRef<tile::StageOp> stages, mlir::Value slot, Lowering &lowering);
/// This producer's copies to slot `slot` are on their way.
void commitCopies(mlir::Value slot, Lowering &lowering);

} // namespace tilec

#endif // TILEC_CONVERSION_RING_H
