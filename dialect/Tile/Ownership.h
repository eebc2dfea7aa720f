//===- Ownership.h - Rules that look at a whole kernel -----------*- C++ -*-===//
//
// Rules H3 to H5 and K5.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_OWNERSHIP_H
#define TILEC_TILE_OWNERSHIP_H

#include "tilec/Tile/Tile.h"

namespace tilec::tile {

/// Each written element of a register tile has one owner, and all loops part it alike.
mlir::LogicalResult verifyOwnership(KernelOp kernel);

/// The declared dataflow is what the loops do.
mlir::LogicalResult verifyDataflow(KernelOp kernel);

} // namespace tilec::tile

#endif // TILEC_TILE_OWNERSHIP_H
