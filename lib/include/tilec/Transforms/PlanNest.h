//===- PlanNest.h - The decisions that need no machine ------------*- C++ -*-===//
//
// The work of the passes of buildPlanPipeline. Each writes what a kernel leaves open, keeps what it states, and fails with
// a diagnostic where that cannot be carried out; with `remarks` it says what it wrote and why.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TRANSFORMS_PLANNEST_H
#define TILEC_TRANSFORMS_PLANNEST_H

#include "tilec/Tile/Tile.h"

namespace tilec {

/// tile-plan-copy: `forms`, `edges`, `unroll`, `slices` and `wide` of stages and stores.
mlir::LogicalResult planCopies(tile::KernelOp kernel, bool remarks = false);

/// tile-plan-pipeline: `choose`, `issue` and `release` of pipelined loops, whose copies are planned.
mlir::LogicalResult planPipelines(tile::KernelOp kernel, bool remarks = false);

/// tile-plan-compute: `tile.order` of computations.
mlir::LogicalResult planComputations(tile::KernelOp kernel, bool remarks = false);

/// tile-plan-raster: the order of the grid's tiles, and when its last wave is cut.
mlir::LogicalResult planRaster(tile::KernelOp kernel, bool remarks = false);

/// tile-plan-smem: the map of the kernel's shared memory (analysis::planShared) where that is dynamic.
mlir::LogicalResult placeShared(tile::KernelOp kernel, bool remarks = false);

/// All of these in their order.
mlir::LogicalResult planNest(tile::KernelOp kernel);

} // namespace tilec

#endif // TILEC_TRANSFORMS_PLANNEST_H
