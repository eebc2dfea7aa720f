//===- Combine.h - How partial results become one -----------------*- C++ -*-===//

#ifndef TILEC_CONVERSION_COMBINE_H
#define TILEC_CONVERSION_COMBINE_H

#include "Context.h"

namespace tilec {

/// How two partial results become one.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location loc, tile::Combine kind, mlir::Value lhs, mlir::Value rhs);
/// Is there an atomic operation for the `combine` of `op`? Else an error.
mlir::LogicalResult checkAtomic(tile::StoreOp op);
/// Combines an element of an array in global or shared memory with `value`, atomically, by a kind that checkAtomic allows.
void createAtomic(mlir::OpBuilder &builder, mlir::Location loc, tile::Combine kind, mlir::Value array, mlir::Value address, mlir::Value value);
/// Combines `width` elements of a flat array, from that at `first` on, with those of `more`.
void combineRun(Context &context, mlir::Location loc, tile::Combine kind, mlir::Value array, const Indices &first, mlir::Value more,
                int64_t width);

/// Stores `width` elements of an array, from that at `first` on, to shared memory at `to`.
void storeRun(Context &context, mlir::Location loc, mlir::Value shared, mlir::Value to, mlir::Value array, const Indices &first, int64_t width);

/// How the partial results of a loop become one: of each tile by the loop's kind, or of tiles that it ties together as the nest says.
class Combiner {
public:
  Combiner(Context &context, tile::ForOp loop) : context(&context), loop(loop) {}

  /// The tiles that the loop reduces, those together that make tuples.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> getGroups();
  /// The partial result that changes nothing, of an element of `held`.
  mlir::TypedAttr getNeutral(mlir::Value held);
  /// Does it matter which of two comes first?
  bool isOrdered() { return !loop.getReduce(); }
  /// What two tuples of one group make, that of lower iterations first.
  Indices combine(mlir::Location loc, mlir::ValueRange lower, mlir::ValueRange upper);

private:
  Context *context;
  tile::ForOp loop;
};

} // namespace tilec

#endif // TILEC_CONVERSION_COMBINE_H
