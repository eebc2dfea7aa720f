//===- SvgGrid.h - Grids of labelled cells as SVG ---------------*- C++ -*-===//
//
// Keeps the text small: one path for each colour and one text line for each row of cells.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_SVGGRID_H
#define TILEC_LAYOUT_SVGGRID_H

#include "tilec/Layout/Result.h"

#include <cstdint>
#include <vector>

namespace tilec::layout::svg {

/// Greys for offsets, pastels for threads, tiles and bank groups.
enum class Palette { Greys, Pastels };
constexpr int kColors = 8;

struct Cell {
  std::string label;
  /// In [0, kColors), or -1 for white.
  int color = -1;
  bool marked = false;
};

/// A table of cells with row and column headings.
struct Grid {
  Grid(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), cells(static_cast<size_t>(rows * columns)) {}

  Cell &at(int64_t row, int64_t column) { return cells[row * columns + column]; }
  const Cell &at(int64_t row, int64_t column) const { return cells[row * columns + column]; }
  /// Characters that the widest label or column heading needs.
  size_t labelChars() const;

  int64_t rows;
  int64_t columns;
  std::vector<Cell> cells;
  std::string title;
  std::vector<std::string> rowHeads;
  std::vector<std::string> columnHeads;
  Palette palette = Palette::Greys;
  /// Characters of a cell; 0 for labelChars(). Set to align grids that stand on each other.
  size_t cellChars = 0;
};

/// Width and height in pixels, titles and headings included.
struct Extent {
  int64_t width;
  int64_t height;
};
Extent extentOf(const Grid &grid);

/// Collects grids and lines of text at given places.
class Canvas {
public:
  void addGrid(const Grid &grid, int64_t x, int64_t y);
  /// Grids from left to right, on a new line when the picture gets too wide.
  void addRow(const std::vector<Grid> &grids);
  /// A line of text below everything so far.
  void addCaption(const std::string &text);
  /// The whole SVG document.
  std::string finish() const;

private:
  void include(int64_t right, int64_t bottom);

  std::string body;
  int64_t width = 0;
  int64_t height = 0;
};

/// Refuses pictures of more cells than a browser shows at ease.
constexpr int64_t kMaxCells = 32768;
Error tooManyCells(int64_t cells);

} // namespace tilec::layout::svg

#endif // TILEC_LAYOUT_SVGGRID_H
