//===- Suggest.h - Changes that make a stage keep up -------------*- C++ -*-===//
//
// Tile sizes and cluster shapes are tried on a copy of the model: none is
// suggested that was not analysed.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_SUGGEST_H
#define TILEC_ANALYSIS_SUGGEST_H

#include "tilec/Analysis/ThroughputMatching.h"

namespace tilec::analysis {

/// Operand bytes that computation takes / bytes that leave `level` for inputs; absent
/// where either is nothing.
std::optional<double> guaranteedReuse(const NestTraffic &traffic, tile::Level level);

/// The smallest changes that bring what `from` delivers to `requiredReuse` and fit the machine:
/// larger tiles, and clusters where the machine has them.
std::vector<Suggestion> suggestChanges(const NestModel &model, tile::Level from,
                                       double requiredReuse, const MachineSpec &machine);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_SUGGEST_H
