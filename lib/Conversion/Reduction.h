//===- Reduction.h - Sums of units --------------------------------*- C++ -*-===//
//
// Inside of a loop on threads or blocks that says reduce, each unit adds to a partial
// tile of its own; after the loop the partial tiles become one. The order of
// combination is fixed, so results do not vary between runs.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_REDUCTION_H
#define TILEC_CONVERSION_REDUCTION_H

#include "RegisterTiles.h"
#include "SharedTiles.h"
#include "llvm/ADT/MapVector.h"

namespace tilec {

/// The tiles that one loop reduces. From its begin to `finish` the nest's tiles are the partial ones.
class Reduction {
public:
  Reduction(Context &context, RegisterTiles &registers, tile::ForOp loop);

  tile::Combine getKind() const { return kind; }
  /// The held tiles of the nest.
  llvm::SmallVector<mlir::Value> getTiles() const { return llvm::to_vector(llvm::make_first_range(outer)); }

  /// After a loop on threads: combines what they have by shuffles within a warp and through shared memory across warps.
  void finishThreads(Threads &threads, SharedTiles &shared);
  /// After a loop on blocks whose partial tiles have become one.
  void finishBlocks();

private:
  /// Combines tile `held` around the loop with the partial one, of whose elements `complete` makes those of all units.
  void addPartial(mlir::Value held, llvm::function_ref<mlir::Value(mlir::Value)> complete = {});

  Context &context;
  RegisterTiles &registers;
  tile::ForOp loop;
  tile::Combine kind;
  mlir::Location loc;
  /// The tiles as they are around the loop.
  llvm::MapVector<mlir::Value, RegisterTile> outer;
};

} // namespace tilec

#endif // TILEC_CONVERSION_REDUCTION_H
