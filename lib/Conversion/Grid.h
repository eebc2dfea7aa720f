//===- Grid.h - Blocks and their tiles ----------------------------*- C++ -*-===//
//
// The outermost loop: which tiles a block takes, in which order. A block (or, where
// that loop is on cluster, all blocks of a cluster together) takes one tile, or,
// where the loop is persistent, every G-th from its own number on, for G blocks.
//
// Where a loop in it is cut, T tiles and G blocks are T / G whole waves and T % G
// tiles more. The steps of those, S each, are dealt out in even, contiguous shares,
// tile after tile, and done before the whole tiles. A share is at most S steps, so it
// touches at most two tiles, and where G is nearly a multiple of T % G one. No block
// waits for another. In a grid of clusters all of this is about clusters and tiles of
// theirs: the blocks of a cluster take the same steps.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_GRID_H
#define TILEC_CONVERSION_GRID_H

#include "Cluster.h"
#include "GridMath.h"
#include "Loops.h"

namespace tilec {

/// The last wave of a grid that is cut, and this block's share of it. In a grid of clusters tiles are those of clusters,
/// and a cluster is meant by a block.
struct CutWave {
  /// Steps of a tile, tiles that no block parts, for each block, and tiles of the cut wave.
  mlir::Value steps, wholeTiles, cutTiles;
  /// Steps of the whole cut wave (64 bits), and blocks that share them.
  mlir::Value units, shares;
  /// This block's share is parts of so many tiles from the first on. The first part begins with step `beginStep` of its
  /// tile, the last one ends ahead of step `endStep` of its.
  mlir::Value firstTile, parts, beginStep, endStep;
};

/// A tile of a grid whose last wave is cut, or a part of it.
struct TilePart {
  /// Number of the tile.
  mlir::Value tile;
  /// What this block does of it.
  StepRange steps;
};

/// Teams of a block's threads that take its tiles in turn: this thread's, of so many.
struct TeamTurn {
  mlir::Value team;
  int64_t teams;
};

class Grid {
public:
  Grid(Context &context, const Cluster &cluster) : context(context), cluster(cluster), b(context.b), index(context.index) {}

  /// Emits what is the same for all tiles of a block, once, ahead of all that calls forEachTile.
  void enter(tile::ForOp loop);
  /// Emits `body` with the induction variables of the grid's loop mapped to a tile of this block: once, or,
  /// where the loop is persistent, in a loop over the block's tiles. Parts of the block that do different
  /// things call it each for themselves. With `turn` those are the tiles of a team.
  mlir::LogicalResult forEachTile(tile::ForOp loop, llvm::function_ref<mlir::LogicalResult()> body, std::optional<TeamTurn> turn = {});
  /// Steps of a loop on time over a number or a size.
  mlir::Value countSteps(tile::ForOp loop, mlir::Location named);

  /// Number of this block (of this cluster, where the grid is of clusters).
  mlir::Value getBlock() const { return block; }
  /// Of a grid with a cut loop.
  const CutWave &getCutWave() const { return *wave; }
  /// Of such a grid, while a tile of it is emitted.
  const std::optional<TilePart> &getPart() const { return part; }
  std::optional<StepRange> getCutSteps() const { return part ? std::optional(part->steps) : std::nullopt; }

private:
  /// Tiles along each induction variable: a constant, or (extent + step - 1) / step.
  llvm::SmallVector<mlir::Value> countTiles(tile::ForOp loop);
  /// (extent + step - 1) / step.
  mlir::Value divideUp(mlir::Location loc, mlir::Location named, mlir::Value extent, int64_t step);
  /// Deals out the last wave of a grid with a cut loop in it.
  void cutWave(tile::ForOp loop);
  /// forEachTile for a loop with a cut loop in it: parts of cut tiles first, then whole tiles.
  mlir::LogicalResult forEachPart(tile::ForOp loop, llvm::function_ref<mlir::LogicalResult()> body);
  /// Maps the induction variables to tile `number` in the order of the raster.
  void enterTile(tile::ForOp loop, mlir::Value number);

  Context &context;
  const Cluster &cluster;
  mlir::OpBuilder &b;
  IndexBuilder &index;
  mlir::Value block;
  /// Of a persistent grid: all tiles, and blocks (clusters).
  mlir::Value allTiles, blocks;
  /// Which tile has which number.
  std::optional<analysis::RasterWalk<GridMath>> order;
  std::optional<CutWave> wave;
  std::optional<TilePart> part;
};

} // namespace tilec

#endif // TILEC_CONVERSION_GRID_H
