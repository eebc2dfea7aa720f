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

/// Does `compute`, outside of loops on thread, put together elements of register tiles along some of its dimensions, each of its results, a whole
/// register tile, by a kind: the sums or maxima of rows?
bool isRowReduction(mlir::linalg::LinalgOp compute);

/// Is `operand` the whole of a register tile, which `compute`, all of whose loops are parallel, reads along some of its dimensions, and which has
/// one element along all others? Of a reduction of rows its results are, too.
bool isProjected(mlir::linalg::LinalgOp compute, mlir::OpOperand &operand);

/// How a tile is spread that is read by `map` where points are spread as `spread`.
Distribution project(const Distribution &spread, mlir::AffineMap map);
/// The digits of threads by which they hold different elements of what is put together there.
llvm::SmallVector<Digit> getReducedDigits(const Distribution &spread, mlir::AffineMap map);
/// Which of the local digits of `spread` are those of that tile.
llvm::SmallVector<unsigned> getProjectedDigits(const Distribution &spread, mlir::AffineMap map);

} // namespace tilec::tile

#endif // TILEC_TILE_PROJECTION_H
