//===- Coalescing.cpp - Sectors that a nest's requests touch ----*- C++ -*-===//

#include "BoxRows.h"
#include "RequestClasses.h"

#include "tilec/Analysis/WarpRequests.h"
#include "tilec/Tile/Distribution.h"

#include <numeric>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

namespace {

struct Cost {
  int64_t lanes = 0, sectors = 0, ideal = 0, lines = 0;
};

class Counter {
public:
  Counter(const NestModel &model, const OperandLayout &layout, const AccessSite &site,
          const LimitsSpec &limits)
      : layout(layout), site(site), sectorBytes(limits.sectorBytes.value),
        lineBytes(limits.lineBytes.value), shape(model.operandShape(site.root)), spans(site) {
    if (site.scattered) // Wherever they lie, none is beyond an edge that is not beyond the indices.
      shape.assign(shape.size(), std::numeric_limits<int32_t>::max());
    shape.append(site.guards);
  }

  void count(GlobalAccess &access, const NestModel &model, bool described) {
    auto classes =
        classifyStarts(site, model, [&](unsigned dim, int64_t start) { return keyOf(dim, start); });
    RequestTotals totals;
    std::vector<StartClass> first = {{{}, 0}};
    for (const Subscript &subscript : site.at)
      first.front().start.push_back(subscript.constant);
    for (const StartClass &start : classes ? *classes : first)
      if (site.isBulk())
        countBoxes(access, start, totals);
      else
        countClass(access, start, totals);
    if (classes && !site.scattered)
      access.total = totals;
    ArrayRef<int64_t> start = classes && !classes->empty() ? classes->front().start : first.front().start;
    if (site.constant || !described)
      return;
    if (access.total && access.total->cost > access.total->ideal)
      countExecution(access, start);
    if (access.leavesHalf())
      dealInOrder(access, start);
  }

private:
  std::pair<int64_t, int64_t> getClips(unsigned dim, int64_t start) const {
    return spans.getClips(dim, start, shape[dim]);
  }

  /// Does something of the executions of a class lie beyond an edge?
  bool isClipped(const StartClass &start) const {
    if (site.beyond)
      return true;
    for (size_t dim = 0; dim < start.start.size(); ++dim)
      if (auto [low, high] = getClips(dim, start.start[dim]); low > 0 || high > 0)
        return true;
    return false;
  }

  /// Starts differ in what of them lies beyond the operand's edges, and in where sectors begin.
  StartKey keyOf(unsigned dim, int64_t start) const {
    auto [low, high] = getClips(dim, start);
    int64_t stride = dim < site.rank() ? layout.strides[dim] : 0;
    // What is mirrored lies elsewhere for each start.
    if (stride != 0 && site.pad == tile::Pad::Reflect && (low > 0 || high > 0))
      return {low, high, start};
    // So does what comes from both ends; all else is told apart by which time around it is.
    if (stride != 0 && site.pad == tile::Pad::Wrap && shape[dim] > 0) {
      int64_t turn = llvm::divideFloorSigned(start + spans.getLowest(dim), shape[dim]);
      if (turn != llvm::divideFloorSigned(start + spans.getHighest(dim), shape[dim]))
        return {turn, 1, start};
      return {turn, 0, llvm::mod(llvm::mod(start, shape[dim]) * stride * site.elementBytes, sectorBytes)};
    }
    return {low, high, llvm::mod(start * stride * site.elementBytes, sectorBytes)};
  }

  std::optional<int64_t> elementOf(MutableArrayRef<int64_t> at) const {
    if (!meetsGuards(site, at))
      return std::nullopt;
    int64_t element = layout.offset;
    for (auto [dim, coordinate] : llvm::enumerate(at.take_front(site.rank()))) {
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
    if (*site.pad == tile::Pad::Wrap)
      return llvm::mod(x, extent);
    if (*site.pad == tile::Pad::Reflect) {
      int64_t twice = 2 * (extent - 1);
      x = std::abs(x) % std::max<int64_t>(twice, 1);
      x = std::min(x, twice - x);
    }
    return std::clamp<int64_t>(x, 0, extent - 1);
  }

  Cost getCost(const std::vector<std::optional<int64_t>> &addresses) const {
    SmallVector<int64_t, tile::kWarpThreads> starts;
    for (std::optional<int64_t> address : addresses)
      if (address)
        starts.push_back(*address);
    Cost cost;
    cost.lanes = static_cast<int64_t>(starts.size());
    auto *begin = starts.begin(), *end = starts.end();
    if (!std::is_sorted(begin, end))
      std::sort(begin, end);
    end = std::unique(begin, end);
    if (site.constant) { // One after the other; a broadcast would do.
      cost.sectors = end - begin;
      cost.ideal = begin == end ? 0 : 1;
      return cost;
    }
    cost.ideal = llvm::divideCeil((end - begin) * site.bytesPerLane(), sectorBytes);
    cost.sectors = countTouched({begin, end}, sectorBytes);
    cost.lines = countTouched({begin, end}, lineBytes);
    return cost;
  }

  /// Different pieces of `size` bytes that lanes from `starts` on, in their order, touch.
  int64_t countTouched(ArrayRef<int64_t> starts, int64_t size) const {
    int64_t count = 0, last = -1;
    for (int64_t start : starts) {
      int64_t from = std::max(start / size, last + 1);
      last = (start + site.bytesPerLane() - 1) / size;
      count += std::max<int64_t>(0, last - from + 1);
    }
    return count;
  }

  /// The coordinates of a warp's lanes, least and greatest of each dimension.
  struct LaneSpan {
    SmallVector<int64_t, 4> low, high;
  };

  LaneSpan getSpan(const WarpLanes &warp) const {
    LaneSpan span = {SmallVector<int64_t, 4>(site.at.size(), INT64_MAX),
                     SmallVector<int64_t, 4>(site.at.size(), INT64_MIN)};
    for (const LaneCoordinates &lane : warp.lanes)
      for (size_t dim = 0; lane && dim < lane->size(); ++dim) {
        span.low[dim] = std::min(span.low[dim], (*lane)[dim]);
        span.high[dim] = std::max(span.high[dim], (*lane)[dim]);
      }
    return span;
  }

  enum class Where { Inside, Across, Outside };

  /// Are all lanes inside of the operand and its guards, or none?
  Where whereIs(const LaneSpan &span, ArrayRef<int64_t> start, ArrayRef<int64_t> step) const {
    bool asksOutside = site.pad && *site.pad != tile::Pad::Zero;
    auto whereAmong = [&](size_t first, size_t last, bool asks) {
      Where where = Where::Inside;
      for (size_t dim = first; dim < last; ++dim) {
        int64_t low = start[dim] + step[dim] + span.low[dim];
        int64_t high = start[dim] + step[dim] + span.high[dim];
        if (!asks && (high < 0 || low >= shape[dim]))
          return Where::Outside;
        if (low < 0 || high >= shape[dim])
          where = Where::Across;
      }
      return where;
    };
    Where guarded = whereAmong(site.rank(), start.size() - site.bounds, /*asks=*/false);
    if (site.beyond && guarded != Where::Across)
      guarded = guarded == Where::Inside ? Where::Outside : Where::Inside;
    if (Where there = whereAmong(start.size() - site.bounds, start.size(), /*asks=*/false); there != Where::Inside && guarded != Where::Outside)
      guarded = there;
    Where where = guarded == Where::Outside ? guarded : whereAmong(0, site.rank(), asksOutside);
    return where == Where::Inside ? guarded : where;
  }

  /// The element from which the lanes of a request count theirs.
  int64_t getFirst(ArrayRef<int64_t> start, ArrayRef<int64_t> step) const {
    int64_t first = layout.offset;
    for (size_t dim = 0; dim < site.rank(); ++dim)
      first += (start[dim] + step[dim]) * layout.strides[dim];
    return first;
  }

  /// What getAddresses gives where no lane is at an edge.
  std::vector<std::optional<int64_t>> getAddressesInside(const WarpLanes &warp, int64_t first) const {
    std::vector<std::optional<int64_t>> addresses(warp.lanes.size());
    for (auto [lane, address] : llvm::zip_equal(warp.lanes, addresses)) {
      if (!lane)
        continue;
      int64_t element = first;
      for (size_t dim = 0; dim < site.rank(); ++dim)
        element += (*lane)[dim] * layout.strides[dim];
      address = element * site.elementBytes;
    }
    return addresses;
  }

  void countClass(GlobalAccess &access, const StartClass &start, RequestTotals &totals) {
    bool mayClip = isClipped(start);
    // Without an edge only the distance from the start of a sector and of a line makes a difference.
    int64_t period = std::lcm(sectorBytes, lineBytes);
    inside.resize(site.warps.size());
    if (mayClip && lanes.empty())
      lanes = llvm::map_to_vector(site.warps, [&](const WarpLanes &warp) { return getSpan(warp); });
    for (auto [number, warp] : llvm::enumerate(site.warps)) {
      for (const AccessStep &step : site.steps) {
        Where where = mayClip ? whereIs(lanes[number], start.start, step.by) : Where::Inside;
        if (where == Where::Outside)
          continue;
        int64_t first = getFirst(start.start, step.by);
        Cost own, &cost = where == Where::Inside ? inside[number].try_emplace(llvm::mod(first * site.elementBytes, period)).first->second : own;
        if (cost.lanes == 0) { // It has not been looked at.
          auto addresses = where == Where::Inside ? getAddressesInside(warp, first)
                                                  : getAddresses(site, warp, start.start, step.by, [&](MutableArrayRef<int64_t> at) { return elementOf(at); });
          cost = getCost(addresses);
          describeIfWorst(access, warp, addresses, cost);
        }
        int64_t times = start.times * step.times;
        totals.elements += times * cost.lanes * site.width;
        totals.requests += cost.lanes ? times : 0;
        totals.cost += times * cost.sectors;
        totals.ideal += times * cost.ideal;
        totals.lines += times * cost.lines;
      }
    }
  }

  /// A box beyond an edge is asked for too.
  void countBoxes(GlobalAccess &access, const StartClass &start, RequestTotals &totals) {
    for (const WarpLanes &warp : site.warps) {
      if (!meetsGuards(site, start.start))
        continue;
      BoxRows rows(site, layout, shape);
      rows.add(*warp.lanes.front(), start.start);
      Cost cost;
      cost.sectors = rows.countTouched(sectorBytes);
      cost.ideal = llvm::divideCeil(rows.countBytes(), sectorBytes);
      cost.lines = rows.countTouched(lineBytes);
      describeIfWorst(access, warp, {}, cost);
      totals.requests += start.times;
      totals.cost += start.times * cost.sectors;
      totals.ideal += start.times * cost.ideal;
      totals.lines += start.times * cost.lines;
    }
  }

  void countExecution(GlobalAccess &access, ArrayRef<int64_t> start) const {
    if (site.isBulk()) {
      BoxRows rows(site, layout, shape);
      for (const WarpLanes &warp : site.warps)
        rows.add(*warp.lanes.front(), start);
      access.executionSectors = rows.countTouched(sectorBytes);
      access.idealExecutionSectors = llvm::divideCeil(rows.countBytes(), sectorBytes);
      return;
    }
    std::vector<int64_t> elements;
    for (const WarpLanes &warp : site.warps) {
      if (warp.warp != access.warp)
        continue;
      for (const AccessStep &step : site.steps)
        for (std::optional<int64_t> address :
             getAddresses(site, warp, start, step.by,
                          [&](MutableArrayRef<int64_t> at) { return elementOf(at); }))
          if (address)
            elements.push_back(*address);
    }
    llvm::sort(elements);
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
    access.executionSectors = countTouched(elements, sectorBytes);
    access.idealExecutionSectors = llvm::divideCeil(
        static_cast<int64_t>(elements.size()) * site.bytesPerLane(), sectorBytes);
  }

  void dealInOrder(GlobalAccess &access, ArrayRef<int64_t> start) const {
    const auto *along = llvm::find(layout.strides, 1);
    if (along == layout.strides.end() || access.sectors <= access.idealSectors || site.isBulk())
      return;
    std::vector<std::optional<int64_t>> all;
    // A copy's steps are rounds of the same elements, which could be made in another order too.
    ArrayRef<AccessStep> steps = site.steps;
    for (const WarpLanes &warp : site.warps)
      for (const AccessStep &step : site.copy ? steps : steps.take_front())
        for (std::optional<int64_t> address :
             getAddresses(site, warp, start, step.by, [&](MutableArrayRef<int64_t> at) { return elementOf(at); }))
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
    if (cost.sectors <= cost.ideal || site.isBulk())
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
  int64_t sectorBytes, lineBytes;
  SmallVector<int64_t> shape;
  StartSpans spans;
  /// Where the lanes of each warp are; empty until it is asked for.
  SmallVector<LaneSpan, 0> lanes;
  /// Of each warp what its requests cost that no edge cuts, by where in a period of sectors and lines they begin.
  std::vector<llvm::DenseMap<int64_t, Cost>> inside;
};

} // namespace

static std::vector<GlobalAccess> analyzeOperands(const NestModel &model, std::vector<AccessSite> &sites, const LaunchLayouts &layouts,
                                                 const MachineSpec &machine, bool constant, bool described) {
  std::vector<GlobalAccess> accesses;
  accesses.reserve(sites.size());
  for (AccessSite &site : sites) {
    if (site.shared || site.constant != constant || site.warps.empty())
      continue;
    GlobalAccess &access = accesses.emplace_back();
    Counter(model, layouts.at(site.root), site, machine.limits).count(access, model, described);
    access.site = std::move(site);
  }
  return accesses;
}

std::vector<GlobalAccess> tilec::analysis::analyzeCoalescing(const NestModel &model, std::vector<AccessSite> &sites,
                                                             const LaunchLayouts &layouts, const MachineSpec &machine, bool described) {
  return analyzeOperands(model, sites, layouts, machine, /*constant=*/false, described);
}

std::vector<GlobalAccess> tilec::analysis::analyzeConstantReads(const NestModel &model, std::vector<AccessSite> &sites,
                                                                const LaunchLayouts &layouts, const MachineSpec &machine) {
  return analyzeOperands(model, sites, layouts, machine, /*constant=*/true, /*described=*/false);
}

RequestTotals tilec::analysis::operator+(const RequestTotals &one, const RequestTotals &other) {
  return {one.requests + other.requests, one.cost + other.cost, one.ideal + other.ideal, one.lines + other.lines, one.elements + other.elements};
}

std::string tilec::analysis::describe(const GlobalAccess &access) {
  if (access.site.constant)
    return "a warp reads " + access.site.name + " in constant memory at " + std::to_string(access.sectors) + " addresses, one after the other";
  std::string text = std::string("a warp ") + (access.site.writes ? "writes " : "reads ") +
                     access.site.name + " in " + std::to_string(access.sectors) +
                     " sectors instead of " + std::to_string(access.idealSectors);
  for (auto [i, thread] : llvm::enumerate(access.threads))
    text += (i ? ", thread " : ": thread ") + std::to_string(thread) + " at byte " +
            std::to_string(access.addresses[i]);
  return text;
}
