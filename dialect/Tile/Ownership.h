//===- Ownership.h - Rules that look at a whole kernel -----------*- C++ -*-===//
//
// Rules H3, H4, K5 and K7.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_OWNERSHIP_H
#define TILEC_TILE_OWNERSHIP_H

#include "tilec/Tile/Tile.h"

namespace tilec::tile {

/// Each written element of a register tile has one owner, and all loops part it alike.
mlir::LogicalResult verifyOwnership(KernelOp kernel);

/// What a linalg op writes in shared memory or DRAM is written by one unit.
mlir::LogicalResult verifyComputeWrites(KernelOp kernel);

/// The declared dataflow is what the loops do.
mlir::LogicalResult verifyDataflow(KernelOp kernel);

} // namespace tilec::tile

#endif // TILEC_TILE_OWNERSHIP_H
