//===- BoxRows.cpp - Bytes of an operand that boxes take ----------*- C++ -*-===//

#include "BoxRows.h"

using namespace mlir;
using namespace tilec::analysis;

void BoxRows::add(ArrayRef<int64_t> first, ArrayRef<int64_t> start) {
  size_t rank = site.rank();
  SmallVector<int64_t, 4> low(rank), high(rank);
  int64_t origin = layout.offset, length = 1;
  std::optional<size_t> along;
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t at = first[dim] + start[dim];
    low[dim] = std::clamp<int64_t>(at, 0, shape[dim]);
    high[dim] = std::clamp<int64_t>(at + site.box[dim], 0, shape[dim]);
    if (low[dim] == high[dim])
      return;
    origin += low[dim] * layout.strides[dim];
    if (layout.strides[dim] == 1 && !along) {
      along = dim;
      length = high[dim] - low[dim];
    }
  }
  SmallVector<int64_t, 4> step(rank, 0);
  while (true) {
    int64_t element = origin;
    for (size_t dim = 0; dim < rank; ++dim)
      element += step[dim] * layout.strides[dim];
    rows.push_back({element * site.elementBytes, (element + length) * site.elementBytes});
    size_t dim = rank;
    while (dim-- > 0) {
      if (dim != along && ++step[dim] < high[dim] - low[dim])
        break;
      step[dim] = 0;
    }
    if (dim == SIZE_MAX)
      break;
  }
  join();
}

void BoxRows::join() {
  llvm::sort(rows);
  size_t last = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].first <= rows[last].second)
      rows[last].second = std::max(rows[last].second, rows[i].second);
    else
      rows[++last] = rows[i];
  }
  rows.resize(last + 1);
}

int64_t BoxRows::countBytes() const {
  int64_t bytes = 0;
  for (auto [begin, end] : rows)
    bytes += end - begin;
  return bytes;
}

int64_t BoxRows::countTouched(int64_t size) const {
  int64_t count = 0, last = -1;
  for (auto [begin, end] : rows) {
    count += std::max<int64_t>(0, (end - 1) / size - std::max(begin / size, last + 1) + 1);
    last = (end - 1) / size;
  }
  return count;
}
