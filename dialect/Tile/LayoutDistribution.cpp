//===- LayoutDistribution.cpp - Register tiles spread by a layout -*- C++ -*-===//

#include "tilec/Tile/LayoutDistribution.h"

#include "Bounds.h"

using namespace mlir;
using namespace tilec::tile;

/// Adds `mode` of a thread/value layout, which moves the element down a column of `rows` or from column to column.
static LogicalResult addMode(Distribution &result, tilec::layout::Mode mode, int64_t rows, int64_t threadStride) {
  if (mode.extent == 1)
    return success();
  bool down = mode.stride < rows;
  // Threads may hold an element together; a thread holds it once.
  if (mode.stride == 0)
    return success(threadStride != 0);
  if (down ? mode.stride * mode.extent > rows : mode.stride % rows != 0)
    return failure();
  result.dims[down ? 0 : 1].push_back({mode.extent, down ? mode.stride : mode.stride / rows, threadStride});
  return success();
}

void tilec::tile::mergeValues(Distribution &result, SmallVectorImpl<LocalDigit> &values) {
  for (size_t i = 0; i + 1 < values.size();) {
    LocalDigit &outer = values[i], inner = values[i + 1];
    SmallVector<Digit> &digits = result.dims[outer.dim];
    auto *at = llvm::find(digits, outer.digit);
    if (outer.dim != inner.dim || std::next(at) == digits.end() || !(*std::next(at) == inner.digit)) {
      ++i;
      continue;
    }
    outer.digit = {saturatingMul(outer.digit.count, inner.digit.count), inner.digit.step, 0};
    *at = outer.digit;
    digits.erase(std::next(at));
    values.erase(values.begin() + i + 1);
  }
}

FailureOr<Distribution> tilec::tile::getDistribution(const tilec::layout::Layout &threadValue, int64_t rows, int64_t columns) {
  if (!threadValue.isStatic() || threadValue.rank() != 2)
    return failure();
  Distribution result;
  result.dims.resize(2);
  const tilec::layout::Layout ofThreads = threadValue.mode(0), ofValues = threadValue.mode(1);
  int64_t threads = 1;
  for (const tilec::layout::Mode &mode : ofThreads.modes()) {
    if (failed(addMode(result, mode, rows, threads)))
      return failure();
    threads *= mode.extent;
  }
  SmallVector<LocalDigit> values;
  for (const tilec::layout::Mode &mode : llvm::reverse(ofValues.modes())) {
    if (failed(addMode(result, mode, rows, /*threadStride=*/0)))
      return failure();
    if (mode.extent > 1)
      values.push_back({mode.stride < rows ? 0u : 1u, result.dims[mode.stride < rows ? 0 : 1].back()});
  }
  const int64_t extents[] = {rows, columns};
  for (auto [digits, extent] : llvm::zip_equal(result.dims, extents)) {
    llvm::sort(digits, [](const Digit &a, const Digit &b) { return a.step > b.step; });
    int64_t span = 1;
    for (const Digit &digit : llvm::reverse(digits)) {
      if (digit.step != span)
        return failure();
      span *= digit.count;
    }
    if (span != extent)
      return failure();
  }
  mergeValues(result, values);
  result.setOrder(values);
  return result;
}
