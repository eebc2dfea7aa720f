//===- CacheReuse.cpp - What L2 still has when it is read again --*- C++ -*-===//
//
// Windows that double from the blocks that run together on: the step of bytes between them that falls short of the step before comes
// again after the shorter window.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/CacheReuse.h"

#include <cmath>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

namespace {

/// Of a window of so many consecutive blocks, on average.
struct Window {
  double blocks = 0;
  /// Different bytes of inputs.
  double bytes = 0;
};

class Windows {
public:
  Windows(const NestModel &model, const NestTraffic &whole, const RasterOrder &order, double results, const MachineSpec &machine)
      : model(model), whole(whole), order(order), results(results), machine(machine), timing(machine.timing),
        capacity(static_cast<double>(machine.level(MemoryLevel::L2).capacity->value)) {}

  /// False where the order is none of the grid's.
  bool fill(int64_t together, double inStep) {
    std::optional<RasterAnalysis> grid = analyzeRaster(model, whole, order, together);
    if (!grid || grid->all.uniqueBytes == 0)
      return false;
    blocks = static_cast<double>(grid->all.blocks);
    running = static_cast<double>(std::min<int64_t>(together, grid->all.blocks));
    int64_t number = std::max<int64_t>(1, std::llround(std::min(inStep, running)));
    windows.push_back(look(number));
    for (; number < grid->all.blocks; number *= 2)
      windows.push_back(look(std::min(2 * number, grid->all.blocks)));
    return true;
  }

  double countDelivered() const {
    double delivered = eachWindow(windows.front()), before = delivered;
    for (size_t i = 0; i < windows.size(); ++i) {
      const Window &window = windows[i];
      double held = window.bytes; // Of the whole grid.
      if (i + 1 < windows.size())
        held += (blocks - window.blocks) * (windows[i + 1].bytes - window.bytes) / (windows[i + 1].blocks - window.blocks);
      held = std::min(before, held);
      delivered -= (before - held) * findOdds(window);
      before = held;
    }
    return delivered;
  }

  /// Those of the last window that takes all of L2, as far as they have room. Of all kernels whose bytes ncu counted (docs/results/prediction.md) none left more than 21.6 MB in
  /// an H100's L2, and 25.4 in an H200's; of copies of 33.6 and 67.1 MB 19 to 22.4 stayed (H100, 2026-11-27). A twentieth leaves all the same: of 237 products that read little again
  /// ncu counted 0.5 to 4 MB more than this without it.
  double countKept() const {
    constexpr double kOfResults = 0.6, kStays = 0.95;
    return kStays * std::min(countLast(), kOfResults * timing.l2Share.value * capacity);
  }

private:
  double countLast() const {
    double room = timing.l2Share.value * capacity;
    auto after = [&](const Window &window) { return results * std::min(1.0, (window.blocks + running) / blocks); };
    auto taken = [&](const Window &window) { return timing.l2Others.value * window.bytes + after(window); };
    Window low;
    if (taken(low) >= room)
      return std::min(results, room);
    const auto *above = llvm::find_if(windows, [&](const Window &window) { return taken(window) > room; });
    if (above == windows.end())
      return results;
    low = above == windows.begin() ? low : *std::prev(above);
    Window high = *above;
    // To an eighth of what runs together.
    while (high.blocks - low.blocks > std::max(1.0, running / 8)) {
      Window middle = look(std::llround((low.blocks + high.blocks) / 2));
      (taken(middle) > room ? high : low) = middle;
    }
    return after(low);
  }

  Window look(int64_t number) const {
    double unique = static_cast<double>(analyzeRaster(model, whole, order, number)->all.uniqueBytes);
    return {static_cast<double>(number), unique * static_cast<double>(number) / blocks};
  }

  /// Bytes of the grid where nothing outlives `window`.
  double eachWindow(const Window &window) const { return window.bytes * blocks / window.blocks; }

  double findOdds(const Window &window) const {
    return findHitOdds(window.bytes + timing.l2Others.value * results * window.blocks / blocks, machine);
  }

  const NestModel &model;
  const NestTraffic &whole;
  const RasterOrder &order;
  double results;
  const MachineSpec &machine;
  const TimingSpec &timing;
  /// All blocks, and those that run together.
  double capacity, blocks = 1, running = 1;
  /// The blocks that are at one step, twice, four times, ... as many, up to all.
  SmallVector<Window> windows;
};

} // namespace

double tilec::analysis::findHitOdds(double bytes, const MachineSpec &machine) {
  double holds = machine.timing.l2Share.value * static_cast<double>(machine.level(MemoryLevel::L2).capacity->value);
  return 1 / (1 + std::pow(bytes / holds, machine.timing.l2Power.value));
}

std::optional<CacheReuse> tilec::analysis::findCacheReuse(const NestModel &model, const NestTraffic &whole, const RasterOrder &order,
                                                          int64_t together, double inStep, double results, const MachineSpec &machine) {
  if (!machine.level(MemoryLevel::L2).capacity)
    return std::nullopt;
  Windows windows(model, whole, order, results, machine);
  if (!windows.fill(std::max<int64_t>(together, 1), inStep))
    return std::nullopt;
  return CacheReuse{windows.countDelivered(), windows.countKept()};
}
