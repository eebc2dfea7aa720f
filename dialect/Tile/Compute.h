//===- Compute.h - Rules on computation --------------------------*- C++ -*-===//
//
// Rules C1 to C4.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_COMPUTE_H
#define TILEC_TILE_COMPUTE_H

#include "tilec/Tile/Tile.h"

namespace tilec::tile {

/// linalg ops and the scalar ops beside them are what the lowering and the evaluator both know.
mlir::LogicalResult verifyComputations(KernelOp kernel);

} // namespace tilec::tile

#endif // TILEC_TILE_COMPUTE_H
