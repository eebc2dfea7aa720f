//===- Mbarriers.h - The barriers in a block's shared memory --*- C++ -*-===//
//
// Phases, arrivals and bytes. What is on its way to a barrier arrives when a
// thread waits for the phase and nothing else can happen any more.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_MBARRIERS_H
#define TILEC_EMULATOR_MBARRIERS_H

#include "BlockMemory.h"
#include "Mbarrier.h"
#include "Sites.h"
#include "ThreadCopies.h"

#include <unordered_map>
#include <vector>

namespace tilec::emulator {

class Mbarriers {
public:
  Mbarriers(Threads &threads, Witness &witness, Sites &sites, BlockMemory &memory,
            ThreadCopies &copies)
      : threads(threads), witness(witness), sites(sites), memory(memory), copies(copies) {}
  void start();

  // By threads of the block.
  void startBarrier(void *bar, int arrivals, int line);
  void arrive(void *bar, int line);
  void arriveExpect(void *bar, int bytes, int line);
  void arriveAfterCopies(void *bar, int line);
  void waitBarrier(void *bar, int parity, int line);
  void fenceBarrierStarts();
  void fenceProxy();

  // By threads of the cluster, which `asking` names.
  Mbarrier &find(uintptr_t address, const char *verb, Witness &asking, int line);
  /// One arrival of a thread that knows what it knows.
  void arriveAt(Mbarrier &barrier, Witness &arriving, int line);
  /// Nothing else may touch the bytes of an mbarrier.
  void checkNone(uintptr_t address, uint64_t bytes, const char *verb, Witness &asking, int line) {
    if (__builtin_expect(address < end && address + bytes > begin, 0))
      reportTouched(address, bytes, verb, asking, line);
  }

  /// Lets copies land that some thread waits for; false where there are none.
  bool landCopies();
  /// Reports the boxes that nobody has waited for.
  void reportUnfinished();
  /// What a thread waits for, for a message.
  std::string describeWait(unsigned thread) const;
  /// The copy on its way to the address, for a message; empty where there is none.
  std::string describeCopy(uintptr_t address) const;

private:
  std::string describePlace(uintptr_t address) const;
  void reportTouched(uintptr_t address, uint64_t bytes, const char *verb, Witness &asking,
                     int line);
  /// Counts an arrival; false where the phase has had all of them.
  bool takeArrival(Mbarrier &barrier, Witness &arriving, int line);
  void passArrival(Mbarrier &barrier, Witness &arriving);
  void endPhaseIfComplete(Mbarrier &barrier);
  bool landFor(Mbarrier &barrier);

  Threads &threads;
  Witness &witness;
  Sites &sites;
  BlockMemory &memory;
  ThreadCopies &copies;
  std::unordered_map<uintptr_t, Mbarrier> barriers;
  /// Their addresses in the order in which they were started.
  std::vector<uintptr_t> order;
  /// All of them lie here.
  uintptr_t begin = UINTPTR_MAX;
  uintptr_t end = 0;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_MBARRIERS_H
