//===- Spread.cpp - Who holds what, as a layout -----------------*- C++ -*-===//

#include "tilec/Tile/Spread.h"

#include "tilec/Layout/Parse.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using layout::IntTuple;
using layout::Layout;

namespace {
struct Mode {
  int64_t count, stride;
};
} // namespace

/// A mode of shape and one of strides; a single number where there is one.
static std::pair<IntTuple, IntTuple> makeModes(ArrayRef<Mode> modes) {
  if (modes.empty())
    return {IntTuple(1), IntTuple(0)};
  if (modes.size() == 1)
    return {IntTuple(modes[0].count), IntTuple(modes[0].stride)};
  std::vector<IntTuple> counts, strides;
  for (const Mode &mode : modes) {
    counts.push_back(IntTuple(mode.count));
    strides.push_back(IntTuple(mode.stride));
  }
  return {IntTuple::tuple(std::move(counts)), IntTuple::tuple(std::move(strides))};
}

Layout tilec::tile::getThreadValueLayout(const Distribution &distribution, ArrayRef<int64_t> shape) {
  SmallVector<std::pair<int64_t, Mode>> threadDigits;
  SmallVector<Mode> threads, values;
  SmallVector<int64_t> scales;
  int64_t scale = 1;
  for (auto [digits, extent] : llvm::zip_equal(distribution.dims, shape)) {
    for (const Digit &digit : digits)
      if (digit.threadStride)
        threadDigits.push_back({digit.threadStride, {digit.count, digit.step * scale}});
    scales.push_back(scale);
    scale *= extent;
  }
  // The last index of a thread's array is the fastest, of a layout the first mode.
  SmallVector<LocalDigit> local = distribution.getLocalDigits();
  for (const auto &[dim, digit] : llvm::reverse(local))
    values.push_back({digit.count, digit.step * scales[dim]});
  llvm::sort(threadDigits, [](const auto &a, const auto &b) { return a.first < b.first; });
  int64_t numbered = 1;
  for (const auto &[stride, mode] : threadDigits) {
    if (stride > numbered)
      threads.push_back({stride / numbered, 0});
    threads.push_back(mode);
    numbered = stride * mode.count;
  }
  auto [threadShape, threadStrides] = makeModes(threads);
  auto [valueShape, valueStrides] = makeModes(values);
  return *Layout::get(IntTuple::tuple({threadShape, valueShape}), IntTuple::tuple({threadStrides, valueStrides}));
}

std::optional<StringRef> tilec::tile::getSpreadText(Operation *op) {
  if (auto hold = dyn_cast<HoldOp>(op))
    return hold.getSpread();
  if (auto stage = dyn_cast<StageOp>(op))
    return stage.getSpread();
  return std::nullopt;
}

LogicalResult tilec::tile::verifySpread(Operation *op, const std::optional<Distribution> &distribution) {
  std::optional<StringRef> stated = getSpreadText(op);
  if (!stated)
    return success();
  auto type = cast<MemRefType>(op->getResult(0).getType());
  if (!distribution) // hold_h6
    return op->emitOpError("spread says which thread holds what of a tile in rf, but the tile is of type ") << type;
  layout::Result<Layout> layout = layout::parseLayout(stated->str());
  if (!layout)
    return op->emitOpError("spread '") << *stated << "' is no layout: " << layout.error().message;
  if (std::string expected = getThreadValueLayout(*distribution, type.getShape()).str(); layout->str() != expected) // hold_h6
    return op->emitOpError("spread is ") << layout->str() << ", but the loops spread the tile as " << expected;
  return success();
}
