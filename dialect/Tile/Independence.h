//===- Independence.h - What iterations of unit loops may touch --*- C++ -*-===//
//
// Rules I1 to I3 of docs/language.md.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_INDEPENDENCE_H
#define TILEC_TILE_INDEPENDENCE_H

#include "tilec/Tile/Tile.h"

namespace tilec::tile {

/// No iteration of a loop on units touches what another one writes, but by reduce or combine (I1); what blocks of a
/// cluster write is not read outside of their loop (I2); what a loop copies ahead is not written meanwhile (I3).
mlir::LogicalResult verifyIndependence(KernelOp kernel);

} // namespace tilec::tile

#endif // TILEC_TILE_INDEPENDENCE_H
