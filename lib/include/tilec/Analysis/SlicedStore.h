//===- SlicedStore.h - Stores by way of shared memory -------------*- C++ -*-===//
//
// Threads that hold short runs of a tile's rows put slices of it in shared memory, and store them from there in whole rows
// (`through` of tile.store). The lowering and the analysis deal the elements out by this.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_SLICEDSTORE_H
#define TILEC_ANALYSIS_SLICEDSTORE_H

#include "tilec/Tile/Distribution.h"

namespace tilec::analysis {

struct SlicedStore {
  /// The tile's dimensions, and which of them are its rows and columns.
  unsigned rank = 2, rowDim = 0, columnDim = 1;
  int64_t rows = 0, columns = 0, slices = 1;
  /// Units that hold columns beside each other: a slice has as many columns of each, `apart` from those of the next one in the tile.
  int64_t units = 1, apart = 0;
  /// Elements from a row of the array in shared memory to the next.
  int64_t pitch = 0;
  /// Threads that store.
  int64_t threads = 1;
  /// What a thread holds of the first slice, and how many of its values it writes at once.
  tile::Distribution held;
  int64_t run = 1;
  /// From a slice to the next this index of a thread's array moves on by so much.
  unsigned moved = 0;
  int64_t perSlice = 0;

  int64_t elements() const { return rows * pitch; }
  /// Columns of a slice that one unit holds: as many as the next slice's are further on.
  int64_t columnsOfUnit() const { return columns / units; }
  /// How threads store the first slice, or all slices, in groups of `width` elements side by side.
  tile::Distribution getDealt(int64_t width, bool all) const;
  /// The same in the array, where columns of units lie one behind the other.
  tile::Distribution getPlaced(int64_t width) const;
};

/// Units whose threads hold columns of a tile that is spread as `held` beside each other; and how far apart their first columns are.
std::pair<int64_t, int64_t> getUnitsBeside(const tile::Distribution &held, unsigned columnDim, int64_t columns);

/// How `store`, which says `through` and whose tile is spread as `held`, is carried out. Fails with a diagnostic where threads do
/// not hold, or cannot store, the same of each slice.
mlir::FailureOr<SlicedStore> getSlicedStore(tile::StoreOp store, const tile::Distribution &held);

/// How threads that hold the tile of `store` as `held` store it: so, or as getSlicedStore deals it out in groups of 16 bytes. By
/// copy(tma) they store none of it, or all of it so.
tile::Distribution getStoredSpread(tile::StoreOp store, const tile::Distribution &held);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_SLICEDSTORE_H
