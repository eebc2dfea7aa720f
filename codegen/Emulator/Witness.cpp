//===- Witness.cpp - Who acts, and when -----------------------*- C++ -*-===//
//
// See Witness.h.
//
//===----------------------------------------------------------------------===//

#include "Witness.h"

namespace tilec::emulator {

std::string Witness::who() const {
  return format("thread %d of block %u", threads.getThread(), number);
}

std::string Witness::describeAgent(unsigned agent) const {
  const unsigned size = threads.size();
  if (agent >= size * launch.clusterBlocks) {
    const Clocks::Agent kind = clocks->kindOf(agent);
    return kind == Clocks::Agent::Wgmma ? "a wgmma" : kind == Clocks::Agent::Store ? "a bulk store" : "a copy";
  }
  if (agent / size == rank)
    return format("thread %u", agent % size);
  return format("thread %u of block %u", agent % size, number - rank + agent / size);
}

void Witness::reportIndex(long long index, int extent, int line) {
  report(FindingKind::Index, line, "", [&] { return format("%s finds index %lld for a dimension of %d elements", who().c_str(), index, extent); });
}

void Witness::reportArithmetic(const char *what, int line) {
  report(FindingKind::Arithmetic, line, "",
         [&] { return format("%s %s, which has no meaning", who().c_str(), what); });
}

void Witness::stopIfClockEnds(int line) {
  const unsigned time = now();
  if (time + 2 < Stamp::inFlight)
    return;
  report(FindingKind::Barrier, line, "", [&] {
    return format("%s passes more barriers than the emulator counts: %u", who().c_str(), time);
  });
  abandon();
}

void Witness::meet(const std::vector<unsigned> &members, bool readsReturn) {
  if (!clocks)
    return;
  std::vector<unsigned> agents;
  for (unsigned member : members)
    agents.push_back(agentOf(member));
  clocks->meet(agents, readsReturn);
}

} // namespace tilec::emulator
