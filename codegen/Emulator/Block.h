//===- Block.h - One block of threads at work -----------------*- C++ -*-===//
//
// Each thread is a fiber that runs until it must wait; then the schedule says
// who is next. The functions of the vocabulary are members here, by subject:
// memory accesses in Accesses.cpp, what blocks tell each other in
// GlobalOrder.cpp, asynchronous copies in AsyncCopies.cpp and BulkCopies.cpp,
// mbarriers in Mbarriers.cpp, other ways to wait in Block.cpp and Meetings.cpp,
// register counts in Registers.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_BLOCK_H
#define TILEC_EMULATOR_BLOCK_H

#include "AccessLog.h"
#include "AtomicCells.h"
#include "ClockedHistory.h"
#include "Fibers.h"
#include "Findings.h"
#include "GlobalMemory.h"
#include "Mbarrier.h"
#include "RuntimeTable.h"
#include "SharedMemory.h"

#include "tilec/Emulator/Emulator.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

namespace tilec::emulator {

class Cluster;

/// What all workers of a launch share.
struct Launch {
  const tilec_emulator::KernelEntry *entry = nullptr;
  StackPool *stacks = nullptr;
  /// One address a parameter.
  std::vector<void *> arguments;
  std::vector<std::unique_ptr<Operand>> operands;
  std::vector<TensorMap> tensorMaps;
  unsigned blocks = 0;
  unsigned clusterBlocks = 1;
  unsigned blockThreads = 0;
  /// The kernel orders its threads by more than barriers of whole blocks.
  bool needsClocks = false;
  uint64_t staticSharedBytes = 0;
  uint64_t dynamicSharedBytes = 0;
  RunOptions options;
  AtomicCells atomics;
  /// Set when a block cannot go on: the other results would mean nothing.
  std::atomic<bool> stopped{false};
};

class Block {
public:
  Block(Launch &launch, Cluster &cluster, unsigned rank);
  /// Reserves stacks and memory; false where the system gives none.
  bool allocate();

  // What the cluster does with its blocks.
  void start(unsigned number, unsigned wave);
  /// Lets threads run until all wait; false where none could.
  bool advance();
  /// Ends the barrier of the whole block, if all are there.
  bool releaseBarrier();
  /// Counts the accesses of threads that are too far ahead.
  bool releaseThrottled();
  /// Lets copies land that some thread waits for; false where there are none.
  bool landCopies();
  unsigned getClusterWaiters() const { return atCluster; }
  /// Lets the threads at the cluster's barrier go on; adds them to `members`.
  void leaveClusterBarrier(std::vector<unsigned> &members);
  void reportDeadlock();
  /// `complete`: all threads have ended.
  void finish(bool complete);
  bool isAbandoned() const { return abandoned; }
  unsigned getEnded() const { return ended; }

  const Findings &getFindings() const { return findings; }
  const AccessLog &getLog() const { return log; }
  const SharedMemory &getShared() const { return shared; }

  /// The block whose thread this OS thread runs.
  static Block *current();

  // The vocabulary; see RuntimeTable.
  int getNumber() const { return number; }
  int getThread() const { return thread; }
  void *sharedArray(const char *name, unsigned long elementBytes, unsigned long count, long offset,
                    int line);
  const void *readGlobal(const void *source, unsigned bytes, int line, Position position);
  const void *readShared(const void *source, unsigned bytes, int line, Position position);
  const void *readCluster(const void *source, unsigned bytes, int rank, int line,
                          Position position);
  void *writeGlobal(void *dest, unsigned bytes, bool uninitialised, int line, Position position);
  void *writeShared(void *dest, unsigned bytes, int line, Position position);
  void atomicGlobal(void *dest, const void *value, unsigned bytes, bool uninitialised,
                    void (*add)(void *, const void *), int line, Position position);
  void copyAsync(void *dest, const void *source, unsigned bytes, bool valid, int line,
                 Position position);
  void commitCopies();
  void waitCopies(int pending);
  void syncBlock(int line);
  void shuffleXor(void *value, unsigned bytes, int mask, int line);
  int getBlockCount() const { return launch.blocks; }
  int getRank() const { return rank; }
  void fenceGpu();
  int atomicFetchAdd(int *dest, int value, int line, Position position);
  void syncNamed(int id, int count, int line);
  void syncWarp(int line);
  void syncCluster(int line);
  void setMaxRegisters(int count, bool increase, int line);
  void reportArithmetic(const char *what, int line);
  void startBarrier(void *bar, int arrivals, int line);
  void arrive(void *bar, int line);
  void arriveExpect(void *bar, int bytes, int line);
  void arriveRemote(void *bar, int rank, int line);
  void arriveAfterCopies(void *bar, int line);
  void waitBarrier(void *bar, int parity, int line);
  void fenceBarrierStarts();
  void fenceProxy();
  /// `mask` 0: to this block.
  void copyBulk(void *dest, const void *map, const int *coordinates, int rank, void *bar, int mask,
                int line);

private:
  enum class State : uint8_t {
    Ready,
    AtBarrier,
    AtShuffle,
    AtWarp,
    AtNamed,
    AtMbarrier,
    AtCluster,
    Throttled,
    Done
  };

  struct PendingCopy {
    uintptr_t dest = 0;
    /// Null: zeros.
    const void *source = nullptr;
    unsigned bytes = 0;
    unsigned group = 0;
    int line = 0;
    /// Its number among all of the thread.
    uint64_t sequence = 0;
  };

  /// Copies that have landed, as events.
  struct Landed {
    unsigned agent;
    uint32_t tick;
  };

  struct RegisterChange {
    int count;
    bool increase;
    int line;
  };

  struct Thread {
    State state = State::Ready;
    /// Where it waits.
    int line = 0;
    /// Groups of copies that it has closed; the open one has this number.
    unsigned groups = 0;
    std::vector<PendingCopy> copies;
    uint64_t copiesIssued = 0;
    std::vector<Landed> landed;
    std::vector<RegisterChange> registerChanges;
    /// What it waits for, in the states that leave it open.
    const Mbarrier *barrier = nullptr;
    int namedBarrier = 0;
  };

  struct NamedBarrier {
    int expected = 0;
    std::vector<unsigned> members;
  };
  static constexpr int namedBarriers = 16;

  /// An access of another block to this one's shared memory.
  struct RemoteAccess {
    unsigned agent;
    uint32_t tick;
    int line;
    /// "comes to its barrier"
    const char *what;
  };

  /// A meeting of a warp. Values of two turns, since a lane may start the next
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
  void flushAll();
  std::string describeWait(const Thread &waiting) const;
  /// Ends the block from within a thread; does not return.
  [[noreturn]] void abandon();
  unsigned lanesOf(unsigned warp) const;
  /// Waits until all lanes of the warp are here; returns the turn.
  unsigned meetWarp(State state, const void *value, unsigned bytes, int line);
  void reportRegisters();

  // Clocks; only where there are any.
  unsigned agentOf(unsigned thread) const { return rank * threads.size() + thread; }
  unsigned self() const { return agentOf(thread); }
  void stopIfClockEnds(int line);
  std::string describeAgent(unsigned agent) const;
  void noteRemoteAccess(const RemoteAccess &access);
  void checkRemoteAccesses();
  bool isBefore(Visitor visitor, uintptr_t address) const;
  OtherBlocks publish() const;
  void visitAtomically(void *dest, int line, bool releases, void (*access)(void *, const void *),
                       const void *value);

  // Mbarriers.
  Mbarrier &findBarrier(void *bar, const char *verb, int line);
  std::string describeShared(uintptr_t address) const;
  /// Nothing else may touch the bytes of an mbarrier.
  void checkNoBarrier(uintptr_t address, uint64_t bytes, const char *verb, int line) {
    if (address < barriersEnd && address + bytes > barriersBegin)
      reportBarrierTouched(address, bytes, verb, line);
  }
  void reportBarrierTouched(uintptr_t address, uint64_t bytes, const char *verb, int line);
  /// One arrival at a barrier of this block, by a thread of the cluster.
  bool takeArrival(Mbarrier &barrier, Block &arriving, int line);
  void endPhaseIfComplete(Mbarrier &barrier);
  bool landFor(Mbarrier &barrier);
  void landBulk(Mbarrier &barrier, const BulkCopy &copy);
  void landThreadCopies(unsigned thread, uint64_t before, unsigned agent, uint32_t tick);
  /// Checks what a box reads; lists its distinct sectors and the bytes inside of the tensor.
  void checkBulkSource(const BulkCopy &copy, std::vector<uint32_t> &sectors, uint64_t &present);
  void countBulk(const BulkCopy &copy, const SharedArray &array, unsigned copies);
  void beginBulk(Block &issuer, const BulkCopy &copy, uintptr_t barrier, uint64_t bytes);
  /// Where another block of the cluster has what lies here in this one.
  uintptr_t translate(uintptr_t address, Block &other, int line);

  // Accesses.
  bool checks() const { return launch.options.checks; }
  Stamp stamp() const { return Stamp::make(epoch, thread); }
  Visitor visitor() const {
    return Visitor(number, thread, clocks ? clocks->now(self()) : epoch);
  }
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
  void count(Site &site, uintptr_t address, Position position);
  void checkGlobal(Site &site, uintptr_t address, unsigned bytes, bool uninitialised);
  void checkShared(const Site &site, uintptr_t address, unsigned bytes);
  void reportShared(const SharedMemory::Verdict &verdict, const Site &site, const char *verb);
  /// The same for a verdict by clocks, at `line` on an array.
  void reportClocked(const ClockedHistory::Verdict &verdict, const SharedArray &array, int line,
                     const std::string &subject);
  std::string describeCopy(unsigned agent, uintptr_t address) const;

  Launch &launch;
  Cluster &cluster;
  const unsigned rank;
  /// Null where counting barriers is enough, and where nothing is checked.
  Clocks *clocks = nullptr;
  std::optional<ClockedHistory> history;
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
  unsigned atCluster = 0;
  bool abandoned = false;
  std::unordered_map<uintptr_t, Mbarrier> barriers;
  /// Their addresses in the order in which they were started.
  std::vector<uintptr_t> barrierOrder;
  /// All of them lie here.
  uintptr_t barriersBegin = UINTPTR_MAX;
  uintptr_t barriersEnd = 0;
  NamedBarrier named[namedBarriers];
  /// The latest of each agent.
  std::map<unsigned, RemoteAccess> remoteAccesses;
  /// What each thread knew at its latest fence of global memory.
  std::vector<OtherBlocks> fencedForOthers;
  std::mt19937_64 random;
  /// The schedule's order: thread at each position, and the inverse; which
  /// positions are ready, 64 a word.
  std::vector<unsigned> order;
  std::vector<unsigned> position;
  std::vector<uint64_t> ready;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_BLOCK_H
