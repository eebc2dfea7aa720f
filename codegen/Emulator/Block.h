//===- Block.h - One block of threads at work -----------------*- C++ -*-===//
//
// A worker runs one block at a time. Each thread is a fiber that runs until it
// must wait; then the schedule says who is next. The functions of the
// vocabulary are members here, by subject: memory accesses in Accesses.cpp,
// asynchronous copies in AsyncCopies.cpp, waiting in Block.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_BLOCK_H
#define TILEC_EMULATOR_BLOCK_H

#include "AccessLog.h"
#include "Fibers.h"
#include "Findings.h"
#include "GlobalMemory.h"
#include "RuntimeTable.h"
#include "SharedMemory.h"

#include "tilec/Emulator/Emulator.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

namespace tilec::emulator {

/// What all workers of a launch share.
struct Launch {
  const tilec_emulator::KernelEntry *entry = nullptr;
  /// One address a parameter.
  std::vector<void *> arguments;
  std::vector<std::unique_ptr<Operand>> operands;
  unsigned blockThreads = 0;
  uint64_t staticSharedBytes = 0;
  uint64_t dynamicSharedBytes = 0;
  RunOptions options;
  std::mutex atomics;
  /// Set when a block cannot go on: the other results would mean nothing.
  std::atomic<bool> stopped{false};
};

class Block {
public:
  explicit Block(Launch &launch);
  /// Reserves stacks and memory; false where the system gives none.
  bool allocate();
  /// Runs the block to its end, or to where it cannot go on.
  void run(unsigned number, unsigned wave);

  const Findings &getFindings() const { return findings; }
  const AccessLog &getLog() const { return log; }
  const SharedMemory &getShared() const { return shared; }

  /// The block that this OS thread runs.
  static Block *current();

  // The vocabulary; see RuntimeTable.
  int getNumber() const { return number; }
  int getThread() const { return thread; }
  void *sharedArray(const char *name, unsigned long elementBytes, unsigned long count, long offset,
                    int line);
  const void *readGlobal(const void *source, unsigned bytes, int line);
  const void *readShared(const void *source, unsigned bytes, int line);
  void *writeGlobal(void *dest, unsigned bytes, bool uninitialised, int line);
  void *writeShared(void *dest, unsigned bytes, int line);
  void atomicGlobal(void *dest, const void *value, unsigned bytes,
                    void (*add)(void *, const void *), int line);
  void copyAsync(void *dest, const void *source, unsigned bytes, bool valid, int line);
  void commitCopies();
  void waitCopies(int pending);
  void syncBlock(int line);
  void notEmulated(const char *function, int line);
  void shuffleXor(void *value, unsigned bytes, int mask, int line);

private:
  enum class State : uint8_t { Ready, AtBarrier, AtShuffle, Throttled, Done };

  struct PendingCopy {
    uintptr_t dest = 0;
    /// Null: zeros.
    const void *source = nullptr;
    unsigned bytes = 0;
    unsigned group = 0;
    int line = 0;
  };

  struct Thread {
    State state = State::Ready;
    /// Where it waits.
    int line = 0;
    /// Groups of copies that it has closed; the open one has this number.
    unsigned groups = 0;
    std::vector<PendingCopy> copies;
  };

  /// A shuffle of a warp. Values of two turns, since a lane may start the next
  /// one before another has read this one's.
  struct Shuffle {
    unsigned arrived = 0;
    unsigned turn = 0;
    int line = 0;
    unsigned char values[2][warpLanes][8];
  };

  // Scheduling.
  static void runThread();
  void orderThreads();
  int pickThread();
  void markReady(unsigned thread);
  /// Gives way in `state` until somebody makes this thread ready.
  void wait(State state, int line);
  bool releaseThrottled();
  void releaseBarrier();
  void flushAll();
  void reportDeadlock();
  /// Ends the block from within a thread; does not return.
  [[noreturn]] void abandon();
  unsigned lanesOf(unsigned warp) const;

  // Accesses.
  bool checks() const { return launch.options.checks; }
  Stamp stamp() const { return Stamp::make(epoch, thread); }
  Visitor visitor() const { return Visitor(number, thread, epoch); }
  /// Who did it, for a message: "thread 5 of block 2".
  std::string who() const;
  /// `describe` gives the message, if this is the first case.
  template <typename Describe>
  void report(FindingKind kind, int line, std::string_view object, Describe describe) {
    if (findings.count(kind, line, object, number, thread))
      findings.describe(describe());
  }
  Site *findGlobal(uintptr_t address, unsigned bytes, AccessOp op, int line);
  Site *findShared(uintptr_t address, unsigned bytes, AccessOp op, int line);
  void reportOutOfBounds(uintptr_t address, unsigned bytes, AccessOp op, int line);
  bool isAligned(uintptr_t address, unsigned bytes, AccessOp op, int line);
  std::string describeAddress(uintptr_t address) const;
  void count(Site &site, uintptr_t address);
  void checkGlobal(Site &site, uintptr_t address, unsigned bytes, bool uninitialised);
  void reportShared(const SharedMemory::Verdict &verdict, const Site &site, const char *verb);
  std::string describeCopy(Stamp issuer, uintptr_t address) const;

  Launch &launch;
  Fibers fibers;
  SharedMemory shared;
  AccessLog log;
  Findings findings;
  std::vector<Thread> threads;
  std::vector<Shuffle> shuffles;

  unsigned number = 0;
  unsigned wave = 0;
  unsigned thread = 0;
  unsigned epoch = 0;
  unsigned ended = 0;
  unsigned atBarrier = 0;
  bool abandoned = false;
  std::mt19937_64 random;
  /// The schedule's order: thread at each position, and the inverse; which
  /// positions are ready, 64 a word.
  std::vector<unsigned> order;
  std::vector<unsigned> position;
  std::vector<uint64_t> ready;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_BLOCK_H
