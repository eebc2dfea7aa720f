//===- SharedAccesses.h - Checked accesses to shared memory ---*- C++ -*-===//
//
// What a thread may touch in its block's shared memory, and what it hears when
// it may not.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_SHAREDACCESSES_H
#define TILEC_EMULATOR_SHAREDACCESSES_H

#include "BlockMemory.h"
#include "Mbarriers.h"
#include "Sites.h"
#include "ThreadCopies.h"

namespace tilec::emulator {

class SharedAccesses {
public:
  SharedAccesses(const Launch &launch, Witness &witness, Sites &sites, BlockMemory &memory,
                 Mbarriers &mbarriers, const ThreadCopies &copies)
      : launch(launch), witness(witness), sites(sites), memory(memory), mbarriers(mbarriers),
        copies(copies) {}

  // By threads of the block.
  void *sharedArray(const char *name, unsigned long elementBytes, unsigned long count, long offset,
                    int line);
  const void *readShared(const void *source, unsigned bytes, int line, Position position);
  void *writeShared(void *dest, unsigned bytes, int line, Position position);
  void *atomicShared(void *dest, unsigned bytes, bool uninitialised, int line, Position position);
  /// Begins a copy by cp.async: until it lands its bytes hold NaN and belong to nobody.
  void beginCopy(const Site &site, uintptr_t dest, unsigned bytes);
  /// The same of a box of `bytes`, which a thread of the cluster asks for.
  void beginBox(const BulkCopy &copy, uint64_t bytes, Witness &issuer);

  /// Reports what `subject`, "thread 5 reads", breaks at `line` on an array of this memory.
  void reportClocked(const ClockedHistory::Verdict &verdict, const SharedArray &array, int line,
                     const std::string &subject);

private:
  void check(const Site &site, uintptr_t address, unsigned bytes);
  void checkClocked(const Site &site, uintptr_t address, unsigned bytes);
  void reportCounted(const SharedMemory::Verdict &verdict, const Site &site, const char *verb);
  std::string describeCopy(unsigned agent, uintptr_t address) const;

  const Launch &launch;
  Witness &witness;
  Sites &sites;
  BlockMemory &memory;
  Mbarriers &mbarriers;
  const ThreadCopies &copies;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_SHAREDACCESSES_H
