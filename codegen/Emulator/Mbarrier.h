//===- Mbarrier.h - State of a barrier in shared memory -------*- C++ -*-===//
//
// What the hardware keeps in the 64 bits, and what is on its way to them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_MBARRIER_H
#define TILEC_EMULATOR_MBARRIER_H

#include "Clocks.h"

#include "tilec/Runtime/TensorMap.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tilec::emulator {

class Operand;

/// A tensor map of the launch. Kernels hold its number, not this.
struct TensorMap {
  runtime::TensorMapValues values;
  Operand *operand = nullptr;
};

/// What a kernel's parameter of type TensorMap holds in the emulator.
struct TensorMapHandle {
  static constexpr uint64_t magicNumber = 0x70616d7465636c69;
  uint64_t magic = magicNumber;
  uint64_t index = 0;
};

/// A box that has been asked for and not delivered.
struct BulkCopy {
  const TensorMap *map = nullptr;
  std::array<int, 5> coordinates = {};
  uintptr_t dest = 0;
  /// The agent that issued it.
  unsigned agent = 0;
  int line = 0;
};

/// An arrival that waits for copies of its thread.
struct CopyArrival {
  unsigned thread = 0;
  /// Copies of the thread that were issued before it.
  uint64_t copies = 0;
};

struct Mbarrier {
  uintptr_t address = 0;
  /// "full[2]".
  std::string name;
  unsigned expected = 0;
  /// Arrivals and bytes that the current phase still waits for.
  unsigned pending = 0;
  int64_t bytes = 0;
  /// Phases that have ended.
  uint32_t phase = 0;
  std::vector<BulkCopy> copies;
  std::vector<CopyArrival> copyArrivals;
  /// Threads of the block that wait for the current phase.
  std::vector<unsigned> waiters;

  /// Of mbarrier_init.
  unsigned startedBy = 0;
  uint32_t startTick = 0;
  /// Told to bulk copies and other blocks.
  bool fenced = false;
  /// Whose ticks are the phases that copies have landed in.
  unsigned agent = 0;
  /// Of those that arrived for the current phase; of all phases that have ended.
  Knowledge arriving;
  Knowledge ended;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_MBARRIER_H
