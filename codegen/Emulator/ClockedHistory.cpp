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
  for (Granule &granule : granules) {
    if (granule.writer.agent == 0 && granule.reader.agent == 0)
      continue;
    granule.writer = granule.reader = {};
    granule.inFlight = granule.bulk = false;
    granule.more.clear();
    granule.updaters.clear();
  }
}

void ClockedHistory::refine(uint64_t size) {
  unsigned finer = 0;
  while ((uint64_t(2) << finer) <= size)
    ++finer;
  std::vector<Granule> refined(bytes >> finer);
  for (uint64_t i = 0; i < refined.size(); ++i)
    refined[i] = granules[i >> (shift - finer)];
  granules = std::move(refined);
  shift = finer;
}

void ClockedHistory::addReader(Granule &granule, Event reader, const Knowledge &known) const {
  Event &first = granule.reader;
  // An earlier read that returned before this one cannot matter any more.
  if (first.agent == 0 || first.agent == reader.agent ||
      (granule.more.empty() && known.returned.at(first.agent - 1) >= first.tick)) {
    first = reader;
    return;
  }
  std::vector<Event> &more = granule.more;
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

ClockedHistory::Verdict ClockedHistory::noteReadBy(uint64_t offset, uint64_t size, Event reader, const Knowledge &known, bool bulk) {
  if (size < (uint64_t(1) << shift))
    refine(size);
  Verdict verdict;
  for (uint64_t i = offset >> shift, end = (offset + size - 1) >> shift; i <= end; ++i) {
    Granule &granule = granules[i];
    const Event &writer = granule.writer;
    Conflict conflict = Conflict::None;
    if (writer.agent == 0)
      conflict = Conflict::Uninitialised;
    else if (granule.inFlight)
      conflict = Conflict::InFlight;
    else if (known.order.at(writer.agent - 1) < writer.tick)
      conflict = Conflict::WrittenBy;
    else if (bulk && !granule.bulk && known.fenced.at(writer.agent - 1) < writer.tick)
      conflict = Conflict::MissingFence;
    if (conflict != Conflict::None && verdict.conflict == Conflict::None)
      verdict = {conflict, writer.agent - 1, i << shift};
    if (const Event *update = findBeside(granule, reader.agent - 1, known); update && verdict.conflict == Conflict::None)
      verdict = {Conflict::WrittenBy, update->agent - 1, i << shift};
    for (const Event &update : granule.updaters)
      if (bulk && known.fenced.at(update.agent - 1) < update.tick && verdict.conflict == Conflict::None)
        verdict = {Conflict::MissingFence, update.agent - 1, i << shift};
    addReader(granule, reader, known);
  }
  return verdict;
}

const ClockedHistory::Event *ClockedHistory::findBeside(const Granule &granule, unsigned thread, const Knowledge &known) {
  for (const Event &update : granule.updaters)
    if (update.agent != thread + 1 && known.order.at(update.agent - 1) < update.tick)
      return &update;
  return nullptr;
}

ClockedHistory::Verdict ClockedHistory::noteUpdate(uint64_t offset, uint64_t size, unsigned thread, const Knowledge &known) {
  if (size < (uint64_t(1) << shift))
    refine(size);
  Verdict verdict;
  for (uint64_t i = offset >> shift, end = (offset + size - 1) >> shift; i <= end; ++i) {
    Granule &granule = granules[i];
    const auto note = [&](Conflict conflict, unsigned agent) {
      if (conflict != Conflict::None && verdict.conflict == Conflict::None)
        verdict = {conflict, agent, i << shift};
    };
    const Event &writer = granule.writer;
    if (writer.agent == 0)
      note(Conflict::Uninitialised, 0);
    else if (granule.inFlight)
      note(Conflict::InFlight, writer.agent - 1);
    else if (known.order.at(writer.agent - 1) < writer.tick)
      note(Conflict::WrittenBy, writer.agent - 1);
    if (granule.reader.agent != 0)
      note(checkReader(granule.reader, thread, known, Copy::None), granule.reader.agent - 1);
    for (const Event &reader : granule.more)
      note(checkReader(reader, thread, known, Copy::None), reader.agent - 1);
    const auto own = std::find_if(granule.updaters.begin(), granule.updaters.end(), [&](const Event &update) { return update.agent == thread + 1; });
    const Event update = {thread + 1, known.order.at(thread)};
    if (own == granule.updaters.end())
      granule.updaters.push_back(update);
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
    const auto note = [&](Conflict conflict, unsigned agent) {
      if (conflict != Conflict::None && verdict.conflict == Conflict::None)
        verdict = {conflict, agent, i << shift};
    };
    if (const Event &writer = granule.writer; writer.agent != 0) {
      const unsigned agent = writer.agent - 1;
      if (granule.inFlight)
        note(Conflict::InFlight, agent);
      else if (known.order.at(agent) < writer.tick)
        note(Conflict::WrittenBy, agent);
      else if (copy == Copy::Bulk && !granule.bulk && known.fenced.at(agent) < writer.tick)
        note(Conflict::MissingFence, agent);
    }
    if (granule.reader.agent != 0) {
      note(checkReader(granule.reader, thread, known, copy), granule.reader.agent - 1);
      for (const Event &reader : granule.more)
        note(checkReader(reader, thread, known, copy), reader.agent - 1);
    }
    if (const Event *update = findBeside(granule, thread, known))
      note(Conflict::WrittenBy, update->agent - 1);
    if (copy == Copy::Bulk)
      for (const Event &update : granule.updaters)
        if (known.fenced.at(update.agent - 1) < update.tick)
          note(Conflict::MissingFence, update.agent - 1);
    granule.writer = {thread + 1, known.order.at(thread)};
    granule.inFlight = copy != Copy::None;
    granule.bulk = copy == Copy::Bulk;
    granule.reader = {};
    granule.more.clear();
    granule.updaters.clear();
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
    granule.reader = {};
    granule.more.clear();
    granule.updaters.clear();
  }
}

} // namespace tilec::emulator
