//===- SvgGrid.cpp - Grids of labelled cells as SVG -------------*- C++ -*-===//

#include "SvgGrid.h"

#include <algorithm>

using namespace tilec::layout;
using namespace tilec::layout::svg;

// Monospaced text of 10 px is 6 px wide; textLength holds every font to it.
static constexpr int64_t kCharWidth = 6;
static constexpr int64_t kCellHeight = 16;
static constexpr int64_t kTitleHeight = 22;
static constexpr int64_t kBaseline = 12;
static constexpr int64_t kMargin = 12;
static constexpr int64_t kGap = 28;
static constexpr int64_t kWrapWidth = 1800;

static constexpr const char *kGreys[kColors] = {"#ffffff", "#f4f4f4", "#eaeaea", "#e0e0e0",
                                                "#d6d6d6", "#cccccc", "#c2c2c2", "#b8b8b8"};
static constexpr const char *kPastels[kColors] = {"#afcdfa", "#ffe08a", "#b4e6b4", "#f7b4b4",
                                                  "#d3bff0", "#ffcb99", "#a9e3e3", "#e6d5c0"};

Error svg::tooManyCells(int64_t cells) {
  return Error{"a picture of " + std::to_string(cells) + " cells, at most " +
               std::to_string(kMaxCells) + " are drawn"};
}

static std::string escape(const std::string &text) {
  std::string out;
  for (char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

static std::string number(int64_t value) { return std::to_string(value); }

/// `text` in the middle of `chars` characters.
static std::string centered(const std::string &text, size_t chars) {
  size_t space = chars > text.size() ? chars - text.size() : 0;
  return std::string(space - space / 2, ' ') + text + std::string(space / 2, ' ');
}

static std::string rightAligned(const std::string &text, size_t chars) {
  return std::string(chars > text.size() ? chars - text.size() : 0, ' ') + text;
}

/// One line of monospaced text.
static std::string textLine(const char *cssClass, int64_t x, int64_t y, std::string text) {
  // Trailing spaces would only cost bytes.
  text.erase(text.find_last_not_of(' ') + 1);
  size_t lead = std::min(text.find_first_not_of(' '), text.size());
  text.erase(0, lead);
  if (text.empty())
    return "";
  int64_t length = static_cast<int64_t>(text.size()) * kCharWidth;
  return std::string("<text class=\"") + cssClass + "\" x=\"" +
         number(x + static_cast<int64_t>(lead) * kCharWidth) + "\" y=\"" + number(y) +
         "\" textLength=\"" + number(length) + "\">" + escape(text) + "</text>\n";
}

size_t Grid::labelChars() const {
  size_t chars = 1;
  for (const Cell &cell : cells)
    chars = std::max(chars, cell.label.size());
  for (const std::string &head : columnHeads)
    chars = std::max(chars, head.size());
  return chars;
}

namespace {
/// Where the parts of a grid lie.
struct Frame {
  explicit Frame(const Grid &grid) {
    cellChars = (grid.cellChars ? grid.cellChars : grid.labelChars()) + 2;
    cellWidth = static_cast<int64_t>(cellChars) * kCharWidth;
    for (const std::string &head : grid.rowHeads)
      headChars = std::max(headChars, head.size());
    left = headChars ? static_cast<int64_t>(headChars + 1) * kCharWidth : 0;
    top = (grid.title.empty() ? 0 : kTitleHeight) + (grid.columnHeads.empty() ? 0 : kCellHeight);
  }
  size_t cellChars;
  size_t headChars = 0;
  int64_t cellWidth;
  int64_t left;
  int64_t top;
};
} // namespace

Extent svg::extentOf(const Grid &grid) {
  Frame frame(grid);
  int64_t width = frame.left + grid.columns * frame.cellWidth;
  return {std::max(width, static_cast<int64_t>(grid.title.size()) * 7),
          frame.top + grid.rows * kCellHeight};
}

/// Background of all cells of one colour: strokes as thick as a cell, equal neighbours joined.
static std::string colorPath(const Grid &grid, const Frame &frame, int color, int64_t x,
                             int64_t y) {
  std::string path;
  for (int64_t row = 0; row < grid.rows; ++row) {
    int64_t pen = -1;
    for (int64_t column = 0; column < grid.columns;) {
      if (grid.at(row, column).color != color) {
        ++column;
        continue;
      }
      int64_t end = column;
      while (end < grid.columns && grid.at(row, end).color == color)
        ++end;
      if (pen < 0)
        path += "M" + number(x + column * frame.cellWidth) + " " +
                number(y + row * kCellHeight + kCellHeight / 2);
      else
        path += "m" + number((column - pen) * frame.cellWidth) + " 0";
      path += "h" + number((end - column) * frame.cellWidth);
      pen = column = end;
    }
  }
  if (path.empty())
    return path;
  const char *fill = (grid.palette == Palette::Greys ? kGreys : kPastels)[color];
  return "<path class=\"b\" stroke=\"" + std::string(fill) + "\" d=\"" + path + "\"/>\n";
}

void Canvas::addGrid(const Grid &grid, int64_t x, int64_t y) {
  Frame frame(grid);
  int64_t cellsX = x + frame.left, cellsY = y + frame.top;
  if (!grid.title.empty())
    body += "<text class=\"t\" x=\"" + number(cellsX) + "\" y=\"" + number(y + kBaseline) + "\">" +
            escape(grid.title) + "</text>\n";

  for (int color = 0; color < kColors; ++color)
    body += colorPath(grid, frame, color, cellsX, cellsY);

  std::string lines;
  for (int64_t row = 0; row <= grid.rows; ++row)
    lines += "M" + number(cellsX) + " " + number(cellsY + row * kCellHeight) + "h" +
             number(grid.columns * frame.cellWidth);
  for (int64_t column = 0; column <= grid.columns; ++column)
    lines += "M" + number(cellsX + column * frame.cellWidth) + " " + number(cellsY) + "v" +
             number(grid.rows * kCellHeight);
  body += "<path class=\"l\" d=\"" + lines + "\"/>\n";

  std::string heads;
  for (const std::string &head : grid.columnHeads)
    heads += centered(head, frame.cellChars);
  body += textLine("h", cellsX, cellsY - kCellHeight + kBaseline, heads);

  std::string marks;
  for (int64_t row = 0; row < grid.rows; ++row) {
    int64_t baseline = cellsY + row * kCellHeight + kBaseline;
    if (!grid.rowHeads.empty())
      body += textLine("h", x, baseline, rightAligned(grid.rowHeads[row], frame.headChars));
    std::string labels;
    for (int64_t column = 0; column < grid.columns; ++column) {
      const Cell &cell = grid.at(row, column);
      labels += centered(cell.label, frame.cellChars);
      if (cell.marked)
        marks += "M" + number(cellsX + column * frame.cellWidth) + " " +
                 number(cellsY + row * kCellHeight) + "h" + number(frame.cellWidth) + "v" +
                 number(kCellHeight) + "h-" + number(frame.cellWidth) + "z";
    }
    body += textLine("c", cellsX, baseline, labels);
  }
  if (!marks.empty())
    body += "<path class=\"m\" d=\"" + marks + "\"/>\n";
  Extent extent = extentOf(grid);
  include(x + extent.width, y + extent.height);
}

void Canvas::addRow(const std::vector<Grid> &grids) {
  int64_t x = kMargin, y = height == 0 ? kMargin : height + kGap;
  for (const Grid &grid : grids) {
    Extent extent = extentOf(grid);
    if (x > kMargin && x + extent.width > kWrapWidth) {
      x = kMargin;
      y = height + kGap;
    }
    addGrid(grid, x, y);
    x += extent.width + kGap;
  }
}

void Canvas::addCaption(const std::string &text) {
  int64_t y = height + kTitleHeight;
  body += "<text class=\"n\" x=\"" + number(kMargin) + "\" y=\"" + number(y) + "\">" +
          escape(text) + "</text>\n";
  include(kMargin + static_cast<int64_t>(text.size()) * kCharWidth, y + 4);
}

void Canvas::include(int64_t right, int64_t bottom) {
  width = std::max(width, right);
  height = std::max(height, bottom);
}

std::string Canvas::finish() const {
  std::string w = number(width + kMargin), h = number(height + kMargin);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h +
         "\" viewBox=\"0 0 " + w + " " + h +
         "\">\n"
         "<style>\n"
         "text{white-space:pre;font:10px monospace;fill:#111}\n"
         ".t{font:bold 12px sans-serif}\n"
         ".n{font:11px sans-serif;fill:#444}\n"
         ".h{fill:#777}\n"
         ".b{stroke-width:" +
         number(kCellHeight) +
         ";fill:none}\n"
         ".l{stroke:#999;stroke-width:.5;fill:none}\n"
         ".m{stroke:#d00000;stroke-width:2;fill:none}\n"
         "</style>\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
         "<g xml:space=\"preserve\">\n" +
         body + "</g>\n</svg>\n";
}
