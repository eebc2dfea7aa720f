//===- RasterOrder.cpp - Which tile a block takes ----------------*- C++ -*-===//
//
// The orders over numbers.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/RasterOrder.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

namespace {

/// Extents and sides fit 31 bits, so products of two of them fit 64.
struct Numbers {
  using Value = int64_t;
  int64_t constant(int64_t n) const { return n; }
  int64_t add(StringRef, int64_t x, int64_t y) const { return x + y; }
  int64_t sub(StringRef, int64_t x, int64_t y) const { return x - y; }
  int64_t mul(StringRef, int64_t x, int64_t y) const { return x * y; }
  int64_t div(StringRef, int64_t x, int64_t y) const { return x / y; }
  int64_t rem(StringRef, int64_t x, int64_t y) const { return x % y; }
  int64_t min(StringRef, int64_t x, int64_t y) const { return std::min(x, y); }
  bool isMultiple(int64_t x, int64_t n) const { return x % n == 0; }
  bool fits(int64_t, int64_t) const { return true; }
};

} // namespace

RasterOrder tilec::analysis::rasterOf(tile::ForOp loop) {
  tile::RasterAttr raster = loop.getRasterAttr();
  return raster ? RasterOrder{raster.getOrder(), raster.getRows(), raster.getColumns()} : RasterOrder();
}

SmallVector<int64_t, 3> tilec::analysis::tileOfBlock(const RasterOrder &order, int64_t block,
                                                     ArrayRef<int64_t> counts) {
  return RasterWalk<Numbers>(Numbers(), order, counts).getTile(block);
}
