//===- Prediction.h - How long a kernel takes ---------------------*- C++ -*-===//
//
// What each resource of the machine needs for a kernel's work, with what caches and
// the order of blocks can give, and the time that follows: units that wait for one
// another, and latency that the blocks of an SM do not hide.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_PREDICTION_H
#define TILEC_ANALYSIS_PREDICTION_H

#include "tilec/Analysis/BlockWork.h"
#include "tilec/Analysis/Capacity.h"
#include "tilec/Analysis/CutTail.h"
#include "tilec/Analysis/Occupancy.h"
#include "tilec/Analysis/Raster.h"
#include "tilec/Analysis/ThroughputMatching.h"

namespace tilec::analysis {

/// Cycles that one resource is busy, or that a block waits.
struct ResourceTime {
  /// "compute", "issue", "sfu", "smem", "l1", "l2", "dram", "starts", "latency" or "launch".
  std::string resource;
  double cycles = 0;
};

/// What one order of blocks gives.
struct OrderPrediction {
  RasterAnalysis raster;
  /// Requested bytes / those that DRAM delivers (formula 19).
  double sharing = 1;
  /// Bytes of results that L2 holds at the end.
  double keptBytes = 0;
  /// Bytes that DRAM delivers and takes, outputs included (formula 20).
  double dramBytes = 0;
};

struct Prediction {
  /// Of a thread, estimated (formula 29); the compiler's figure is taken for occupancy where it is
  /// known.
  int64_t registers = 0;
  Occupancy occupancy;
  Tail tail;
  /// Of a nest that cuts its last wave: its parts; `tail` counts them in.
  std::optional<CutTail> cutTail;
  /// The nest's own order, and what others would give.
  std::optional<RasterAnalysis> raster;
  std::vector<OrderPrediction> otherOrders;
  /// Of the nest's own order; 1 where there is none.
  double sharing = 1;
  /// Operand bytes that computation takes / bytes of inputs that DRAM delivers, of whole tiles:
  /// guaranteed reuse times what threads of a block and blocks of a wave share.
  std::optional<double> opportunisticReuse;
  /// Bytes that DRAM and L2 deliver and take, outputs included (formulas 20 and 21).
  double dramBytes = 0;
  double l2Bytes = 0;
  /// Those that DRAM takes.
  double writtenBytes = 0;
  /// Those of L2, each block's own: what a multicast delivers counts for each.
  double deliveredBytes = 0;
  /// Results of others that DRAM takes meanwhile.
  double foundBytes = 0;
  /// DRAM waits for split sectors (formula 38).
  double splitCycles = 0;
  /// Longest first.
  std::vector<ResourceTime> times;
  /// What the kernel would be faster with, of Record's limiters; empty where nothing is known.
  std::string limiter;
  /// Why it is that, in a clause: "busy for 79 % of the time".
  std::string limiterReason;
  /// Numbers that the time was made from and that are another machine's, by their paths in a machine file.
  std::vector<std::string> standIns;
  /// The most that one unit is busy: no order of the same work takes less.
  std::optional<double> leastCycles;
  /// The time (formula 33), and what follows from it; absent where the unit's rate is not known.
  std::optional<double> cycles;
  std::optional<double> seconds;
  std::optional<double> tflops;
  std::optional<double> fractionOfPeak;
};

/// Blocks that run together and bytes that they move; no times. `whole` is the traffic of whole
/// tiles. `registers` is what the compiler says a thread takes; absent before it has run.
Prediction predictTraffic(const NestModel &model, const NestTraffic &traffic,
                          const NestTraffic &whole, const Resources &resources,
                          const MachineSpec &machine,
                          std::optional<int64_t> registers = std::nullopt);

/// Adds the times that follow for `work`.
void predictTime(Prediction &prediction, const BlockWork &work, const NestTraffic &traffic,
                 const ThroughputMatch &match, const MachineSpec &machine);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_PREDICTION_H
