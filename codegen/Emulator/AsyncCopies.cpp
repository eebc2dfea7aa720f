//===- AsyncCopies.cpp - cp.async and its groups --------------*- C++ -*-===//
//
// The bytes of a copy arrive at the last moment that the rules allow: in the
// wait that covers its group, or when an mbarrier that was told of it cannot
// wait longer. Until then its destination holds NaN and belongs to nobody.
// Copies that no wait covers never arrive.
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "Poison.h"

#include <algorithm>
#include <cstring>

namespace tilec::emulator {

void Block::copyAsync(void *dest, const void *source, unsigned bytes, bool valid, int line,
                      Position position) {
  const uintptr_t from = reinterpret_cast<uintptr_t>(source);
  const uintptr_t to = reinterpret_cast<uintptr_t>(dest);
  Site *read = valid ? findGlobal(from, bytes, AccessOp::ReadGlobal, line) : nullptr;
  Site *write = findShared(to, bytes, AccessOp::WriteShared, line);
  // The address matters even where nothing is read.
  if (!valid && !isAligned(from, bytes, AccessOp::ReadGlobal, line))
    return;
  if (!write || (valid && !read))
    return;
  checkNoBarrier(to, bytes, "copies to", line);
  if (read)
    checkGlobal(*read, from, bytes, false);
  const uint64_t offset = to - shared.getOrigin();
  if (clocks) {
    const auto verdict = history->noteWrite(offset, bytes, self(), clocks->of(self()),
                                            ClockedHistory::Copy::Plain);
    if (verdict.conflict != ClockedHistory::Conflict::None)
      reportClocked(verdict, *write->array, line, who() + " copies to");
  } else if (checks()) {
    const auto verdict = shared.noteCopy(offset, bytes, stamp());
    if (verdict.conflict != SharedMemory::Conflict::None)
      reportShared(verdict, *write, "copies to");
  }
  poison(dest, bytes, write->array->elementBytes);
  Thread &issuer = threads[thread];
  issuer.copies.push_back(
      {to, valid ? source : nullptr, bytes, issuer.groups, line, issuer.copiesIssued++});
  if (read)
    count(*read, from, position);
  count(*write, to, position);
}

void Block::commitCopies() { ++threads[thread].groups; }

/// The bytes of a copy, where they belong.
static void deliver(uintptr_t dest, const void *source, unsigned bytes) {
  void *to = reinterpret_cast<void *>(dest);
  if (source)
    std::memcpy(to, source, bytes);
  else
    std::memset(to, 0, bytes);
}

void Block::waitCopies(int pending) {
  Thread &waiting = threads[thread];
  if (clocks) {
    clocks->waitForReads(self());
    uint64_t before = 0;
    for (const PendingCopy &copy : waiting.copies)
      if (copy.group + pending < waiting.groups)
        before = copy.sequence + 1;
    landThreadCopies(thread, before, self(), clocks->now(self()));
    return;
  }
  auto first = waiting.copies.begin();
  for (; first != waiting.copies.end() && first->group + pending < waiting.groups; ++first) {
    deliver(first->dest, first->source, first->bytes);
    if (checks())
      shared.land(first->dest - shared.getOrigin(), first->bytes, stamp());
  }
  waiting.copies.erase(waiting.copies.begin(), first);
}

void Block::landThreadCopies(unsigned of, uint64_t before, unsigned agent, uint32_t tick) {
  Thread &issuer = threads[of];
  auto first = issuer.copies.begin();
  for (; first != issuer.copies.end() && first->sequence < before; ++first) {
    deliver(first->dest, first->source, first->bytes);
    if (history)
      history->land(first->dest - shared.getOrigin(), first->bytes, agent, tick,
                    ClockedHistory::Copy::Plain);
  }
  if (first == issuer.copies.begin())
    return;
  issuer.copies.erase(issuer.copies.begin(), first);
  for (Landed &landed : issuer.landed)
    if (landed.agent == agent) {
      landed.tick = tick;
      return;
    }
  issuer.landed.push_back({agent, tick});
}

std::string Block::describeCopy(unsigned agent, uintptr_t address) const {
  for (const auto &entry : barriers)
    for (const BulkCopy &copy : entry.second.copies)
      if (address - copy.dest < copy.map->values.boxBytes())
        return format("a copy of %s at line %d is still on its way to", describeAgent(agent).c_str(),
                      copy.line);
  const unsigned first = agentOf(0);
  if (agent >= first && agent < first + threads.size())
    for (const PendingCopy &copy : threads[agent - first].copies)
      if (address - copy.dest < copy.bytes)
        return format("a copy of thread %u at line %d is still on its way to", agent - first,
                      copy.line);
  return format("a copy that %s never waited for is on its way to", describeAgent(agent).c_str());
}

} // namespace tilec::emulator
