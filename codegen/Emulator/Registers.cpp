//===- Registers.cpp - What threads do by themselves ----------*- C++ -*-===//
//
// Register counts that warps change: registers are not emulated, the rules for
// asking are. Arithmetic that has no meaning.
//
//===----------------------------------------------------------------------===//

#include "Block.h"

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

void Block::setMaxRegisters(int count, bool increase, int line) {
  if (count < fewest || count > most || count % step != 0)
    report(FindingKind::Registers, line, "", [&] {
      return format("%s asks for %d registers, possible are multiples of %d from %d to %d",
                    who().c_str(), count, step, fewest, most);
    });
  std::vector<RegisterChange> &changes = threads[thread].registerChanges;
  if (!changes.empty() &&
      (increase ? count < changes.back().count : count > changes.back().count))
    report(FindingKind::Registers, line, "", [&] {
      return format("%s %s its registers from %d to %d", who().c_str(),
                    increase ? "increases" : "decreases", changes.back().count, count);
    });
  changes.push_back({count, increase, line});
}

void Block::reportArithmetic(const char *what, int line) {
  report(FindingKind::Arithmetic, line, "", [&] { return format("%s %s, which has no meaning", who().c_str(), what); });
}

void Block::reportRegisters() {
  // A block has what it got at its launch, as many for each thread: at most those of an SM. Warpgroups that change
  // nothing keep theirs, so the others have theirs to share.
  const unsigned atLaunch = std::min<unsigned>(registersOfSM / threads.size() / step * step, most);
  uint64_t total = 0, shared = 0;
  int lastLine = 0;
  for (unsigned first = 0; first < threads.size(); first += warpgroupThreads) {
    const unsigned end = std::min<unsigned>(first + warpgroupThreads, threads.size());
    unsigned longest = first;
    for (unsigned i = first; i < end; ++i)
      if (threads[i].registerChanges.size() > threads[longest].registerChanges.size())
        longest = i;
    const std::vector<RegisterChange> &changes = threads[longest].registerChanges;
    if (changes.empty())
      continue;
    total += uint64_t(changes.back().count) * (end - first);
    shared += uint64_t(atLaunch) * (end - first);
    lastLine = std::max(lastLine, changes.back().line);
    for (unsigned i = first; i < end; ++i) {
      const std::vector<RegisterChange> &other = threads[i].registerChanges;
      for (size_t n = 0; n < changes.size(); ++n) {
        if (n < other.size() && other[n].line == changes[n].line &&
            other[n].count == changes[n].count)
          continue;
        thread = i;
        report(FindingKind::Registers, changes[n].line, "", [&] {
          return format("thread %u of block %u changes its registers to %d here, thread %u of the "
                        "same warpgroup does not",
                        longest, number, changes[n].count, i);
        });
        break;
      }
    }
  }
  if (total > shared) {
    thread = 0;
    report(FindingKind::Registers, lastLine, "", [&] {
      return format("warpgroups of block %u ask for %llu registers and have at most %llu, %u for each thread", number,
                    (unsigned long long)total, (unsigned long long)shared, atLaunch);
    });
  }
}

} // namespace tilec::emulator
