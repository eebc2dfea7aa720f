//===- ClusterReduce.h - Reductions over blocks of a cluster -----*- C++ -*-===//
//
// What the blocks of a cluster exchange through each other's shared memory where
// a loop on block reduces, and how.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_CLUSTERREDUCE_H
#define TILEC_ANALYSIS_CLUSTERREDUCE_H

#include "tilec/Analysis/NestAnalysis.h"

namespace tilec::analysis {

/// The most bytes of a partial tile that a thread moves at once.
constexpr int64_t kExchangeBytes = 16;

/// How many of a thread's `elements` of a partial tile one access moves: up to kExchangeBytes.
int64_t getExchangeWidth(int64_t elements, int64_t elementBytes);

/// The loop on block of `model` that reduces over a cluster of more than one block; null where there is none.
tile::ForOp getReducingLoop(const NestModel &model);

/// What the partial tiles of all clusters move (formula 36): each block but the first of its cluster writes its own to shared
/// memory, and the first reads them from there. Empty where nothing reduces.
std::vector<Transfer> countExchange(const NestModel &model);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_CLUSTERREDUCE_H
