//===- PlanLayouts.h - Layouts of staged tiles -------------------*- C++ -*-===//
//
// The work of tile-plan-layout, for callers that have a machine at hand.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TRANSFORMS_PLANLAYOUTS_H
#define TILEC_TRANSFORMS_PLANLAYOUTS_H

#include "tilec/Analysis/LayoutPlan.h"

namespace tilec {

/// A tile that the nest leaves open and whose accesses collide.
struct PlannedLayout {
  tile::StageOp stage;
  /// Absent where nothing better than rows side by side was found.
  std::optional<analysis::LayoutPlan> plan;
  analysis::TileFigures figures;
};

/// Gives each staged tile of shared memory in `kernel` whose type states no layout a better one, where
/// there is one (see analysis::planLayout). `arguments` has the value of each size argument by its
/// number. Fails with a diagnostic where the nest cannot be analysed.
mlir::FailureOr<std::vector<PlannedLayout>>
planLayouts(tile::KernelOp kernel, llvm::ArrayRef<int64_t> arguments, const MachineSpec &machine);

/// Did the author leave the layout of this tile open?
bool isLayoutOpen(mlir::MemRefType tile);

} // namespace tilec

#endif // TILEC_TRANSFORMS_PLANLAYOUTS_H
