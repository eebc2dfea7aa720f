//===- GlobalMemory.h - Operands as the kernel sees them ------*- C++ -*-===//
//
// Each operand is a copy of the caller's tensor in the middle of address space
// that nothing else uses. Elements between its rows and around it hold NaN and
// may not be touched.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_GLOBALMEMORY_H
#define TILEC_EMULATOR_GLOBALMEMORY_H

#include "tilec/Runtime/KernelDescription.h"
#include "tilec/Runtime/Result.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilec::emulator {

/// Who touched an element: block, thread, and barriers the block had passed.
class Visitor {
public:
  Visitor() = default;
  Visitor(unsigned block, unsigned thread, unsigned epoch)
      : bits((uint64_t(block) + 1) << 36 | uint64_t(thread) << 25 | uint64_t(epoch) << 1) {}

  static constexpr unsigned anyThread = 2047;
  /// Stands for several blocks.
  static Visitor anyBlock() { return Visitor(anyBlockNumber, anyThread, 0); }
  static Visitor fromBits(uint64_t bits) {
    Visitor visitor;
    visitor.bits = bits;
    return visitor;
  }
  Visitor atomically() const { return fromBits(bits | 1); }

  bool exists() const { return bits != 0; }
  bool isAtomic() const { return bits & 1; }
  bool isAnyBlock() const { return block() == anyBlockNumber; }
  unsigned block() const { return unsigned(bits >> 36) - 1; }
  unsigned thread() const { return bits >> 25 & 2047; }
  unsigned epoch() const { return bits >> 1 & 0xffffff; }
  uint64_t raw() const { return bits; }

  /// Does a barrier, or being one thread, put this visit before `later`'s?
  bool isBefore(Visitor later) const {
    return !exists() ||
           (block() == later.block() && (thread() == later.thread() || epoch() < later.epoch()));
  }
  /// Words for a message: "thread 3 of block 1".
  std::string describe() const;

private:
  static constexpr unsigned anyBlockNumber = (1u << 28) - 2;
  uint64_t bits = 0;
};

/// The most blocks that a Visitor can tell apart.
constexpr unsigned maxBlocks = (1u << 28) - 2;

class Operand {
public:
  ~Operand();
  Operand() = default;
  Operand(const Operand &) = delete;
  Operand &operator=(const Operand &) = delete;

  /// Copies the tensor in. `trackRaces` reserves the memory for note*().
  runtime::MaybeError create(const runtime::TensorArgument &tensor, std::vector<int64_t> shape,
                             const runtime::TensorBinding &binding, uint64_t baseOffset,
                             bool trackRaces);
  /// Copies the logical elements back to the caller's tensor; of one that is only written those that were.
  void copyBack(const runtime::TensorBinding &binding) const;

  const std::string &getName() const { return name; }
  uintptr_t getBegin() const { return begin; }
  uint64_t getBytes() const { return bytes; }
  unsigned getElementBytes() const { return elementBytes; }
  bool isRead() const { return read; }
  bool isWritten() const { return written; }
  /// In constant memory.
  bool isConstant() const { return constant; }
  bool tracksRaces() const { return writers != nullptr; }
  /// Is the address in this operand's part of the address space?
  bool isNear(uintptr_t address) const { return address - mapped < mappedBytes; }

  /// Are all elements in [offset, offset + size) logical? For offset + size <=
  /// getBytes().
  bool isLogical(uint64_t offset, unsigned size) const {
    for (uint64_t e = offset / elementBytes; e <= (offset + size - 1) / elementBytes; ++e)
      if (!logical[e])
        return false;
    return true;
  }

  /// The latest other visitor that a read or write of `element` races with; one
  /// that does not exist where there is none. Notes the visit. `isBefore(visitor)`
  /// tells whether a visit comes before this one in the order of the launch.
  template <typename IsBefore>
  Visitor noteRead(uint64_t element, Visitor reader, IsBefore isBefore);
  template <typename IsBefore>
  Visitor noteWrite(uint64_t element, Visitor writer, IsBefore isBefore);
  /// Did anybody write the element?
  bool isVisited(uint64_t element) const {
    return writers[element].load(std::memory_order_relaxed) != 0;
  }

  /// Notes that the wave touches a 32-byte sector, counted from the 256-byte
  /// boundary below the first element.
  void touchSector(uint32_t sector, uint32_t wave, bool write);
  uint64_t getUniqueBytesRead() const { return 32 * uniqueRead.load(); }
  uint64_t getUniqueBytesWritten() const { return 32 * uniqueWritten.load(); }

  /// "A[3, 18] of shape [33, 17]", for any address that isNear().
  std::string describe(uintptr_t address) const;

private:
  using Marks64 = std::unique_ptr<std::atomic<uint64_t>[]>;
  using Marks32 = std::unique_ptr<std::atomic<uint32_t>[]>;
  /// Calls visit(position) with the offset of each element, in elements.
  template <typename Visit>
  void forEachElement(Visit visit) const;

  std::string name;
  unsigned elementBytes = 0;
  bool read = false;
  bool written = false;
  bool constant = false;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  uintptr_t mapped = 0;
  uint64_t mappedBytes = 0;
  uintptr_t begin = 0;
  /// From element 0 to the end of the last one.
  uint64_t bytes = 0;
  /// One for each element position in `bytes`: is it an element of the tensor?
  std::vector<uint8_t> logical;
  Marks64 writers;
  Marks64 readers;
  /// The last wave that touched a sector.
  Marks32 readWave;
  Marks32 writtenWave;
  std::atomic<uint64_t> uniqueRead{0};
  std::atomic<uint64_t> uniqueWritten{0};
};

template <typename IsBefore>
Visitor Operand::noteRead(uint64_t element, Visitor reader, IsBefore isBefore) {
  // The visit is published before the other side is looked at, here and in
  // noteWrite, so that of two workers at least one sees the race.
  std::atomic<uint64_t> &mark = readers[element];
  uint64_t seen = mark.load();
  for (;;) {
    const Visitor before = Visitor::fromBits(seen);
    Visitor next = reader;
    if (!isBefore(before))
      next = before.block() != reader.block()
                 ? Visitor::anyBlock()
                 : Visitor(reader.block(), Visitor::anyThread,
                           std::max(before.epoch(), reader.epoch()));
    if (next.raw() == seen || mark.compare_exchange_weak(seen, next.raw()))
      break;
  }
  const Visitor writer = Visitor::fromBits(writers[element].load());
  return isBefore(writer) ? Visitor() : writer;
}

template <typename IsBefore>
Visitor Operand::noteWrite(uint64_t element, Visitor writer, IsBefore isBefore) {
  std::atomic<uint64_t> &mark = writers[element];
  uint64_t seen = mark.load();
  for (;;) {
    const Visitor before = Visitor::fromBits(seen);
    const bool joins = writer.isAtomic() && before.isAtomic() && before.block() != writer.block();
    const Visitor next = joins ? Visitor::anyBlock().atomically() : writer;
    if (mark.compare_exchange_weak(seen, next.raw()))
      break;
  }
  const Visitor before = Visitor::fromBits(seen);
  if (!(before.isAtomic() && writer.isAtomic()) && !isBefore(before))
    return before;
  const Visitor reader = Visitor::fromBits(readers[element].load());
  return isBefore(reader) ? Visitor() : reader;
}

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_GLOBALMEMORY_H
