//===- LaunchPlan.h - What launching a kernel takes ---------------*- C++ -*-===//
//
// What follows from a nest's loops for whoever launches it: grid, threads, memory, tensor maps. `tile-plan-launch` writes it as
// tile.launch, which the lowering and the launcher read.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_LAUNCHPLAN_H
#define TILEC_ANALYSIS_LAUNCHPLAN_H

#include "tilec/Tile/Tile.h"

namespace tilec::analysis {

struct LaunchPlan {
  /// Of the loops on cluster or block: extents and steps of their induction variables, outermost first.
  llvm::SmallVector<mlir::OpFoldResult> extents;
  llvm::SmallVector<int64_t> steps;
  /// Of a block: those that compute, and producers.
  int64_t threads = 1;
  /// Blocks of a cluster, 1 for none.
  int64_t cluster = 1;
  /// Blocks that an SM must have registers for; absent where the compiler is free.
  std::optional<int64_t> minBlocks;
  /// Shared memory of a block, and whether it is dynamic.
  int64_t smemBytes = 0;
  bool dynamicSmem = false;
  /// Tensor maps of the stages with copy(tma), in their order (tile::BoxAttr); what parts of cut tiles lie in (tile::WorkspaceAttr).
  llvm::SmallVector<mlir::Attribute> maps, workspaces;
};

/// What the loops of `kernel` take. Fails with a diagnostic where a box of TMA cannot be copied (BulkPlan.h) or parts of a tile
/// cannot be kept.
mlir::FailureOr<LaunchPlan> planLaunch(tile::KernelOp kernel);

/// The launch that the kernel states; null where it leaves it open.
tile::LaunchOp getLaunch(tile::KernelOp kernel);

/// Rule L4: what the launch states is what the loops take. Fails with a diagnostic.
mlir::LogicalResult checkLaunch(tile::LaunchOp launch);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_LAUNCHPLAN_H
