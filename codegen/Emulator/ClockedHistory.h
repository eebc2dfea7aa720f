//===- ClockedHistory.h - Shared memory's history by clocks ---*- C++ -*-===//
//
// For kernels with clocks (Clocks.h): who wrote each granule of a block's shared
// memory, and everybody who has read it since.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_CLOCKEDHISTORY_H
#define TILEC_EMULATOR_CLOCKEDHISTORY_H

#include "Clocks.h"

#include <vector>

namespace tilec::emulator {

class ClockedHistory {
public:
  explicit ClockedHistory(uint64_t bytes) : bytes(bytes), granules(bytes >> shift) {}
  void clear();

  enum class Conflict {
    None,
    Uninitialised,
    /// With a write or a read that is not known to come before.
    WrittenBy,
    ReadBy,
    /// A copy is still writing.
    InFlight,
    /// The reader has arrived somewhere, but its value may not have come back.
    EarlyRelease,
    /// A bulk copy over plain writes that no proxy fence follows, or a bulk read of them.
    MissingFence
  };
  struct Event;
  struct Verdict {
    Conflict conflict = Conflict::None;
    unsigned agent = 0;
    uint64_t offset = 0;

    /// Keeps the first conflict that is found.
    void note(Conflict found, const Event &other, uint64_t address);
  };
  enum class Copy { None, Plain, Bulk };

  /// Accesses of `size` bytes at `offset` by a thread that knows `known`.
  Verdict noteRead(uint64_t offset, uint64_t size, unsigned thread, const Knowledge &known);
  /// The same by hardware that a thread, which knows `known`, has asked for: `agent`, done by `tick`.
  Verdict noteBulkRead(uint64_t offset, uint64_t size, unsigned agent, uint32_t tick, const Knowledge &known);
  Verdict noteWrite(uint64_t offset, uint64_t size, unsigned thread, const Knowledge &known,
                    Copy copy = Copy::None);
  /// An atomic operation: several threads' have no order, but one with all else that threads do.
  Verdict noteUpdate(uint64_t offset, uint64_t size, unsigned thread, const Knowledge &known);
  /// A copy that noteWrite() began is there: written by `agent` at `tick`.
  void land(uint64_t offset, uint64_t size, unsigned agent, uint32_t tick, Copy copy);

  /// What somebody did at some time.
  struct Event {
    /// One more than the agent; 0 is nobody.
    uint32_t agent = 0;
    uint32_t tick = 0;
  };

private:
  /// Small, since a block has tens of thousands, which most accesses go through.
  struct Granule {
    Event writer;
    /// The first reader since; all others are among its `lists`.
    Event reader;
    bool inFlight = false;
    bool bulk = false;
    /// Number of its lists; 0 as long as it needs none, which are empty.
    uint32_t lists = 0;
  };
  struct Lists {
    std::vector<Event> readers;
    /// Who has updated it atomically since the write, each the last time.
    std::vector<Event> updaters;
  };
  void refine(uint64_t size);
  Lists &getLists(Granule &granule);
  void forgetAccesses(Granule &granule);
  /// What keeps somebody who knows `known` from what was written last, from what others have updated since, and from changing what was read; by a bulk
  /// copy where `bulk`.
  static void checkWriter(const Granule &granule, uint64_t address, const Knowledge &known, bool bulk, Verdict &verdict);
  void checkUpdaters(const Granule &granule, uint64_t address, unsigned agent, const Knowledge &known, bool bulk, Verdict &verdict) const;
  void checkReaders(const Granule &granule, uint64_t address, unsigned thread, const Knowledge &known, Copy copy, Verdict &verdict) const;
  Conflict checkReader(const Event &reader, unsigned thread, const Knowledge &known,
                       Copy copy) const;
  Verdict noteReadBy(uint64_t offset, uint64_t size, Event reader, const Knowledge &known, bool bulk);
  void addReader(Granule &granule, Event reader, const Knowledge &known);

  uint64_t bytes;
  /// Log2 of the bytes of a granule: as small as the smallest access so far.
  unsigned shift = 2;
  std::vector<Granule> granules;
  /// Those that granules use come first, after an empty one; the others are kept for their memory.
  std::vector<Lists> lists{1};
  uint32_t usedLists = 1;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_CLOCKEDHISTORY_H
