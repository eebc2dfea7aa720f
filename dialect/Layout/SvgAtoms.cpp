//===- SvgAtoms.cpp - Pictures of threads and values ------------*- C++ -*-===//

#include "tilec/Layout/Draw.h"

#include "SvgGrid.h"

#include <algorithm>

using namespace tilec::layout;
using namespace tilec::layout::svg;

/// "T5V2" for each logical index of a tile, with "+n" where n more lanes hold the same element.
static Result<std::vector<Cell>> threadCells(const Layout &threadValue, int64_t tileSize) {
  if (!threadValue.isStatic())
    return Error{"a symbolic layout has no picture: " + threadValue.str()};
  if (threadValue.rank() != 2)
    return Error{"a thread/value layout has rank 2, " + threadValue.str() + " has rank " +
                 std::to_string(threadValue.rank())};
  if (threadValue.size() > 4 * kMaxCells)
    return tooManyCells(threadValue.size());
  if (threadValue.cosize() > tileSize)
    return Error{"the thread/value layout " + threadValue.str() + " reaches index " +
                 std::to_string(threadValue.cosize() - 1) + " of a tile of " +
                 std::to_string(tileSize) + " elements"};
  std::vector<Cell> cells(tileSize);
  std::vector<int64_t> holders(tileSize, 0);
  int64_t threads = threadValue.mode(0).size();
  for (int64_t i = 0; i < threadValue.size(); ++i) {
    int64_t index = threadValue(i), thread = i % threads;
    if (holders[index]++ == 0)
      cells[index] = {"T" + std::to_string(thread) + "V" + std::to_string(i / threads),
                      static_cast<int>(thread % kColors)};
  }
  for (int64_t index = 0; index < tileSize; ++index)
    if (holders[index] > 1)
      cells[index].label += "+" + std::to_string(holders[index] - 1);
  return cells;
}

static std::vector<std::string> counted(int64_t count) {
  std::vector<std::string> out;
  for (int64_t i = 0; i < count; ++i)
    out.push_back(std::to_string(i));
  return out;
}

/// A (rows, columns) operand; `transposed` draws its rows across.
static Grid operandGrid(const std::vector<Cell> &cells, int64_t rows, int64_t columns,
                        bool transposed, std::string title) {
  Grid grid(transposed ? columns : rows, transposed ? rows : columns);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      (transposed ? grid.at(column, row) : grid.at(row, column)) = cells[row + rows * column];
  grid.rowHeads = counted(grid.rows);
  grid.columnHeads = counted(grid.columns);
  grid.title = std::move(title);
  grid.palette = Palette::Pastels;
  return grid;
}

Result<std::string> tilec::layout::drawThreadValue(const Layout &threadValue, const Layout &tile) {
  if (!tile.isStatic())
    return Error{"a symbolic tile has no picture: " + tile.str()};
  if (tile.size() > kMaxCells)
    return tooManyCells(tile.size());
  Result<std::vector<Cell>> cells = threadCells(threadValue, tile.size());
  if (!cells)
    return cells.error();
  int64_t rows = tile.rank() == 1 ? 1 : tile.mode(0).size();
  std::string title = threadValue.str() + " over " + tile.shape().str();
  Canvas canvas;
  canvas.addRow({operandGrid(*cells, rows, tile.size() / rows, false, title)});
  canvas.addCaption("T: thread, V: value; coloured by thread modulo 8.");
  return canvas.finish();
}

Result<std::string> tilec::layout::drawInstruction(const InstructionLayout &instruction) {
  bool isCopy = instruction.operands[0].name == "source";
  int64_t total = 0;
  for (const OperandLayout &operand : instruction.operands)
    total += operand.rows * operand.columns;
  if (total > kMaxCells)
    return tooManyCells(total);
  std::vector<Grid> grids;
  size_t chars = 0;
  for (const OperandLayout &operand : instruction.operands) {
    Result<std::vector<Cell>> cells =
        threadCells(operand.threadValue, operand.rows * operand.columns);
    if (!cells)
      return cells.error();
    // B is stored (N,K) and drawn (K,N), above C; copies are stored (element, row).
    bool transposed = isCopy || operand.name == "B";
    grids.push_back(operandGrid(*cells, operand.rows, operand.columns, transposed,
                                operand.name + "  " + operand.threadValue.str()));
    chars = std::max(chars, grids.back().labelChars());
  }
  // Grids one above the other need cells and headings of one width.
  size_t headChars = 0;
  for (const Grid &grid : grids)
    headChars = std::max(headChars, grid.rowHeads.back().size());
  for (Grid &grid : grids) {
    grid.cellChars = chars;
    grid.rowHeads[0].insert(0, headChars - grid.rowHeads[0].size(), ' ');
  }

  Canvas canvas;
  if (isCopy || grids.size() == 2) {
    canvas.addRow(grids);
  } else {
    constexpr int64_t margin = 12, gap = 28;
    const Grid &a = grids[0], &b = grids[1], &c = grids[2];
    int64_t right = margin + extentOf(a).width + gap, below = margin + extentOf(b).height + gap;
    canvas.addGrid(a, margin, below);
    canvas.addGrid(b, right, margin);
    canvas.addGrid(c, right, below);
  }
  canvas.addCaption(instruction.name + ": T thread, V value; coloured by thread modulo 8." +
                    (isCopy ? " Source: the thread gives the address of the row."
                            : " A is (M,K), B is drawn (K,N), C is (M,N)."));
  return canvas.finish();
}
