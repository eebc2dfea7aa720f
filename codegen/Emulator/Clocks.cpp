//===- Clocks.cpp - Who knows what of whom --------------------*- C++ -*-===//
//
// See Clocks.h.
//
//===----------------------------------------------------------------------===//

#include "Clocks.h"

namespace tilec::emulator {

OtherBlocks joined(const OtherBlocks &a, const OtherBlocks &b) {
  if (!b || a == b)
    return a;
  if (!a)
    return b;
  // All threads of a block join the same two, one after another.
  static thread_local OtherBlocks lastA, lastB, lastResult;
  if (lastA == a && lastB == b)
    return lastResult;
  auto result = std::make_shared<std::map<unsigned, TickVector>>(*a);
  for (const auto &[block, ticks] : *b)
    (*result)[block].join(ticks);
  lastA = a;
  lastB = b;
  lastResult = result;
  return result;
}

void Clocks::reset() {
  known.assign(threads, {});
  unreturned.assign(threads, false);
  others.clear();
  // 0 is what everybody knows.
  for (unsigned thread = 0; thread < threads; ++thread)
    known[thread].order.raise(thread, 1);
}

void Clocks::waitForReads(unsigned thread) {
  if (!unreturned[thread])
    return;
  unreturned[thread] = false;
  known[thread].returned.raise(thread, now(thread));
  // Reads after this are later.
  tick(thread);
}

void Clocks::fenceProxy(unsigned thread) {
  known[thread].fenced.join(known[thread].order);
  tick(thread);
}

void Clocks::meet(const std::vector<unsigned> &members, bool readsReturn) {
  Knowledge common;
  uint32_t latest = 0;
  for (unsigned member : members) {
    if (readsReturn)
      waitForReads(member);
    latest = std::max(latest, now(member));
  }
  // All go on from one tick, so that "some thread, by then" has a meaning where
  // whole blocks meet. Nobody has done anything at the ticks between.
  for (unsigned member : members) {
    known[member].order.raise(member, latest);
    common.join(known[member]);
  }
  for (unsigned member : members) {
    acquire(member, common);
    tick(member);
  }
}

} // namespace tilec::emulator
