//===- ClusterPlan.h - What blocks of a cluster do together ------*- C++ -*-===//
//
// A block's rank in its cluster has a digit for each induction variable of the
// loop on block. Blocks whose digits differ only where a tile does not depend on
// them want the same tile: each copies a slice of it for all.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_CLUSTERPLAN_H
#define TILEC_ANALYSIS_CLUSTERPLAN_H

#include "tilec/Tile/Tile.h"

namespace tilec::analysis {

/// PTX ISA 9.7.9.27: the mask of a multicast has 16 bits, one a block; no device has larger clusters.
constexpr int64_t kMostClusterBlocks = 16;

/// One induction variable's part of the rank: rank / stride % count. The last is the fastest.
struct RankDigit {
  mlir::Value iv;
  int64_t count;
  int64_t stride;
};

/// The loop on block inside of a loop on cluster; null where there is none.
tile::ForOp getClusteredLoop(tile::KernelOp kernel);

/// The digits of a block's rank; an extent that is not static counts as 1.
llvm::SmallVector<RankDigit> getRankDigits(tile::ForOp blocks);

/// The blocks of a cluster, 1 for no loop.
int64_t getClusterSize(tile::ForOp blocks);

/// Blocks of one cluster that differ in some digits only.
struct BlockGroup {
  /// Digits in which they differ, outermost first.
  llvm::SmallVector<RankDigit> own;
  /// Digits that they have in common.
  llvm::SmallVector<RankDigit> common;

  int64_t size() const;
  /// The ranks, as bits, of the group whose common digits are 0. The others' are shifted.
  int64_t ranks() const;
};

/// The blocks that stage the same tiles as one of them, in all of `stages`, or join in one that does.
BlockGroup getSharers(tile::ForOp blocks, llvm::ArrayRef<tile::StageOp> stages);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_CLUSTERPLAN_H
