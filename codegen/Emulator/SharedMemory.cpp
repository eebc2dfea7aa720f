//===- SharedMemory.cpp - A block's shared memory -------------*- C++ -*-===//
//
// See SharedMemory.h.
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"

#include "Findings.h"
#include "Poison.h"

#include <algorithm>
#include <sys/mman.h>

namespace tilec::emulator {

namespace {
constexpr uint64_t surroundings = uint64_t(1) << 20;
// As SHARED aligns arrays on the device. The gap after each is a multiple of
// it, so that an array lies in the same banks as there.
constexpr uint64_t arrayAlignment = 128;

uint64_t roundUp(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; }
} // namespace

std::string SharedArray::describe(uintptr_t address) const {
  return format("%s[%lld] of %llu elements", name.c_str(),
                (long long)(int64_t(address - begin) / int64_t(elementBytes)),
                (unsigned long long)count);
}

SharedMemory::~SharedMemory() {
  if (mapped)
    munmap(reinterpret_cast<void *>(mapped), mappedBytes);
}

bool SharedMemory::allocate(bool trackHistory) {
  mappedBytes = 2 * regionBytes + 2 * surroundings;
  void *memory =
      mmap(nullptr, mappedBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  mapped = reinterpret_cast<uintptr_t>(memory);
  origin = mapped + surroundings;
  if (mprotect(reinterpret_cast<void *>(origin), 2 * regionBytes, PROT_READ | PROT_WRITE) != 0)
    return false;
  if (trackHistory)
    history.resize(2 * regionBytes >> shift);
  return true;
}

void SharedMemory::clear(uint64_t offset, uint64_t bytes, unsigned elementBytes) {
  poison(reinterpret_cast<void *>(origin + offset), bytes, elementBytes);
  if (!history.empty())
    std::fill_n(history.begin() + (offset >> shift), roundUp(bytes, 16) >> shift, History());
  if (!updates.empty())
    std::fill_n(updates.begin() + (offset >> shift), roundUp(bytes, 16) >> shift, Stamp());
}

void SharedMemory::reset() {
  clear(0, staticEnd, sizeof(poisonWord));
  clear(regionBytes, dynamicEnd - regionBytes, sizeof(poisonWord));
  for (const SharedArray &array : arrays)
    if (array.elementBytes < sizeof(poisonWord))
      poison(reinterpret_cast<void *>(array.begin), array.bytes, array.elementBytes);
}

SharedArray *SharedMemory::findDeclared(const char *name, int line) {
  for (SharedArray &array : arrays)
    if (array.line == line && array.name == name)
      return &array;
  return nullptr;
}

SharedArray *SharedMemory::declare(const char *name, unsigned elementBytes, uint64_t count,
                                   long offset, int line) {
  if (count > regionBytes)
    return nullptr;
  const uint64_t bytes = count * elementBytes;
  const bool isDynamic = offset >= 0;
  const uint64_t start = isDynamic ? regionBytes + offset : staticEnd;
  const uint64_t limit = isDynamic ? 2 * regionBytes : regionBytes;
  if (uint64_t(offset + 1) > regionBytes || start + bytes + 2 * arrayAlignment > limit)
    return nullptr;
  if (isDynamic) {
    // Only the part that is new: arrays may share bytes by intention.
    const uint64_t end = start + bytes;
    if (end > dynamicEnd) {
      clear(dynamicEnd, roundUp(end, 16) - dynamicEnd, elementBytes);
      dynamicEnd = roundUp(end, 16);
    }
  } else {
    staticEnd = roundUp(start + bytes, arrayAlignment) + arrayAlignment;
    staticContent += bytes;
    clear(start, staticEnd - start, elementBytes);
  }
  arrays.push_back({name, elementBytes, count, offset, origin + start, bytes, line});
  return &arrays.back();
}

const SharedArray *SharedMemory::findHolder(uintptr_t address, unsigned bytes) const {
  for (auto array = arrays.rbegin(); array != arrays.rend(); ++array)
    if (address >= array->begin && address + bytes <= array->begin + array->bytes)
      return &*array;
  return nullptr;
}

const SharedArray *SharedMemory::findNearest(uintptr_t address) const {
  const SharedArray *nearest = nullptr;
  for (const SharedArray &array : arrays)
    if (array.begin <= address && (!nearest || array.begin > nearest->begin))
      nearest = &array;
  return nearest ? nearest : arrays.empty() ? nullptr : &arrays.front();
}

void SharedMemory::refine(unsigned bytes) {
  unsigned finer = 0;
  while ((2u << finer) <= bytes)
    ++finer;
  std::vector<History> refined(2 * regionBytes >> finer);
  for (uint64_t i = 0; i < refined.size(); ++i)
    refined[i] = history[i >> (shift - finer)];
  if (!updates.empty()) {
    std::vector<Stamp> parts(refined.size());
    for (uint64_t i = 0; i < parts.size(); ++i)
      parts[i] = updates[i >> (shift - finer)];
    updates = std::move(parts);
  }
  history = std::move(refined);
  shift = finer;
}

SharedMemory::Verdict SharedMemory::explainRead(uint64_t granule, Stamp reader) const {
  const Stamp writer = history[granule].writer;
  const Conflict conflict = writer.bits == 0                    ? Conflict::Uninitialised
                            : writer.epoch() == Stamp::inFlight ? Conflict::InFlight
                                                                : Conflict::WrittenBy;
  return {conflict, writer, granule << shift};
}

SharedMemory::Verdict SharedMemory::explainWrite(uint64_t granule, Stamp writer) const {
  const History &h = history[granule];
  if (h.writer.epoch() == Stamp::inFlight)
    return {Conflict::InFlight, h.writer, granule << shift};
  if (h.writer.bits != 0 && h.writer.bits != writer.bits && h.writer.epoch() >= writer.epoch())
    return {Conflict::WrittenBy, h.writer, granule << shift};
  return {Conflict::ReadBy, h.reader, granule << shift};
}

SharedMemory::Verdict SharedMemory::noteUpdate(uint64_t offset, unsigned bytes, Stamp updater) {
  refineFor(bytes);
  if (updates.empty())
    updates.resize(history.size());
  for (uint64_t i = offset >> shift, end = (offset + bytes - 1) >> shift; i <= end; ++i) {
    History &h = history[i];
    const bool written = h.writer.bits != 0 && (h.writer.epoch() < updater.epoch() || h.writer.bits == updater.bits);
    if (!written)
      return explainRead(i, updater);
    if (h.reader.bits != 0 && h.reader.epoch() >= updater.epoch() && h.reader.bits != updater.bits)
      return {Conflict::ReadBy, h.reader, i << shift};
    join(updates[i], updater);
  }
  return {};
}

SharedMemory::Verdict SharedMemory::noteCopy(uint64_t offset, unsigned bytes, Stamp issuer) {
  return noteWriteAs(offset, bytes, issuer, Stamp::make(Stamp::inFlight, issuer.thread()));
}

void SharedMemory::land(uint64_t offset, unsigned bytes, Stamp issuer) {
  for (uint64_t i = offset >> shift, end = (offset + bytes - 1) >> shift; i <= end; ++i)
    history[i] = {issuer, {}};
}

} // namespace tilec::emulator
