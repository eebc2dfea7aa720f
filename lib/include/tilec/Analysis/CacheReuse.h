//===- CacheReuse.h - What L2 still has when it is read again ------*- C++ -*-===//
//
// A byte comes again after a window of consecutive blocks; L2 has it still where what the window touches fits. How many bytes windows
// of c blocks touch, on average, is known for every c from the tiles that they share, and says how many bytes come again after how long
// (Denning's working sets).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_CACHEREUSE_H
#define TILEC_ANALYSIS_CACHEREUSE_H

#include "tilec/Analysis/Raster.h"
#include "tilec/Machine/MachineSpec.h"

namespace tilec::analysis {

/// The grid's blocks in one order, as L2 sees them.
struct CacheReuse {
  /// Bytes of inputs that DRAM delivers (formula 19).
  double deliveredBytes = 0;
  /// Bytes of results that are in L2 at the end and nowhere else.
  double keptBytes = 0;
};

/// That L2, whose size is known, still has something when so many bytes have passed.
double findHitOdds(double bytes, const MachineSpec &machine);

/// `together` blocks run at once, `inStep` of them at the same step; the grid stores `results` bytes. Absent where the order is none of the grid's, or L2's size
/// is not known.
std::optional<CacheReuse> findCacheReuse(const NestModel &model, const NestTraffic &whole, const RasterOrder &order, int64_t together,
                                         double inStep, double results, const MachineSpec &machine);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_CACHEREUSE_H
