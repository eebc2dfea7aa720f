//===- Coalescing.cpp - Sectors that a nest's requests touch ----*- C++ -*-===//

#include "RequestClasses.h"

#include "tilec/Analysis/WarpRequests.h"
#include "tilec/Tile/Distribution.h"

#include <numeric>
#include <set>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

namespace {

struct Cost {
  int64_t lanes = 0, sectors = 0, ideal = 0;
};

class Counter {
public:
  Counter(const NestModel &model, const OperandLayout &layout, const AccessSite &site,
          int64_t sectorBytes)
      : layout(layout), site(site), sectorBytes(sectorBytes),
        shape(model.operandShape(site.root)) {
    for (size_t dim = 0; dim < site.at.size(); ++dim) {
      int64_t low = INT64_MAX, high = INT64_MIN, lowStep = INT64_MAX, highStep = INT64_MIN;
      for (const WarpLanes &warp : site.warps)
        for (const LaneCoordinates &lane : warp.lanes)
          if (lane) {
            low = std::min(low, (*lane)[dim]);
            high = std::max(high, (*lane)[dim]);
          }
      for (const AccessStep &step : site.steps) {
        lowStep = std::min(lowStep, step.by[dim]);
        highStep = std::max(highStep, step.by[dim]);
      }
      lowest.push_back(low + lowStep);
      highest.push_back(high + highStep);
    }
    for (auto [number, count] : site.loops)
      if (!model.loops[number].onBlocks() && count > 1)
        timeLoops.push_back(number);
  }

  void count(GlobalAccess &access, const NestModel &model) {
    auto classes =
        classifyStarts(site, model, [&](unsigned dim, int64_t start) { return keyOf(dim, start); });
    RequestTotals totals;
    std::vector<StartClass> first = {{{}, 0}};
    for (const Subscript &subscript : site.at)
      first.front().start.push_back(subscript.constant);
    for (const StartClass &start : classes ? *classes : first)
      countClass(access, start, totals);
    if (classes && !site.unmodelled)
      access.total = totals;
    ArrayRef<int64_t> start = classes && !classes->empty() ? classes->front().start : first.front().start;
    countExecution(access, start);
    dealInOrder(access, start);
  }

private:
  std::pair<int64_t, int64_t> getClips(unsigned dim, int64_t start) const {
    int64_t span = highest[dim] - lowest[dim] + 1;
    return {std::clamp<int64_t>(-(start + lowest[dim]), 0, span),
            std::clamp<int64_t>(start + highest[dim] + 1 - shape[dim], 0, span)};
  }

  /// Starts differ in what of them lies beyond the operand's edges, and in where sectors begin.
  StartKey keyOf(unsigned dim, int64_t start) const {
    auto [low, high] = getClips(dim, start);
    return {low, high, llvm::mod(start * layout.strides[dim] * site.elementBytes, sectorBytes)};
  }

  std::optional<int64_t> elementOf(MutableArrayRef<int64_t> at) const {
    int64_t element = layout.offset;
    for (auto [dim, coordinate] : llvm::enumerate(at)) {
      if (coordinate < 0 || coordinate >= shape[dim]) {
        if (!site.pad || *site.pad == tile::Pad::Zero || shape[dim] == 0)
          return std::nullopt;
        coordinate = padded(coordinate, shape[dim]);
      }
      element += coordinate * layout.strides[dim];
    }
    return element;
  }

  int64_t padded(int64_t x, int64_t extent) const {
    if (*site.pad == tile::Pad::Reflect) {
      int64_t twice = 2 * (extent - 1);
      x = std::abs(x) % std::max<int64_t>(twice, 1);
      x = std::min(x, twice - x);
    }
    return std::clamp<int64_t>(x, 0, extent - 1);
  }

  Cost getCost(const std::vector<std::optional<int64_t>> &addresses) const {
    std::array<int64_t, tile::kWarpThreads> starts;
    Cost cost;
    for (std::optional<int64_t> address : addresses)
      if (address)
        starts[cost.lanes++] = *address;
    auto *begin = starts.begin(), *end = begin + cost.lanes;
    std::sort(begin, end);
    end = std::unique(begin, end);
    cost.ideal = llvm::divideCeil((end - begin) * site.bytesPerLane(), sectorBytes);
    int64_t last = -1;
    for (auto *start = begin; start != end; ++start) {
      int64_t from = std::max(*start / sectorBytes, last + 1);
      last = (*start + site.bytesPerLane() - 1) / sectorBytes;
      cost.sectors += std::max<int64_t>(0, last - from + 1);
    }
    return cost;
  }

  void countClass(GlobalAccess &access, const StartClass &start, RequestTotals &totals) {
    Clip clip = getClip(start);
    bool masked = clip.any && (!site.pad || *site.pad == tile::Pad::Zero);
    for (const WarpLanes &warp : site.warps) {
      // Without an edge only the distance from a sector's start makes a difference.
      std::map<int64_t, Cost> known;
      SmallVector<uint32_t> present;
      for (const AccessStep &step : site.steps) {
        int64_t moved = std::inner_product(step.by.begin(), step.by.end(), layout.strides.begin(),
                                           int64_t(0)) *
                        site.elementBytes;
        auto [entry, isNew] = known.try_emplace(llvm::mod(moved, sectorBytes));
        if (isNew || clip.any) {
          auto addresses =
              getAddresses(site, warp, start.start, step.by,
                           [&](MutableArrayRef<int64_t> at) { return elementOf(at); });
          entry->second = getCost(addresses);
          describeIfWorst(access, warp, addresses, entry->second);
          present.push_back(maskOf(addresses));
        }
        const Cost &cost = entry->second;
        int64_t times = start.times * step.times;
        totals.requests += cost.lanes ? times : 0;
        totals.cost += times * cost.sectors;
        totals.ideal += times * cost.ideal;
      }
      if (masked && start.times > 0)
        totals.countable &= staysInStep(maskOf(warp.lanes), present, clip);
    }
  }

  void countExecution(GlobalAccess &access, ArrayRef<int64_t> start) const {
    std::set<int64_t> sectors, elements;
    for (const WarpLanes &warp : site.warps) {
      if (warp.warp != access.warp)
        continue;
      for (const AccessStep &step : site.steps)
        for (std::optional<int64_t> address :
             getAddresses(site, warp, start, step.by,
                          [&](MutableArrayRef<int64_t> at) { return elementOf(at); }))
          if (address && elements.insert(*address).second)
            for (int64_t at = *address; at < *address + site.bytesPerLane(); at += site.elementBytes)
              sectors.insert(at / sectorBytes);
    }
    access.executionSectors = static_cast<int64_t>(sectors.size());
    access.idealExecutionSectors = llvm::divideCeil(
        static_cast<int64_t>(elements.size()) * site.bytesPerLane(), sectorBytes);
  }

  void dealInOrder(GlobalAccess &access, ArrayRef<int64_t> start) const {
    const auto *along = llvm::find(layout.strides, 1);
    if (along == layout.strides.end() || access.sectors <= access.idealSectors)
      return;
    std::vector<std::optional<int64_t>> all;
    for (const WarpLanes &warp : site.warps)
      for (std::optional<int64_t> address :
           getAddresses(site, warp, start, site.steps.front().by,
                        [&](MutableArrayRef<int64_t> at) { return elementOf(at); }))
        if (address)
          all.push_back(address);
    llvm::sort(all);
    int64_t sectors = 0;
    for (size_t first = 0; first < all.size(); first += tile::kWarpThreads) {
      size_t last = std::min<size_t>(first + tile::kWarpThreads, all.size());
      sectors = std::max(sectors, getCost({all.begin() + first, all.begin() + last}).sectors);
    }
    access.inOrder = {static_cast<unsigned>(along - layout.strides.begin()), sectors};
  }

  template <typename Lanes>
  static uint32_t maskOf(const Lanes &lanes) {
    uint32_t mask = 0;
    for (auto [lane, value] : llvm::enumerate(lanes))
      mask |= uint32_t(value.has_value()) << lane;
    return mask;
  }

  /// What an edge leaves of the executions of a class.
  struct Clip {
    bool any = false, early = false, movesInTime = false;
  };

  Clip getClip(const StartClass &start) const {
    Clip clip;
    for (size_t dim = 0; dim < start.start.size(); ++dim) {
      auto [low, high] = getClips(dim, start.start[dim]);
      clip.any |= low > 0 || high > 0;
      clip.early |= low > 0;
      if (low > 0 || high > 0)
        clip.movesInTime |= llvm::any_of(timeLoops, [&](unsigned loop) { return site.at[dim].movedBy(loop); });
    }
    return clip;
  }

  /// Are the n-th executions of all lanes of a warp one request? `active` lanes take part, and
  /// `present` has those that ask at each step. Not if one comes back that has dropped out while
  /// others went on. Barriers around an execution bring all together, and so does its being the only
  /// one.
  bool staysInStep(uint32_t active, ArrayRef<uint32_t> present, const Clip &clip) const {
    uint32_t all = active, some = 0, gone = 0;
    for (uint32_t lanes : present) {
      if (lanes & gone)
        return false;
      gone |= active & ~lanes;
      all &= lanes;
      some |= lanes;
    }
    if (site.cooperative || timeLoops.empty())
      return true;
    if (some != all)
      return false;
    return all == active || all == 0 || !clip.movesInTime || (timeLoops.size() == 1 && !clip.early);
  }

  void describeIfWorst(GlobalAccess &access, const WarpLanes &warp,
                       const std::vector<std::optional<int64_t>> &addresses,
                       const Cost &cost) const {
    if (access.sectors != 0 && cost.sectors - cost.ideal <= access.sectors - access.idealSectors)
      return;
    access.warp = warp.warp;
    access.sectors = cost.sectors;
    access.idealSectors = cost.ideal;
    access.threads.clear();
    access.addresses.clear();
    if (cost.sectors <= cost.ideal)
      return;
    for (unsigned lane = 1; lane < addresses.size(); ++lane) {
      if (!addresses[lane] || !addresses[lane - 1])
        continue;
      int64_t apart = *addresses[lane] - *addresses[lane - 1];
      if (apart == 0 || apart == site.bytesPerLane())
        continue;
      int64_t thread = warp.warp * tile::kWarpThreads + lane;
      access.threads = {thread - 1, thread};
      access.addresses = {*addresses[lane - 1], *addresses[lane]};
      break;
    }
  }

  const OperandLayout &layout;
  const AccessSite &site;
  int64_t sectorBytes;
  SmallVector<int64_t> shape;
  /// Of the coordinates that lanes and steps add to a start.
  SmallVector<int64_t> lowest, highest;
  SmallVector<unsigned> timeLoops;
};

} // namespace

std::vector<GlobalAccess> tilec::analysis::analyzeCoalescing(const NestModel &model,
                                                             const LaunchLayouts &layouts,
                                                             const MachineSpec &machine,
                                                             std::optional<unsigned> onlyTile) {
  std::vector<GlobalAccess> accesses;
  for (AccessSite &site : findAccessSites(model, layouts, onlyTile)) {
    if (site.shared || site.warps.empty())
      continue;
    GlobalAccess &access = accesses.emplace_back();
    Counter(model, layouts.at(site.root), site, machine.limits.sectorBytes.value)
        .count(access, model);
    access.site = std::move(site);
  }
  return accesses;
}

std::string tilec::analysis::describe(const GlobalAccess &access) {
  std::string text = std::string("a warp ") + (access.site.writes ? "writes " : "reads ") +
                     access.site.name + " in " + std::to_string(access.sectors) +
                     " sectors instead of " + std::to_string(access.idealSectors);
  for (auto [i, thread] : llvm::enumerate(access.threads))
    text += (i ? ", thread " : ": thread ") + std::to_string(thread) + " at byte " +
            std::to_string(access.addresses[i]);
  return text;
}
