//===- PlanNest.h - Deciding what nests leave open ----------------*- C++ -*-===//
//
// The work of the passes of buildPlanPipeline, for the machine and the sizes of the module (ModuleTarget.h). Each writes what a kernel leaves open, keeps what it states, and fails with
// a diagnostic where that cannot be carried out; with `remarks` it says what it wrote and why.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TRANSFORMS_PLANNEST_H
#define TILEC_TRANSFORMS_PLANNEST_H

#include "mlir/IR/BuiltinOps.h"
#include "tilec/Tile/Tile.h"

namespace tilec {

/// tile-plan-layout: layouts of tiles in shared memory whose types state none, where there is a better one than rows side by
/// side (analysis::planLayout), or where instructions of warpgroups read them (analysis::planMatrixLayout).
mlir::LogicalResult planLayouts(tile::KernelOp kernel, bool remarks = false);

/// Does the author leave the layout of this tile open? One that is written down is stated, even rows side by side.
bool isLayoutOpen(mlir::MemRefType tile);

/// tile-plan-store: `through` of stores of tiles that an instruction spreads (analysis::planSlices).
mlir::LogicalResult planStores(tile::KernelOp kernel, bool remarks = false);

/// tile-plan-copy: `forms`, `edges`, `unroll`, `slices` and `wide` of stages and stores.
mlir::LogicalResult planCopies(tile::KernelOp kernel, bool remarks = false);

/// tile-plan-pipeline: `choose`, `issue` and `release` of pipelined loops, whose copies are planned.
mlir::LogicalResult planPipelines(tile::KernelOp kernel, bool remarks = false);

/// tile-plan-compute: `tile.instruction` and `tile.order` of computations.
mlir::LogicalResult planComputations(tile::KernelOp kernel, bool remarks = false);

/// tile-plan-registers: `spread` of tiles in registers that threads share, and `registers` of roles where an even share is too little.
mlir::LogicalResult planRegisters(tile::KernelOp kernel, bool remarks = false);

/// tile-plan-raster: the order of the grid's tiles, and when its last wave is cut.
mlir::LogicalResult planRaster(tile::KernelOp kernel, bool remarks = false);

/// tile-plan-smem: the map of the kernel's shared memory (analysis::planShared) where that is dynamic.
mlir::LogicalResult placeShared(tile::KernelOp kernel, bool remarks = false);

/// tile-plan-launch: the kernel's tile.launch.
mlir::LogicalResult planLaunches(tile::KernelOp kernel, bool remarks = false);

/// All of these in their order, of each kernel of `module`.
mlir::LogicalResult planModule(mlir::ModuleOp module);

} // namespace tilec

#endif // TILEC_TRANSFORMS_PLANNEST_H
