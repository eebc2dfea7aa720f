//===- Reduction.h - Sums of units --------------------------------*- C++ -*-===//
//
// Inside of a loop on threads or blocks that says reduce, each unit adds to a partial
// tile of its own; after the loop the partial tiles become one. The order of
// combination is fixed, so results do not vary between runs.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_REDUCTION_H
#define TILEC_CONVERSION_REDUCTION_H

#include "Combine.h"
#include "RegisterTiles.h"
#include "SharedTiles.h"

namespace tilec {

/// The tiles that one loop reduces. From its begin to `finish` the nest's tiles are the partial ones.
class Reduction {
public:
  Reduction(Context &context, RegisterTiles &registers, tile::ForOp loop);

  Combiner &getCombiner() { return combiner; }
  /// The held tiles of the nest, those together that make tuples.
  llvm::ArrayRef<llvm::SmallVector<mlir::Value>> getGroups() const { return groups; }

  /// After a loop on threads: combines what they have by shuffles within a warp and through shared memory across warps.
  void finishThreads(Threads &threads, SharedTiles &shared);
  /// In a loop on threads with prefix, when each thread has what its own iteration makes of `held`: what the tile and all iterations before
  /// make, in a new array. What all iterations make is then in the array of the thread's own.
  mlir::Value scan(mlir::Value held, Threads &threads, SharedTiles &shared);
  /// After a loop whose partial tiles have become one.
  void finish();

private:
  /// An array in shared memory for each tile of a group whose values pass it; null for others.
  Indices createScratch(llvm::ArrayRef<mlir::Value> group, SharedTiles &shared);
  /// Across warps: each thread leaves a few runs of its `arrays` and combines them with those of its partners, which differ in `digit` only, in their order.
  void exchangeRuns(llvm::ArrayRef<mlir::Value> arrays, const tile::Digit &digit, llvm::ArrayRef<mlir::Value> scratch, Threads &threads);
  /// Combines `width` elements of the tuples that `arrays` make, from number `first` on, with those of `more`, or replaces them.
  void combineRuns(llvm::ArrayRef<mlir::Value> arrays, const IndexExpr &first, llvm::ArrayRef<mlir::Value> more, int64_t width, bool replaces);
  /// Combines the tiles of a group around the loop with the partial ones, of whose tuples `complete` makes those of all units.
  void addPartial(llvm::ArrayRef<mlir::Value> group, llvm::function_ref<Indices(Indices)> complete = {});

  Context &context;
  RegisterTiles &registers;
  tile::ForOp loop;
  Combiner combiner;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> groups;
  mlir::Location loc;
  /// The tiles as they are around the loop.
  llvm::DenseMap<mlir::Value, RegisterTile> outer;
};

} // namespace tilec

#endif // TILEC_CONVERSION_REDUCTION_H
