//===- BulkStore.h - Tiles that TMA stores ------------------------*- C++ -*-===//
//
// Each warp puts what it holds, slice after slice, in shared memory of its own, and goes on while TMA stores it (`copy(tma)`
// of tile.store). The lowering, the launch and the analysis store by this.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_BULKSTORE_H
#define TILEC_ANALYSIS_BULKSTORE_H

#include "tilec/Tile/Distribution.h"

namespace tilec::analysis {

struct BulkStore {
  /// From a slice of a warp to the next: `count` times `step` elements of the tile along `dim`, and `indices` numbers of index
  /// `local` of a thread's array.
  struct Walk {
    unsigned dim, local;
    int64_t count, step, indices;
  };

  mlir::BlockArgument operand;
  /// A slice in shared memory, as TMA reads it: a box of the operand.
  mlir::MemRefType type;
  int64_t swizzleBytes = 0;
  int64_t slots = 1;
  /// Of all of a block.
  int64_t warps = 1;
  /// What a thread holds of a slice, from the slice's first element on, and how many of its values it writes at once.
  tile::Distribution held;
  int64_t run = 1;
  /// Where in the tile a warp's first slice lies.
  tile::Distribution origin;
  llvm::SmallVector<Walk> walks;

  /// Slices of a warp.
  int64_t slices() const;
  /// Elements of all slots of a warp.
  int64_t elementsOfWarp() const { return slots * type.getNumElements(); }
};

/// How `store`, which says copy(tma) and whose tile is spread as `held`, is carried out. Fails with a diagnostic where warps do not
/// hold boxes that tensor maps have, or the operand is not one that they take.
mlir::FailureOr<BulkStore> getBulkStore(tile::StoreOp store, const tile::Distribution &held);

/// The stores that say copy(tma), in their order.
llvm::SmallVector<tile::StoreOp> getBulkStores(tile::KernelOp kernel);
/// What has a tensor map, in the order of the launch: stages, then stores.
llvm::SmallVector<mlir::Operation *> getBulkOps(tile::KernelOp kernel);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_BULKSTORE_H
