//===- Stationary.h - Which operand a dataflow keeps -------------*- C++ -*-===//
//
// Which input of a computation is the weight follows from its indexing maps, not from
// its position.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_STATIONARY_H
#define TILEC_TILE_STATIONARY_H

#include "tilec/Tile/Tile.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilec::tile {

/// Inputs of `compute` that are memrefs, by their numbers among those, which input_stationary or weight_stationary keeps. The
/// rows of a computation are the first dimension of its result that moves some of them and not others: what they move is
/// input, what they do not move is weight, which all rows share. Without rows all is input.
llvm::SmallVector<unsigned> getStationaryInputs(mlir::linalg::LinalgOp compute, Dataflow dataflow);

} // namespace tilec::tile

#endif // TILEC_TILE_STATIONARY_H
