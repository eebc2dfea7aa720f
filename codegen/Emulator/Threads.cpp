//===- Threads.cpp - The threads of a block, and who runs -----*- C++ -*-===//
//
// See Threads.h.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

#include "Findings.h"

#include <algorithm>
#include <numeric>

namespace tilec::emulator {

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

Threads::Threads(const Launch &launch)
    : launch(launch), waits(launch.blockThreads), order(launch.blockThreads),
      position(launch.blockThreads), ready((launch.blockThreads + 63) / 64) {}

bool Threads::allocate() { return fibers.allocate(launch.blockThreads, *launch.stacks); }

unsigned Threads::lanesOf(unsigned warp) const {
  return std::min<unsigned>(warpLanes, size() - warp * warpLanes);
}

std::vector<unsigned> Threads::list(State state) const {
  std::vector<unsigned> found;
  for (unsigned i = 0; i < size(); ++i)
    if (waits[i].state == state)
      found.push_back(i);
  return found;
}

void Threads::orderThreads(unsigned blockNumber) {
  std::iota(order.begin(), order.end(), 0);
  switch (launch.options.schedule) {
  case Schedule::InOrder:
    break;
  case Schedule::Reversed:
    std::reverse(order.begin(), order.end());
    break;
  case Schedule::WarpAhead: {
    const unsigned ahead = blockNumber % getWarps() * warpLanes;
    std::rotate(order.begin(), order.begin() + ahead,
                order.begin() + ahead + lanesOf(ahead / warpLanes));
    break;
  }
  case Schedule::Random:
    random.seed(launch.options.seed * 0x9e3779b97f4a7c15u + blockNumber);
    std::shuffle(order.begin(), order.end(), random);
    break;
  }
  for (unsigned i = 0; i < order.size(); ++i)
    position[order[i]] = i;
}

void Threads::shuffle(std::vector<uintptr_t> &things) {
  if (launch.options.schedule == Schedule::Reversed)
    std::reverse(things.begin(), things.end());
  if (launch.options.schedule == Schedule::Random)
    std::shuffle(things.begin(), things.end(), random);
}

void Threads::start(unsigned blockNumber, void (*body)()) {
  ended = 0;
  orderThreads(blockNumber);
  for (unsigned i = 0; i < size(); ++i) {
    fibers.start(i, body);
    markReady(i);
  }
}

int Threads::pickThread() {
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

bool Threads::advance() {
  bool ran = false;
  for (int next; !abandoned && (next = pickThread()) >= 0; ran = true) {
    thread = next;
    fibers.resume(next);
  }
  return ran;
}

void Threads::markReady(unsigned which) {
  waits[which].state = State::Ready;
  ready[position[which] / 64] |= uint64_t(1) << position[which] % 64;
}

void Threads::wait(State state, int line) {
  waits[thread] = {state, line};
  fibers.suspend();
}

void Threads::end() {
  ++ended;
  for (;;)
    wait(State::Done, 0);
}

void Threads::abandon() {
  abandoned = true;
  for (;;)
    wait(State::Done, 0);
}

} // namespace tilec::emulator
