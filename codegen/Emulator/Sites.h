//===- Sites.h - Call sites and what they access --------------*- C++ -*-===//
//
// Finds the operand or the array that an access lies in, and counts the access
// at its line. One that lies in none, or is not aligned, has no site: that is
// reported.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_SITES_H
#define TILEC_EMULATOR_SITES_H

#include "AccessLog.h"
#include "Launch.h"
#include "Witness.h"

namespace tilec::emulator {

/// "reads", "writes", "updates".
const char *verbOf(AccessOp op);

class Sites {
public:
  Sites(const Launch &launch, Threads &threads, Witness &witness, const SharedMemory &shared)
      : launch(launch), threads(threads), witness(witness), shared(shared),
        log(threads.getWarps()) {}
  void start(unsigned blockWave) { wave = blockWave; }

  /// The site of an access to global memory, or null.
  Site *findGlobal(uintptr_t address, unsigned bytes, AccessOp op, int line) {
    Site *site = log.find(line, op, bytes, address);
    if (__builtin_expect(!site, 0) && !(site = addGlobal(address, bytes, op, line)))
      return nullptr;
    if (!isAligned(address, bytes, op, line))
      return nullptr;
    if (__builtin_expect(!site->operand->isLogical(address - site->begin, bytes), 0)) {
      reportOutOfBounds(address, bytes, op, line);
      return nullptr;
    }
    return site;
  }
  /// The site of an access to shared memory, or null.
  Site *findShared(uintptr_t address, unsigned bytes, AccessOp op, int line) {
    Site *site = log.find(line, op, bytes, address);
    if (__builtin_expect(!site, 0) && !(site = addShared(address, bytes, op, line)))
      return nullptr;
    return isAligned(address, bytes, op, line) ? site : nullptr;
  }
  bool isAligned(uintptr_t address, unsigned bytes, AccessOp op, int line) {
    if (__builtin_expect(address % bytes == 0, 1))
      return true;
    reportMisaligned(address, bytes, op, line);
    return false;
  }
  void reportOutOfBounds(uintptr_t address, unsigned bytes, AccessOp op, int line);
  std::string describe(uintptr_t address) const;

  /// Counts an access of the thread as one of its warp's; lets it wait where it is too far ahead.
  void count(Site &site, uintptr_t address, Position position) {
    const unsigned thread = threads.getThread();
    while (!log.log(site, thread / warpLanes, thread % warpLanes, address, position))
      threads.wait(Threads::State::Throttled, site.line);
  }
  /// Counts a box that is copied `copies` times, `present` bytes of it each, from these sectors.
  void countBox(int line, Operand &source, const SharedArray &dest, uint64_t boxBytes,
                uint64_t present, unsigned copies, const std::vector<uint32_t> &sectors);
  /// Counts a box that is stored, `present` bytes of it, to the elements at these places.
  void countStoredBox(int line, Operand &dest, const SharedArray &source, uint64_t boxBytes, uint64_t present,
                      const std::vector<uintptr_t> &places);
  /// Counts a matrix that tensor cores read.
  void countMatrix(int line, const SharedArray &array, unsigned bytes) { log.countMatrix(line, array, bytes); }
  void flush();
  /// Lets threads go on that are too far ahead, once their warps are counted; false where there are none.
  bool releaseThrottled();
  const std::deque<Site> &getSites() const { return log.getSites(); }

private:
  Site *addGlobal(uintptr_t address, unsigned bytes, AccessOp op, int line);
  Site *addShared(uintptr_t address, unsigned bytes, AccessOp op, int line);
  void reportMisaligned(uintptr_t address, unsigned bytes, AccessOp op, int line);

  const Launch &launch;
  Threads &threads;
  Witness &witness;
  const SharedMemory &shared;
  AccessLog log;
  unsigned wave = 0;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_SITES_H
