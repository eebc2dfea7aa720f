//===- Mbarriers.cpp - The barriers in a block's shared memory -*- C++ -*-===//
//
// See Mbarriers.h.
//
//===----------------------------------------------------------------------===//

#include "Mbarriers.h"

#include "Boxes.h"

#include <algorithm>

namespace tilec::emulator {

namespace {

// PTX ISA 9.7.13.15.2: what the counts of a barrier can hold.
constexpr int mostArrivals = (1 << 20) - 1;
constexpr int mostBytes = (1 << 20) - 1;

} // namespace

void Mbarriers::start() {
  barriers.clear();
  order.clear();
  begin = UINTPTR_MAX;
  end = 0;
}

std::string Mbarriers::describePlace(uintptr_t address) const {
  const SharedArray *array = memory.shared.findNearest(address);
  if (!array)
    return "shared memory";
  return format("%s[%lld]", array->name.c_str(),
                (long long)(int64_t(address - array->begin) / int64_t(array->elementBytes)));
}

Mbarrier &Mbarriers::find(uintptr_t address, const char *verb, Witness &asking, int line) {
  auto found = barriers.find(address);
  if (found == barriers.end()) {
    asking.report(FindingKind::Barrier, line, "", [&] {
      return format("%s %s %s of block %d, which no mbarrier_init has started",
                    asking.who().c_str(), verb, describePlace(address).c_str(),
                    witness.getNumber());
    });
    asking.abandon();
  }
  Mbarrier &barrier = found->second;
  if (const Clocks *clocks = witness.getClocks();
      clocks && !clocks->knows(asking.self(), barrier.startedBy, barrier.startTick))
    asking.report(FindingKind::SharedRace, line, barrier.name, [&] {
      return format("%s %s %s, which %s starts with no barrier in between", asking.who().c_str(),
                    verb, barrier.name.c_str(), asking.describeAgent(barrier.startedBy).c_str());
    });
  return barrier;
}

void Mbarriers::startBarrier(void *bar, int arrivals, int line) {
  const uintptr_t address = addressOf(bar);
  if (!sites.findShared(address, sizeof(uint64_t), AccessOp::WriteShared, line))
    return;
  if (arrivals < 1 || arrivals > mostArrivals)
    witness.report(FindingKind::Barrier, line, "", [&] {
      return format("%s starts %s for %d arrivals, possible are 1 to %d", witness.who().c_str(),
                    describePlace(address).c_str(), arrivals, mostArrivals);
    });
  auto [place, isNew] = barriers.try_emplace(address);
  Mbarrier &barrier = place->second;
  if (isNew) {
    order.push_back(address);
    begin = std::min(begin, address);
    end = std::max(end, address + sizeof(uint64_t));
  } else {
    // PTX ISA 9.7.13.15.9: undefined where there is a barrier already.
    witness.report(FindingKind::Barrier, line, barrier.name, [&] {
      return format("%s starts %s, which is a barrier already", witness.who().c_str(),
                    barrier.name.c_str());
    });
  }
  barrier = {};
  barrier.address = address;
  barrier.name = describePlace(address);
  barrier.expected = barrier.pending = std::max(arrivals, 1);
  Clocks *clocks = witness.getClocks();
  if (!clocks)
    return;
  barrier.agent = clocks->addAgent(Clocks::Agent::Copy);
  barrier.startedBy = witness.self();
  barrier.startTick = witness.now();
}

void Mbarriers::reportTouched(uintptr_t address, uint64_t bytes, const char *verb,
                              Witness &asking, int line) {
  for (uintptr_t at : order)
    if (address < at + sizeof(uint64_t) && address + bytes > at) {
      const std::string &name = barriers[at].name;
      asking.report(FindingKind::Barrier, line, name, [&] {
        return format("%s %s %s, which is a barrier", asking.who().c_str(), verb, name.c_str());
      });
      return;
    }
}

void Mbarriers::fenceBarrierStarts() {
  for (auto &entry : barriers)
    if (!witness.getClocks() || entry.second.startedBy == witness.self())
      entry.second.fenced = true;
}

void Mbarriers::fenceProxy() {
  fenceBarrierStarts();
  if (Clocks *clocks = witness.getClocks())
    clocks->fenceProxy(witness.self());
}

//===----------------------------------------------------------------------===//
// Arriving
//===----------------------------------------------------------------------===//

bool Mbarriers::takeArrival(Mbarrier &barrier, Witness &arriving, int line) {
  arriving.stopIfClockEnds(line);
  if (barrier.pending == 0) {
    arriving.report(FindingKind::Barrier, line, barrier.name, [&] {
      return format("%s arrives at %s, whose phase %u has had its %u arrivals and waits for %lld "
                    "bytes",
                    arriving.who().c_str(), barrier.name.c_str(), barrier.phase, barrier.expected,
                    (long long)barrier.bytes);
    });
    return false;
  }
  --barrier.pending;
  return true;
}

void Mbarriers::passArrival(Mbarrier &barrier, Witness &arriving) {
  if (Clocks *clocks = witness.getClocks())
    clocks->release(arriving.self(), barrier.arriving);
  endPhaseIfComplete(barrier);
}

void Mbarriers::endPhaseIfComplete(Mbarrier &barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0)
    return;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  if (witness.getClocks()) {
    barrier.ended.join(barrier.arriving);
    barrier.arriving = {};
  }
  for (unsigned waiter : barrier.waiters)
    threads.markReady(waiter);
  barrier.waiters.clear();
}

void Mbarriers::arriveAt(Mbarrier &barrier, Witness &arriving, int line) {
  if (takeArrival(barrier, arriving, line))
    passArrival(barrier, arriving);
}

void Mbarriers::arrive(void *bar, int line) {
  arriveAt(find(addressOf(bar), "arrives at", witness, line), witness, line);
}

void Mbarriers::arriveExpect(void *bar, int bytes, int line) {
  Mbarrier &barrier = find(addressOf(bar), "arrives at", witness, line);
  if (!takeArrival(barrier, witness, line))
    return;
  barrier.bytes += bytes;
  if (bytes < 0 || barrier.bytes > mostBytes)
    witness.report(FindingKind::Barrier, line, barrier.name, [&] {
      return format("%s lets %s wait for %lld bytes, possible are 0 to %d", witness.who().c_str(),
                    barrier.name.c_str(), (long long)barrier.bytes, mostBytes);
    });
  passArrival(barrier, witness);
}

void Mbarriers::arriveAfterCopies(void *bar, int line) {
  Mbarrier &barrier = find(addressOf(bar), "arrives at", witness, line);
  const unsigned thread = threads.getThread();
  barrier.copyArrivals.push_back({thread, copies.countIssued(thread)});
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

void Mbarriers::waitBarrier(void *bar, int parity, int line) {
  Mbarrier &barrier = find(addressOf(bar), "waits for", witness, line);
  if (parity != 0 && parity != 1) {
    witness.report(FindingKind::Barrier, line, barrier.name, [&] {
      return format("%s waits for parity %d of %s, possible are 0 and 1", witness.who().c_str(),
                    parity, barrier.name.c_str());
    });
    witness.abandon();
  }
  if (int(barrier.phase & 1) == parity) {
    const uint32_t awaited = barrier.phase;
    barrier.waiters.push_back(threads.getThread());
    threads.wait(Threads::State::AtMbarrier, line);
    if (barrier.phase - awaited > 1)
      witness.report(FindingKind::Barrier, line, barrier.name, [&] {
        return format("%s waits for phase %u of %s, and phase %u ends as well before it goes on",
                      witness.who().c_str(), awaited, barrier.name.c_str(), awaited + 1);
      });
  }
  Clocks *clocks = witness.getClocks();
  if (!clocks)
    return;
  clocks->waitForReads(witness.self());
  clocks->acquire(witness.self(), barrier.ended);
}

std::string Mbarriers::describeWait(unsigned thread) const {
  for (const auto &[address, barrier] : barriers)
    if (std::count(barrier.waiters.begin(), barrier.waiters.end(), thread))
      return format("mbarrier_wait of %s (phase %u, %u of %u arrivals and %lld bytes are missing)",
                    barrier.name.c_str(), barrier.phase, barrier.pending, barrier.expected,
                    (long long)barrier.bytes);
  return "mbarrier_wait";
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

bool Mbarriers::landCopies() {
  std::vector<uintptr_t> candidates = order;
  threads.shuffle(candidates);
  for (uintptr_t address : candidates)
    if (Mbarrier &barrier = barriers[address]; !barrier.waiters.empty() && landFor(barrier))
      return true;
  return false;
}

bool Mbarriers::landFor(Mbarrier &barrier) {
  const uint32_t phase = barrier.phase;
  const uint32_t tick = phase + 1;
  bool any = false;
  while (barrier.pending != 0 && !barrier.copyArrivals.empty()) {
    const CopyArrival arrival = barrier.copyArrivals.front();
    barrier.copyArrivals.erase(barrier.copyArrivals.begin());
    copies.land(arrival.thread, arrival.copies, barrier.agent, tick);
    // What landed earlier, for another barrier or for the thread itself, is known too.
    for (const ThreadCopies::Landed &landed : copies.landedOf(arrival.thread))
      barrier.arriving.order.raise(landed.agent, landed.tick);
    --barrier.pending;
    any = true;
  }
  while (barrier.pending == 0 && barrier.bytes > 0 && !barrier.copies.empty()) {
    const BulkCopy copy = barrier.copies.front();
    barrier.copies.erase(barrier.copies.begin());
    deliverBox(copy, memory, barrier.agent, tick);
    barrier.bytes -= int64_t(copy.map->values.boxBytes());
    any = true;
    if (barrier.bytes < 0) {
      threads.speakOf(barrier.waiters.front());
      witness.report(FindingKind::Barrier, copy.line, barrier.name, [&] {
        return format("copies of %lld bytes more than phase %u of %s of block %d waits for have "
                      "arrived",
                      (long long)-barrier.bytes, phase, barrier.name.c_str(), witness.getNumber());
      });
    }
  }
  if (witness.getClocks() && any)
    barrier.arriving.order.raise(barrier.agent, tick);
  endPhaseIfComplete(barrier);
  return barrier.phase != phase;
}

std::string Mbarriers::describeCopy(uintptr_t address) const {
  for (const auto &entry : barriers)
    for (const BulkCopy &copy : entry.second.copies)
      if (address - copy.dest < copy.map->values.boxBytes())
        return format("a copy of %s at line %d", witness.describeAgent(copy.agent).c_str(),
                      copy.line);
  return "";
}

void Mbarriers::reportUnfinished() {
  threads.speakOf(0);
  for (uintptr_t address : order)
    for (const BulkCopy &copy : barriers[address].copies)
      witness.report(FindingKind::MissingWait, copy.line, "", [&] {
        return format("block %d ends while a copy to %s is on its way", witness.getNumber(),
                      describePlace(copy.dest).c_str());
      });
}

} // namespace tilec::emulator
