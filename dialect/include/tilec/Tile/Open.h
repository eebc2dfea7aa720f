//===- Open.h - Nests that leave sizes open -----------------------*- C++ -*-===//
//
// `?` in the place of a step or an extent of tile.for leaves it to tilec, and with it all that the kernel does not say
// (docs/language.md, 11). What reads numbers of loops needs a nest without.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_OPEN_H
#define TILEC_TILE_OPEN_H

#include "tilec/Tile/Tile.h"

namespace tilec::tile {

/// A step that is open, and an extent that is, among the static ones. (A dynamic extent is a value.)
constexpr int64_t kOpenStep = mlir::ShapedType::kDynamic, kOpenExtent = mlir::ShapedType::kDynamic + 1;

bool isOpen(ForOp loop);

/// The first loop of `kernel` that leaves a step or an extent open; null where none does.
ForOp findOpenLoop(KernelOp kernel);

/// Does the kernel around `op` have such a loop?
bool isInOpenKernel(mlir::Operation *op);

/// Fails with a diagnostic at the first open loop of `kernel`.
mlir::LogicalResult refuseOpen(KernelOp kernel);

} // namespace tilec::tile

#endif // TILEC_TILE_OPEN_H
