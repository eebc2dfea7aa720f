//===- SvgLayouts.cpp - Pictures of layouts and divides ---------*- C++ -*-===//

#include "tilec/Layout/Draw.h"

#include "SvgGrid.h"

#include <algorithm>
#include <functional>

using namespace tilec::layout;
using namespace tilec::layout::svg;

//===----------------------------------------------------------------------===//
// A layout's domain as planes
//===----------------------------------------------------------------------===//

/// Longest line of a layout of rank 1.
static constexpr int64_t kLineLength = 32;

/// The natural coordinates of mode `i`: `2`, or `(0,1)` for a nested mode.
static std::vector<std::string> headings(const Layout &layout, size_t i) {
  Layout mode = layout.mode(i);
  std::vector<std::string> out;
  for (int64_t c = 0; c < mode.size(); ++c)
    out.push_back(mode.unflatten(c)->str());
  return out;
}

/// One grid for each plane of the first two modes, filled by `fill` from the logical index.
static std::vector<Grid> planes(const Layout &layout, const std::string &title,
                                const std::function<Cell(int64_t)> &fill) {
  if (layout.rank() == 1) {
    int64_t size = layout.size(), columns = std::min(size, kLineLength);
    Grid grid((size - 1) / columns + 1, columns);
    grid.title = title;
    for (int64_t i = 0; i < size; ++i)
      grid.at(i / columns, i % columns) = fill(i);
    for (int64_t row = 0; row < grid.rows; ++row)
      grid.rowHeads.push_back(std::to_string(row * columns));
    for (int64_t column = 0; column < columns; ++column)
      grid.columnHeads.push_back(std::to_string(column));
    return {std::move(grid)};
  }
  int64_t rows = layout.mode(0).size(), columns = layout.mode(1).size();
  std::vector<std::string> rowHeads = headings(layout, 0), columnHeads = headings(layout, 1);
  std::vector<Grid> grids;
  for (int64_t first = 0; first < layout.size(); first += rows * columns) {
    Grid grid(rows, columns);
    grid.rowHeads = rowHeads;
    grid.columnHeads = columnHeads;
    grid.title = first == 0 ? title : "";
    if (layout.rank() > 2) {
      IntTuple coordinate = *layout.unflatten(first);
      grid.title += grid.title.empty() ? "(_,_" : "  (_,_";
      for (size_t i = 2; i < layout.rank(); ++i)
        grid.title += "," + coordinate.element(i).str();
      grid.title += ")";
    }
    for (int64_t column = 0; column < columns; ++column)
      for (int64_t row = 0; row < rows; ++row)
        grid.at(row, column) = fill(first + row + rows * column);
    grids.push_back(std::move(grid));
  }
  return grids;
}

static std::optional<Error> checkDrawable(const Layout &layout, int64_t copies) {
  if (!layout.isStatic())
    return Error{"a symbolic layout has no picture: " + layout.str()};
  if (layout.size() > kMaxCells / copies)
    return tooManyCells(layout.size());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Offsets and swizzles
//===----------------------------------------------------------------------===//

/// What the colours of a swizzled layout mean.
static Grid bankLegend() {
  constexpr int kBanksPerGroup = 4;
  Grid legend(1, kColors);
  legend.title = "banks, where 2^M elements are 16 bytes";
  legend.palette = Palette::Pastels;
  for (int group = 0; group < kColors; ++group)
    legend.at(0, group) = {std::to_string(group * kBanksPerGroup) + "-" +
                               std::to_string((group + 1) * kBanksPerGroup - 1),
                           group};
  return legend;
}

Result<std::string> tilec::layout::drawLayouts(const std::vector<NamedLayout> &layouts) {
  int64_t cells = 0;
  for (const NamedLayout &named : layouts) {
    int64_t copies = named.layout.isPlain() ? 1 : 2;
    if (auto error = checkDrawable(named.layout.layout(), copies))
      return *error;
    cells += named.layout.size() * copies;
  }
  if (cells > kMaxCells)
    return tooManyCells(cells);

  Canvas canvas;
  bool swizzled = false;
  for (const NamedLayout &named : layouts) {
    const ComposedLayout &layout = named.layout;
    const Layout &inner = layout.layout();
    std::string name = named.name.empty() ? "" : named.name + " = ";
    if (layout.isPlain()) {
      canvas.addRow(planes(inner, name + layout.str(), [&](int64_t i) {
        return Cell{std::to_string(inner(i)), static_cast<int>(inner(i) % kColors)};
      }));
      continue;
    }
    int base = layout.swizzle().base();
    auto colored = [&](int64_t offset) {
      return Cell{std::to_string(offset), static_cast<int>((offset >> base) % kColors)};
    };
    std::vector<Grid> grids =
        planes(inner, name + inner.str() + ", before the swizzle",
               [&](int64_t i) { return colored(layout.baseOffset() + inner(i)); });
    std::vector<Grid> after =
        planes(inner, name + layout.str(), [&](int64_t i) { return colored(layout(i)); });
    grids.insert(grids.end(), after.begin(), after.end());
    for (Grid &grid : grids)
      grid.palette = Palette::Pastels;
    canvas.addRow(grids);
    swizzled = true;
  }
  if (swizzled) {
    canvas.addRow({bankLegend()});
    canvas.addCaption("Equal colours in one phase of 16-byte accesses (8 lanes) conflict.");
  }
  return canvas.finish();
}

Result<std::string> tilec::layout::drawLayout(const ComposedLayout &layout,
                                              std::optional<int64_t> marked) {
  if (!marked || !layout.isPlain())
    return drawLayouts({{"", layout}});
  const Layout &inner = layout.layout();
  if (auto error = checkDrawable(inner, 1))
    return *error;
  Canvas canvas;
  canvas.addRow(planes(inner, layout.str(), [&](int64_t i) {
    return Cell{std::to_string(inner(i)), static_cast<int>(inner(i) % kColors),
                inner(i) == *marked};
  }));
  return canvas.finish();
}

//===----------------------------------------------------------------------===//
// Divides
//===----------------------------------------------------------------------===//

namespace {
/// For each logical index, where in its tile it is and which tile that is.
struct Split {
  std::vector<int64_t> inTile, tile;
  int64_t tileSize = 1, tiles = 1;
};
} // namespace

static Result<Split> splitIndices(const Layout &layout, const Tiler &tiler);

/// Splits [0, size) by one tile layout.
static Result<Split> splitRange(int64_t size, const Layout &tile) {
  Result<Layout> divided = logicalDivide(*Layout::get(size, 1), tile);
  if (!divided)
    return divided.error();
  if (divided->size() > kMaxCells)
    return tooManyCells(divided->size());
  Split split{std::vector<int64_t>(size, 0), std::vector<int64_t>(size, 0), divided->mode(0).size(),
              divided->mode(1).size()};
  for (int64_t i = 0; i < divided->size(); ++i) {
    int64_t index = (*divided)(i);
    if (index >= size)
      continue;
    split.inTile[index] = i % split.tileSize;
    split.tile[index] = i / split.tileSize;
  }
  return split;
}

/// Splits each mode by its tiler and combines the modes colexicographically.
static Result<Split> splitModes(const Layout &layout, const std::vector<Tiler> &tilers) {
  int64_t size = layout.size(), weight = 1;
  Split all{std::vector<int64_t>(size, 0), std::vector<int64_t>(size, 0)};
  for (size_t m = 0; m < layout.rank(); ++m) {
    Layout mode = layout.mode(m);
    Result<Split> part = splitIndices(mode, m < tilers.size() ? tilers[m] : Tiler::keep());
    if (!part)
      return part;
    for (int64_t i = 0; i < size; ++i) {
      int64_t coordinate = i / weight % mode.size();
      all.inTile[i] += part->inTile[coordinate] * all.tileSize;
      all.tile[i] += part->tile[coordinate] * all.tiles;
    }
    all.tileSize *= part->tileSize;
    all.tiles *= part->tiles;
    if (all.tileSize > kMaxCells || all.tiles > kMaxCells)
      return tooManyCells(std::max(all.tileSize, all.tiles));
    weight *= mode.size();
  }
  return all;
}

static Result<Split> splitIndices(const Layout &layout, const Tiler &tiler) {
  if (tiler.isByMode())
    return splitModes(layout, tiler.modes());
  if (!tiler.isKeep())
    return splitRange(layout.size(), tiler.layout());
  Split split{std::vector<int64_t>(layout.size(), 0), std::vector<int64_t>(layout.size(), 0), 1,
              layout.size()};
  for (int64_t i = 0; i < layout.size(); ++i)
    split.tile[i] = i;
  return split;
}

Result<std::string> tilec::layout::drawDivide(const ComposedLayout &a, const Tiler &b) {
  const Layout &layout = a.layout();
  if (auto error = checkDrawable(layout, 2))
    return *error;
  Result<Layout> zipped = zippedDivide(layout, b);
  if (!zipped)
    return zipped.error();
  Result<Split> split = splitIndices(layout, b);
  if (!split)
    return split.error();
  if (split->tileSize > kMaxCells / split->tiles)
    return tooManyCells(split->tileSize);
  // Neighbours along every mode get different colours: steps of 1, 3, 5, ... modulo 8.
  Layout rest = zipped->mode(1);
  auto colorOf = [&](int64_t tile) {
    int64_t sum = 0;
    for (size_t m = 0; m < rest.rank(); ++m) {
      int64_t extent = rest.mode(m).size();
      sum += tile % extent * static_cast<int64_t>(2 * m + 1);
      tile /= extent;
    }
    return static_cast<int>(sum % kColors);
  };

  std::vector<Grid> grids = planes(layout, a.str(), [&](int64_t i) {
    return Cell{std::to_string(a(i)), colorOf(split->tile[i])};
  });
  Grid result(split->tileSize, split->tiles);
  result.title = "zipped: a column for each tile";
  // Cells that stay empty are where an uneven tile reaches past the end.
  for (int64_t i = 0; i < layout.size(); ++i)
    result.at(split->inTile[i], split->tile[i]) = {std::to_string(a(i)), colorOf(split->tile[i])};
  for (int64_t row = 0; row < result.rows; ++row)
    result.rowHeads.push_back(std::to_string(row));
  for (int64_t column = 0; column < result.columns; ++column)
    result.columnHeads.push_back(std::to_string(column));
  grids.push_back(std::move(result));
  for (Grid &grid : grids)
    grid.palette = Palette::Pastels;
  Canvas canvas;
  canvas.addRow(grids);
  return canvas.finish();
}
