//===- HeldTiles.h - Tiles that a block makes in shared memory ---*- C++ -*-===//
//
// How the threads of a block fill a held tile with its initial value, and whether
// they need to.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_HELDTILES_H
#define TILEC_ANALYSIS_HELDTILES_H

#include "tilec/Analysis/CopyPlan.h"

namespace tilec::analysis {

/// Can anything read the initial value of a tile in shared memory? Not where the first that is done with it is to write all of it.
bool isInitRead(tile::HoldOp hold);

/// Consecutive threads fill runs along the last dimension, as wide as lie side by side and take at most 16 bytes.
CopyForm getFillForm(const CopyTile &tile);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_HELDTILES_H
