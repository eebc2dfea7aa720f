//===- Witness.h - Who acts, and when -------------------------*- C++ -*-===//
//
// How histories and messages name the thread that runs: its number, its block,
// and its time. Time is the count of barriers that the block has passed or,
// where threads wait for less or more than a block, the thread's clock.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_WITNESS_H
#define TILEC_EMULATOR_WITNESS_H

#include "Clocks.h"
#include "Findings.h"
#include "SharedMemory.h"
#include "Threads.h"

namespace tilec::emulator {

class Witness {
public:
  /// `clocks` null: counting barriers is enough, or nothing is checked.
  Witness(const Launch &launch, Threads &threads, Clocks *clocks, unsigned rank)
      : launch(launch), threads(threads), clocks(clocks), rank(rank) {}
  void start(unsigned blockNumber) {
    number = blockNumber;
    epoch = 0;
  }

  int getNumber() const { return number; }
  int getRank() const { return rank; }
  int getBlockCount() const { return launch.blocks; }
  bool checks() const { return launch.options.checks; }

  /// For a message: "thread 5 of block 2".
  std::string who() const;
  /// The same of an agent of the cluster.
  std::string describeAgent(unsigned agent) const;
  /// `describe` gives the message, if this is the first case.
  template <typename Describe>
  void report(FindingKind kind, int line, std::string_view object, Describe describe) {
    if (findings.count(kind, line, object, number, threads.getThread()))
      findings.describe(describe());
  }
  /// Something computed that has no meaning.
  void reportIndex(long long index, int extent, int line);
  void reportArithmetic(const char *what, int line);
  const Findings &getFindings() const { return findings; }
  [[noreturn]] void abandon() { threads.abandon(); }

  Clocks *getClocks() const { return clocks; }
  /// The number in the cluster of a thread of this block.
  unsigned agentOf(unsigned thread) const { return rank * threads.size() + thread; }
  unsigned self() const { return agentOf(threads.getThread()); }
  unsigned now() const { return clocks ? clocks->now(self()) : epoch; }
  Stamp stamp() const { return Stamp::make(epoch, threads.getThread()); }
  Visitor visitor() const { return Visitor(number, threads.getThread(), now()); }
  /// Ends the block where its time cannot be told any more.
  void stopIfClockEnds(int line);
  /// These threads of the block meet.
  void meet(const std::vector<unsigned> &members, bool readsReturn);
  /// All threads of the block have met.
  void passBarrier() { ++epoch; }

private:
  const Launch &launch;
  Threads &threads;
  Clocks *const clocks;
  const unsigned rank;
  unsigned number = 0;
  unsigned epoch = 0;
  Findings findings;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_WITNESS_H
