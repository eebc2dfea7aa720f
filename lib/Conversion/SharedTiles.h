//===- SharedTiles.h - Arrays in shared memory -------------------*- C++ -*-===//
//
// The block's arrays, placed by the plan, and where elements of staged and held
// tiles lie in them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_SHAREDTILES_H
#define TILEC_CONVERSION_SHAREDTILES_H

#include "Context.h"
#include "tilec/Analysis/SharedPlan.h"

namespace tilec {

/// A tile in shared memory: a flat array, and the elements from its start to
/// the slot that is meant (0, or a moving slot of a pipeline's ring).
struct SharedTile {
  mlir::Value buffer;
  mlir::MemRefType type;
  IndexExpr slot;
};

class SharedTiles {
public:
  explicit SharedTiles(Context &context) : context(context) {}

  /// Reads the plan of the kernel, and refuses one that leaves open where arrays lie.
  mlir::LogicalResult readPlan();
  /// Says to the function how many bytes the plan takes.
  void setBytes() const;

  const analysis::SharedPlan &getPlan() const { return plan; }
  /// Does the plan have this array?
  bool has(analysis::SharedUse use, mlir::Operation *op, mlir::Value held = {}) const { return plan.find(use, op, held); }
  /// An array of the plan, where the plan has put it.
  mlir::Value create(mlir::Location loc, analysis::SharedUse use, mlir::Operation *op, mlir::Type element, mlir::Value held = {});

  /// The array of the tile that `op` stages or holds. Refuses tiles that have no places for their elements.
  mlir::LogicalResult declare(mlir::Operation *op);
  /// The array of `root`; null where it lies elsewhere.
  const SharedTile *find(mlir::Value root) const;
  /// Slot `slot` of `slots` is meant from here on.
  void enterSlot(llvm::ArrayRef<tile::StageOp> stages, mlir::Value slot, int64_t slots);
  /// Where an element lies: an element number.
  mlir::Value getAddress(mlir::Location loc, const SharedTile &tile, const Coordinates &coordinates);

private:
  Context &context;
  analysis::SharedPlan plan;
  llvm::DenseMap<mlir::Value, SharedTile> tiles;
};

} // namespace tilec

#endif // TILEC_CONVERSION_SHAREDTILES_H
