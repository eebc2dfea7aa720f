//===- Boxes.h - The rows of a box of a tensor ----------------*- C++ -*-===//
//
// Which bytes a bulk copy reads, and where they go.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_BOXES_H
#define TILEC_EMULATOR_BOXES_H

#include "BlockMemory.h"
#include "Mbarrier.h"

#include <algorithm>

namespace tilec::emulator {

/// One row of a box along its innermost dimension.
struct BoxRow {
  /// Bytes of the box before it.
  uint64_t boxOffset;
  /// Elements [first, end) of it are in the tensor; `source` is the first's.
  int64_t first, end;
  uintptr_t source;
};

template <typename Visit>
void forEachRow(const BulkCopy &copy, Visit visit) {
  const runtime::TensorMapValues &map = copy.map->values;
  const size_t rank = map.box.size();
  const int64_t width = map.strides[0];
  const uint64_t rowBytes = uint64_t(map.box[0]) * runtime::byteWidth(map.type);
  const int64_t x = copy.coordinates[0];
  BoxRow row;
  row.first = std::clamp<int64_t>(-x, 0, map.box[0]);
  row.end = std::clamp<int64_t>(map.extents[0] - x, row.first, map.box[0]);
  std::vector<unsigned> index(rank, 0);
  for (row.boxOffset = 0;; row.boxOffset += rowBytes) {
    bool inside = row.first < row.end;
    int64_t position = (x + row.first) * width;
    for (size_t dim = 1; dim < rank; ++dim) {
      const int64_t at = int64_t(copy.coordinates[dim]) + index[dim];
      inside &= at >= 0 && at < map.extents[dim];
      position += at * map.strides[dim];
    }
    BoxRow clipped = row;
    if (!inside)
      clipped.first = clipped.end = 0;
    clipped.source = map.address + position;
    visit(clipped);
    size_t dim = 1;
    while (dim < rank && ++index[dim] == map.box[dim])
      index[dim++] = 0;
    if (dim >= rank)
      return;
  }
}

/// Writes the bytes of a box, as `agent` at `tick`.
void deliverBox(const BulkCopy &copy, BlockMemory &memory, unsigned agent, uint32_t tick);

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_BOXES_H
