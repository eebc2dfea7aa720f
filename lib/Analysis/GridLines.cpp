//===- GridLines.cpp - Lines of a grid that some blocks lie in ---*- C++ -*-===//
//
// Blocks with consecutive numbers take whole lines, diagonals, bands and boxes but
// for the first and the last one, so these tell all rows and columns. A test holds
// this against tileOfBlock.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/GridLines.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

namespace {

/// Some of the numbers 0 .. size - 1, as ranges that may overlap.
class Ranges {
public:
  explicit Ranges(int64_t size) : size(size) {}

  /// Adds begin .. end - 1, modulo size.
  void add(int64_t begin, int64_t end) {
    if (end <= begin)
      return;
    if (end - begin >= size) {
      ranges = {{0, size}};
      return;
    }
    int64_t from = begin % size, to = from + end - begin;
    ranges.push_back({from, std::min(to, size)});
    if (to > size)
      ranges.push_back({0, to - size});
  }

  int64_t count() {
    llvm::sort(ranges);
    int64_t number = 0, reached = 0;
    for (auto [begin, end] : ranges) {
      number += std::max<int64_t>(end - std::max(begin, reached), 0);
      reached = std::max(reached, end);
    }
    return number;
  }

private:
  int64_t size;
  SmallVector<std::pair<int64_t, int64_t>, 8> ranges;
};

/// Consecutive numbers as digits, the most significant one first: how many values do some of the digits take?
class DigitCounter {
public:
  DigitCounter(ArrayRef<int64_t> counts, ArrayRef<bool> seen)
      : counts(counts), seen(seen), numbers(counts.size() + 1, 1), values(counts.size() + 1, 1) {
    for (size_t digit = counts.size(); digit-- > 0;) {
      numbers[digit] = numbers[digit + 1] * counts[digit];
      values[digit] = values[digit + 1] * (seen[digit] ? counts[digit] : 1);
    }
  }

  /// Of the numbers first .. end - 1, which have the digits from `digit` on.
  int64_t countRange(unsigned digit, int64_t first, int64_t end) const {
    if (digit == counts.size())
      return 1;
    int64_t each = numbers[digit + 1], from = first / each, to = (end - 1) / each;
    int64_t firstLeft = first % each, endLeft = (end - 1) % each + 1;
    if (from == to)
      return countRange(digit + 1, firstLeft, endLeft);
    if (seen[digit])
      return countRange(digit + 1, firstLeft, each) + (to - from - 1) * values[digit + 1] + countRange(digit + 1, 0, endLeft);
    return to - from > 1 ? values[digit + 1] : countAround(digit + 1, firstLeft, endLeft);
  }

private:
  /// Of the numbers from `first` on, and of those below `end`.
  int64_t countAround(unsigned digit, int64_t first, int64_t end) const {
    if (end >= first)
      return values[digit];
    int64_t each = numbers[digit + 1], from = first / each, to = (end - 1) / each;
    int64_t firstLeft = first % each, endLeft = (end - 1) % each + 1;
    // Digits all of whose numbers are there.
    int64_t whole = counts[digit] - 1 - from + to;
    if (!seen[digit])
      return whole > 0 ? values[digit + 1] : countAround(digit + 1, firstLeft, endLeft);
    int64_t parts = from == to ? countAround(digit + 1, firstLeft, endLeft)
                               : countRange(digit + 1, firstLeft, each) + countRange(digit + 1, 0, endLeft);
    return whole * values[digit + 1] + parts;
  }

  ArrayRef<int64_t> counts;
  ArrayRef<bool> seen;
  /// Numbers, and values of the digits that are seen, of the digits from one on.
  SmallVector<int64_t, 4> numbers, values;
};

/// So many different rows and columns of a grid.
struct GridLines {
  int64_t rows = 0;
  int64_t columns = 0;
};

} // namespace

static GridLines countOnDiagonals(int64_t rows, int64_t columns, int64_t first, int64_t last) {
  int64_t from = first / rows, to = last / rows;
  Ranges range(columns);
  // Tile i of diagonal d lies in column i + d, modulo columns.
  if (from == to) {
    range.add(first % rows + from, last % rows + to + 1);
  } else {
    range.add(first % rows + from, rows + from);
    // Whole diagonals.
    if (to > from + 1)
      range.add(from + 1, rows + to - 1);
    range.add(to, last % rows + to + 1);
  }
  return {std::min(last - first + 1, rows), range.count()};
}

/// Adds the columns of tiles first .. last of a band of `height` rows in boxes of `width` columns, and returns how many
/// rows these tiles lie in.
static int64_t addBand(Ranges &range, int64_t height, int64_t width, int64_t columns, int64_t first, int64_t last) {
  /// A tile's place: the box's first column and its columns, and row and column in it.
  struct Place {
    int64_t left, width, row, column;
  };
  int64_t boxTiles = height * width;
  auto find = [&](int64_t tile) {
    int64_t left = tile / boxTiles * width, own = std::min(width, columns - left);
    return Place{left, own, tile % boxTiles / own, tile % boxTiles % own};
  };
  Place from = find(first), to = find(last);
  if (from.left == to.left && from.row == to.row) {
    range.add(from.left + from.column, from.left + to.column + 1);
    return 1;
  }
  // From the first tile to the end of its row, and from the start of the last one's row to that tile; rows between are
  // whole ones.
  range.add(from.left + from.column, from.left + from.width);
  range.add(to.left, to.left + to.column + 1);
  if (from.left == to.left) {
    if (to.row > from.row + 1)
      range.add(from.left, from.left + from.width);
    return to.row - from.row + 1;
  }
  if (from.row + 1 < height)
    range.add(from.left, from.left + from.width);
  if (to.row > 0)
    range.add(to.left, to.left + to.width);
  int64_t between = to.left - from.left - from.width;
  range.add(from.left + from.width, to.left);
  return between > 0 ? height : std::min(height, height - from.row + to.row + 1);
}

static GridLines countInBands(const RasterOrder &order, int64_t rows, int64_t columns, int64_t first, int64_t last) {
  // A band that is walked column by column is one of boxes one tile wide.
  GridLines lines;
  Ranges range(columns);
  int64_t band = std::min(order.rows, rows), width = std::min(order.columns, columns);
  for (int64_t at = first; at <= last;) {
    // Bands all of whose tiles are there.
    if (int64_t whole = at % (band * columns) == 0 ? (last + 1 - at) / (band * columns) : 0; whole > 0) {
      lines.rows += whole * band;
      range.add(0, columns);
      at += whole * band * columns;
      continue;
    }
    int64_t top = at / (band * columns) * band, height = std::min(band, rows - top);
    int64_t end = std::min(last, top * columns + height * columns - 1);
    lines.rows += addBand(range, height, width, columns, at - top * columns, end - top * columns);
    at = end + 1;
  }
  lines.columns = range.count();
  return lines;
}

int64_t tilec::analysis::countLines(const RasterOrder &order, ArrayRef<int64_t> counts, ArrayRef<unsigned> dims, int64_t first,
                                    int64_t blocks) {
  if (dims.empty())
    return 1;
  if (dims.size() == counts.size())
    return blocks;
  auto alongDims = [&](const GridLines &lines) { return dims.front() == 0 ? lines.rows : lines.columns; };
  int64_t last = first + blocks - 1;
  switch (order.kind) {
  case RasterOrder::Diagonal:
    return alongDims(countOnDiagonals(counts[0], counts[1], first, last));
  case RasterOrder::Grouped:
  case RasterOrder::Boxes:
    return alongDims(countInBands(order, counts[0], counts[1], first, last));
  case RasterOrder::Row:
  case RasterOrder::Column:
    break;
  }
  SmallVector<int64_t, 4> digits(counts);
  SmallVector<bool, 4> seen(counts.size(), false);
  for (unsigned dim : dims)
    seen[dim] = true;
  if (order.kind == RasterOrder::Column) {
    std::reverse(digits.begin(), digits.end());
    std::reverse(seen.begin(), seen.end());
  }
  return DigitCounter(digits, seen).countRange(0, first, last + 1);
}
