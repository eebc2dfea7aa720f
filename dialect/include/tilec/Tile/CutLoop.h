//===- CutLoop.h - Loops whose iterations blocks share -----------*- C++ -*-===//
//
// What a loop that says tail(cut) must be, and what is put together after it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_CUTLOOP_H
#define TILEC_TILE_CUTLOOP_H

#include "tilec/Tile/Tile.h"

namespace tilec::tile {

/// The largest number of tail(cut, N, N, N): more blocks run at once on no device.
inline constexpr int64_t kMostCutWorth = 65536;
/// What tile-plan-raster writes: a last wave is cut that leaves this part of the blocks idle, or more (docs/results/gpu.md).
inline constexpr int64_t kCutIdle = 64;

/// Rule F11: several blocks may run the iterations of `loop` for one tile, each a part of them, and what leads
/// up to it; all that remains of both are sums in held tiles.
mlir::LogicalResult verifyCutLoop(ForOp loop);

/// The held tiles that `loop`, which has been verified, adds to: in the order of its body.
llvm::SmallVector<mlir::Value> getSums(ForOp loop);

/// What the memory for parts of sum `number` is called: c_parts for %c, sum0_parts without a name.
std::string getPartsName(mlir::Value sum, unsigned number);

} // namespace tilec::tile

#endif // TILEC_TILE_CUTLOOP_H
