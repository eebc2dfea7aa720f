//===- Sites.cpp - Call sites and what they access ------------*- C++ -*-===//
//
// See Sites.h.
//
//===----------------------------------------------------------------------===//

#include "Sites.h"

#include <algorithm>

namespace tilec::emulator {

const char *verbOf(AccessOp op) {
  switch (op) {
  case AccessOp::ReadConstant:
  case AccessOp::ReadGlobal:
  case AccessOp::ReadShared:
    return "reads";
  case AccessOp::WriteGlobal:
  case AccessOp::WriteShared:
    return "writes";
  case AccessOp::AtomicGlobal:
  case AccessOp::AtomicShared:
    return "updates";
  case AccessOp::ReadMatrix:
    return "multiplies";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Where an address lies
//===----------------------------------------------------------------------===//

std::string Sites::describe(uintptr_t address) const {
  for (const auto &operand : launch.operands)
    if (operand->isNear(address))
      return operand->describe(address);
  if (shared.isNear(address))
    if (const SharedArray *array = shared.findNearest(address))
      return array->describe(address);
  return format("address 0x%llx, far from every operand and shared array",
                (unsigned long long)address);
}

void Sites::reportOutOfBounds(uintptr_t address, unsigned bytes, AccessOp op, int line) {
  std::string_view object;
  for (const auto &operand : launch.operands)
    if (operand->isNear(address))
      object = operand->getName();
  if (shared.isNear(address))
    if (const SharedArray *array = shared.findNearest(address))
      object = array->name;
  witness.report(FindingKind::OutOfBounds, line, object, [&] {
    const char *memory = op == AccessOp::ReadConstant ? "constant" : op >= AccessOp::ReadShared ? "shared" : "global";
    return format("%s %s %u bytes of %s memory at %s", witness.who().c_str(), verbOf(op), bytes,
                  memory, describe(address).c_str());
  });
}

void Sites::reportMisaligned(uintptr_t address, unsigned bytes, AccessOp op, int line) {
  witness.report(FindingKind::Misaligned, line, "", [&] {
    return format("%s %s %u bytes at %s, which is %u bytes past a multiple of %u",
                  witness.who().c_str(), verbOf(op), bytes, describe(address).c_str(),
                  unsigned(address % bytes), bytes);
  });
}

Site *Sites::addGlobal(uintptr_t address, unsigned bytes, AccessOp op, int line) {
  for (const auto &operand : launch.operands)
    if (operand->isConstant() == (op == AccessOp::ReadConstant) && bytes <= operand->getBytes() &&
        address - operand->getBegin() <= operand->getBytes() - bytes)
      return log.add(line, op, bytes, *operand);
  reportOutOfBounds(address, bytes, op, line);
  return nullptr;
}

Site *Sites::addShared(uintptr_t address, unsigned bytes, AccessOp op, int line) {
  if (const SharedArray *array = shared.findHolder(address, bytes))
    return log.add(line, op, bytes, *array, shared.getOrigin());
  reportOutOfBounds(address, bytes, op, line);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

void Sites::countBox(int line, Operand &source, const SharedArray &dest, uint64_t boxBytes,
                     uint64_t present, unsigned copies, const std::vector<uint32_t> &sectors) {
  log.countBulkGlobal(line, AccessOp::ReadGlobal, source, boxBytes, present * copies, sectors, wave);
  log.countBulkShared(line, AccessOp::WriteShared, dest, boxBytes, copies);
}

void Sites::countStoredBox(int line, Operand &dest, const SharedArray &source, uint64_t boxBytes, uint64_t present,
                           const std::vector<uintptr_t> &places) {
  constexpr uint64_t sectorBytes = 32, baseAlignment = 256;
  const uintptr_t origin = dest.getBegin() / baseAlignment * baseAlignment;
  std::vector<uint32_t> sectors;
  for (uintptr_t place : places)
    sectors.push_back(uint32_t((place - origin) / sectorBytes));
  std::sort(sectors.begin(), sectors.end());
  sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
  log.countBulkGlobal(line, AccessOp::WriteGlobal, dest, boxBytes, present, sectors, wave);
  log.countBulkShared(line, AccessOp::ReadShared, source, boxBytes, 1);
}

void Sites::flush() {
  for (unsigned warp = 0; warp < threads.getWarps(); ++warp)
    log.flush(warp, wave);
}

bool Sites::releaseThrottled() {
  const std::vector<unsigned> waiting = threads.list(Threads::State::Throttled);
  for (unsigned thread : waiting) {
    log.flush(thread / warpLanes, wave);
    threads.markReady(thread);
  }
  return !waiting.empty();
}

} // namespace tilec::emulator
