//===- LowerBound.h - The least that any order must move ---------*- C++ -*-===//
//
// However a computation is tiled, with so much memory on chip it must read so many
// bytes: how far a nest is from that.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_LOWERBOUND_H
#define TILEC_ANALYSIS_LOWERBOUND_H

#include "tilec/Analysis/Capacity.h"
#include "tilec/Analysis/NestAnalysis.h"

namespace tilec::analysis {

struct LowerBound {
  /// Bytes of shared memory and of register tiles that one block uses.
  int64_t capacityBytes = 0;
  /// Iterations of the computation, each once.
  double iterations = 0;
  /// Iterations that can be done with X bytes in reach grow as X^exponent.
  double exponent = 1;
  /// Bytes of inputs and of partial results that all blocks together must read at least (formula 34), from L2 or from beyond it:
  /// what DRAM moves is less where blocks share.
  double bytes = 0;
  /// Bytes of these that they read, and moved / bytes.
  double movedBytes = 0;
  double distance = 0;
  /// The formula with its numbers, and where it comes from.
  std::string formula;
};

/// Of computations that reduce and whose operands are indexed by single iteration dimensions, at most two inputs and
/// one output, that which must read most. Absent without any, of which the bound is not known.
std::optional<LowerBound> findLowerBound(const NestModel &model, const NestTraffic &traffic,
                                         const Resources &resources);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_LOWERBOUND_H
