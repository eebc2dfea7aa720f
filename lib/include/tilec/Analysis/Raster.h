//===- Raster.h - What blocks that run together share ------------*- C++ -*-===//
//
// Blocks run in waves. Blocks of one wave that read the same tile at the same
// time need it from DRAM once, if L2 holds it: the order in which blocks take the
// tiles of the grid decides how often that happens.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_RASTER_H
#define TILEC_ANALYSIS_RASTER_H

#include "tilec/Analysis/NestAnalysis.h"

namespace tilec::analysis {

/// In which order consecutive blocks take the tiles of a grid. All but `Row` and `Column`
/// need a grid of two dimensions.
struct RasterOrder {
  enum Kind {
    /// The last dimension is the fastest; the first is.
    Row,
    Column,
    /// Bands of `a` tiles along the first dimension, walked down before along.
    Grouped,
    /// Tile i of diagonal d is (i, i + d mod columns).
    Diagonal,
    /// Boxes of `a` x `b` tiles, row after row, and row after row inside.
    Boxes
  };
  Kind kind = Row;
  int64_t a = 1;
  int64_t b = 1;

  /// "row", "grouped = 8", "boxes = 2x2", ...
  std::string str() const;
};

/// The tile that block `block` takes in a grid of `counts` tiles.
llvm::SmallVector<int64_t, 3> tileOfBlock(const RasterOrder &order, int64_t block,
                                          llvm::ArrayRef<int64_t> counts);

/// Blocks that run at one time.
struct Wave {
  int64_t number = 0;
  int64_t blocks = 0;
  /// Bytes of whole tiles of inputs that the blocks ask L2 for (what threads of a block read
  /// together once), and of those that differ.
  int64_t requestedBytes = 0;
  int64_t uniqueBytes = 0;
  /// requested / unique (formula 16); 1 if nothing is requested.
  double factor() const;
};

struct RasterAnalysis {
  RasterOrder order;
  /// The first, a middle and the last wave; fewer if there are fewer.
  std::vector<Wave> waves;
  /// Sums over all waves: what DRAM delivers if each wave reads what differs once.
  Wave all;
  /// Bytes that one wave's distinct tiles take at one time: L2 must hold them for blocks to share.
  int64_t workingSetBytes = 0;
};

/// The order that the nest asks for; row where it says nothing.
RasterOrder rasterOf(const NestModel &model);

/// Waves of `concurrent` blocks in `order`. `whole` is the traffic of whole tiles. A cluster
/// counts as one block with the bytes that leave DRAM for it. Of a nest that cuts its last wave,
/// that wave comes first, and its blocks are its tiles. Absent where the grid is not
/// the outermost loop, is empty, or does not suit the order.
std::optional<RasterAnalysis> analyzeRaster(const NestModel &model, const NestTraffic &whole,
                                            const RasterOrder &order, int64_t concurrent);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_RASTER_H
