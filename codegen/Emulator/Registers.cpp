//===- Registers.cpp - Register counts that warps change ------*- C++ -*-===//
//
// See Registers.h.
//
//===----------------------------------------------------------------------===//

#include "Registers.h"

#include <algorithm>

namespace tilec::emulator {

namespace {
// PTX ISA 9.7.19.5, setmaxnreg.
constexpr int fewest = 24;
constexpr int most = 256;
constexpr int step = 8;
constexpr unsigned warpgroupThreads = 128;
/// CUDA C programming guide, technical specifications: 32-bit registers of an SM, 7.5 to 12.x.
constexpr unsigned registersOfSM = 65536;
} // namespace

void Registers::setMaxRegisters(int count, bool increase, int line) {
  if (count < fewest || count > most || count % step != 0)
    witness.report(FindingKind::Registers, line, "", [&] {
      return format("%s asks for %d registers, possible are multiples of %d from %d to %d",
                    witness.who().c_str(), count, step, fewest, most);
    });
  std::vector<Change> &own = changes[threads.getThread()];
  if (!own.empty() && (increase ? count < own.back().count : count > own.back().count))
    witness.report(FindingKind::Registers, line, "", [&] {
      return format("%s %s its registers from %d to %d", witness.who().c_str(),
                    increase ? "increases" : "decreases", own.back().count, count);
    });
  own.push_back({count, line});
}

void Registers::check() {
  // A block has what it got at its launch, as many for each thread: at most those of an SM.
  // Warpgroups that change nothing keep theirs, so the others have theirs to share.
  const unsigned atLaunch =
      std::min<unsigned>(registersOfSM / threads.size() / step * step, most);
  uint64_t total = 0, shared = 0;
  int lastLine = 0;
  for (unsigned first = 0; first < threads.size(); first += warpgroupThreads) {
    const unsigned end = std::min<unsigned>(first + warpgroupThreads, threads.size());
    const unsigned longest = std::max_element(changes.begin() + first, changes.begin() + end,
                                              [](const auto &a, const auto &b) {
                                                return a.size() < b.size();
                                              }) -
                             changes.begin();
    if (changes[longest].empty())
      continue;
    const Change &last = changes[longest].back();
    total += uint64_t(last.count) * (end - first);
    shared += uint64_t(atLaunch) * (end - first);
    lastLine = std::max(lastLine, last.line);
    for (unsigned i = first; i < end; ++i)
      checkSame(longest, i);
  }
  if (total <= shared)
    return;
  threads.speakOf(0);
  witness.report(FindingKind::Registers, lastLine, "", [&] {
    return format("warpgroups of block %d ask for %llu registers and have at most %llu, %u for "
                  "each thread",
                  witness.getNumber(), (unsigned long long)total, (unsigned long long)shared,
                  atLaunch);
  });
}

void Registers::checkSame(unsigned longest, unsigned other) {
  const std::vector<Change> &has = changes[other];
  for (size_t n = 0; n < changes[longest].size(); ++n) {
    const Change &wanted = changes[longest][n];
    if (n < has.size() && has[n].line == wanted.line && has[n].count == wanted.count)
      continue;
    threads.speakOf(other);
    witness.report(FindingKind::Registers, wanted.line, "", [&] {
      return format("thread %u of block %d changes its registers to %d here, thread %u of the "
                    "same warpgroup does not",
                    longest, witness.getNumber(), wanted.count, other);
    });
    return;
  }
}

} // namespace tilec::emulator
