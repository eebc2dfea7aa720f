//===- Projection.h - What is read along some dimensions -----------*- C++ -*-===//
//
// A tile in registers that a computation on tiles of more dimensions reads along some of them, such as a factor of each row: each
// thread has what belongs to its points, and several threads have the same.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_PROJECTION_H
#define TILEC_TILE_PROJECTION_H

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "tilec/Tile/Distribution.h"

namespace tilec::tile {

/// Is `operand` the whole of a register tile, which `compute`, all of whose loops are parallel, reads along some of its dimensions, and which has
/// one element along all others?
bool isProjected(mlir::linalg::LinalgOp compute, mlir::OpOperand &operand);

/// How a tile is spread that is read by `map` where points are spread as `spread`.
Distribution project(const Distribution &spread, mlir::AffineMap map);
/// Which of the local digits of `spread` are those of that tile.
llvm::SmallVector<unsigned> getProjectedDigits(const Distribution &spread, mlir::AffineMap map);

} // namespace tilec::tile

#endif // TILEC_TILE_PROJECTION_H
