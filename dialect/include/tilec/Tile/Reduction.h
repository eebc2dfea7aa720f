//===- Reduction.h - Loops whose iterations add up ---------------*- C++ -*-===//
//
// What a loop on units that says reduce puts together when it ends.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_REDUCTION_H
#define TILEC_TILE_REDUCTION_H

#include "tilec/Tile/Tile.h"

namespace tilec::tile {

/// The held tiles of outer scopes that iterations of `loop` add to, in the order of its body: those that are written in
/// it by a part that some induction variable of the loop does not move.
llvm::SmallVector<mlir::Value> getReducedTiles(ForOp loop);

} // namespace tilec::tile

#endif // TILEC_TILE_REDUCTION_H
