//===- Companions.h - Register tiles used together -----------------*- C++ -*-===//

#ifndef TILEC_TILE_COMPANIONS_H
#define TILEC_TILE_COMPANIONS_H

#include "tilec/Tile/Distribution.h"

namespace tilec::tile {

/// How the parts of `tile` that are used spread it; nothing where all of its uses take the whole.
mlir::FailureOr<std::optional<Distribution>> getPartedDistribution(mlir::Value tile);

} // namespace tilec::tile

#endif // TILEC_TILE_COMPANIONS_H
