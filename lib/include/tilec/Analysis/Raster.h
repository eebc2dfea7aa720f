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
#include "tilec/Analysis/RasterOrder.h"

namespace tilec::analysis {

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
  /// Blocks that run at one time; a cluster is one.
  int64_t concurrent = 0;
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
