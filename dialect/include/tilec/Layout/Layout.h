//===- Layout.h - A function from coordinates to offsets --------*- C++ -*-===//
//
// A layout is a shape and a stride that nest alike, `((2,2),2):((2,4),1)`. It maps a coordinate to
// the sum of coordinate * stride over all leaves. Coordinates are colexicographic: the first mode
// runs fastest.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_LAYOUT_H
#define TILEC_LAYOUT_LAYOUT_H

#include "tilec/Layout/IntTuple.h"
#include "tilec/Layout/Result.h"

namespace tilec::layout {

/// One leaf of a layout: `extent` elements that lie `stride` apart. Either may be kSymbolic.
struct Mode {
  int64_t extent;
  int64_t stride;
};

/// A valid layout: shape and stride are congruent, extents are at least 1, strides at least 0, and
/// neither the number of elements nor any offset overflows 64 bits. Offsets count elements.
class Layout {
public:
  /// The layout of one element, 1:0.
  Layout();

  /// Errors name the mode: not congruent, extent below 1, negative stride, overflow.
  static Result<Layout> get(IntTuple shape, IntTuple stride);
  /// First mode fastest. Modes of extent 1 get stride 0; what follows a symbolic extent is
  /// symbolic.
  static Result<Layout> columnMajor(const IntTuple &shape);
  /// Last mode fastest, also inside nested modes.
  static Result<Layout> rowMajor(const IntTuple &shape);
  /// A layout whose top-level modes are `modes`.
  static Result<Layout> concat(const std::vector<Layout> &modes);

  const IntTuple &shape() const { return shapeTuple; }
  const IntTuple &stride() const { return strideTuple; }
  /// The leaves from left to right.
  const std::vector<Mode> &modes() const { return flat; }

  /// The number of top-level modes; 1 for an integer shape.
  size_t rank() const { return shapeTuple.rank(); }
  /// Top-level mode `i` as a layout; an integer layout is its own mode 0.
  Layout mode(size_t i) const;
  /// True if no extent and no stride is symbolic.
  bool isStatic() const { return allStatic; }

  /// The number of coordinates; kSymbolic if an extent is.
  int64_t size() const { return elementCount; }
  /// One more than the largest offset; kSymbolic if that is not known.
  int64_t cosize() const { return largestOffsetPlusOne; }

  /// The offset of a logical index. Unchecked: the layout must be static and `index` in
  /// [0, size()); the last mode is not reduced, so a larger index runs on along it.
  int64_t operator()(int64_t index) const;
  /// The offset of one integer for each top-level mode. Unchecked in the same way, mode by mode.
  int64_t at(const int64_t *coordinates, size_t count) const;

  /// The offset of a coordinate of any compatible form: an integer stands for a whole (sub)tuple.
  /// Errors name the mode: wrong rank, negative or not below the extent, a symbolic value needed.
  Result<int64_t> offset(const IntTuple &coordinate) const;
  /// The logical index of a coordinate, in [0, size()). Errors as offset().
  Result<int64_t> index(const IntTuple &coordinate) const;
  /// The natural coordinate of a logical index, nested like the shape.
  Result<IntTuple> unflatten(int64_t index) const;

  /// Normal form, `shape:stride` without spaces.
  std::string str() const;
  size_t hash() const;
  bool operator==(const Layout &other) const;
  bool operator!=(const Layout &other) const { return !(*this == other); }

private:
  IntTuple shapeTuple;
  IntTuple strideTuple;
  std::vector<Mode> flat;
  /// For each top-level mode, the number of leaves up to its end.
  std::vector<size_t> modeEnds;
  int64_t elementCount = 1;
  int64_t largestOffsetPlusOne = 1;
  bool allStatic = true;
};

/// "extent:stride" of one leaf.
std::string formatMode(const Mode &mode);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_LAYOUT_H
