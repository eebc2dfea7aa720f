//===- ClockedHistory.cpp - Shared memory's history by clocks -*- C++ -*-===//
//
// See ClockedHistory.h.
//
//===----------------------------------------------------------------------===//

#include "ClockedHistory.h"

namespace tilec::emulator {

namespace {
/// Reads of data that nobody overwrites pile up; from here on, only the latest
/// of each thread is kept.
constexpr size_t manyReaders = 4096;
} // namespace

void ClockedHistory::clear() {
  std::fill(granules.begin(), granules.end(), Granule());
  usedLists = 1;
}

ClockedHistory::Lists &ClockedHistory::getLists(Granule &granule) {
  if (granule.lists == 0) {
    granule.lists = usedLists++;
    if (granule.lists == lists.size())
      lists.emplace_back();
    lists[granule.lists].readers.clear();
    lists[granule.lists].updaters.clear();
  }
  return lists[granule.lists];
}

/// But for the writer.
void ClockedHistory::forgetAccesses(Granule &granule) {
  granule.reader = {};
  if (granule.lists == 0)
    return;
  lists[granule.lists].readers.clear();
  lists[granule.lists].updaters.clear();
}

void ClockedHistory::refine(uint64_t size) {
  unsigned finer = 0;
  while ((uint64_t(2) << finer) <= size)
    ++finer;
  std::vector<Granule> refined(bytes >> finer);
  for (uint64_t i = 0; i < refined.size(); ++i) {
    const Granule &from = granules[i >> (shift - finer)];
    refined[i] = from;
    if (from.lists == 0)
      continue;
    refined[i].lists = 0;
    Lists copied = lists[from.lists];
    getLists(refined[i]) = std::move(copied);
  }
  granules = std::move(refined);
  shift = finer;
}

void ClockedHistory::addReader(Granule &granule, Event reader, const Knowledge &known) {
  Event &first = granule.reader;
  // An earlier read that returned before this one cannot matter any more.
  if (first.agent == 0 || first.agent == reader.agent ||
      (lists[granule.lists].readers.empty() && known.returned.at(first.agent - 1) >= first.tick)) {
    first = reader;
    return;
  }
  std::vector<Event> &more = getLists(granule).readers;
  if (!more.empty() && more.back().agent == reader.agent) {
    more.back() = reader;
    return;
  }
  if (more.size() >= manyReaders) {
    std::sort(more.begin(), more.end(), [](const Event &a, const Event &b) {
      return a.agent != b.agent ? a.agent < b.agent : a.tick > b.tick;
    });
    more.erase(std::unique(more.begin(), more.end(),
                           [](const Event &a, const Event &b) { return a.agent == b.agent; }),
               more.end());
  }
  more.push_back(reader);
}

ClockedHistory::Verdict ClockedHistory::noteRead(uint64_t offset, uint64_t size, unsigned thread,
                                                 const Knowledge &known) {
  return noteReadBy(offset, size, {thread + 1, known.order.at(thread)}, known, /*bulk=*/false);
}

ClockedHistory::Verdict ClockedHistory::noteBulkRead(uint64_t offset, uint64_t size, unsigned agent, uint32_t tick,
                                                     const Knowledge &known) {
  return noteReadBy(offset, size, {agent + 1, tick}, known, /*bulk=*/true);
}

void ClockedHistory::Verdict::note(Conflict found, const Event &other, uint64_t address) {
  if (found != Conflict::None && conflict == Conflict::None)
    *this = {found, other.agent - 1, address};
}

void ClockedHistory::checkWriter(const Granule &granule, uint64_t address, const Knowledge &known, bool bulk, Verdict &verdict) {
  const Event &writer = granule.writer;
  if (writer.agent == 0)
    return;
  if (granule.inFlight)
    verdict.note(Conflict::InFlight, writer, address);
  else if (known.order.at(writer.agent - 1) < writer.tick)
    verdict.note(Conflict::WrittenBy, writer, address);
  else if (bulk && !granule.bulk && known.fenced.at(writer.agent - 1) < writer.tick)
    verdict.note(Conflict::MissingFence, writer, address);
}

void ClockedHistory::checkUpdaters(const Granule &granule, uint64_t address, unsigned agent, const Knowledge &known, bool bulk, Verdict &verdict) const {
  for (const Event &update : lists[granule.lists].updaters)
    if (update.agent != agent + 1 && known.order.at(update.agent - 1) < update.tick)
      verdict.note(Conflict::WrittenBy, update, address);
    else if (bulk && known.fenced.at(update.agent - 1) < update.tick)
      verdict.note(Conflict::MissingFence, update, address);
}

void ClockedHistory::checkReaders(const Granule &granule, uint64_t address, unsigned thread, const Knowledge &known, Copy copy, Verdict &verdict) const {
  if (granule.reader.agent == 0)
    return;
  verdict.note(checkReader(granule.reader, thread, known, copy), granule.reader, address);
  for (const Event &reader : lists[granule.lists].readers)
    verdict.note(checkReader(reader, thread, known, copy), reader, address);
}

ClockedHistory::Verdict ClockedHistory::noteReadBy(uint64_t offset, uint64_t size, Event reader, const Knowledge &known, bool bulk) {
  if (size < (uint64_t(1) << shift))
    refine(size);
  Verdict verdict;
  for (uint64_t i = offset >> shift, end = (offset + size - 1) >> shift; i <= end; ++i) {
    Granule &granule = granules[i];
    if (granule.writer.agent == 0)
      verdict.note(Conflict::Uninitialised, granule.writer, i << shift);
    checkWriter(granule, i << shift, known, bulk, verdict);
    checkUpdaters(granule, i << shift, reader.agent - 1, known, bulk, verdict);
    addReader(granule, reader, known);
  }
  return verdict;
}

ClockedHistory::Verdict ClockedHistory::noteUpdate(uint64_t offset, uint64_t size, unsigned thread, const Knowledge &known) {
  if (size < (uint64_t(1) << shift))
    refine(size);
  Verdict verdict;
  for (uint64_t i = offset >> shift, end = (offset + size - 1) >> shift; i <= end; ++i) {
    Granule &granule = granules[i];
    if (granule.writer.agent == 0)
      verdict.note(Conflict::Uninitialised, granule.writer, i << shift);
    checkWriter(granule, i << shift, known, /*bulk=*/false, verdict);
    checkReaders(granule, i << shift, thread, known, Copy::None, verdict);
    std::vector<Event> &updaters = getLists(granule).updaters;
    const auto own = std::find_if(updaters.begin(), updaters.end(), [&](const Event &update) { return update.agent == thread + 1; });
    const Event update = {thread + 1, known.order.at(thread)};
    if (own == updaters.end())
      updaters.push_back(update);
    else
      *own = update;
  }
  return verdict;
}

ClockedHistory::Conflict ClockedHistory::checkReader(const Event &reader, unsigned thread,
                                                     const Knowledge &known, Copy copy) const {
  const unsigned agent = reader.agent - 1;
  if (known.order.at(agent) < reader.tick)
    return Conflict::ReadBy;
  // Plain accesses of one thread stay in order; a bulk copy goes another way.
  const bool needsValue = copy == Copy::Bulk || (copy == Copy::Plain && agent != thread);
  if (needsValue && known.returned.at(agent) < reader.tick)
    return Conflict::EarlyRelease;
  return Conflict::None;
}

ClockedHistory::Verdict ClockedHistory::noteWrite(uint64_t offset, uint64_t size, unsigned thread,
                                                  const Knowledge &known, Copy copy) {
  if (size < (uint64_t(1) << shift))
    refine(size);
  Verdict verdict;
  for (uint64_t i = offset >> shift, end = (offset + size - 1) >> shift; i <= end; ++i) {
    Granule &granule = granules[i];
    checkWriter(granule, i << shift, known, copy == Copy::Bulk, verdict);
    checkReaders(granule, i << shift, thread, known, copy, verdict);
    checkUpdaters(granule, i << shift, thread, known, copy == Copy::Bulk, verdict);
    granule.writer = {thread + 1, known.order.at(thread)};
    granule.inFlight = copy != Copy::None;
    granule.bulk = copy == Copy::Bulk;
    forgetAccesses(granule);
  }
  return verdict;
}

void ClockedHistory::land(uint64_t offset, uint64_t size, unsigned agent, uint32_t tick,
                          Copy copy) {
  for (uint64_t i = offset >> shift, end = (offset + size - 1) >> shift; i <= end; ++i) {
    Granule &granule = granules[i];
    granule.writer = {agent + 1, tick};
    granule.inFlight = false;
    granule.bulk = copy == Copy::Bulk;
    forgetAccesses(granule);
  }
}

} // namespace tilec::emulator
