//===- OffsetMap.h - From offsets back to coordinates -----------*- C++ -*-===//
//
// The inverse of a layout by enumeration: right for every layout, also for those that leave offsets
// out or map several coordinates to one.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_OFFSETMAP_H
#define TILEC_LAYOUT_OFFSETMAP_H

#include "tilec/Layout/Swizzle.h"

namespace tilec::layout {

/// Offsets first to last, both included.
struct OffsetRange {
  int64_t first;
  int64_t last;
};

/// Which logical indices lie at each offset in [0, cosize).
struct OffsetMap {
  struct Entry {
    int64_t offset;
    int64_t index;
  };
  /// One entry for each coordinate, by offset, then by index.
  std::vector<Entry> entries;
  int64_t cosize = 0;
  /// Maximal ranges of offsets in [0, cosize) that no coordinate has.
  std::vector<OffsetRange> missing;
  /// Maximal ranges of offsets that more than one coordinate has.
  std::vector<OffsetRange> shared;

  /// True if every offset has exactly one coordinate.
  bool isCompact() const { return missing.empty() && shared.empty(); }
};

/// Refuses symbolic layouts and those of more than `maxElements` elements.
Result<OffsetMap> mapOffsets(const ComposedLayout &layout, int64_t maxElements);

/// The coordinates that lie at one offset, in colexicographic order.
struct CoordinateList {
  std::vector<IntTuple> coordinates;
  /// False if there are more than were asked for.
  bool complete = true;
};

/// Searches stride by stride, without enumerating the layout; an offset that no element has gives
/// an empty list. Refuses symbolic layouts, a negative offset, and layouts whose strides overlap so
/// much that the search does not end within a million steps.
Result<CoordinateList> coordinatesAt(const ComposedLayout &layout, int64_t offset,
                                     size_t maxCoordinates);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_OFFSETMAP_H
