//===- SharedMemory.h - A block's shared memory and its history -*- C++ -*-===//
//
// The bytes of one block's shared memory, the arrays declared in it, and for
// each granule who wrote and read it last. A granule is as large as the
// smallest access so far, so two lanes that write the halves of one word do not
// look like a race.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_SHAREDMEMORY_H
#define TILEC_EMULATOR_SHAREDMEMORY_H

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace tilec::emulator {

/// A thread at a time, as 32 bits: barriers the block has passed, and the
/// thread's number plus one. 0 is nobody.
struct Stamp {
  uint32_t bits = 0;

  static constexpr uint32_t threadBits = 11;
  static constexpr uint32_t threadMask = (1u << threadBits) - 1;
  /// Several threads of one epoch.
  static constexpr uint32_t anyThread = threadMask;
  /// Of writes that are on their way: later than every epoch.
  static constexpr uint32_t inFlight = (1u << (32 - threadBits)) - 1;

  static Stamp make(uint32_t epoch, unsigned thread) {
    return {epoch << threadBits | (thread + 1)};
  }
  uint32_t epoch() const { return bits >> threadBits; }
  bool isAnyThread() const { return (bits & threadMask) == anyThread; }
  unsigned thread() const { return (bits & threadMask) - 1; }
};

struct SharedArray {
  std::string name;
  unsigned elementBytes = 0;
  uint64_t count = 0;
  /// Offset in dynamic shared memory, or -1.
  long requestedOffset = -1;
  uintptr_t begin = 0;
  uint64_t bytes = 0;
  /// Of the declaration; an array is known by it.
  int line = 0;

  /// "sA[12]", for an address in it.
  std::string describe(uintptr_t address) const;
};

class SharedMemory {
public:
  /// More than any GPU has, for static and for dynamic memory each.
  static constexpr uint64_t regionBytes = 256 * 1024;

  SharedMemory() = default;
  ~SharedMemory();
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;

  /// Reserves the memory; `trackHistory` for the functions that return a
  /// Conflict. False where the system gives none.
  bool allocate(bool trackHistory);
  /// A new block: contents undefined, nobody has touched anything.
  void reset();

  uintptr_t getOrigin() const { return origin; }
  /// Is the address in shared memory or next to it?
  bool isNear(uintptr_t address) const { return address - mapped < mappedBytes; }

  SharedArray *findDeclared(const char *name, int line);
  /// Null where the region is full. Arrays stay for all blocks.
  SharedArray *declare(const char *name, unsigned elementBytes, uint64_t count, long offset,
                       int line);
  /// The array of the latest declaration that holds all the bytes, or null.
  const SharedArray *findHolder(uintptr_t address, unsigned bytes) const;
  /// The array that begins last before the address, or null.
  const SharedArray *findNearest(uintptr_t address) const;
  /// Sums of the arrays' own bytes.
  uint64_t getStaticBytes() const { return staticContent; }
  const std::deque<SharedArray> &getArrays() const { return arrays; }

  enum class Conflict { None, Uninitialised, WrittenBy, ReadBy, InFlight };
  struct Verdict {
    Conflict conflict = Conflict::None;
    Stamp other;
    uint64_t offset = 0;
  };
  /// Notes an access of `bytes` at `offset` from the origin; tells the first
  /// rule that it breaks.
  Verdict noteRead(uint64_t offset, unsigned bytes, Stamp reader) {
    refineFor(bytes);
    for (uint64_t i = offset >> shift, end = (offset + bytes - 1) >> shift; i <= end; ++i) {
      History &h = history[i];
      const bool ordered = h.writer.epoch() < reader.epoch() || h.writer.bits == reader.bits;
      if (!ordered || h.writer.bits == 0)
        return explainRead(i, reader);
      if (isUpdatedBeside(i, reader))
        return {Conflict::WrittenBy, updates[i], i << shift};
      noteReader(h, reader);
    }
    return {};
  }
  /// An atomic operation: several threads' have no order, but one with all else that threads do.
  Verdict noteUpdate(uint64_t offset, unsigned bytes, Stamp updater);
  Verdict noteWrite(uint64_t offset, unsigned bytes, Stamp writer) {
    return noteWriteAs(offset, bytes, writer, writer);
  }
  /// An asynchronous write that begins; land() ends it.
  Verdict noteCopy(uint64_t offset, unsigned bytes, Stamp issuer);
  void land(uint64_t offset, unsigned bytes, Stamp issuer);

private:
  struct History {
    Stamp writer;
    Stamp reader;
  };
  static void noteReader(History &h, Stamp reader) { join(h.reader, reader); }
  static void join(Stamp &known, Stamp visitor) {
    if (known.epoch() < visitor.epoch() || known.bits == 0)
      known = visitor;
    else if (known.bits != visitor.bits)
      known.bits |= Stamp::anyThread;
  }
  Verdict noteWriteAs(uint64_t offset, unsigned bytes, Stamp writer, Stamp noted) {
    refineFor(bytes);
    Verdict verdict;
    for (uint64_t i = offset >> shift, end = (offset + bytes - 1) >> shift; i <= end; ++i) {
      History &h = history[i];
      const bool ordered =
          (h.writer.epoch() < writer.epoch() || h.writer.bits == writer.bits ||
           h.writer.bits == 0) &&
          (h.reader.epoch() < writer.epoch() || h.reader.bits == writer.bits || h.reader.bits == 0);
      if (!ordered && verdict.conflict == Conflict::None)
        verdict = explainWrite(i, writer);
      if (isUpdatedBeside(i, writer) && verdict.conflict == Conflict::None)
        verdict = {Conflict::WrittenBy, updates[i], i << shift};
      h = {noted, {}};
    }
    return verdict;
  }
  /// Do other threads update the granule, with no barrier between them and `visitor`?
  bool isUpdatedBeside(uint64_t granule, Stamp visitor) const {
    if (__builtin_expect(updates.empty(), 1))
      return false;
    const Stamp updater = updates[granule];
    return updater.bits != 0 && updater.epoch() >= visitor.epoch() && updater.bits != visitor.bits;
  }
  void refineFor(unsigned bytes) {
    if (__builtin_expect(bytes < (1u << shift), 0))
      refine(bytes);
  }
  void refine(unsigned bytes);
  Verdict explainRead(uint64_t granule, Stamp reader) const;
  Verdict explainWrite(uint64_t granule, Stamp writer) const;
  void clear(uint64_t offset, uint64_t bytes, unsigned elementBytes);

  uintptr_t mapped = 0;
  uint64_t mappedBytes = 0;
  uintptr_t origin = 0;
  /// Log2 of the bytes of a granule.
  unsigned shift = 2;
  std::vector<History> history;
  /// Who has updated each granule atomically; empty where nobody has any.
  std::vector<Stamp> updates;
  // References to arrays stay valid as more are declared.
  std::deque<SharedArray> arrays;
  uint64_t staticEnd = 0;
  uint64_t staticContent = 0;
  uint64_t dynamicEnd = regionBytes;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_SHAREDMEMORY_H
