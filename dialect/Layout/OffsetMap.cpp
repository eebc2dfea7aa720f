//===- OffsetMap.cpp - From offsets back to coordinates ---------*- C++ -*-===//

#include "tilec/Layout/OffsetMap.h"

#include <algorithm>

using namespace tilec::layout;

static void addToRanges(std::vector<OffsetRange> &ranges, int64_t first, int64_t last) {
  if (!ranges.empty() && ranges.back().last + 1 == first)
    ranges.back().last = last;
  else
    ranges.push_back({first, last});
}

Result<OffsetMap> tilec::layout::mapOffsets(const ComposedLayout &layout, int64_t maxElements) {
  if (!layout.layout().isStatic())
    return Error{"the layout is symbolic: " + layout.str()};
  if (layout.size() > maxElements)
    return Error{"the layout has " + std::to_string(layout.size()) + " elements, at most " +
                 std::to_string(maxElements) + " are enumerated"};
  OffsetMap map;
  map.entries.reserve(static_cast<size_t>(layout.size()));
  for (int64_t i = 0, e = layout.size(); i < e; ++i)
    map.entries.push_back({layout(i), i});
  std::sort(map.entries.begin(), map.entries.end(),
            [](const OffsetMap::Entry &a, const OffsetMap::Entry &b) {
              return a.offset != b.offset ? a.offset < b.offset : a.index < b.index;
            });
  int64_t next = 0;
  for (const OffsetMap::Entry &entry : map.entries) {
    if (entry.offset > next)
      addToRanges(map.missing, next, entry.offset - 1);
    else if (entry.offset < next && (map.shared.empty() || map.shared.back().last < entry.offset))
      addToRanges(map.shared, entry.offset, entry.offset);
    next = entry.offset + 1;
  }
  map.cosize = next;
  return map;
}

namespace {
/// Finds digits of the leaves, largest stride first, whose strides add up to a given offset.
class DigitSearch {
public:
  DigitSearch(const Layout &layout, size_t maxResults)
      : layout(layout), maxResults(maxResults), digits(layout.modes().size(), 0) {
    for (size_t i = 0; i < digits.size(); ++i)
      order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return layout.modes()[a].stride > layout.modes()[b].stride;
    });
    reachBelow.assign(order.size() + 1, 0);
    for (size_t i = order.size(); i-- > 0;) {
      const Mode &mode = layout.modes()[order[i]];
      reachBelow[i] = reachBelow[i + 1] + (mode.extent - 1) * mode.stride;
    }
  }

  /// False when the search ran out of steps.
  bool run(size_t depth, int64_t rest) {
    if (++steps > kMaxSteps)
      return false;
    if (rest > reachBelow[depth])
      return true;
    if (depth == order.size()) {
      full = found.size() == maxResults;
      if (!full)
        found.push_back(layout.shape().withLeaves(digits));
      return true;
    }
    const Mode &mode = layout.modes()[order[depth]];
    int64_t first = 0, last = mode.extent - 1;
    if (mode.stride != 0) {
      int64_t excess = rest - reachBelow[depth + 1];
      if (excess > 0)
        first = (excess - 1) / mode.stride + 1;
      last = std::min(last, rest / mode.stride);
    }
    for (int64_t digit = first; digit <= last && !full; ++digit) {
      digits[order[depth]] = digit;
      if (!run(depth + 1, rest - digit * mode.stride))
        return false;
    }
    return true;
  }

  bool isFull() const { return full; }
  std::vector<IntTuple> takeFound() { return std::move(found); }

private:
  static constexpr int64_t kMaxSteps = 1000000;

  const Layout &layout;
  size_t maxResults;
  std::vector<int64_t> digits;
  std::vector<size_t> order;
  /// The largest offset that the leaves from this depth on can produce.
  std::vector<int64_t> reachBelow;
  std::vector<IntTuple> found;
  bool full = false;
  int64_t steps = 0;
};
} // namespace

Result<CoordinateList> tilec::layout::coordinatesAt(const ComposedLayout &layout, int64_t offset,
                                                    size_t maxCoordinates) {
  const Layout &inner = layout.layout();
  if (!inner.isStatic())
    return Error{"the layout is symbolic: " + layout.str()};
  if (offset < 0)
    return Error{"the offset is " + std::to_string(offset) + ", at least 0 is needed"};
  // A swizzle is its own inverse.
  int64_t plain = layout.swizzle()(offset) - layout.baseOffset();
  CoordinateList list;
  if (plain < 0 || plain >= inner.cosize())
    return list;
  DigitSearch search(inner, maxCoordinates);
  if (!search.run(0, plain))
    return Error{"the strides of " + inner.str() + " overlap too much to search for offset " +
                 std::to_string(offset)};
  list.complete = !search.isFull();
  list.coordinates = search.takeFound();
  std::sort(
      list.coordinates.begin(), list.coordinates.end(),
      [&](const IntTuple &a, const IntTuple &b) { return *inner.index(a) < *inner.index(b); });
  return list;
}
