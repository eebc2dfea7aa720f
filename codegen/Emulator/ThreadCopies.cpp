//===- ThreadCopies.cpp - Copies by cp.async on their way -----*- C++ -*-===//
//
// See ThreadCopies.h.
//
//===----------------------------------------------------------------------===//

#include "ThreadCopies.h"

#include <cstring>

namespace tilec::emulator {

void ThreadCopies::add(uintptr_t dest, const void *source, unsigned bytes, int line) {
  Issuer &issuer = issuers[threads.getThread()];
  issuer.pending.push_back({dest, source, bytes, issuer.groups, line, issuer.issued++});
}

/// The bytes of a copy, where they belong.
static void deliver(uintptr_t dest, const void *source, unsigned bytes) {
  void *to = reinterpret_cast<void *>(dest);
  if (source)
    std::memcpy(to, source, bytes);
  else
    std::memset(to, 0, bytes);
}

void ThreadCopies::waitCopies(int pending) {
  Issuer &waiting = issuers[threads.getThread()];
  if (Clocks *clocks = witness.getClocks()) {
    clocks->waitForReads(witness.self());
    uint64_t before = 0;
    for (const Copy &copy : waiting.pending)
      if (copy.group + pending < waiting.groups)
        before = copy.sequence + 1;
    land(threads.getThread(), before, witness.self(), witness.now());
    return;
  }
  auto first = waiting.pending.begin();
  for (; first != waiting.pending.end() && first->group + pending < waiting.groups; ++first) {
    deliver(first->dest, first->source, first->bytes);
    if (witness.checks())
      memory.shared.land(memory.offsetOf(first->dest), first->bytes, witness.stamp());
  }
  waiting.pending.erase(waiting.pending.begin(), first);
}

void ThreadCopies::land(unsigned thread, uint64_t before, unsigned agent, uint32_t tick) {
  Issuer &issuer = issuers[thread];
  auto first = issuer.pending.begin();
  for (; first != issuer.pending.end() && first->sequence < before; ++first) {
    deliver(first->dest, first->source, first->bytes);
    if (memory.history)
      memory.history->land(memory.offsetOf(first->dest), first->bytes, agent, tick,
                           ClockedHistory::Copy::Plain);
  }
  if (first == issuer.pending.begin())
    return;
  issuer.pending.erase(issuer.pending.begin(), first);
  for (Landed &landed : issuer.landed)
    if (landed.agent == agent) {
      landed.tick = tick;
      return;
    }
  issuer.landed.push_back({agent, tick});
}

std::string ThreadCopies::describe(unsigned thread, uintptr_t address) const {
  for (const Copy &copy : issuers[thread].pending)
    if (address - copy.dest < copy.bytes)
      return format("a copy of thread %u at line %d", thread, copy.line);
  return "";
}

} // namespace tilec::emulator
