//===- Launch.h - What all workers of a launch share ----------*- C++ -*-===//

#ifndef TILEC_EMULATOR_LAUNCH_H
#define TILEC_EMULATOR_LAUNCH_H

#include "AtomicCells.h"
#include "GlobalMemory.h"
#include "Mbarrier.h"
#include "RuntimeTable.h"

#include "tilec/Emulator/Emulator.h"

#include <atomic>
#include <memory>
#include <vector>

namespace tilec::emulator {

class StackPool;

struct Launch {
  const tilec_emulator::KernelEntry *entry = nullptr;
  StackPool *stacks = nullptr;
  /// One address a parameter.
  std::vector<void *> arguments;
  std::vector<std::unique_ptr<Operand>> operands;
  std::vector<TensorMap> tensorMaps;
  /// Those in constant memory, by the names of the kernel's arrays.
  std::vector<std::pair<std::string, const Operand *>> constants;
  unsigned blocks = 0;
  unsigned clusterBlocks = 1;
  unsigned blockThreads = 0;
  /// The kernel ahead in the stream may still be running when this one begins.
  bool dependent = false;
  /// The kernel orders its threads by more than barriers of whole blocks.
  bool needsClocks = false;
  uint64_t staticSharedBytes = 0;
  uint64_t dynamicSharedBytes = 0;
  RunOptions options;
  AtomicCells atomics;
  /// Set when a block cannot go on: the other results would mean nothing.
  std::atomic<bool> stopped{false};
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_LAUNCH_H
