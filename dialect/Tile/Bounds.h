//===- Bounds.h - How far subscripts reach -----------------------*- C++ -*-===//
//
// Ranges of subscripts, and the rules that follow from them: what lies in a
// tile stays inside of it (S5, P5, W4). How large a tile may be (S4, P3, H1).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_BOUNDS_H
#define TILEC_TILE_BOUNDS_H

#include "tilec/Tile/Access.h"

namespace tilec::tile {

/// The most copies that a pipeline keeps of a tile, and the most warps of producers; machines allow fewer.
constexpr int64_t kMostStages = 1024, kMostProducers = 1024;

/// The most rounds of a copy that are written out.
constexpr int64_t kMostUnrolled = 1024;

/// May an array in shared memory begin at `byte`?
constexpr bool isSharedPlace(int64_t byte) { return byte >= 0 && byte <= kMostElements && byte % kSharedAlignment == 0; }

/// The product, or the largest number where it does not fit. Both are not negative.
int64_t saturatingMul(int64_t lhs, int64_t rhs);

/// The sum, or the largest number where it does not fit. Both are not negative.
int64_t saturatingAdd(int64_t lhs, int64_t rhs);

/// A part of `shape` at `map` stays inside of `tile`, whatever the loops around it do. An operand is no tile:
/// what lies outside of it is absent. The dimension that indices number, `numbered`, has them inside.
mlir::LogicalResult verifyInside(mlir::Operation *op, mlir::Value tile, mlir::AffineMap map, mlir::ValueRange operands,
                                 llvm::ArrayRef<int64_t> shape, std::optional<int64_t> numbered = {});

/// A static tile has and spans at most kMostElements elements.
mlir::LogicalResult verifyTileSize(mlir::Operation *op, mlir::MemRefType tile);

/// Does a subscript divide here, as in `%i floordiv 4`?
bool isDivision(mlir::AffineExpr expr);

} // namespace tilec::tile

#endif // TILEC_TILE_BOUNDS_H
