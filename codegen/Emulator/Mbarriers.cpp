//===- Mbarriers.cpp - Barriers in shared memory --------------*- C++ -*-===//
//
// Phases, arrivals and bytes. What is on its way to a barrier arrives when a
// thread waits for the phase and nothing else can happen any more.
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "Cluster.h"

#include <algorithm>

namespace tilec::emulator {

namespace {

// PTX ISA 9.7.13.15.2: what the counts of a barrier can hold.
constexpr int mostArrivals = (1 << 20) - 1;
constexpr int mostBytes = (1 << 20) - 1;

uintptr_t addressOf(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

} // namespace

std::string Block::describeShared(uintptr_t address) const {
  const SharedArray *array = shared.findNearest(address);
  if (!array)
    return "shared memory";
  return format("%s[%lld]", array->name.c_str(),
                (long long)(int64_t(address - array->begin) / int64_t(array->elementBytes)));
}

Mbarrier &Block::findBarrier(void *bar, const char *verb, int line) {
  auto found = barriers.find(addressOf(bar));
  // The thread that asks may belong to another block of the cluster.
  Block &asking = *current();
  if (found == barriers.end()) {
    asking.report(FindingKind::Barrier, line, "", [&] {
      return format("%s %s %s of block %u, which no mbarrier_init has started",
                    asking.who().c_str(), verb, describeShared(addressOf(bar)).c_str(), number);
    });
    asking.abandon();
  }
  Mbarrier &barrier = found->second;
  if (clocks && !clocks->knows(asking.self(), barrier.startedBy, barrier.startTick))
    asking.report(FindingKind::SharedRace, line, barrier.name, [&] {
      return format("%s %s %s, which %s starts with no barrier in between", asking.who().c_str(),
                    verb, barrier.name.c_str(), asking.describeAgent(barrier.startedBy).c_str());
    });
  return barrier;
}

void Block::startBarrier(void *bar, int arrivals, int line) {
  const uintptr_t address = addressOf(bar);
  if (!findShared(address, sizeof(uint64_t), AccessOp::WriteShared, line))
    return;
  if (arrivals < 1 || arrivals > mostArrivals)
    report(FindingKind::Barrier, line, "", [&] {
      return format("%s starts %s for %d arrivals, possible are 1 to %d", who().c_str(),
                    describeShared(address).c_str(), arrivals, mostArrivals);
    });
  auto [place, isNew] = barriers.try_emplace(address);
  Mbarrier &barrier = place->second;
  if (isNew) {
    barrierOrder.push_back(address);
    barriersBegin = std::min(barriersBegin, address);
    barriersEnd = std::max(barriersEnd, address + sizeof(uint64_t));
  } else {
    // PTX ISA 9.7.13.15.9: undefined where there is a barrier already.
    report(FindingKind::Barrier, line, barrier.name, [&] {
      return format("%s starts %s, which is a barrier already", who().c_str(), barrier.name.c_str());
    });
  }
  barrier = {};
  barrier.address = address;
  barrier.name = describeShared(address);
  barrier.expected = barrier.pending = std::max(arrivals, 1);
  if (!clocks)
    return;
  barrier.agent = clocks->addAgent();
  barrier.startedBy = self();
  barrier.startTick = clocks->now(self());
}

void Block::reportBarrierTouched(uintptr_t address, uint64_t bytes, const char *verb, int line) {
  Block &asking = *current();
  for (uintptr_t at : barrierOrder)
    if (address < at + sizeof(uint64_t) && address + bytes > at) {
      const std::string &name = barriers[at].name;
      asking.report(FindingKind::Barrier, line, name, [&] {
        return format("%s %s %s, which is a barrier", asking.who().c_str(), verb, name.c_str());
      });
      return;
    }
}

void Block::fenceBarrierStarts() {
  for (auto &entry : barriers)
    if (!clocks || entry.second.startedBy == self())
      entry.second.fenced = true;
}

void Block::fenceProxy() {
  fenceBarrierStarts();
  if (clocks)
    clocks->fenceProxy(self());
}

//===----------------------------------------------------------------------===//
// Arriving
//===----------------------------------------------------------------------===//

bool Block::takeArrival(Mbarrier &barrier, Block &arriving, int line) {
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

void Block::endPhaseIfComplete(Mbarrier &barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0)
    return;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  if (clocks) {
    barrier.ended.join(barrier.arriving);
    barrier.arriving = {};
  }
  for (unsigned waiter : barrier.waiters)
    markReady(waiter);
  barrier.waiters.clear();
}

void Block::arrive(void *bar, int line) {
  Mbarrier &barrier = findBarrier(bar, "arrives at", line);
  if (!takeArrival(barrier, *this, line))
    return;
  if (clocks)
    clocks->release(self(), barrier.arriving);
  endPhaseIfComplete(barrier);
}

void Block::arriveExpect(void *bar, int bytes, int line) {
  Mbarrier &barrier = findBarrier(bar, "arrives at", line);
  if (!takeArrival(barrier, *this, line))
    return;
  barrier.bytes += bytes;
  if (bytes < 0 || barrier.bytes > mostBytes)
    report(FindingKind::Barrier, line, barrier.name, [&] {
      return format("%s lets %s wait for %lld bytes, possible are 0 to %d", who().c_str(),
                    barrier.name.c_str(), (long long)barrier.bytes, mostBytes);
    });
  if (clocks)
    clocks->release(self(), barrier.arriving);
  endPhaseIfComplete(barrier);
}

void Block::arriveRemote(void *bar, int to, int line) {
  if (to < 0 || unsigned(to) >= cluster.size()) {
    report(FindingKind::OutOfBounds, line, "", [&] {
      return format("%s arrives at a barrier of block %d of a cluster of %u", who().c_str(), to,
                    cluster.size());
    });
    return;
  }
  Block &other = cluster.getBlock(to);
  const uintptr_t address = translate(addressOf(bar), other, line);
  if (!address)
    return;
  Mbarrier &barrier = other.findBarrier(reinterpret_cast<void *>(address), "arrives at", line);
  if (&other != this && !barrier.fenced)
    report(FindingKind::MissingFence, line, barrier.name, [&] {
      return format("%s arrives at %s of block %u, which no fence_mbarrier_init has made known",
                    who().c_str(), barrier.name.c_str(), other.number);
    });
  if (!other.takeArrival(barrier, *this, line))
    return;
  if (clocks) {
    if (&other != this)
      other.noteRemoteAccess({self(), clocks->now(self()), line, "comes to its barrier"});
    clocks->release(self(), barrier.arriving);
  }
  other.endPhaseIfComplete(barrier);
}

void Block::arriveAfterCopies(void *bar, int line) {
  Mbarrier &barrier = findBarrier(bar, "arrives at", line);
  barrier.copyArrivals.push_back({thread, threads[thread].copiesIssued});
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

void Block::waitBarrier(void *bar, int parity, int line) {
  Mbarrier &barrier = findBarrier(bar, "waits for", line);
  if (parity != 0 && parity != 1) {
    report(FindingKind::Barrier, line, barrier.name, [&] {
      return format("%s waits for parity %d of %s, possible are 0 and 1", who().c_str(), parity,
                    barrier.name.c_str());
    });
    abandon();
  }
  if (int(barrier.phase & 1) == parity) {
    const uint32_t awaited = barrier.phase;
    barrier.waiters.push_back(thread);
    threads[thread].barrier = &barrier;
    wait(State::AtMbarrier, line);
    if (barrier.phase - awaited > 1)
      report(FindingKind::Barrier, line, barrier.name, [&] {
        return format("%s waits for phase %u of %s, and phase %u ends as well before it goes on",
                      who().c_str(), awaited, barrier.name.c_str(), awaited + 1);
      });
  }
  if (!clocks)
    return;
  clocks->waitForReads(self());
  clocks->acquire(self(), barrier.ended);
}

bool Block::landCopies() {
  std::vector<uintptr_t> candidates = barrierOrder;
  if (launch.options.schedule == Schedule::Reversed)
    std::reverse(candidates.begin(), candidates.end());
  if (launch.options.schedule == Schedule::Random)
    std::shuffle(candidates.begin(), candidates.end(), random);
  for (uintptr_t address : candidates)
    if (Mbarrier &barrier = barriers[address]; !barrier.waiters.empty() && landFor(barrier))
      return true;
  return false;
}

bool Block::landFor(Mbarrier &barrier) {
  const uint32_t phase = barrier.phase;
  const uint32_t tick = phase + 1;
  bool any = false;
  while (barrier.pending != 0 && !barrier.copyArrivals.empty()) {
    const CopyArrival arrival = barrier.copyArrivals.front();
    barrier.copyArrivals.erase(barrier.copyArrivals.begin());
    landThreadCopies(arrival.thread, arrival.copies, barrier.agent, tick);
    // What landed earlier, for another barrier or for the thread itself, is known too.
    for (const Landed &landed : threads[arrival.thread].landed)
      barrier.arriving.order.raise(landed.agent, landed.tick);
    --barrier.pending;
    any = true;
  }
  while (barrier.pending == 0 && barrier.bytes > 0 && !barrier.copies.empty()) {
    const BulkCopy copy = barrier.copies.front();
    barrier.copies.erase(barrier.copies.begin());
    landBulk(barrier, copy);
    barrier.bytes -= int64_t(copy.map->values.boxBytes());
    any = true;
    if (barrier.bytes < 0) {
      thread = barrier.waiters.front();
      report(FindingKind::Barrier, copy.line, barrier.name, [&] {
        return format("copies of %lld bytes more than phase %u of %s of block %u waits for have "
                      "arrived",
                      (long long)-barrier.bytes, phase, barrier.name.c_str(), number);
      });
    }
  }
  if (clocks && any)
    barrier.arriving.order.raise(barrier.agent, tick);
  endPhaseIfComplete(barrier);
  return barrier.phase != phase;
}

} // namespace tilec::emulator
