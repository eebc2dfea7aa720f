//===- OpenRules.h - Rules of nests that leave sizes open ---------*- C++ -*-===//

#ifndef TILEC_TILE_OPENRULES_H
#define TILEC_TILE_OPENRULES_H

#include "tilec/Tile/Tile.h"

namespace tilec::tile {

/// What can be judged of a kernel with open sizes; the other rules are for the nest that it becomes.
mlir::LogicalResult verifyOpen(KernelOp kernel);

} // namespace tilec::tile

#endif // TILEC_TILE_OPENRULES_H
