//===- PlanNest.h - Deciding what nests leave open ----------------*- C++ -*-===//
//
// The passes of buildPlanPipeline (Passes.td) write what kernels leave open, for the machine and the sizes of the module
// (ModuleTarget.h), and keep what they state; they fail with a diagnostic where that cannot be carried out.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TRANSFORMS_PLANNEST_H
#define TILEC_TRANSFORMS_PLANNEST_H

#include "mlir/IR/BuiltinOps.h"
#include "tilec/Machine/MachineSpec.h"
#include "tilec/Tile/Tile.h"

namespace tilec {

/// Does the author leave the layout of this tile open? One that is written down is stated, even rows side by side.
bool isLayoutOpen(mlir::MemRefType tile);

/// What the first of them, `tile-part-loops`, does: subscripts of the kernels of `module` are sums afterwards.
mlir::LogicalResult partLoops(mlir::ModuleOp module);

/// What all of these passes do, in their order, to the kernels of `module`.
mlir::LogicalResult planModule(mlir::ModuleOp module);

/// The same where the module's machine has been read: `machine` is getTarget(module).
mlir::LogicalResult planModule(mlir::ModuleOp module, const MachineSpec &machine);

} // namespace tilec

#endif // TILEC_TRANSFORMS_PLANNEST_H
