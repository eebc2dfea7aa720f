//===- GlobalAccesses.cpp - Checked accesses to global memory -*- C++ -*-===//
//
// See GlobalAccesses.h.
//
//===----------------------------------------------------------------------===//

#include "GlobalAccesses.h"

#include "BlockMemory.h"
#include "Refused.h"

namespace tilec::emulator {

void GlobalAccesses::check(Site &site, uintptr_t address, unsigned bytes, bool uninitialised) {
  Operand &operand = *site.operand;
  if (site.op != AccessOp::ReadGlobal && !operand.isWritten())
    witness.report(FindingKind::OperandRole, site.line, operand.getName(), [&] {
      return format("%s %s %s, which the launch declares as only read", witness.who().c_str(),
                    verbOf(site.op), sites.describe(address).c_str());
    });
  if (!witness.checks())
    return;
  checkWaited(operand, site.line);
  if (uninitialised)
    witness.report(FindingKind::UninitialisedRegister, site.line, operand.getName(), [&] {
      return format("%s writes to %s the pattern of a variable that was never written",
                    witness.who().c_str(), sites.describe(address).c_str());
    });
  if (!operand.tracksRaces())
    return;
  for (unsigned offset = 0; offset < bytes; offset += operand.getElementBytes())
    checkElement(site, address + offset);
}

void GlobalAccesses::checkWaited(const Operand &operand, int line) {
  if (order.isEarly())
    witness.report(FindingKind::MissingWait, line, operand.getName(), [&] {
      return format("%s touches %s before it waits for the kernel ahead in the stream",
                    witness.who().c_str(), operand.getName().c_str());
    });
}

void GlobalAccesses::checkElement(Site &site, uintptr_t address) {
  Operand &operand = *site.operand;
  const bool writes = site.op != AccessOp::ReadGlobal;
  const uint64_t element = (address - site.begin) / operand.getElementBytes();
  // An atomic addition depends on the old value as well.
  if (site.op != AccessOp::WriteGlobal && !operand.isRead() && !operand.isVisited(element))
    witness.report(FindingKind::OperandRole, site.line, operand.getName(), [&] {
      return format("%s %s %s, which the launch declares as only written and nobody wrote",
                    witness.who().c_str(), verbOf(site.op), sites.describe(address).c_str());
    });
  const Visitor visitor = witness.visitor();
  const Visitor self = site.op == AccessOp::AtomicGlobal ? visitor.atomically() : visitor;
  const auto before = [&](Visitor other) { return order.isBefore(other, address); };
  const Visitor other = writes ? operand.noteWrite(element, self, before)
                               : operand.noteRead(element, self, before);
  if (other.exists())
    witness.report(FindingKind::GlobalRace, site.line, operand.getName(), [&] {
      return format("%s %s %s, which %s also %s, in no order", witness.who().c_str(),
                    verbOf(site.op), sites.describe(address).c_str(), other.describe().c_str(),
                    writes ? "touches" : "writes");
    });
}

const void *GlobalAccesses::readGlobal(const void *source, unsigned bytes, int line,
                                       Position position) {
  const uintptr_t address = addressOf(source);
  Site *site = sites.findGlobal(address, bytes, AccessOp::ReadGlobal, line);
  if (!site)
    return refusedSource(bytes);
  check(*site, address, bytes, false);
  sites.count(*site, address, position);
  return source;
}

void *GlobalAccesses::writeGlobal(void *dest, unsigned bytes, bool uninitialised, int line,
                                  Position position) {
  const uintptr_t address = addressOf(dest);
  Site *site = sites.findGlobal(address, bytes, AccessOp::WriteGlobal, line);
  if (!site)
    return refusedDest();
  check(*site, address, bytes, uninitialised);
  // What is stored has been loaded before.
  if (Clocks *clocks = witness.getClocks())
    clocks->waitForReads(witness.self());
  sites.count(*site, address, position);
  return dest;
}

void GlobalAccesses::atomicGlobal(void *dest, const void *value, unsigned bytes,
                                  bool uninitialised, void (*add)(void *, const void *), int line,
                                  Position position) {
  const uintptr_t address = addressOf(dest);
  Site *site = sites.findGlobal(address, bytes, AccessOp::AtomicGlobal, line);
  if (!site)
    return;
  check(*site, address, bytes, uninitialised);
  sites.count(*site, address, position);
  order.visitAtomically(dest, line, /*releases=*/false, add, value);
}

int GlobalAccesses::atomicFetchAdd(int *dest, int value, int line, Position position) {
  const uintptr_t address = addressOf(dest);
  Site *site = sites.findGlobal(address, sizeof(int), AccessOp::AtomicGlobal, line);
  if (!site)
    return 0;
  if (Clocks *clocks = witness.getClocks())
    clocks->waitForReads(witness.self());
  check(*site, address, sizeof(int), false);
  sites.count(*site, address, position);
  struct Exchange {
    int added;
    int old;
  } exchange{value, 0};
  order.visitAtomically(
      dest, line, /*releases=*/true,
      [](void *to, const void *what) {
        auto *both = static_cast<Exchange *>(const_cast<void *>(what));
        both->old = *static_cast<int *>(to);
        *static_cast<int *>(to) = both->old + both->added;
      },
      &exchange);
  return exchange.old;
}

} // namespace tilec::emulator
