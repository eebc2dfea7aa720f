//===- PlanSteps.h - What planning passes do to a kernel ---------*- C++ -*-===//
//
// A step that looks at the machine takes it; with `remarks` it tells what it decides. Kernels have no open sizes.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TRANSFORMS_PLANSTEPS_H
#define TILEC_TRANSFORMS_PLANSTEPS_H

#include "tilec/Machine/MachineSpec.h"
#include "tilec/Tile/Tile.h"

namespace tilec {

mlir::LogicalResult partLoops(tile::KernelOp kernel, bool remarks);
mlir::LogicalResult planLayouts(tile::KernelOp kernel, const MachineSpec &machine, bool remarks);
mlir::LogicalResult planStores(tile::KernelOp kernel, const MachineSpec &machine, bool remarks);
mlir::LogicalResult planCopies(tile::KernelOp kernel, bool remarks);
mlir::LogicalResult planPipelines(tile::KernelOp kernel, bool remarks);
mlir::LogicalResult planComputations(tile::KernelOp kernel, bool remarks);
mlir::LogicalResult planRegisters(tile::KernelOp kernel, const MachineSpec &machine, bool remarks);
mlir::LogicalResult planRaster(tile::KernelOp kernel, bool remarks);
mlir::LogicalResult placeShared(tile::KernelOp kernel, bool remarks);
mlir::LogicalResult planLaunches(tile::KernelOp kernel, const MachineSpec &machine, bool remarks);

} // namespace tilec

#endif // TILEC_TRANSFORMS_PLANSTEPS_H
