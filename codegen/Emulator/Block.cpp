//===- Block.cpp - Scheduling the threads of a block ----------*- C++ -*-===//
//
// See Block.h. Who runs, who waits for whom, and what happens when nobody can
// go on.
//
//===----------------------------------------------------------------------===//

#include "Block.h"

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

Block::Block(Launch &launch)
    : launch(launch), log((launch.blockThreads + warpLanes - 1) / warpLanes),
      threads(launch.blockThreads), shuffles((launch.blockThreads + warpLanes - 1) / warpLanes),
      order(launch.blockThreads), position(launch.blockThreads),
      ready((launch.blockThreads + 63) / 64) {}

bool Block::allocate() {
  return fibers.allocate(launch.blockThreads) && shared.allocate(launch.options.checks);
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

void Block::run(unsigned blockNumber, unsigned blockWave) {
  currentBlock = this;
  number = blockNumber;
  wave = blockWave;
  epoch = 0;
  ended = 0;
  atBarrier = 0;
  shared.reset();
  orderThreads();
  for (Shuffle &shuffle : shuffles)
    shuffle.arrived = 0;
  for (unsigned i = 0; i < threads.size(); ++i) {
    fibers.start(i, runThread);
    threads[i].groups = 0;
    threads[i].copies.clear();
    markReady(i);
  }

  while (!abandoned) {
    const int next = pickThread();
    if (next >= 0) {
      thread = next;
      fibers.resume(next);
    } else if (ended == threads.size())
      break;
    else if (atBarrier != 0 && atBarrier + ended == threads.size())
      releaseBarrier();
    else if (!releaseThrottled())
      reportDeadlock();
  }
  flushAll();
  if (abandoned)
    launch.stopped = true;
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
  std::map<std::pair<int, State>, std::vector<unsigned>> waiting;
  for (unsigned i = 0; i < threads.size(); ++i)
    if (threads[i].state != State::Done)
      waiting[{threads[i].line, threads[i].state}].push_back(i);
  std::string text = format("block %u: all threads that are left wait:", number);
  const char *separator = " ";
  for (const auto &[place, who] : waiting) {
    text += format("%sthreads %s at line %d in %s", separator, describeRanges(who).c_str(),
                   place.first, place.second == State::AtBarrier ? "sync_block" : "shfl_xor");
    separator = "; ";
  }
  if (ended != 0)
    text += format("; %u threads have ended", ended);
  thread = waiting.begin()->second.front();
  report(FindingKind::Deadlock, waiting.begin()->first.first, "", [&] { return text; });
  abandoned = true;
}

unsigned Block::lanesOf(unsigned warp) const {
  return std::min<unsigned>(warpLanes, threads.size() - warp * warpLanes);
}

std::string Block::who() const { return format("thread %u of block %u", thread, number); }

//===----------------------------------------------------------------------===//
// Barriers and shuffles
//===----------------------------------------------------------------------===//

void Block::syncBlock(int line) {
  if (epoch + 2 >= Stamp::inFlight) {
    report(FindingKind::Barrier, line, "", [&] {
      return format("block %u passes more barriers than the emulator counts: %u", number, epoch);
    });
    abandon();
  }
  ++atBarrier;
  wait(State::AtBarrier, line);
}

void Block::releaseBarrier() {
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
  for (const auto &entry : byLine)
    for (unsigned i : entry.second)
      markReady(i);
}

void Block::notEmulated(const char *function, int line) {
  report(FindingKind::Barrier, line, "",
         [&] { return format("the emulator cannot run %s yet", function); });
  abandon();
}

void Block::shuffleXor(void *value, unsigned bytes, int mask, int line) {
  const unsigned warp = thread / warpLanes;
  const unsigned lane = thread % warpLanes;
  const unsigned partner = lane ^ (unsigned(mask) % warpLanes);
  const unsigned present = lanesOf(warp);
  Shuffle &shuffle = shuffles[warp];
  if (present < warpLanes)
    report(FindingKind::Shuffle, line, "", [&] {
      return format("all 32 lanes take part in a shuffle, but warp %u of block %u has %u threads",
                    warp, number, present);
    });
  const unsigned turn = shuffle.turn;
  if (shuffle.arrived == 0)
    shuffle.line = line;
  else if (shuffle.line != line)
    report(FindingKind::Shuffle, std::min(line, shuffle.line), "", [&] {
      return format("%s shuffles at line %d, other lanes of its warp at line %d", who().c_str(),
                    line, shuffle.line);
    });
  std::memcpy(shuffle.values[turn][lane], value, bytes);
  if (++shuffle.arrived < present) {
    wait(State::AtShuffle, line);
  } else {
    shuffle.arrived = 0;
    shuffle.turn ^= 1;
    for (unsigned other = 0; other < present; ++other)
      if (other != lane)
        markReady(warp * warpLanes + other);
  }
  if (partner < present)
    std::memcpy(value, shuffle.values[turn][partner], bytes);
}

} // namespace tilec::emulator
