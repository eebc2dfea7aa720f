//===- PlanShared.h - Places in shared memory --------------------*- C++ -*-===//
//
// The work of tile-plan-smem.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TRANSFORMS_PLANSHARED_H
#define TILEC_TRANSFORMS_PLANSHARED_H

#include "tilec/Tile/Tile.h"

namespace tilec {

/// Writes the map of the kernel's shared memory (analysis::planShared) into it where that is dynamic. Fails with a
/// diagnostic where clauses are missing, too many or too few, or let two arrays share a place.
mlir::LogicalResult placeShared(tile::KernelOp kernel);

} // namespace tilec

#endif // TILEC_TRANSFORMS_PLANSHARED_H
