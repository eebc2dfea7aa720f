//===- Prediction.h - The least time a kernel can take -----------*- C++ -*-===//
//
// What each resource of the machine needs for a kernel's work, with what caches and
// the order of blocks can give. The longest is the prediction; nothing is added for
// latency that is not hidden.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_PREDICTION_H
#define TILEC_ANALYSIS_PREDICTION_H

#include "tilec/Analysis/Capacity.h"
#include "tilec/Analysis/CutTail.h"
#include "tilec/Analysis/Occupancy.h"
#include "tilec/Analysis/Raster.h"
#include "tilec/Analysis/ThroughputMatching.h"

namespace tilec::analysis {

/// Cycles that one resource is busy.
struct ResourceTime {
  /// "compute", "issue", "smem", "l1", "l2", "dram" or "launch".
  std::string resource;
  double cycles = 0;
};

struct Prediction {
  Occupancy occupancy;
  Tail tail;
  /// Of a nest that cuts its last wave: its parts; `tail` counts them in.
  std::optional<CutTail> cutTail;
  /// The nest's own order, and what others would give: (order, factor over all waves).
  std::optional<RasterAnalysis> raster;
  std::vector<std::pair<RasterOrder, double>> otherOrders;
  /// Requested / unique bytes over all waves if L2 holds a wave's tiles, else 1 (formula 19).
  double sharing = 1;
  /// Operand bytes that computation takes / bytes of inputs that DRAM delivers, of whole tiles:
  /// guaranteed reuse times what threads of a block and blocks of a wave share.
  std::optional<double> opportunisticReuse;
  /// Bytes that DRAM and L2 deliver and take, outputs included (formulas 20 and 21).
  double dramBytes = 0;
  double l2Bytes = 0;
  /// Longest first.
  std::vector<ResourceTime> times;
  /// The longest, and what follows from it; absent where the unit's rate is not known.
  std::optional<double> cycles;
  std::optional<double> seconds;
  std::optional<double> tflops;
  std::optional<double> fractionOfPeak;
};

/// `registers` is what the compiler says a thread takes; absent before it has run. `order` is tried
/// instead of the nest's own, without comparing others. Fails with a diagnostic where whole tiles
/// cannot be counted.
mlir::FailureOr<Prediction> predict(const NestModel &model, const NestTraffic &traffic,
                                    const ThroughputMatch &match, const Resources &resources,
                                    const MachineSpec &machine,
                                    std::optional<int64_t> registers = std::nullopt,
                                    std::optional<RasterOrder> order = std::nullopt);

/// The smallest group of a raster, a power of two, with which opportunistic reuse from DRAM feeds
/// the units; tried by predicting with it. Absent where the nest's own order does, where none
/// does, and where order changes nothing.
std::optional<Suggestion> suggestRaster(const NestModel &model, const NestTraffic &traffic,
                                        const ThroughputMatch &match, const Resources &resources,
                                        const MachineSpec &machine, const Prediction &prediction);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_PREDICTION_H
