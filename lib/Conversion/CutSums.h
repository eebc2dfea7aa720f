//===- CutSums.h - Sums that several blocks have parts of ---------*- C++ -*-===//
//
// Who has not the whole of a cut tile (Grid.h) leaves its sums in a workspace; the
// last to do so adds them up in the order of the steps, whoever it is, and goes on
// with the tile. In a grid of clusters each block puts its tile together with those of
// its rank.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_CUTSUMS_H
#define TILEC_CONVERSION_CUTSUMS_H

#include "Grid.h"
#include "RegisterTiles.h"
#include "SharedTiles.h"

namespace tilec {

class CutSums {
public:
  CutSums(Context &context, Threads &threads, SharedTiles &shared, RegisterTiles &registers, Cluster &cluster, Grid &grid)
      : context(context), threads(threads), shared(shared), registers(registers), cluster(cluster), grid(grid), b(context.b) {}

  /// The held tiles that the cut loop adds to.
  void setSums(llvm::SmallVector<mlir::Value> tiles) { sums = std::move(tiles); }
  llvm::ArrayRef<mlir::Value> getSums() const { return sums; }
  /// Workspaces come in the order of the description: one for each of the sums, and one that counts parts.
  void addWorkspace(mlir::Value workspace) { workspaces.push_back(workspace); }

  /// Is `held` a sum of which this block may have a part that is not the first?
  bool isParted(mlir::Value held) const { return grid.getPart() && llvm::is_contained(sums, held); }
  /// After `cut`: true where this block has the whole sums, its own or all parts added.
  mlir::Value addParts(tile::ForOp cut);

private:
  /// One access of a workspace: `width` elements of a thread's array, from that at `indices` on, and where they lie.
  struct Run {
    mlir::Value held, array;
    Indices indices;
    int64_t width;
    mlir::Value workspace, at;
    /// Of a slot.
    int64_t slotElements;
  };
  /// Calls `body` with each run of elements of the sums that a thread holds, and slot `slot` of the workspaces.
  void forEachSum(mlir::Location loc, mlir::Value slot, llvm::function_ref<void(const Run &)> body);
  /// Leaves this block's sums, and counts them: true for the last part of the tile, with all of them added.
  mlir::Value leavePart(mlir::Location loc, mlir::Value done);
  /// Adds up the parts that blocks `first` to `last` have left, in their order.
  void sumParts(mlir::Location loc, mlir::Value first, mlir::Value last);
  /// The same of `count` parts from `from` on, of which there may be fewer.
  void sumFew(mlir::Location loc, mlir::Value from, mlir::Value last, int64_t count);
  /// The number of what a thread holds of a tile, among those that hold different elements.
  mlir::Value getHolder(mlir::Location loc, const tile::Distribution &distribution);
  /// Is it the first of those that hold the same? Null where each holds its own.
  mlir::Value isFirstHolder(mlir::Location loc, const tile::Distribution &distribution);
  /// The block that has the unit ahead of `end` of the cut wave, both of 64 bits.
  mlir::Value getOwner(mlir::Location loc, mlir::Value end);
  /// Where block (or cluster) `number` leaves its part of the tile.
  mlir::Value getPartSlot(mlir::Location loc, mlir::Value number);

  Context &context;
  Threads &threads;
  SharedTiles &shared;
  RegisterTiles &registers;
  Cluster &cluster;
  Grid &grid;
  mlir::OpBuilder &b;
  llvm::SmallVector<mlir::Value> sums, workspaces;
};

} // namespace tilec

#endif // TILEC_CONVERSION_CUTSUMS_H
