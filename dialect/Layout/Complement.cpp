//===- Complement.cpp - Complement and inverses -----------------*- C++ -*-===//

#include "tilec/Layout/Algebra.h"

#include "CheckedMath.h"
#include "LayoutModes.h"

#include <algorithm>

using namespace tilec::layout;

/// "leaf 2 (4:8)", the way these operations name a mode.
static std::string nameLeaf(size_t position, const Mode &mode) {
  return "leaf " + std::to_string(position) + " (" + formatMode(mode) + ")";
}

static Error symbolicLeaf(const char *operation, const Layout &a) {
  for (size_t i = 0; i < a.modes().size(); ++i)
    if (a.modes()[i].extent == kSymbolic || a.modes()[i].stride == kSymbolic)
      return Error{std::string(operation) + ": " + nameLeaf(i, a.modes()[i]) + " of " + a.str() +
                   " is symbolic, known integers are needed"};
  return Error{std::string(operation) + ": " + a.str() + " is symbolic"};
}

namespace {
/// A leaf and its position in the layout it came from.
struct PlacedMode {
  Mode mode;
  size_t position;
  /// The stride of the leaf in the layout's own domain: the product of the extents before it.
  int64_t domainStride;
};
} // namespace

/// The leaves with more than one element, the smallest stride first.
static std::vector<PlacedMode> sortedByStride(const Layout &a) {
  std::vector<PlacedMode> placed;
  int64_t domainStride = 1;
  for (size_t i = 0; i < a.modes().size(); ++i) {
    const Mode &mode = a.modes()[i];
    if (mode.extent != 1)
      placed.push_back({mode, i, domainStride});
    domainStride *= mode.extent;
  }
  // Of equal strides the longest first, so that an inverse that can use only one uses that.
  std::stable_sort(placed.begin(), placed.end(), [](const PlacedMode &x, const PlacedMode &y) {
    if (x.mode.stride != y.mode.stride)
      return x.mode.stride < y.mode.stride;
    return x.mode.extent > y.mode.extent;
  });
  return placed;
}

//===----------------------------------------------------------------------===//
// Complement
//===----------------------------------------------------------------------===//

Result<ComplementModes> tilec::layout::complementModes(const Layout &a, int64_t cotarget) {
  if (!a.isStatic())
    return symbolicLeaf("complement", a);
  if (cotarget != kSymbolic && cotarget < 1)
    return Error{"complement: the size to fill is " + std::to_string(cotarget) +
                 ", at least 1 is needed"};
  ComplementModes result;
  int64_t covered = 1;
  std::string below = "offset 0";
  for (const PlacedMode &placed : sortedByStride(a)) {
    const auto &[extent, stride] = placed.mode;
    if (stride == 0)
      continue;
    std::string name = nameLeaf(placed.position, placed.mode);
    if (stride < covered)
      return Error{"complement: " + name + " of " + a.str() + " interleaves or overlaps with " +
                   below + ", which reaches up to offset " + std::to_string(covered)};
    if (stride % covered != 0 && result.indivisible.empty())
      result.indivisible = "stride " + std::to_string(stride) + " of " + name +
                           " is not a multiple of " + std::to_string(covered) + ", where " + below +
                           " ends";
    if (stride / covered != 1)
      result.modes.push_back({stride / covered, covered});
    auto end = checkedMul(extent, stride);
    if (!end)
      return Error{"complement: the end of " + name + " overflows 64 bits"};
    covered = *end;
    below = name;
  }
  if (cotarget == kSymbolic)
    result.modes.push_back({kSymbolic, covered});
  else if (cotarget > covered)
    result.modes.push_back({ceilDiv(cotarget, covered), covered});
  return result;
}

Result<Layout> tilec::layout::complement(const Layout &a, int64_t cotarget) {
  Result<ComplementModes> result = complementModes(a, cotarget);
  if (!result)
    return result.error();
  // Rounding up can pass the end of 64 bits even though the cotarget is within.
  return layoutOfModes(mergedModes(result->modes, /*keepLastUnit=*/false));
}

//===----------------------------------------------------------------------===//
// Inverses
//===----------------------------------------------------------------------===//

Result<Layout> tilec::layout::rightInverse(const Layout &a) {
  if (!a.isStatic())
    return symbolicLeaf("right inverse", a);
  std::vector<Mode> modes;
  int64_t covered = 1;
  for (const PlacedMode &placed : sortedByStride(coalesce(a))) {
    if (placed.mode.stride > covered)
      break;
    if (placed.mode.stride < covered)
      continue;
    modes.push_back({placed.mode.extent, placed.domainStride});
    covered *= placed.mode.extent;
  }
  return layoutOfModes(mergedModes(modes, /*keepLastUnit=*/false));
}

Result<Layout> tilec::layout::leftInverse(const Layout &a) {
  if (!a.isStatic())
    return symbolicLeaf("left inverse", a);
  std::vector<PlacedMode> sorted = sortedByStride(a);
  std::vector<Mode> modes;
  // The modes between two strides answer for the lower one's coordinate: extent (next / this).
  int64_t extent = 1, stride = 1, domainStride = 0, end = 1;
  std::string below = "offset 0";
  for (const PlacedMode &placed : sorted) {
    std::string name = nameLeaf(placed.position, placed.mode);
    if (placed.mode.stride < end)
      return Error{"left inverse: " + a.str() + " is not injective or interleaves: " + name +
                   " starts at stride " + std::to_string(placed.mode.stride) + ", " + below +
                   " ends at " + std::to_string(end)};
    if (placed.mode.stride % stride != 0)
      return Error{"left inverse: stride " + std::to_string(placed.mode.stride) + " of " + name +
                   " is not a multiple of " + std::to_string(stride) + ", the stride of " + below};
    modes.push_back({placed.mode.stride / stride, domainStride});
    stride = placed.mode.stride;
    domainStride = placed.domainStride;
    extent = placed.mode.extent;
    auto product = checkedMul(placed.mode.extent, stride);
    if (!product)
      return Error{"left inverse: the end of " + name + " overflows 64 bits"};
    end = *product;
    below = name;
  }
  modes.push_back({extent, domainStride});
  return layoutOfModes(mergedModes(modes, /*keepLastUnit=*/false));
}
