//===- Spread.h - Who holds what, as a layout ---------------------*- C++ -*-===//
//
// The `spread` of register tiles (rule H6): the text form of their distribution.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_SPREAD_H
#define TILEC_TILE_SPREAD_H

#include "tilec/Layout/Layout.h"
#include "tilec/Tile/Distribution.h"

namespace tilec::tile {

/// The thread/value layout of a tile of `shape`: from (thread, value) to the element's number in column-major order. Values are
/// counted as a thread's array lies; threads that hold what others do too have modes of stride 0.
layout::Layout getThreadValueLayout(const Distribution &distribution, llvm::ArrayRef<int64_t> shape);

/// The `spread` that a hold or a stage states; nothing of other ops.
std::optional<llvm::StringRef> getSpreadText(mlir::Operation *op);

/// Checks the `spread` that `op` states, if it does: it makes a tile in rf that is spread by `distribution`, absent for a tile
/// elsewhere. Fails with a diagnostic.
mlir::LogicalResult verifySpread(mlir::Operation *op, const std::optional<Distribution> &distribution);

} // namespace tilec::tile

#endif // TILEC_TILE_SPREAD_H
