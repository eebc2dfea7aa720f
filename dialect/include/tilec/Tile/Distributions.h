//===- Distributions.h - Answers on a kernel that stays as it is -*- C++ -*-===//

#ifndef TILEC_TILE_DISTRIBUTIONS_H
#define TILEC_TILE_DISTRIBUTIONS_H

#include "tilec/Tile/Distribution.h"

#include "llvm/ADT/DenseMap.h"

namespace tilec::tile {

/// Who holds what, for those who ask of many tiles and computations of one kernel: tiles that are used together are looked at once for all of
/// them. The kernel does not change meanwhile.
class Distributions {
public:
  /// As getDistribution, getCompanions and getSpreadOf.
  mlir::FailureOr<Distribution> get(mlir::Value tile);
  llvm::SetVector<mlir::Value> getCompanions(mlir::Value tile);
  std::optional<Distribution> getSpreadOf(mlir::linalg::LinalgOp compute);

private:
  using Found = std::optional<Distribution>;

  llvm::ArrayRef<mlir::Value> getNeighbours(mlir::Value tile);
  mlir::FailureOr<Found> getParted(mlir::Value tile);
  mlir::FailureOr<Found> getProjected(mlir::Value tile);

  llvm::DenseMap<mlir::Value, Distribution> spreads;
  /// Of a tile: those that some computation works on together with it, how its parts spread it, and how those that read it along some of their
  /// dimensions do.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> neighbours;
  llvm::DenseMap<mlir::Value, Found> parted, projected;
};

} // namespace tilec::tile

#endif // TILEC_TILE_DISTRIBUTIONS_H
