//===- GlobalOrder.cpp - What blocks tell each other ----------*- C++ -*-===//
//
// Atomic accesses to global memory and fences, and the order of visits to
// operands that follows from them.
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "Cluster.h"

namespace tilec::emulator {

bool Block::isBefore(Visitor visitor, uintptr_t address) const {
  if (!clocks)
    return visitor.isBefore(this->visitor());
  if (!visitor.exists())
    return true;
  if (visitor.isAnyBlock()) {
    // Only of atomic visitors is it known who they were.
    if (!visitor.isAtomic())
      return false;
    for (Visitor other : launch.atomics.visitorsOf(address))
      if (!isBefore(other, address))
        return false;
    return true;
  }
  const Knowledge &known = clocks->of(self());
  const unsigned firstNumber = number - rank;
  const bool isHere = visitor.block() - firstNumber < cluster.size();
  const auto knows = [&](unsigned of) {
    if (isHere)
      return known.order.at((visitor.block() - firstNumber) * threads.size() + of) >=
             visitor.epoch();
    if (!known.others)
      return false;
    auto found = known.others->find(visitor.block());
    return found != known.others->end() && found->second.at(of) >= visitor.epoch();
  };
  if (visitor.thread() != Visitor::anyThread)
    return knows(visitor.thread());
  for (unsigned of = 0; of < threads.size(); ++of)
    if (!knows(of))
      return false;
  return true;
}

OtherBlocks Block::publish() const {
  const Knowledge &known = clocks->of(self());
  auto all = std::make_shared<std::map<unsigned, TickVector>>();
  if (known.others)
    *all = *known.others;
  for (unsigned block = 0; block < cluster.size(); ++block)
    for (unsigned of = 0; of < threads.size(); ++of)
      (*all)[number - rank + block].raise(of, known.order.at(block * threads.size() + of));
  return all;
}

void Block::fenceGpu() {
  if (!clocks)
    return;
  fencedForOthers[thread] = publish();
  clocks->tick(self());
}

void Block::visitAtomically(void *dest, int line, bool releases,
                            void (*access)(void *, const void *), const void *value) {
  stopIfClockEnds(line);
  if (!clocks)
    return launch.atomics.run([&] { access(dest, value); });
  const OtherBlocks before = launch.atomics.visit(
      reinterpret_cast<uintptr_t>(dest), visitor(), releases ? publish() : fencedForOthers[thread],
      [&] { access(dest, value); });
  if (!releases)
    return;
  clocks->learnOthers(self(), before);
  clocks->tick(self());
}

void Block::atomicGlobal(void *dest, const void *value, unsigned bytes, bool uninitialised,
                         void (*add)(void *, const void *), int line, Position position) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(dest);
  Site *site = findGlobal(address, bytes, AccessOp::AtomicGlobal, line);
  if (!site)
    return;
  checkGlobal(*site, address, bytes, uninitialised);
  count(*site, address, position);
  visitAtomically(dest, line, /*releases=*/false, add, value);
}

int Block::atomicFetchAdd(int *dest, int value, int line, Position position) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(dest);
  Site *site = findGlobal(address, sizeof(int), AccessOp::AtomicGlobal, line);
  if (!site)
    return 0;
  if (clocks)
    clocks->waitForReads(self());
  checkGlobal(*site, address, sizeof(int), false);
  count(*site, address, position);
  struct Exchange {
    int added;
    int old;
  } exchange{value, 0};
  visitAtomically(
      dest, line, /*releases=*/true,
      [](void *to, const void *what) {
        auto *both = static_cast<Exchange *>(const_cast<void *>(what));
        both->old = *static_cast<int *>(to);
        *static_cast<int *>(to) = both->old + both->added;
      },
      &exchange);
  return exchange.old;
}

} // namespace tilec::emulator
