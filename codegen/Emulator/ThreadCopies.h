//===- ThreadCopies.h - Copies by cp.async on their way -------*- C++ -*-===//
//
// The bytes of a copy arrive at the last moment that the rules allow: in the
// wait that covers its group, or when an mbarrier that was told of it cannot
// wait longer. Copies that no wait covers never arrive.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_THREADCOPIES_H
#define TILEC_EMULATOR_THREADCOPIES_H

#include "BlockMemory.h"
#include "Witness.h"

#include <vector>

namespace tilec::emulator {

class ThreadCopies {
public:
  /// Copies that have landed, as events.
  struct Landed {
    unsigned agent;
    uint32_t tick;
  };

  ThreadCopies(const Threads &threads, const Witness &witness, BlockMemory &memory)
      : threads(threads), witness(witness), memory(memory) {}
  void start() { issuers.assign(threads.size(), {}); }

  /// The thread asks for a copy; `source` null: zeros.
  void add(uintptr_t dest, const void *source, unsigned bytes, int line);
  void commitCopies() { ++issuers[threads.getThread()].groups; }
  void waitCopies(int pending);

  uint64_t countIssued(unsigned thread) const { return issuers[thread].issued; }
  /// Delivers the first `before` copies of the thread, as writes of `agent` at `tick`.
  void land(unsigned thread, uint64_t before, unsigned agent, uint32_t tick);
  const std::vector<Landed> &landedOf(unsigned thread) const { return issuers[thread].landed; }
  /// Who writes there, for a message; empty where none of the thread's copies does.
  std::string describe(unsigned thread, uintptr_t address) const;

private:
  struct Copy {
    uintptr_t dest = 0;
    /// Null: zeros.
    const void *source = nullptr;
    unsigned bytes = 0;
    unsigned group = 0;
    int line = 0;
    /// Its number among all of the thread.
    uint64_t sequence = 0;
  };
  struct Issuer {
    /// Groups that it has closed; the open one has this number.
    unsigned groups = 0;
    std::vector<Copy> pending;
    uint64_t issued = 0;
    std::vector<Landed> landed;
  };

  const Threads &threads;
  const Witness &witness;
  BlockMemory &memory;
  std::vector<Issuer> issuers;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_THREADCOPIES_H
