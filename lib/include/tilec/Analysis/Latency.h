//===- Latency.h - Bytes under way while a load is waited for ----*- C++ -*-===//
//
// Little's law: what arrives at some rate after some latency must be under way all
// the time. Tiles that blocks stage ahead, or that other blocks of the SM stage
// meanwhile, are what a nest has under way.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_LATENCY_H
#define TILEC_ANALYSIS_LATENCY_H

#include "tilec/Analysis/ThroughputMatching.h"

namespace tilec::analysis {

struct LatencyMatch {
  /// The first of the stages in question.
  mlir::Operation *op = nullptr;
  /// Cycles from a load's issue to its value, of DRAM at rest.
  double latencyCycles = 0;
  /// Bytes that a block stages in one iteration of its innermost staging loop.
  int64_t tileBytes = 0;
  /// Copies that the nest keeps of each such tile.
  int64_t depth = 1;
  /// Cycles until such tiles are there: latency + bytes / bandwidth (formula 23).
  double tileCycles = 0;
  /// Bytes that an SM must have under way to compute at full rate (formula 24).
  double neededBytes = 0;
  /// Bytes that it has: tiles that blocks stage ahead, and those of other blocks (formula 25).
  double inFlightBytes = 0;
  bool hidden = false;
};

/// For inputs staged in shared memory by `blocksPerSM` blocks of each SM. Absent without such
/// inputs, and where the machine's numbers are not known.
std::optional<LatencyMatch> matchLatency(const NestModel &model, const NestTraffic &traffic,
                                         const ThroughputMatch &match, int64_t blocksPerSM,
                                         const MachineSpec &machine);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_LATENCY_H
