//===- Boxes.cpp - The rows of a box of a tensor --------------*- C++ -*-===//
//
// See Boxes.h.
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"

#include <cstring>

namespace tilec::emulator {

void deliverBox(const BulkCopy &copy, BlockMemory &memory, unsigned agent, uint32_t tick) {
  const runtime::TensorMapValues &map = copy.map->values;
  const unsigned width = runtime::byteWidth(map.type);
  const uint64_t rowBytes = uint64_t(map.box[0]) * width;
  constexpr uint64_t chunkBytes = 16;
  std::vector<char> bytes(rowBytes);
  const uintptr_t origin = memory.shared.getOrigin();
  const uint64_t offset = memory.offsetOf(copy.dest);
  forEachRow(copy, [&](const BoxRow &row) {
    std::fill(bytes.begin(), bytes.end(), 0);
    if (row.first != row.end)
      std::memcpy(bytes.data() + row.first * width, reinterpret_cast<const void *>(row.source),
                  (row.end - row.first) * width);
    // The swizzle goes by addresses; the origin is a multiple of its period.
    for (uint64_t chunk = 0; chunk < rowBytes; chunk += chunkBytes)
      std::memcpy(reinterpret_cast<void *>(
                      origin + runtime::swizzled(map.swizzle, offset + row.boxOffset + chunk)),
                  bytes.data() + chunk, chunkBytes);
  });
  if (memory.history)
    memory.history->land(offset, map.boxBytes(), agent, tick, ClockedHistory::Copy::Bulk);
}

} // namespace tilec::emulator
