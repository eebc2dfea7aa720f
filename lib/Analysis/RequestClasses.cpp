//===- RequestClasses.cpp - Executions that cost the same -------*- C++ -*-===//

#include "RequestClasses.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

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

std::optional<std::vector<StartClass>>
tilec::analysis::classifyStarts(const AccessSite &site, const NestModel &model,
                                llvm::function_ref<StartKey(unsigned, int64_t)> keyOf) {
  std::vector<StartClass> classes = {{{}, 1}};
  llvm::SmallDenseSet<unsigned> used;
  for (auto [dim, subscript] : llvm::enumerate(site.at)) {
    // The starts along this dimension, by their keys.
    std::vector<std::pair<int64_t, int64_t>> starts = {{subscript.constant, 1}};
    for (auto [number, count] : site.loops) {
      int64_t step = 0;
      for (const Term &term : subscript.terms)
        if (term.loop == number)
          step += term.factor * model.loops[number].step;
      if (step == 0)
        continue;
      std::vector<std::pair<int64_t, int64_t>> longer;
      for (auto [start, times] : starts)
        forEachIteration(count, [&, start = start, times = times](int64_t i, int64_t repeats) {
          longer.emplace_back(start + i * step, times * repeats);
        });
      starts = std::move(longer);
      if (!used.insert(number).second || starts.size() > kMostStarts)
        return std::nullopt;
    }
    std::map<StartKey, std::pair<int64_t, int64_t>> byKey;
    for (auto [start, times] : starts) {
      auto [entry, isNew] = byKey.try_emplace(keyOf(dim, start), start, 0);
      entry->second.second += times;
    }
    std::vector<StartClass> longer;
    for (const StartClass &known : classes)
      for (const auto &[key, starts] : byKey) {
        StartClass &next = longer.emplace_back(known);
        next.start.push_back(starts.first);
        next.times *= starts.second;
      }
    classes = std::move(longer);
    if (classes.size() > kMostClasses)
      return std::nullopt;
  }
  for (auto [number, count] : site.loops)
    if (!used.contains(number))
      for (StartClass &known : classes)
        if (llvm::MulOverflow(known.times, count, known.times))
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
