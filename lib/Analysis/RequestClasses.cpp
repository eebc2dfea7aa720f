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

namespace {

/// The starts of a group of dimensions, told apart by their keys.
class GroupClassifier {
public:
  GroupClassifier(const StartGroup &group, const AccessSite &site, const NestModel &model,
                  llvm::function_ref<StartKey(unsigned, int64_t)> keyOf)
      : group(group), site(site), keyOf(keyOf) {
    for (unsigned loop : group.loops) {
      SmallVector<int64_t> &steps = stepsOfLoops.emplace_back();
      for (unsigned dim : group.dims)
        steps.push_back(getStep(site, model, loop, dim));
    }
  }

  /// The classes of the group alone, whose starts are 0 elsewhere; absent where there are too many starts.
  std::optional<std::vector<StartClass>> classify() {
    SmallVector<int64_t> start;
    for (unsigned dim : group.dims)
      start.push_back(site.at[dim].constant);
    visitLoops(0, start, 1);
    if (visited > kMostStarts)
      return std::nullopt;
    std::vector<StartClass> classes;
    for (auto &entry : byKey)
      classes.push_back(std::move(entry.second));
    return classes;
  }

private:
  using Key = SmallVector<StartKey, 2>;

  SmallVector<int64_t> moved(ArrayRef<int64_t> start, unsigned position, int64_t by) const {
    SmallVector<int64_t> sums(start);
    for (auto [sum, step] : llvm::zip_equal(sums, stepsOfLoops[position]))
      sum += by * step;
    return sums;
  }

  Key getKey(ArrayRef<int64_t> start) const {
    Key key;
    for (auto [dim, at] : llvm::zip_equal(group.dims, start))
      key.push_back(keyOf(dim, at));
    return key;
  }

  void count(ArrayRef<int64_t> start, const Key &key, int64_t times) {
    ++visited;
    auto [entry, isNew] = byKey.try_emplace(key);
    if (isNew) {
      entry->second.start.assign(site.at.size(), 0);
      for (auto [dim, at] : llvm::zip_equal(group.dims, start))
        entry->second.start[dim] = at;
    }
    entry->second.times += times;
  }

  void visitLoops(unsigned position, ArrayRef<int64_t> start, int64_t times) {
    if (visited > kMostStarts)
      return;
    if (position == group.loops.size())
      return count(start, getKey(start), times);
    int64_t iterations = site.loops[group.loops[position]].second;
    if (position + 1 == group.loops.size())
      return visitLast(position, start, times, iterations);
    auto visit = [&](int64_t i, int64_t repeats) { visitLoops(position + 1, moved(start, position, i), times * repeats); };
    // What goes around meets an end of the operand anywhere.
    if (site.pad == tile::Pad::Wrap)
      for (int64_t i = 0; i < iterations && visited <= kMostStarts; ++i)
        visit(i, 1);
    else
      forEachIteration(iterations, visit);
  }

  /// The innermost loop by runs of iterations that lie alike at the edges, of which those that are a period apart are equal.
  void visitLast(unsigned position, ArrayRef<int64_t> start, int64_t times, int64_t iterations) {
    auto keyAt = [&](int64_t i) { return getKey(moved(start, position, i)); };
    for (int64_t first = 0; first < iterations && visited <= kMostStarts;) {
      Key key = keyAt(first);
      auto liesAlike = [&](int64_t i) {
        return llvm::all_of(llvm::zip_equal(key, keyAt(i)), [](auto pair) {
          auto &[one, other] = pair;
          return one[0] == other[0] && one[1] == other[1];
        });
      };
      int64_t last = first + 1;
      for (int64_t beyond = iterations; last < beyond;) {
        int64_t middle = last + (beyond - last) / 2;
        if (liesAlike(middle))
          last = middle + 1;
        else
          beyond = middle;
      }
      int64_t period = 1;
      while (first + period < last && keyAt(first + period) != key)
        ++period;
      for (int64_t i = first; i < first + period; ++i)
        count(moved(start, position, i), keyAt(i), times * llvm::divideCeil(last - i, period));
      first = last;
    }
  }

  const StartGroup &group;
  const AccessSite &site;
  llvm::function_ref<StartKey(unsigned, int64_t)> keyOf;
  /// What an iteration of each of the group's loops adds to each of its dimensions.
  SmallVector<SmallVector<int64_t>> stepsOfLoops;
  std::map<Key, StartClass> byKey;
  size_t visited = 0;
};

} // namespace

std::optional<std::vector<StartClass>>
tilec::analysis::classifyStarts(const AccessSite &site, const NestModel &model,
                                llvm::function_ref<StartKey(unsigned, int64_t)> keyOf) {
  std::vector<StartClass> classes = {{SmallVector<int64_t, 4>(site.at.size(), 0), 1}};
  llvm::SmallDenseSet<unsigned> used;
  for (const StartGroup &group : groupDimensions(site, model)) {
    used.insert_range(group.loops);
    auto own = GroupClassifier(group, site, model, keyOf).classify();
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
