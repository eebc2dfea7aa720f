//===- Clocks.h - Who knows what of whom ----------------------*- C++ -*-===//
//
// Kernels whose threads wait for less than the whole block need more than a
// count of barriers. Each thread of a cluster, and each mbarrier that copies
// write for, is an agent with a clock; every thread knows up to which tick each
// agent's work lies before its own (a vector clock). Three orders are kept:
// plain ones, of reads whose values have arrived, and of writes that a proxy
// fence has made known to bulk copies. What is known of other clusters comes by
// atomic accesses, rarely, and is shared.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_CLOCKS_H
#define TILEC_EMULATOR_CLOCKS_H

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace tilec::emulator {

/// Ticks by agent; agents never heard of are at 0.
class TickVector {
public:
  uint32_t at(unsigned agent) const { return agent < ticks.size() ? ticks[agent] : 0; }
  void raise(unsigned agent, uint32_t tick) {
    if (agent >= ticks.size())
      ticks.resize(agent + 1);
    ticks[agent] = std::max(ticks[agent], tick);
  }
  void join(const TickVector &other) {
    if (other.ticks.size() > ticks.size())
      ticks.resize(other.ticks.size());
    for (size_t i = 0; i < other.ticks.size(); ++i)
      ticks[i] = std::max(ticks[i], other.ticks[i]);
  }

private:
  std::vector<uint32_t> ticks;
};

/// Ticks of the threads of blocks in other clusters, by the block's number.
using OtherBlocks = std::shared_ptr<const std::map<unsigned, TickVector>>;

/// Both; cheap where one holds the other's pointer or nothing.
OtherBlocks joined(const OtherBlocks &a, const OtherBlocks &b);

struct Knowledge {
  TickVector order;
  /// Reads up to here have returned their values.
  TickVector returned;
  /// Plain writes up to here come before bulk copies.
  TickVector fenced;
  OtherBlocks others;

  void join(const Knowledge &other) {
    order.join(other.order);
    returned.join(other.returned);
    fenced.join(other.fenced);
    others = joined(others, other.others);
  }
};

/// The clocks of one cluster.
class Clocks {
public:
  /// Threads are agents 0 .. threads - 1.
  explicit Clocks(unsigned threads) : threads(threads) { reset(); }
  void reset();
  /// Those that are no threads; their ticks are their user's.
  enum class Agent : uint8_t { Copy, Wgmma, Store };
  unsigned addAgent(Agent kind) {
    others.push_back(kind);
    return threads + others.size() - 1;
  }
  Agent kindOf(unsigned agent) const { return agent - threads < others.size() ? others[agent - threads] : Agent::Copy; }

  uint32_t now(unsigned thread) const { return known[thread].order.at(thread); }
  const Knowledge &of(unsigned thread) const { return known[thread]; }
  bool knows(unsigned thread, unsigned agent, uint32_t tick) const {
    return known[thread].order.at(agent) >= tick;
  }

  void noteRead(unsigned thread) { unreturned[thread] = true; }
  /// The values of all reads so far have arrived.
  void waitForReads(unsigned thread);
  void fenceProxy(unsigned thread);
  /// Hands what the thread knows and has done to `to`.
  void release(unsigned thread, Knowledge &to) {
    to.join(known[thread]);
    tick(thread);
  }
  void acquire(unsigned thread, const Knowledge &from) { known[thread].join(from); }
  /// What another agent has read up to a tick, it has.
  void learnReads(unsigned thread, unsigned agent, uint32_t tick) {
    known[thread].order.raise(agent, tick);
    known[thread].returned.raise(agent, tick);
  }
  void learnOthers(unsigned thread, const OtherBlocks &others) {
    known[thread].others = joined(known[thread].others, others);
  }
  /// Threads meet: each knows afterwards what any of them knew.
  void meet(const std::vector<unsigned> &members, bool readsReturn);
  void tick(unsigned thread) { known[thread].order.raise(thread, now(thread) + 1); }

private:
  unsigned threads;
  std::vector<Agent> others;
  std::vector<Knowledge> known;
  std::vector<bool> unreturned;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_CLOCKS_H
