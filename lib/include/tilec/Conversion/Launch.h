//===- Launch.h - What a nest says about its launch --------------*- C++ -*-===//
//
// The launch contract of a tile.kernel: arguments, parameters, grid and threads.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_LAUNCH_H
#define TILEC_CONVERSION_LAUNCH_H

#include "tilec/Analysis/ClusterPlan.h"
#include "tilec/Runtime/KernelDescription.h"
#include "tilec/Tile/Tile.h"

namespace tilec {

/// All threads of a block: those that compute, and producers.
int64_t getBlockThreads(tile::KernelOp kernel);

/// The stages that say copy(tma), in their order: each has a tensor map.
llvm::SmallVector<tile::StageOp> getBulkStages(tile::KernelOp kernel);

/// How a stage that says copy(tma) is copied.
struct BulkCopy {
  runtime::TensorMapArgument map;
  /// The blocks that want the same tile; the first `slices` of them copy a box each for all.
  analysis::BlockGroup sharers;
  int64_t slices = 1;
  /// The dimension of the map that the tile is sliced along.
  unsigned sliced = 0;
};

/// Fails with a diagnostic where the tile's layout or the operand's is not a box's.
mlir::FailureOr<BulkCopy> describeBulkCopy(tile::StageOp stage);

/// The launch contract, without the shared memory, which lowering decides. Fails
/// with a diagnostic for element types that no kernel argument can have.
mlir::FailureOr<runtime::KernelDescription> describeLaunch(tile::KernelOp kernel);

} // namespace tilec

#endif // TILEC_CONVERSION_LAUNCH_H
