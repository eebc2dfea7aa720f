//===- BlockMemory.h - A block's shared memory, by either time -*- C++ -*-===//
//
// The memory and who touched it: in SharedMemory by barriers that the block has
// passed, in ClockedHistory by clocks where there are any.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_BLOCKMEMORY_H
#define TILEC_EMULATOR_BLOCKMEMORY_H

#include "ClockedHistory.h"
#include "SharedMemory.h"

#include <optional>

namespace tilec::emulator {

struct BlockMemory {
  explicit BlockMemory(bool byClocks) {
    if (byClocks)
      history.emplace(2 * SharedMemory::regionBytes);
  }
  void start() {
    shared.reset();
    if (history)
      history->clear();
  }
  uint64_t offsetOf(uintptr_t address) const { return address - shared.getOrigin(); }

  SharedMemory shared;
  std::optional<ClockedHistory> history;
};

inline uintptr_t addressOf(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_BLOCKMEMORY_H
