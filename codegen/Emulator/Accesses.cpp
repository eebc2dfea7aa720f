//===- Accesses.cpp - Checked loads and stores ----------------*- C++ -*-===//
//
// What a thread may touch, and what it hears when it may not. A refused read
// yields NaN and a refused write goes nowhere, so that a run always ends.
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "Cluster.h"
#include "Poison.h"

#include <cstring>

namespace tilec::emulator {

namespace {

constexpr unsigned widestAccess = 16;

/// NaN, whatever is read from here. Narrow reads are of narrow elements.
const void *refusedSource(unsigned bytes) {
  static const uint32_t words[widestAccess / 4] = {poisonWord, poisonWord, poisonWord, poisonWord};
  static const uint16_t narrow = 0xffff;
  return bytes < sizeof(poisonWord) ? static_cast<const void *>(&narrow) : words;
}

void *refusedDest() {
  static thread_local uint64_t nowhere[widestAccess / 8];
  return nowhere;
}

const char *verbOf(AccessOp op) {
  switch (op) {
  case AccessOp::ReadGlobal:
  case AccessOp::ReadShared:
    return "reads";
  case AccessOp::WriteGlobal:
  case AccessOp::WriteShared:
    return "writes";
  case AccessOp::AtomicGlobal:
    return "adds to";
  }
  return "";
}

uintptr_t addressOf(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

} // namespace

//===----------------------------------------------------------------------===//
// Where an address lies
//===----------------------------------------------------------------------===//

std::string Block::describeAddress(uintptr_t address) const {
  for (const auto &operand : launch.operands)
    if (operand->isNear(address))
      return operand->describe(address);
  if (shared.isNear(address))
    if (const SharedArray *array = shared.findNearest(address))
      return array->describe(address);
  return format("address 0x%llx, far from every operand and shared array",
                (unsigned long long)address);
}

void Block::reportOutOfBounds(uintptr_t address, unsigned bytes, AccessOp op, int line) {
  std::string_view object;
  for (const auto &operand : launch.operands)
    if (operand->isNear(address))
      object = operand->getName();
  if (shared.isNear(address))
    if (const SharedArray *array = shared.findNearest(address))
      object = array->name;
  report(FindingKind::OutOfBounds, line, object, [&] {
    const char *memory = op >= AccessOp::ReadShared ? "shared" : "global";
    return format("%s %s %u bytes of %s memory at %s", who().c_str(), verbOf(op), bytes, memory,
                  describeAddress(address).c_str());
  });
}

bool Block::isAligned(uintptr_t address, unsigned bytes, AccessOp op, int line) {
  if (address % bytes == 0)
    return true;
  report(FindingKind::Misaligned, line, "", [&] {
    return format("%s %s %u bytes at %s, which is %u bytes past a multiple of %u", who().c_str(),
                  verbOf(op), bytes, describeAddress(address).c_str(), unsigned(address % bytes),
                  bytes);
  });
  return false;
}

Site *Block::findGlobal(uintptr_t address, unsigned bytes, AccessOp op, int line) {
  Site *site = log.find(line, op, bytes, address);
  if (!site) {
    for (const auto &operand : launch.operands)
      if (bytes <= operand->getBytes() &&
          address - operand->getBegin() <= operand->getBytes() - bytes)
        site = log.add(line, op, bytes, *operand);
    if (!site) {
      reportOutOfBounds(address, bytes, op, line);
      return nullptr;
    }
  }
  if (!isAligned(address, bytes, op, line))
    return nullptr;
  if (!site->operand->isLogical(address - site->begin, bytes)) {
    reportOutOfBounds(address, bytes, op, line);
    return nullptr;
  }
  return site;
}

Site *Block::findShared(uintptr_t address, unsigned bytes, AccessOp op, int line) {
  Site *site = log.find(line, op, bytes, address);
  if (!site) {
    if (const SharedArray *array = shared.findHolder(address, bytes))
      site = log.add(line, op, bytes, *array, shared.getOrigin());
    if (!site) {
      reportOutOfBounds(address, bytes, op, line);
      return nullptr;
    }
  }
  return isAligned(address, bytes, op, line) ? site : nullptr;
}

void Block::count(Site &site, uintptr_t address, Position position) {
  const unsigned warp = thread / warpLanes;
  while (!log.log(site, warp, thread % warpLanes, address, position))
    wait(State::Throttled, site.line);
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

void Block::checkGlobal(Site &site, uintptr_t address, unsigned bytes, bool uninitialised) {
  Operand &operand = *site.operand;
  const bool writes = site.op != AccessOp::ReadGlobal;
  if (writes && !operand.isWritten())
    report(FindingKind::OperandRole, site.line, operand.getName(), [&] {
      return format("%s %s %s, which the launch declares as only read", who().c_str(),
                    verbOf(site.op), describeAddress(address).c_str());
    });
  if (!checks())
    return;
  if (uninitialised)
    report(FindingKind::UninitialisedRegister, site.line, operand.getName(), [&] {
      return format("%s writes to %s the pattern of a variable that was never written",
                    who().c_str(), describeAddress(address).c_str());
    });
  if (!operand.tracksRaces())
    return;
  const unsigned size = operand.getElementBytes();
  for (unsigned offset = 0; offset < bytes; offset += size) {
    const uint64_t element = (address + offset - site.begin) / size;
    // An atomic addition depends on the old value as well.
    if (site.op != AccessOp::WriteGlobal && !operand.isRead() && !operand.isVisited(element))
      report(FindingKind::OperandRole, site.line, operand.getName(), [&] {
        return format("%s %s %s, which the launch declares as only written and nobody wrote",
                      who().c_str(), verbOf(site.op), describeAddress(address + offset).c_str());
      });
    const Visitor self = site.op == AccessOp::AtomicGlobal ? visitor().atomically() : visitor();
    const auto before = [&](Visitor other) { return isBefore(other, address + offset); };
    const Visitor other = writes ? operand.noteWrite(element, self, before)
                                 : operand.noteRead(element, self, before);
    if (other.exists())
      report(FindingKind::GlobalRace, site.line, operand.getName(), [&] {
        return format("%s %s %s, which %s also %s, in no order", who().c_str(), verbOf(site.op),
                      describeAddress(address + offset).c_str(), other.describe().c_str(),
                      writes ? "touches" : "writes");
      });
  }
}

const void *Block::readGlobal(const void *source, unsigned bytes, int line, Position position) {
  const uintptr_t address = addressOf(source);
  Site *site = findGlobal(address, bytes, AccessOp::ReadGlobal, line);
  if (!site)
    return refusedSource(bytes);
  checkGlobal(*site, address, bytes, false);
  count(*site, address, position);
  return source;
}

void *Block::writeGlobal(void *dest, unsigned bytes, bool uninitialised, int line,
                         Position position) {
  const uintptr_t address = addressOf(dest);
  Site *site = findGlobal(address, bytes, AccessOp::WriteGlobal, line);
  if (!site)
    return refusedDest();
  checkGlobal(*site, address, bytes, uninitialised);
  // What is stored has been loaded before.
  if (clocks)
    clocks->waitForReads(self());
  count(*site, address, position);
  return dest;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

void *Block::sharedArray(const char *name, unsigned long elementBytes, unsigned long count,
                         long offset, int line) {
  if (SharedArray *array = shared.findDeclared(name, line)) {
    if (array->elementBytes == elementBytes && array->count == count &&
        array->requestedOffset == offset)
      return reinterpret_cast<void *>(array->begin);
    report(FindingKind::SharedArray, line, "", [&] {
      return format("%s is declared with %lu elements at offset %ld, but with %llu at %ld before",
                    name, count, offset, (unsigned long long)array->count, array->requestedOffset);
    });
    abandon();
  }
  SharedArray *array = shared.declare(name, elementBytes, count, offset, line);
  if (!array) {
    report(FindingKind::SharedArray, line, "", [&] {
      return format("%s of %lu bytes at offset %ld does not fit into %llu bytes of shared memory",
                    name, elementBytes * count, offset,
                    (unsigned long long)SharedMemory::regionBytes);
    });
    abandon();
  }
  const bool isDynamic = offset >= 0;
  const uint64_t end = isDynamic ? offset + array->bytes : shared.getStaticBytes();
  const uint64_t given = isDynamic ? launch.dynamicSharedBytes : launch.staticSharedBytes;
  if (end > given)
    report(FindingKind::SharedArray, line, "", [&] {
      return format("%s ends at byte %llu of %s shared memory, but the launch gives %llu bytes",
                    name, (unsigned long long)end, isDynamic ? "dynamic" : "static",
                    (unsigned long long)given);
    });
  return reinterpret_cast<void *>(array->begin);
}

void Block::reportShared(const SharedMemory::Verdict &verdict, const Site &site, const char *verb) {
  using Conflict = SharedMemory::Conflict;
  const uintptr_t address = shared.getOrigin() + verdict.offset;
  const std::string place = site.array->describe(address);
  switch (verdict.conflict) {
  case Conflict::None:
    return;
  case Conflict::Uninitialised:
    report(FindingKind::UninitialisedShared, site.line, site.array->name,
           [&] { return format("%s reads %s, which nobody wrote", who().c_str(), place.c_str()); });
    return;
  case Conflict::InFlight:
    report(FindingKind::MissingWait, site.line, site.array->name, [&] {
      return format("%s %s %s, which %s", who().c_str(), verb, place.c_str(),
                    describeCopy(agentOf(verdict.other.thread()), address).c_str());
    });
    return;
  case Conflict::WrittenBy:
  case Conflict::ReadBy:
    report(FindingKind::SharedRace, site.line, site.array->name, [&] {
      const std::string other = verdict.other.isAnyThread()
                                    ? "several threads"
                                    : format("thread %u", verdict.other.thread());
      return format("%s %s %s, which %s %s with no barrier in between", who().c_str(), verb,
                    place.c_str(), other.c_str(),
                    verdict.conflict == Conflict::WrittenBy ? "wrote" : "read");
    });
    return;
  }
}

void Block::reportClocked(const ClockedHistory::Verdict &verdict, const SharedArray &array,
                          int line, const std::string &subject) {
  using Conflict = ClockedHistory::Conflict;
  const uintptr_t address = shared.getOrigin() + verdict.offset;
  const std::string place = array.describe(address);
  const std::string other = describeAgent(verdict.agent);
  const auto race = [&](const char *verb) {
    report(FindingKind::SharedRace, line, array.name, [&] {
      return format("%s %s, which %s %s with nothing that orders the two", subject.c_str(),
                    place.c_str(), other.c_str(), verb);
    });
  };
  switch (verdict.conflict) {
  case Conflict::None:
    return;
  case Conflict::Uninitialised:
    report(FindingKind::UninitialisedShared, line, array.name,
           [&] { return format("%s %s, which nobody wrote", subject.c_str(), place.c_str()); });
    return;
  case Conflict::InFlight:
    report(FindingKind::MissingWait, line, array.name, [&] {
      return format("%s %s, which %s", subject.c_str(), place.c_str(),
                    describeCopy(verdict.agent, address).c_str());
    });
    return;
  case Conflict::WrittenBy:
    return race("wrote");
  case Conflict::ReadBy:
    return race("read");
  case Conflict::EarlyRelease:
    report(FindingKind::EarlyRelease, line, array.name, [&] {
      return format("%s %s, which %s released right after its read; the value may not have come "
                    "back",
                    subject.c_str(), place.c_str(), other.c_str());
    });
    return;
  case Conflict::MissingFence:
    report(FindingKind::MissingFence, line, array.name, [&] {
      return format("%s %s, which %s wrote with no fence_proxy_async in between", subject.c_str(),
                    place.c_str(), other.c_str());
    });
    return;
  }
}

void Block::checkShared(const Site &site, uintptr_t address, unsigned bytes) {
  const bool writes = site.op == AccessOp::WriteShared;
  const uint64_t offset = address - shared.getOrigin();
  if (clocks) {
    const Knowledge &known = clocks->of(self());
    const auto verdict = writes ? history->noteWrite(offset, bytes, self(), known)
                                : history->noteRead(offset, bytes, self(), known);
    if (__builtin_expect(verdict.conflict != ClockedHistory::Conflict::None, 0))
      reportClocked(verdict, *site.array, site.line, who() + " " + verbOf(site.op));
    // What is stored has been loaded before.
    if (writes)
      clocks->waitForReads(self());
    else
      clocks->noteRead(self());
    return;
  }
  const auto verdict = writes ? shared.noteWrite(offset, bytes, stamp())
                              : shared.noteRead(offset, bytes, stamp());
  if (__builtin_expect(verdict.conflict != SharedMemory::Conflict::None, 0))
    reportShared(verdict, site, verbOf(site.op));
}

const void *Block::readShared(const void *source, unsigned bytes, int line, Position position) {
  const uintptr_t address = addressOf(source);
  Site *site = findShared(address, bytes, AccessOp::ReadShared, line);
  if (!site)
    return refusedSource(bytes);
  checkNoBarrier(address, bytes, verbOf(site->op), line);
  if (checks())
    checkShared(*site, address, bytes);
  count(*site, address, position);
  return source;
}

const void *Block::readCluster(const void *source, unsigned bytes, int from, int line,
                               Position position) {
  if (from < 0 || unsigned(from) >= cluster.size()) {
    report(FindingKind::OutOfBounds, line, "", [&] {
      return format("%s reads shared memory of block %d of a cluster of %u", who().c_str(), from,
                    cluster.size());
    });
    return refusedSource(bytes);
  }
  const uintptr_t address = addressOf(source);
  Site *site = findShared(address, bytes, AccessOp::ReadShared, line);
  Block &other = cluster.getBlock(from);
  const uintptr_t there = site ? translate(address, other, line) : 0;
  if (!there)
    return refusedSource(bytes);
  if (clocks) {
    const auto verdict = other.history->noteRead(there - other.shared.getOrigin(), bytes, self(),
                                                 clocks->of(self()));
    if (verdict.conflict != ClockedHistory::Conflict::None)
      reportClocked(verdict, *site->array, line,
                    format("%s reads of block %u", who().c_str(), other.number));
    clocks->noteRead(self());
    if (&other != this)
      other.noteRemoteAccess({self(), clocks->now(self()), line, "reads its shared memory"});
  }
  count(*site, address, position);
  return reinterpret_cast<const void *>(there);
}

void *Block::writeShared(void *dest, unsigned bytes, int line, Position position) {
  const uintptr_t address = addressOf(dest);
  Site *site = findShared(address, bytes, AccessOp::WriteShared, line);
  if (!site)
    return refusedDest();
  checkNoBarrier(address, bytes, verbOf(site->op), line);
  if (checks())
    checkShared(*site, address, bytes);
  count(*site, address, position);
  return dest;
}

} // namespace tilec::emulator
