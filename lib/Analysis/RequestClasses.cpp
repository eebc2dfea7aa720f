//===- RequestClasses.cpp - Executions that cost the same -------*- C++ -*-===//

#include "RequestClasses.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

StartSpans::StartSpans(const AccessSite &site) {
  for (size_t dim = 0; dim < site.at.size(); ++dim) {
    int64_t low = INT64_MAX, high = INT64_MIN, lowStep = INT64_MAX, highStep = INT64_MIN;
    for (const WarpLanes &warp : site.warps)
      for (const LaneCoordinates &lane : warp.lanes)
        if (lane) {
          low = std::min(low, (*lane)[dim]);
          high = std::max(high, (*lane)[dim] + (dim < site.box.size() ? site.box[dim] - 1 : 0));
        }
    for (const AccessStep &step : site.steps) {
      lowStep = std::min(lowStep, step.by[dim]);
      highStep = std::max(highStep, step.by[dim]);
    }
    lowest.push_back(low + lowStep);
    highest.push_back(high + highStep);
  }
}

std::pair<int64_t, int64_t> StartSpans::getClips(unsigned dim, int64_t start, int64_t extent) const {
  int64_t span = highest[dim] - lowest[dim] + 1;
  return {std::clamp<int64_t>(-(start + lowest[dim]), 0, span),
          std::clamp<int64_t>(start + highest[dim] + 1 - extent, 0, span)};
}

bool tilec::analysis::meetsGuards(const AccessSite &site, ArrayRef<int64_t> at) {
  auto lieInside = [](ArrayRef<int64_t> sums, ArrayRef<int64_t> extents) {
    return llvm::all_of(llvm::zip_equal(sums, extents), [](auto entry) {
      auto [sum, extent] = entry;
      return sum >= 0 && sum < extent;
    });
  };
  ArrayRef<int64_t> sums = at.drop_front(site.rank()), extents = site.guards;
  return lieInside(sums.take_back(site.bounds), extents.take_back(site.bounds)) &&
         site.beyond != lieInside(sums.drop_back(site.bounds), extents.drop_back(site.bounds));
}

/// More starts than this along one dimension, or classes in all, are not looked at.
constexpr size_t kMostStarts = 1 << 16;
constexpr size_t kMostClasses = 1 << 12;

/// Calls `visit(i, times)` for 0..count-1. Of many iterations only the first and the last can lie at
/// an edge; those in between repeat with their distance from a sector's start, so some stand for all.
static void forEachIteration(int64_t count, llvm::function_ref<void(int64_t, int64_t)> visit) {
  constexpr int64_t kEdge = 512, kPeriod = 128;
  if (count <= 2 * kEdge + kPeriod) {
    for (int64_t i = 0; i < count; ++i)
      visit(i, 1);
    return;
  }
  for (int64_t i = 0; i < kEdge; ++i) {
    visit(i, 1);
    visit(count - 1 - i, 1);
  }
  for (int64_t i = 0; i < kPeriod; ++i)
    visit(kEdge + i, llvm::divideCeil(count - 2 * kEdge - i, kPeriod));
}

namespace {

/// Dimensions that loops connect, since one loop moves several of them.
struct StartGroup {
  SmallVector<unsigned> dims;
  /// Of AccessSite::loops.
  SmallVector<unsigned> loops;
};

} // namespace

static int64_t getStep(const AccessSite &site, const NestModel &model, unsigned loop, unsigned dim) {
  int64_t step = 0;
  for (const Term &term : site.at[dim].terms)
    if (term.loop == site.loops[loop].first)
      step += term.factor * model.loops[term.loop].step;
  return step;
}

static std::vector<StartGroup> groupDimensions(const AccessSite &site, const NestModel &model) {
  std::vector<StartGroup> groups;
  for (unsigned dim = 0; dim < site.at.size(); ++dim)
    groups.push_back({{dim}, {}});
  for (unsigned loop = 0; loop < site.loops.size(); ++loop) {
    auto isMoved = [&](unsigned dim) { return getStep(site, model, loop, dim) != 0; };
    StartGroup joined{{}, {loop}};
    llvm::erase_if(groups, [&](const StartGroup &group) {
      if (llvm::none_of(group.dims, isMoved))
        return false;
      joined.dims.append(group.dims);
      joined.loops.append(group.loops);
      return true;
    });
    if (!joined.dims.empty())
      groups.push_back(std::move(joined));
  }
  return groups;
}

/// The classes of `group` alone, whose starts are 0 elsewhere.
static std::optional<std::vector<StartClass>>
classifyGroup(const StartGroup &group, const AccessSite &site, const NestModel &model,
              llvm::function_ref<StartKey(unsigned, int64_t)> keyOf) {
  std::vector<StartClass> starts = {{SmallVector<int64_t, 4>(site.at.size(), 0), 1}};
  for (unsigned dim : group.dims)
    starts.front().start[dim] = site.at[dim].constant;
  for (unsigned loop : group.loops) {
    std::vector<StartClass> longer;
    for (const StartClass &known : starts)
      forEachIteration(site.loops[loop].second, [&](int64_t i, int64_t repeats) {
        StartClass &next = longer.emplace_back(known);
        next.times *= repeats;
        for (unsigned dim : group.dims)
          next.start[dim] += i * getStep(site, model, loop, dim);
      });
    starts = std::move(longer);
    if (starts.size() > kMostStarts)
      return std::nullopt;
  }
  std::map<SmallVector<StartKey, 2>, StartClass> byKey;
  for (StartClass &known : starts) {
    SmallVector<StartKey, 2> key;
    for (unsigned dim : group.dims)
      key.push_back(keyOf(dim, known.start[dim]));
    int64_t times = known.times;
    known.times = 0;
    byKey.try_emplace(key, known).first->second.times += times;
  }
  std::vector<StartClass> classes;
  for (auto &entry : byKey)
    classes.push_back(std::move(entry.second));
  return classes;
}

std::optional<std::vector<StartClass>>
tilec::analysis::classifyStarts(const AccessSite &site, const NestModel &model,
                                llvm::function_ref<StartKey(unsigned, int64_t)> keyOf) {
  std::vector<StartClass> classes = {{SmallVector<int64_t, 4>(site.at.size(), 0), 1}};
  llvm::SmallDenseSet<unsigned> used;
  for (const StartGroup &group : groupDimensions(site, model)) {
    used.insert_range(group.loops);
    auto own = classifyGroup(group, site, model, keyOf);
    if (!own || classes.size() * own->size() > kMostClasses)
      return std::nullopt;
    std::vector<StartClass> longer;
    for (const StartClass &known : classes)
      for (const StartClass &more : *own) {
        StartClass &next = longer.emplace_back(known);
        for (auto [at, by] : llvm::zip_equal(next.start, more.start))
          at += by;
        if (llvm::MulOverflow(next.times, more.times, next.times))
          return std::nullopt;
      }
    classes = std::move(longer);
  }
  for (unsigned loop = 0; loop < site.loops.size(); ++loop)
    if (!used.contains(loop))
      for (StartClass &known : classes)
        if (llvm::MulOverflow(known.times, site.loops[loop].second, known.times))
          return std::nullopt;
  return classes;
}

std::vector<std::optional<int64_t>> tilec::analysis::getAddresses(
    const AccessSite &site, const WarpLanes &warp, ArrayRef<int64_t> start, ArrayRef<int64_t> step,
    llvm::function_ref<std::optional<int64_t>(MutableArrayRef<int64_t>)> elementOf) {
  std::vector<std::optional<int64_t>> addresses;
  addresses.reserve(warp.lanes.size());
  SmallVector<int64_t, 4> at(start.size());
  for (const LaneCoordinates &lane : warp.lanes) {
    std::optional<int64_t> &address = addresses.emplace_back();
    if (!lane)
      continue;
    for (size_t dim = 0; dim < at.size(); ++dim)
      at[dim] = start[dim] + step[dim] + (*lane)[dim];
    if (std::optional<int64_t> element = elementOf(at))
      address = *element * site.elementBytes;
  }
  return addresses;
}

std::string tilec::analysis::listSome(ArrayRef<int64_t> numbers) {
  constexpr size_t kShown = 3;
  std::string text;
  for (int64_t number : numbers.take_front(kShown))
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  if (numbers.size() > kShown)
    text += " ... (" + std::to_string(numbers.size()) + ")";
  return text;
}
