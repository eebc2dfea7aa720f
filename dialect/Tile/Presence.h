//===- Presence.h - Elements that exist where they are stored ----*- C++ -*-===//
//
// Rule A1 of docs/language.md.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_PRESENCE_H
#define TILEC_TILE_PRESENCE_H

#include "tilec/Tile/Tile.h"

namespace tilec::tile {

/// Where the destination of a store has an element, the tile has one.
mlir::LogicalResult verifyPresence(KernelOp kernel);

} // namespace tilec::tile

#endif // TILEC_TILE_PRESENCE_H
