//===- RasterOrder.h - Which tile a block takes -------------------*- C++ -*-===//
//
// The one definition of each order: over numbers, for analysis, and over values of
// the kernel, where it is lowered.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_RASTERORDER_H
#define TILEC_ANALYSIS_RASTERORDER_H

#include "tilec/Tile/Tile.h"

namespace tilec::analysis {

/// In which order consecutive blocks take the tiles of a grid, as in `tile::RasterAttr`. All but
/// `Row` and `Column` need a grid of two dimensions.
struct RasterOrder {
  using Kind = tile::RasterOrder;
  static constexpr Kind Row = Kind::Row;
  static constexpr Kind Column = Kind::Column;
  static constexpr Kind Grouped = Kind::Grouped;
  static constexpr Kind Boxes = Kind::Boxes;
  static constexpr Kind Diagonal = Kind::Diagonal;

  Kind kind = Row;
  /// Tiles of a band along the first dimension (`Grouped`, `Boxes`), of a box along the second (`Boxes`); else 1.
  int64_t rows = 1;
  int64_t columns = 1;

  /// "row", "grouped = 8", "boxes = 2x2", ...
  std::string str() const { return tile::RasterAttr::toString(kind, rows, columns); }
};

/// The order that a loop asks for; row where it says nothing.
RasterOrder rasterOf(tile::ForOp loop);

/// Finds the tiles that blocks take. `Math` computes with numbers that are not negative, of type `Math::Value`:
/// `constant(n)`; `add`, `sub`, `mul`, `div`, `rem` and `min` of a name for the result (empty for none) and two values;
/// `isMultiple(x, n)`, is x known to be a multiple of n; `fits(x, n)`, is x * n known to be a number that `mul` can
/// compute. No other result passes the number of tiles.
template <typename Math> class RasterWalk {
public:
  using Value = typename Math::Value;

  /// Of a grid of `counts` tiles; computes what is the same for all blocks.
  RasterWalk(const Math &math, const RasterOrder &order, llvm::ArrayRef<Value> counts)
      : math(math), order(order), counts(counts) {
    if (order.kind == RasterOrder::Grouped || order.kind == RasterOrder::Boxes)
      bandTiles = multiply("band_tiles", order.rows, counts[0], counts[1], math.fits(counts[1], order.rows));
  }

  /// The tile of block number `block`, of those of the grid.
  llvm::SmallVector<Value, 3> getTile(Value block) {
    switch (order.kind) {
    case RasterOrder::Row:
    case RasterOrder::Column:
      return walkLines(block);
    case RasterOrder::Diagonal:
      return walkDiagonals(block);
    case RasterOrder::Grouped:
    case RasterOrder::Boxes:
      return walkBands(block);
    }
    llvm_unreachable("covered switch");
  }

private:
  llvm::SmallVector<Value, 3> walkLines(Value block) {
    unsigned count = counts.size();
    llvm::SmallVector<Value, 3> tile(count);
    for (unsigned k = 0; k < count; ++k) {
      unsigned dim = order.kind == RasterOrder::Row ? count - 1 - k : k;
      bool last = k + 1 == count;
      tile[dim] = last ? block : math.rem("", block, counts[dim]);
      if (!last)
        block = math.div("", block, counts[dim]);
    }
    return tile;
  }

  llvm::SmallVector<Value, 3> walkDiagonals(Value block) {
    Value row = math.rem("", block, counts[0]), diagonal = math.div("", block, counts[0]);
    return {row, math.rem("", math.add("", row, diagonal), counts[1])};
  }

  /// Bands from the grid's first row on; of a band columns, or boxes from its first column on.
  llvm::SmallVector<Value, 3> walkBands(Value block) {
    Value rows = math.constant(order.rows);
    Value top = math.mul("band", math.div("", block, bandTiles), rows);
    Value height = takeLeft("band_height", counts[0], top, order.rows);
    Value inBand = math.rem("in_band", block, bandTiles);
    if (order.kind == RasterOrder::Grouped)
      return {math.add("", top, math.rem("", inBand, height)), math.div("", inBand, height)};
    bool fits = math.fits(math.constant(order.rows), order.columns);
    Value boxTiles = multiply("box_tiles", order.columns, counts[1], height, fits);
    Value left = math.mul("box", math.div("", inBand, boxTiles), math.constant(order.columns));
    Value width = takeLeft("box_width", counts[1], left, order.columns);
    Value inBox = math.rem("in_box", inBand, boxTiles);
    return {math.add("", top, math.div("", inBox, width)), math.add("", left, math.rem("", inBox, width))};
  }

  /// min(side, count - first): how far a band or box reaches that begins with `first`.
  Value takeLeft(llvm::StringRef name, Value count, Value first, int64_t side) {
    if (math.isMultiple(count, side))
      return math.constant(side);
    return math.min(name, math.sub("", count, first), math.constant(side));
  }

  /// side * other for a side along `count` tiles; where that may not fit, at most count * other, which no number of a
  /// block reaches either.
  Value multiply(llvm::StringRef name, int64_t side, Value count, Value other, bool fits) {
    Value tiles = math.constant(side);
    return math.mul(name, fits ? tiles : math.min("", tiles, count), other);
  }

  Math math;
  RasterOrder order;
  llvm::SmallVector<Value, 3> counts;
  Value bandTiles{};
};

/// The tile that block `block` takes in a grid of `counts` tiles.
llvm::SmallVector<int64_t, 3> tileOfBlock(const RasterOrder &order, int64_t block, llvm::ArrayRef<int64_t> counts);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_RASTERORDER_H
