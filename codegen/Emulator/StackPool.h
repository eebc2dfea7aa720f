//===- StackPool.h - Stacks from launch to launch -------------*- C++ -*-===//
//
// A loaded kernel keeps the stacks of its launches that have ended for those to
// come: to map and to guard them takes longer than a small kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_STACKPOOL_H
#define TILEC_EMULATOR_STACKPOOL_H

#include <cstddef>
#include <mutex>
#include <vector>

namespace tilec::emulator {

/// Launches of several OS threads may use it at once.
class StackPool {
public:
  /// Bytes at the lower end of each stack that fault.
  static constexpr size_t guardBytes = 4096;

  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool &) = delete;
  StackPool &operator=(const StackPool &) = delete;

  /// `count` stacks of `pitch` bytes each, their guards among them; null where
  /// the system gives no memory.
  char *take(size_t count, size_t pitch);
  void giveBack(char *memory, size_t count, size_t pitch);

private:
  struct Stacks {
    char *memory;
    size_t count, pitch;
  };
  /// Those of as many blocks at once; the pages that a kernel touched stay with them.
  static constexpr size_t mostKept = 8;

  std::mutex mutex;
  /// The longest unused first.
  std::vector<Stacks> kept;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_STACKPOOL_H
