//===- Text.cpp - Layouts as tables of text ---------------------*- C++ -*-===//

#include "tilec/Layout/Text.h"

#include <algorithm>

using namespace tilec::layout;

//===----------------------------------------------------------------------===//
// Offset -> coordinate
//===----------------------------------------------------------------------===//

/// "2, 5..7 and 9 more" for at most eight ranges.
static std::string listRanges(const std::vector<OffsetRange> &ranges) {
  constexpr size_t kListed = 8;
  std::string out;
  for (size_t i = 0; i < std::min(ranges.size(), kListed); ++i) {
    out += (i ? ", " : "") + std::to_string(ranges[i].first);
    if (ranges[i].last != ranges[i].first)
      out += ".." + std::to_string(ranges[i].last);
  }
  if (ranges.size() > kListed)
    out += " and more";
  return out;
}

static int64_t countOffsets(const std::vector<OffsetRange> &ranges) {
  int64_t count = 0;
  for (const OffsetRange &range : ranges)
    count += range.last - range.first + 1;
  return count;
}

static void appendMissing(int64_t first, int64_t last, std::string &out) {
  constexpr int64_t kListed = 8;
  if (last - first + 1 > kListed) {
    out += std::to_string(first) + ".." + std::to_string(last) + " -> -\n";
    return;
  }
  for (int64_t offset = first; offset <= last; ++offset)
    out += std::to_string(offset) + " -> -\n";
}

std::string tilec::layout::formatOffsetMap(const ComposedLayout &layout, const OffsetMap &map) {
  std::string out;
  int64_t next = 0;
  for (size_t i = 0; i < map.entries.size();) {
    int64_t offset = map.entries[i].offset;
    if (offset > next)
      appendMissing(next, offset - 1, out);
    out += std::to_string(offset) + " ->";
    for (; i < map.entries.size() && map.entries[i].offset == offset; ++i)
      out += " " + layout.layout().unflatten(map.entries[i].index)->str();
    out += "\n";
    next = offset + 1;
  }
  if (map.isCompact())
    return out;
  out += "not compact:";
  if (!map.missing.empty())
    out += " " + std::to_string(countOffsets(map.missing)) + " of " + std::to_string(map.cosize) +
           " offsets have no element (" + listRanges(map.missing) + ")";
  if (!map.shared.empty())
    out += std::string(map.missing.empty() ? " " : "; ") +
           std::to_string(countOffsets(map.shared)) + " of " + std::to_string(map.cosize) +
           " offsets have more than one element (" + listRanges(map.shared) + ")";
  return out + "\n";
}

//===----------------------------------------------------------------------===//
// Coordinate -> offset
//===----------------------------------------------------------------------===//

static std::string padded(const std::string &text, size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

static std::string formatPlane(const ComposedLayout &layout, int64_t rows, int64_t columns,
                               int64_t first, size_t width) {
  size_t headWidth = std::to_string(rows - 1).size();
  std::string out(headWidth + 2, ' ');
  for (int64_t column = 0; column < columns; ++column)
    out += (column ? " " : "") + padded(std::to_string(column), width);
  out += "\n";
  for (int64_t row = 0; row < rows; ++row) {
    out += padded(std::to_string(row), headWidth) + ": ";
    for (int64_t column = 0; column < columns; ++column)
      out +=
          (column ? " " : "") + padded(std::to_string(layout(first + row + rows * column)), width);
    out += "\n";
  }
  return out;
}

std::string tilec::layout::formatOffsetTable(const ComposedLayout &layout) {
  const Layout &inner = layout.layout();
  int64_t size = inner.size();
  if (inner.rank() == 1) {
    std::string out;
    for (int64_t i = 0; i < size; ++i)
      out += (i ? " " : "") + std::to_string(layout(i));
    return out + "\n";
  }
  int64_t rows = inner.mode(0).size(), columns = inner.mode(1).size();
  size_t width = std::to_string(columns - 1).size();
  for (int64_t i = 0; i < size; ++i)
    width = std::max(width, std::to_string(layout(i)).size());
  std::string out;
  for (int64_t first = 0; first < size; first += rows * columns) {
    if (inner.rank() > 2) {
      IntTuple coordinate = *inner.unflatten(first);
      out += first ? "\n(_,_" : "(_,_";
      for (size_t i = 2; i < inner.rank(); ++i)
        out += "," + coordinate.element(i).str();
      out += ")\n";
    }
    out += formatPlane(layout, rows, columns, first, width);
  }
  return out;
}
