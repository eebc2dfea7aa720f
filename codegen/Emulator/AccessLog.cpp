//===- AccessLog.cpp - Counting accesses warp by warp ---------*- C++ -*-===//
//
// See AccessLog.h.
//
//===----------------------------------------------------------------------===//

#include "AccessLog.h"

#include <algorithm>

namespace tilec::emulator {

namespace {

constexpr uint32_t allLanes = 0xffffffff;
constexpr uintptr_t originAlignment = 256;

AccessKind kindOf(AccessOp op) {
  switch (op) {
  case AccessOp::ReadConstant:
  case AccessOp::ReadGlobal:
  case AccessOp::ReadShared:
    return AccessKind::Read;
  case AccessOp::WriteGlobal:
  case AccessOp::WriteShared:
    return AccessKind::Write;
  case AccessOp::AtomicGlobal:
  case AccessOp::AtomicShared:
    return AccessKind::Atomic;
  case AccessOp::ReadMatrix:
    return AccessKind::Matrix;
  }
  return AccessKind::Read;
}

/// Does `row` lie a whole number of words from `last`, all lanes alike?
bool isShifted(const uint32_t *row, const uint32_t *last) {
  const uint32_t distance = row[0] - last[0];
  uint32_t difference = distance % 4;
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    difference |= (row[lane] - last[lane]) ^ distance;
  return difference == 0;
}

} // namespace

Site *AccessLog::addSite(int line, AccessOp op, unsigned bytes) {
  sites.emplace_back();
  Site &site = sites.back();
  site.line = line;
  site.op = op;
  site.bytes = bytes;
  site.warps.resize(warps);
  site.counters.line = line;
  site.counters.access = kindOf(op);
  site.counters.bytesPerLane = bytes;
  if (size_t(line) >= heads.size())
    heads.resize(line + 1);
  site.next = heads[line];
  heads[line] = &site;
  return &site;
}

Site *AccessLog::add(int line, AccessOp op, unsigned bytes, Operand &operand) {
  Site *site = addSite(line, op, bytes);
  site->operand = &operand;
  site->begin = operand.getBegin();
  site->lastOffset = operand.getBytes() - bytes;
  site->origin = operand.getBegin() / originAlignment * originAlignment;
  site->counters.object = operand.getName();
  site->counters.global = true;
  site->counters.constant = op == AccessOp::ReadConstant;
  return site;
}

Site *AccessLog::add(int line, AccessOp op, unsigned bytes, const SharedArray &array,
                     uintptr_t origin) {
  Site *site = addSite(line, op, bytes);
  site->array = &array;
  site->begin = array.begin;
  site->lastOffset = array.bytes - bytes;
  site->origin = origin;
  site->counters.object = array.name;
  return site;
}

Site &AccessLog::bulkSite(int line, AccessOp op, unsigned boxBytes, const std::string &object) {
  constexpr uintptr_t nowhere = ~uintptr_t(0);
  if (size_t(line) < heads.size())
    for (Site *site = heads[line]; site; site = site->next)
      if (site->begin == nowhere && site->op == op && site->bytes == boxBytes &&
          site->counters.object == object)
        return *site;
  Site *site = addSite(line, op, boxBytes);
  site->begin = nowhere;
  site->counters.object = object;
  return *site;
}

void AccessLog::countBulkGlobal(int line, AccessOp op, Operand &operand, unsigned boxBytes, uint64_t bytes,
                                const std::vector<uint32_t> &sectors, uint32_t wave) {
  SiteCounters &counters = bulkSite(line, op, boxBytes, operand.getName()).counters;
  counters.global = true;
  ++counters.accesses;
  ++counters.requests;
  counters.bytes += bytes;
  counters.sectors += sectors.size();
  for (uint32_t sector : sectors)
    operand.touchSector(sector, wave, op != AccessOp::ReadGlobal);
}

void AccessLog::countBulkShared(int line, AccessOp op, const SharedArray &array, unsigned boxBytes, unsigned copies) {
  constexpr unsigned passBytes = 128;
  SiteCounters &counters = bulkSite(line, op, boxBytes, array.name).counters;
  const uint64_t passes = uint64_t(copies) * ((boxBytes + passBytes - 1) / passBytes);
  counters.accesses += copies;
  counters.requests += copies;
  counters.bytes += uint64_t(copies) * boxBytes;
  counters.wavefronts += passes;
  counters.idealWavefronts += passes;
  counters.conflictDegree = 1;
}

void AccessLog::countMatrix(int line, const SharedArray &array, unsigned bytes) {
  SiteCounters &counters = bulkSite(line, AccessOp::ReadMatrix, bytes, array.name).counters;
  ++counters.accesses;
  ++counters.requests;
  counters.bytes += bytes;
}

unsigned AccessLog::findExecution(Site::WarpLog &log, uint32_t self, Position position) {
  const unsigned known = log.executions.size();
  if (log.makers & ~self) {
    for (; log.indexed < known; ++log.indexed)
      log.byPosition.try_emplace(log.executions[log.indexed].position, log.indexed);
    if (const auto first = log.byPosition.find(position); first != log.byPosition.end())
      for (unsigned n = first->second; n < known; ++n)
        if (log.executions[n].position == position && !(log.executions[n].active & self))
          return n;
  }
  log.makers |= self;
  if (known == maxExecutions)
    return maxExecutions;
  log.executions.push_back({position, 0});
  if (log.offsets.size() < (known + 1) * warpLanes)
    log.offsets.resize(std::min(2 * known + 8, maxExecutions) * warpLanes);
  return known;
}

void AccessLog::flush(unsigned warp, uint32_t wave) {
  for (Site &site : sites)
    if (!site.warps[warp].executions.empty())
      flushSite(site, site.warps[warp], wave);
}

void AccessLog::flushSite(Site &site, Site::WarpLog &warp, uint32_t wave) {
  for (unsigned n = 0; n < warp.executions.size(); ++n) {
    const WarpRequest request{&warp.offsets[n * warpLanes], warp.executions[n].active, site.bytes, site.op == AccessOp::AtomicShared};
    if (site.op == AccessOp::ReadConstant)
      countConstant(site, request);
    else if (site.operand)
      countGlobal(site, request, wave);
    else
      countShared(site, request);
    const unsigned active = __builtin_popcount(request.active);
    ++site.counters.requests;
    site.counters.accesses += active;
    site.counters.bytes += active * site.bytes;
  }
  warp.next.fill(0);
  warp.executions.clear();
  warp.makers = 0;
  warp.byPosition.clear();
  warp.indexed = 0;
}

void AccessLog::countGlobal(Site &site, const WarpRequest &request, uint32_t wave) {
  uint32_t sectors[warpLanes];
  const unsigned count = listSectors(request, sectors);
  site.counters.sectors += count;
  // The origin is the boundary that the operand's sectors count from.
  for (unsigned i = 0; i < count; ++i)
    site.operand->touchSector(sectors[i], wave, site.op != AccessOp::ReadGlobal);
}

void AccessLog::countConstant(Site &site, const WarpRequest &request) { site.counters.constantAccesses += countAddresses(request); }

void AccessLog::countShared(Site &site, const WarpRequest &request) {
  const bool full = request.active == allLanes;
  if (!full || !site.hasLast || !isShifted(request.offsets, site.lastOffsets.data())) {
    site.lastWavefronts = countWavefronts(request);
    site.hasLast = full;
    std::copy_n(request.offsets, warpLanes, site.lastOffsets.begin());
  }
  site.counters.wavefronts += site.lastWavefronts.actual;
  site.counters.idealWavefronts += site.lastWavefronts.ideal;
  site.counters.conflictDegree = std::max(site.counters.conflictDegree, site.lastWavefronts.degree);
}

} // namespace tilec::emulator
