//===- SharedAccesses.cpp - Checked accesses to shared memory -*- C++ -*-===//
//
// See SharedAccesses.h.
//
//===----------------------------------------------------------------------===//

#include "SharedAccesses.h"

#include "Refused.h"

namespace tilec::emulator {

void *SharedAccesses::sharedArray(const char *name, unsigned long elementBytes,
                                  unsigned long count, long offset, int line) {
  SharedMemory &shared = memory.shared;
  if (SharedArray *array = shared.findDeclared(name, line)) {
    if (array->elementBytes == elementBytes && array->count == count &&
        array->requestedOffset == offset)
      return reinterpret_cast<void *>(array->begin);
    witness.report(FindingKind::SharedArray, line, "", [&] {
      return format("%s is declared with %lu elements at offset %ld, but with %llu at %ld before",
                    name, count, offset, (unsigned long long)array->count, array->requestedOffset);
    });
    witness.abandon();
  }
  SharedArray *array = shared.declare(name, elementBytes, count, offset, line);
  if (!array) {
    witness.report(FindingKind::SharedArray, line, "", [&] {
      return format("%s of %lu bytes at offset %ld does not fit into %llu bytes of shared memory",
                    name, elementBytes * count, offset,
                    (unsigned long long)SharedMemory::regionBytes);
    });
    witness.abandon();
  }
  const bool isDynamic = offset >= 0;
  const uint64_t end = isDynamic ? offset + array->bytes : shared.getStaticBytes();
  const uint64_t given = isDynamic ? launch.dynamicSharedBytes : launch.staticSharedBytes;
  if (end > given)
    witness.report(FindingKind::SharedArray, line, "", [&] {
      return format("%s ends at byte %llu of %s shared memory, but the launch gives %llu bytes",
                    name, (unsigned long long)end, isDynamic ? "dynamic" : "static",
                    (unsigned long long)given);
    });
  return reinterpret_cast<void *>(array->begin);
}

const void *SharedAccesses::readShared(const void *source, unsigned bytes, int line,
                                       Position position) {
  const uintptr_t address = addressOf(source);
  Site *site = sites.findShared(address, bytes, AccessOp::ReadShared, line);
  if (!site)
    return refusedSource(bytes);
  mbarriers.checkNone(address, bytes, "reads", witness, line);
  check(*site, address, bytes);
  sites.count(*site, address, position);
  return source;
}

void *SharedAccesses::writeShared(void *dest, unsigned bytes, int line, Position position) {
  const uintptr_t address = addressOf(dest);
  Site *site = sites.findShared(address, bytes, AccessOp::WriteShared, line);
  if (!site)
    return refusedDest();
  mbarriers.checkNone(address, bytes, "writes", witness, line);
  check(*site, address, bytes);
  sites.count(*site, address, position);
  return dest;
}

void *SharedAccesses::atomicShared(void *dest, unsigned bytes, bool uninitialised, int line, Position position) {
  const uintptr_t address = addressOf(dest);
  Site *site = sites.findShared(address, bytes, AccessOp::AtomicShared, line);
  if (!site)
    return refusedDest();
  mbarriers.checkNone(address, bytes, "updates", witness, line);
  if (uninitialised && witness.checks())
    witness.report(FindingKind::UninitialisedRegister, line, site->array->name, [&] {
      return format("%s updates %s with the pattern of a variable that was never written", witness.who().c_str(),
                    site->array->describe(address).c_str());
    });
  check(*site, address, bytes);
  sites.count(*site, address, position);
  return dest;
}

void SharedAccesses::beginCopy(const Site &site, uintptr_t dest, unsigned bytes) {
  mbarriers.checkNone(dest, bytes, "copies to", witness, site.line);
  const uint64_t offset = memory.offsetOf(dest);
  if (Clocks *clocks = witness.getClocks()) {
    const auto verdict = memory.history->noteWrite(offset, bytes, witness.self(),
                                                   clocks->of(witness.self()),
                                                   ClockedHistory::Copy::Plain);
    if (verdict.conflict != ClockedHistory::Conflict::None)
      reportClocked(verdict, *site.array, site.line, witness.who() + " copies to");
  } else if (witness.checks()) {
    const auto verdict = memory.shared.noteCopy(offset, bytes, witness.stamp());
    if (verdict.conflict != SharedMemory::Conflict::None)
      reportCounted(verdict, site, "copies to");
  }
  poison(reinterpret_cast<void *>(dest), bytes, site.array->elementBytes);
}

void SharedAccesses::beginBox(const BulkCopy &copy, uint64_t bytes, Witness &issuer) {
  const SharedArray &array = *memory.shared.findHolder(copy.dest, bytes);
  mbarriers.checkNone(copy.dest, bytes, "copies a box to", issuer, copy.line);
  if (Clocks *clocks = witness.getClocks()) {
    const auto verdict =
        memory.history->noteWrite(memory.offsetOf(copy.dest), bytes, issuer.self(),
                                  clocks->of(issuer.self()), ClockedHistory::Copy::Bulk);
    if (verdict.conflict != ClockedHistory::Conflict::None)
      reportClocked(verdict, array, copy.line, issuer.who() + " copies a box to");
  }
  poison(reinterpret_cast<void *>(copy.dest), bytes, array.elementBytes);
}

//===----------------------------------------------------------------------===//
// Who else touches it
//===----------------------------------------------------------------------===//

void SharedAccesses::check(const Site &site, uintptr_t address, unsigned bytes) {
  if (!witness.checks())
    return;
  if (witness.getClocks())
    return checkClocked(site, address, bytes);
  const uint64_t offset = memory.offsetOf(address);
  const auto verdict = site.op == AccessOp::WriteShared    ? memory.shared.noteWrite(offset, bytes, witness.stamp())
                       : site.op == AccessOp::AtomicShared ? memory.shared.noteUpdate(offset, bytes, witness.stamp())
                                                           : memory.shared.noteRead(offset, bytes, witness.stamp());
  if (__builtin_expect(verdict.conflict != SharedMemory::Conflict::None, 0))
    reportCounted(verdict, site, verbOf(site.op));
}

void SharedAccesses::checkClocked(const Site &site, uintptr_t address, unsigned bytes) {
  Clocks &clocks = *witness.getClocks();
  const bool writes = site.op != AccessOp::ReadShared;
  const unsigned self = witness.self();
  const uint64_t offset = memory.offsetOf(address);
  const Knowledge &known = clocks.of(self);
  const auto verdict = site.op == AccessOp::AtomicShared ? memory.history->noteUpdate(offset, bytes, self, known)
                       : writes                          ? memory.history->noteWrite(offset, bytes, self, known)
                                                         : memory.history->noteRead(offset, bytes, self, known);
  if (__builtin_expect(verdict.conflict != ClockedHistory::Conflict::None, 0))
    reportClocked(verdict, *site.array, site.line, witness.who() + " " + verbOf(site.op));
  // What is stored has been loaded before.
  if (writes)
    clocks.waitForReads(self);
  else
    clocks.noteRead(self);
}

std::string SharedAccesses::describeCopy(unsigned agent, uintptr_t address) const {
  std::string copy = mbarriers.describeCopy(address);
  const unsigned first = witness.agentOf(0);
  if (copy.empty() && agent >= first && agent < first + launch.blockThreads)
    copy = copies.describe(agent - first, address);
  return copy.empty() ? format("a copy that %s never waited for is on its way to",
                               witness.describeAgent(agent).c_str())
                      : copy + " is still on its way to";
}

void SharedAccesses::reportCounted(const SharedMemory::Verdict &verdict, const Site &site,
                                   const char *verb) {
  using Conflict = SharedMemory::Conflict;
  const uintptr_t address = memory.shared.getOrigin() + verdict.offset;
  const std::string place = site.array->describe(address);
  switch (verdict.conflict) {
  case Conflict::None:
    return;
  case Conflict::Uninitialised:
    witness.report(FindingKind::UninitialisedShared, site.line, site.array->name, [&] {
      return format("%s %s %s, which nobody wrote", witness.who().c_str(), verb, place.c_str());
    });
    return;
  case Conflict::InFlight:
    witness.report(FindingKind::MissingWait, site.line, site.array->name, [&] {
      return format("%s %s %s, which %s", witness.who().c_str(), verb, place.c_str(),
                    describeCopy(witness.agentOf(verdict.other.thread()), address).c_str());
    });
    return;
  case Conflict::WrittenBy:
  case Conflict::ReadBy:
    witness.report(FindingKind::SharedRace, site.line, site.array->name, [&] {
      const std::string other = verdict.other.isAnyThread()
                                    ? "several threads"
                                    : format("thread %u", verdict.other.thread());
      return format("%s %s %s, which %s %s with no barrier in between", witness.who().c_str(),
                    verb, place.c_str(), other.c_str(),
                    verdict.conflict == Conflict::WrittenBy ? "wrote" : "read");
    });
    return;
  }
}

void SharedAccesses::reportClocked(const ClockedHistory::Verdict &verdict,
                                   const SharedArray &array, int line,
                                   const std::string &subject) {
  using Conflict = ClockedHistory::Conflict;
  const uintptr_t address = memory.shared.getOrigin() + verdict.offset;
  const std::string place = array.describe(address);
  const std::string other = witness.describeAgent(verdict.agent);
  const auto race = [&](const char *verb) {
    witness.report(FindingKind::SharedRace, line, array.name, [&] {
      return format("%s %s, which %s %s with nothing that orders the two", subject.c_str(),
                    place.c_str(), other.c_str(), verb);
    });
  };
  switch (verdict.conflict) {
  case Conflict::None:
    return;
  case Conflict::Uninitialised:
    witness.report(FindingKind::UninitialisedShared, line, array.name,
                   [&] { return format("%s %s, which nobody wrote", subject.c_str(), place.c_str()); });
    return;
  case Conflict::InFlight:
    witness.report(FindingKind::MissingWait, line, array.name, [&] {
      return format("%s %s, which %s", subject.c_str(), place.c_str(),
                    describeCopy(verdict.agent, address).c_str());
    });
    return;
  case Conflict::WrittenBy:
    return race("wrote");
  case Conflict::ReadBy:
    return race("read");
  case Conflict::EarlyRelease:
    witness.report(FindingKind::EarlyRelease, line, array.name, [&] {
      return format("%s %s, which %s released right after its read; the value may not have come "
                    "back",
                    subject.c_str(), place.c_str(), other.c_str());
    });
    return;
  case Conflict::MissingFence:
    witness.report(FindingKind::MissingFence, line, array.name, [&] {
      return format("%s %s, which %s wrote with no fence_proxy_async in between", subject.c_str(),
                    place.c_str(), other.c_str());
    });
    return;
  }
}

} // namespace tilec::emulator
