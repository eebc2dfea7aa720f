//===- GlobalOrder.cpp - What blocks tell each other ----------*- C++ -*-===//
//
// See GlobalOrder.h.
//
//===----------------------------------------------------------------------===//

#include "GlobalOrder.h"

namespace tilec::emulator {

bool GlobalOrder::isKnown(Visitor visitor, uintptr_t address) const {
  if (!visitor.exists())
    return true;
  if (visitor.isAnyBlock()) {
    // Only of atomic visitors is it known who they were.
    if (!visitor.isAtomic())
      return false;
    for (Visitor other : launch.atomics.visitorsOf(address))
      if (!isKnown(other, address))
        return false;
    return true;
  }
  const Knowledge &known = witness.getClocks()->of(witness.self());
  const unsigned firstNumber = witness.getNumber() - witness.getRank();
  const bool isHere = visitor.block() - firstNumber < launch.clusterBlocks;
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

OtherBlocks GlobalOrder::publish() const {
  const Knowledge &known = witness.getClocks()->of(witness.self());
  const unsigned firstNumber = witness.getNumber() - witness.getRank();
  auto all = std::make_shared<std::map<unsigned, TickVector>>();
  if (known.others)
    *all = *known.others;
  for (unsigned block = 0; block < launch.clusterBlocks; ++block)
    for (unsigned of = 0; of < threads.size(); ++of)
      (*all)[firstNumber + block].raise(of, known.order.at(block * threads.size() + of));
  return all;
}

void GlobalOrder::fenceGpu() {
  Clocks *clocks = witness.getClocks();
  if (!clocks)
    return;
  fenced[threads.getThread()] = publish();
  clocks->tick(witness.self());
}

void GlobalOrder::waitGrid() {
  if (!early.empty())
    early[threads.getThread()] = false;
}

void GlobalOrder::visitAtomically(void *dest, int line, bool releases,
                                  void (*access)(void *, const void *), const void *value) {
  witness.stopIfClockEnds(line);
  Clocks *clocks = witness.getClocks();
  if (!clocks)
    return launch.atomics.run([&] { access(dest, value); });
  const OtherBlocks before =
      launch.atomics.visit(reinterpret_cast<uintptr_t>(dest), witness.visitor(),
                           releases ? publish() : fenced[threads.getThread()],
                           [&] { access(dest, value); });
  if (!releases)
    return;
  clocks->learnOthers(witness.self(), before);
  clocks->tick(witness.self());
}

} // namespace tilec::emulator
