//===- Block.cpp - Scheduling the threads of a block ----------*- C++ -*-===//
//
// See Block.h. Who runs, who waits for whom, and what happens when nobody can
// go on.
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "Cluster.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

namespace tilec::emulator {

namespace {

thread_local Block *currentBlock = nullptr;

/// "0-31, 64" for ascending numbers.
std::string describeRanges(const std::vector<unsigned> &numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
      ++last;
    text += text.empty() ? "" : ", ";
    text += last == i ? format("%u", numbers[i]) : format("%u-%u", numbers[i], numbers[last]);
    i = last + 1;
  }
  return text;
}

} // namespace

Block *Block::current() { return currentBlock; }

Block::Block(Launch &launch, Cluster &cluster, unsigned rank)
    : launch(launch), cluster(cluster), rank(rank), clocks(cluster.getClocks()),
      log((launch.blockThreads + warpLanes - 1) / warpLanes), threads(launch.blockThreads),
      shuffles((launch.blockThreads + warpLanes - 1) / warpLanes), order(launch.blockThreads),
      position(launch.blockThreads), ready((launch.blockThreads + 63) / 64) {
  if (clocks)
    history.emplace(2 * SharedMemory::regionBytes);
}

bool Block::allocate() {
  return fibers.allocate(launch.blockThreads, *launch.stacks) &&
         shared.allocate(/*trackHistory=*/launch.options.checks && !clocks);
}

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

void Block::orderThreads() {
  std::iota(order.begin(), order.end(), 0);
  switch (launch.options.schedule) {
  case Schedule::InOrder:
    break;
  case Schedule::Reversed:
    std::reverse(order.begin(), order.end());
    break;
  case Schedule::WarpAhead: {
    const unsigned ahead = number % shuffles.size() * warpLanes;
    std::rotate(order.begin(), order.begin() + ahead,
                order.begin() + ahead + lanesOf(ahead / warpLanes));
    break;
  }
  case Schedule::Random:
    random.seed(launch.options.seed * 0x9e3779b97f4a7c15u + number);
    std::shuffle(order.begin(), order.end(), random);
    break;
  }
  for (unsigned i = 0; i < order.size(); ++i)
    position[order[i]] = i;
}

int Block::pickThread() {
  const size_t words = ready.size();
  size_t start = 0;
  uint64_t startMask = ~uint64_t(0);
  if (launch.options.schedule == Schedule::Random) {
    const unsigned from = random() % order.size();
    start = from / 64;
    startMask <<= from % 64;
  }
  // One word more than there are: the bits below the random start come last.
  for (size_t i = 0; i <= words; ++i) {
    const uint64_t bits = ready[(start + i) % words] & (i == 0 ? startMask : ~uint64_t(0));
    if (!bits)
      continue;
    const unsigned word = (start + i) % words;
    const unsigned bit = __builtin_ctzll(bits);
    ready[word] &= ~(uint64_t(1) << bit);
    return order[word * 64 + bit];
  }
  return -1;
}

void Block::markReady(unsigned which) {
  threads[which].state = State::Ready;
  ready[position[which] / 64] |= uint64_t(1) << position[which] % 64;
}

void Block::wait(State state, int line) {
  threads[thread].state = state;
  threads[thread].line = line;
  fibers.suspend();
}

void Block::runThread() {
  Block &block = *currentBlock;
  block.launch.entry->launch(block.launch.arguments.data());
  ++block.ended;
  for (;;)
    block.wait(State::Done, 0);
}

void Block::abandon() {
  abandoned = true;
  for (;;)
    wait(State::Done, 0);
}

void Block::start(unsigned blockNumber, unsigned blockWave) {
  number = blockNumber;
  wave = blockWave;
  epoch = 0;
  ended = 0;
  atBarrier = 0;
  atCluster = 0;
  shared.reset();
  if (history)
    history->clear();
  barriers.clear();
  barrierOrder.clear();
  barriersBegin = UINTPTR_MAX;
  barriersEnd = 0;
  remoteAccesses.clear();
  fencedForOthers.assign(clocks ? threads.size() : 0, nullptr);
  for (NamedBarrier &barrier : named)
    barrier = {};
  orderThreads();
  for (Shuffle &shuffle : shuffles)
    shuffle.arrived = 0;
  for (unsigned i = 0; i < threads.size(); ++i) {
    fibers.start(i, runThread);
    threads[i] = {};
    markReady(i);
  }
}

bool Block::advance() {
  currentBlock = this;
  bool ran = false;
  for (int next; !abandoned && (next = pickThread()) >= 0; ran = true) {
    thread = next;
    fibers.resume(next);
  }
  return ran;
}

void Block::finish(bool complete) {
  flushAll();
  if (!complete)
    return;
  for (uintptr_t address : barrierOrder)
    for (const BulkCopy &copy : barriers[address].copies) {
      thread = 0;
      report(FindingKind::MissingWait, copy.line, "", [&] {
        return format("block %u ends while a copy to %s is on its way", number,
                      describeShared(copy.dest).c_str());
      });
    }
  reportRegisters();
  if (clocks)
    checkRemoteAccesses();
}

bool Block::releaseThrottled() {
  bool any = false;
  for (unsigned i = 0; i < threads.size(); ++i)
    if (threads[i].state == State::Throttled) {
      log.flush(i / warpLanes, wave);
      markReady(i);
      any = true;
    }
  return any;
}

void Block::flushAll() {
  for (unsigned warp = 0; warp < shuffles.size(); ++warp)
    log.flush(warp, wave);
}

void Block::reportDeadlock() {
  std::map<std::pair<int, std::string>, std::vector<unsigned>> waiting;
  for (unsigned i = 0; i < threads.size(); ++i)
    if (threads[i].state != State::Done)
      waiting[{threads[i].line, describeWait(threads[i])}].push_back(i);
  abandoned = true;
  if (waiting.empty())
    return;
  std::string text = format("block %u: all threads that are left wait:", number);
  const char *separator = " ";
  for (const auto &[place, who] : waiting) {
    text += format("%sthreads %s at line %d in %s", separator, describeRanges(who).c_str(),
                   std::get<0>(place), std::get<1>(place).c_str());
    separator = "; ";
  }
  if (ended != 0)
    text += format("; %u threads have ended", ended);
  thread = waiting.begin()->second.front();
  report(FindingKind::Deadlock, waiting.begin()->first.first, "", [&] { return text; });
}

std::string Block::describeWait(const Thread &waiting) const {
  switch (waiting.state) {
  case State::AtBarrier:
    return "sync_block";
  case State::AtShuffle:
    return "shfl_xor";
  case State::AtWarp:
    return "sync_warp";
  case State::AtCluster:
    return "cluster_sync";
  case State::AtNamed: {
    const NamedBarrier &barrier = named[waiting.namedBarrier];
    return format("sync_named of barrier %d (%zu of %d threads are there)", waiting.namedBarrier,
                  barrier.members.size(), barrier.expected);
  }
  case State::AtMbarrier: {
    const Mbarrier &barrier = *waiting.barrier;
    return format("mbarrier_wait of %s (phase %u, %u of %u arrivals and %lld bytes are missing)",
                  barrier.name.c_str(), barrier.phase, barrier.pending, barrier.expected,
                  (long long)barrier.bytes);
  }
  case State::Ready:
  case State::Throttled:
  case State::Done:
    break;
  }
  return "";
}

unsigned Block::lanesOf(unsigned warp) const {
  return std::min<unsigned>(warpLanes, threads.size() - warp * warpLanes);
}

std::string Block::who() const { return format("thread %u of block %u", thread, number); }

//===----------------------------------------------------------------------===//
// Barriers and shuffles
//===----------------------------------------------------------------------===//

void Block::syncBlock(int line) {
  stopIfClockEnds(line);
  ++atBarrier;
  wait(State::AtBarrier, line);
}

bool Block::releaseBarrier() {
  if (atBarrier == 0 || atBarrier + ended != threads.size())
    return false;
  std::map<int, std::vector<unsigned>> byLine;
  for (unsigned i = 0; i < threads.size(); ++i)
    if (threads[i].state == State::AtBarrier)
      byLine[threads[i].line].push_back(i);
  const int line = byLine.begin()->first;
  thread = byLine.begin()->second.front();
  if (ended != 0)
    report(FindingKind::Barrier, line, "", [&] {
      return format("block %u: %u of %zu threads end without reaching this sync_block", number,
                    ended, threads.size());
    });
  if (byLine.size() > 1)
    report(FindingKind::Barrier, line, "", [&] {
      const auto other = std::next(byLine.begin());
      return format("block %u: threads %s wait in sync_block here, threads %s at line %d", number,
                    describeRanges(byLine.begin()->second).c_str(),
                    describeRanges(other->second).c_str(), other->first);
    });
  flushAll();
  atBarrier = 0;
  ++epoch;
  std::vector<unsigned> members;
  for (const auto &entry : byLine)
    for (unsigned i : entry.second) {
      members.push_back(agentOf(i));
      markReady(i);
    }
  if (clocks)
    clocks->meet(members, /*readsReturn=*/true);
  return true;
}

void Block::stopIfClockEnds(int line) {
  const unsigned now = clocks ? clocks->now(self()) : epoch;
  if (now + 2 < Stamp::inFlight)
    return;
  report(FindingKind::Barrier, line, "", [&] {
    return format("%s passes more barriers than the emulator counts: %u", who().c_str(), now);
  });
  abandon();
}

unsigned Block::meetWarp(State state, const void *value, unsigned bytes, int line) {
  const unsigned warp = thread / warpLanes;
  const unsigned lane = thread % warpLanes;
  const unsigned present = lanesOf(warp);
  Shuffle &shuffle = shuffles[warp];
  if (present < warpLanes)
    report(FindingKind::Shuffle, line, "", [&] {
      return format("all 32 lanes take part in a %s, but warp %u of block %u has %u threads",
                    state == State::AtShuffle ? "shuffle" : "sync_warp", warp, number, present);
    });
  const unsigned turn = shuffle.turn;
  if (shuffle.arrived == 0)
    shuffle.line = line;
  else if (shuffle.line != line)
    report(FindingKind::Shuffle, std::min(line, shuffle.line), "", [&] {
      return format("%s %s at line %d, other lanes of its warp at line %d", who().c_str(),
                    state == State::AtShuffle ? "shuffles" : "meets its warp", line, shuffle.line);
    });
  std::memcpy(shuffle.values[turn][lane], value, bytes);
  if (++shuffle.arrived < present) {
    wait(state, line);
    return turn;
  }
  shuffle.arrived = 0;
  shuffle.turn ^= 1;
  std::vector<unsigned> members;
  for (unsigned other = 0; other < present; ++other) {
    members.push_back(agentOf(warp * warpLanes + other));
    if (other != lane)
      markReady(warp * warpLanes + other);
  }
  // A shuffle orders no memory. Neither waits for values that are being loaded.
  if (clocks && state == State::AtWarp)
    clocks->meet(members, /*readsReturn=*/false);
  return turn;
}

void Block::shuffleXor(void *value, unsigned bytes, int mask, int line) {
  const unsigned warp = thread / warpLanes;
  const unsigned partner = thread % warpLanes ^ (unsigned(mask) % warpLanes);
  const unsigned turn = meetWarp(State::AtShuffle, value, bytes, line);
  if (partner < lanesOf(warp))
    std::memcpy(value, shuffles[warp].values[turn][partner], bytes);
}

} // namespace tilec::emulator
