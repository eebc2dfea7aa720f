//===- WarpInstruction.h - Products of warps ----------------------*- C++ -*-===//
//
// A product in a loop on warp, with no loop on thread between, whose tiles the warp holds in registers is an instruction of
// the warp where there is one of its sizes and types (rule C8). Any other computation there each lane does on its own.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_WARPINSTRUCTION_H
#define TILEC_TILE_WARPINSTRUCTION_H

#include "tilec/Tile/InstructionUse.h"

namespace tilec::tile {

/// The name of the instruction that `compute`, the product `use`, is; empty where there is none.
std::string findWarpInstruction(mlir::linalg::LinalgOp compute, const InstructionUse &use);

/// Rule C8 of a computation in a loop on warp, which is the product `use` if it is one.
mlir::LogicalResult verifyWarpInstruction(mlir::linalg::LinalgOp compute, const std::optional<InstructionUse> &use);

} // namespace tilec::tile

#endif // TILEC_TILE_WARPINSTRUCTION_H
