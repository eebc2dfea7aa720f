//===- Threads.h - The threads of a block, and who runs -------*- C++ -*-===//
//
// Each thread is a fiber that runs until it must wait; then the schedule says
// who is next. Why a thread waits, and until when, is up to who lets it wait.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_THREADS_H
#define TILEC_EMULATOR_THREADS_H

#include "AccessLog.h"
#include "Fibers.h"
#include "Launch.h"

#include <random>
#include <vector>

namespace tilec::emulator {

class Threads {
public:
  enum class State : uint8_t {
    Ready,
    AtBarrier,
    AtShuffle,
    AtWarp,
    AtNamed,
    AtMbarrier,
    AtWarpgroup,
    AtMatrix,
    AtCluster,
    Throttled,
    Done
  };

  explicit Threads(const Launch &launch);
  /// Reserves stacks; false where the system gives none.
  bool allocate();
  /// All threads are to begin with `body`, as those of this block.
  void start(unsigned blockNumber, void (*body)());
  /// Lets threads run until all wait; false where none could.
  bool advance();
  /// No thread goes on.
  void stop() { abandoned = true; }

  unsigned size() const { return waits.size(); }
  unsigned getWarps() const { return (size() + warpLanes - 1) / warpLanes; }
  unsigned lanesOf(unsigned warp) const;
  unsigned getEnded() const { return ended; }
  bool isAbandoned() const { return abandoned; }
  State stateOf(unsigned which) const { return waits[which].state; }
  /// Where the thread waits.
  int lineOf(unsigned which) const { return waits[which].line; }
  /// Those in `state`, ascending.
  std::vector<unsigned> list(State state) const;
  /// Orders other things that may come in any order as the schedule does.
  void shuffle(std::vector<uintptr_t> &things);

  /// The thread that runs; outside of threads the one that is spoken of.
  int getThread() const { return thread; }
  void speakOf(unsigned which) { thread = which; }

  // By the thread that runs.
  /// Gives way in `state` until somebody makes this thread ready.
  void wait(State state, int line);
  [[noreturn]] void end();
  /// Ends the block; the other threads do not go on.
  [[noreturn]] void abandon();

  void markReady(unsigned which);

private:
  struct Wait {
    State state = State::Ready;
    int line = 0;
  };

  void orderThreads(unsigned blockNumber);
  int pickThread();

  const Launch &launch;
  Fibers fibers;
  std::vector<Wait> waits;
  unsigned thread = 0;
  unsigned ended = 0;
  bool abandoned = false;
  std::mt19937_64 random;
  /// The schedule's order: thread at each position, and the inverse; which
  /// positions are ready, 64 a word.
  std::vector<unsigned> order;
  std::vector<unsigned> position;
  std::vector<uint64_t> ready;
};

/// "0-31, 64" for ascending numbers.
std::string describeRanges(const std::vector<unsigned> &numbers);

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_THREADS_H
