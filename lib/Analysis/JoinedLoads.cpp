//===- JoinedLoads.cpp - Loads that the compiler joins ----------*- C++ -*-===//

#include "JoinedLoads.h"

#include "RequestClasses.h"
#include "tilec/Analysis/CopyPlan.h"
#include "tilec/Analysis/WarpRequests.h"
#include "tilec/Tile/Access.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

namespace {

class Joiner {
public:
  Joiner(const NestModel &model, const AccessSite &site, const MachineSpec &machine)
      : model(model), site(site), layout(*model.tiles[site.root].layout), machine(machine) {}

  /// By the elements of one step.
  JoinedLoads acrossSteps(unsigned dim) const {
    for (int64_t width = tile::kWidestBytes / site.elementBytes; width > 1; width /= 2)
      if (hasRuns(dim, width) && startsAt(dim, width, std::nullopt))
        return {width, costOf(width)};
    return {};
  }

  /// By iterations of the innermost loop, `most` of them where nothing but the compiler writes it out.
  JoinedLoads acrossIterations(unsigned dim, int64_t most) const {
    const auto *innermost = llvm::find_if(llvm::reverse(site.loops), [&](const auto &loop) { return model.loops[loop.first].unit == tile::Unit::Time; }).base();
    if (innermost == site.loops.begin())
      return {};
    unsigned loop = std::prev(innermost)->first;
    // A pipeline writes out its loop.
    int64_t count = tile::ForOp(model.loops[loop].op).getPipeline() ? model.loops[loop].count() : most;
    bool moves = llvm::any_of(site.at[dim].terms, [&](const Term &term) { return term.loop == loop && term.factor == 1 && model.loops[loop].step == 1; });
    bool stays = llvm::all_of(site.steps, [&](const AccessStep &step) { return step.by[dim] == 0; });
    for (int64_t width = std::min(tile::kWidestBytes / site.elementBytes, count); width > 1 && moves && stays; width /= 2)
      if (model.loops[loop].count() % width == 0 && startsAt(dim, width, loop))
        return {width, costOf(width)};
    return {};
  }

private:
  /// Do steps walk dimension `dim` in runs of `width`?
  bool hasRuns(unsigned dim, int64_t width) const {
    if (site.steps.size() % width != 0)
      return false;
    for (auto [i, step] : llvm::enumerate(site.steps)) {
      const AccessStep &first = site.steps[i - i % width];
      for (size_t other = 0; other < site.rank(); ++other)
        if (step.by[other] != first.by[other] + (other == dim ? static_cast<int64_t>(i % width) : 0))
          return false;
      if (first.by[dim] % width != 0)
        return false;
    }
    return true;
  }

  /// Do runs of `width` along `dim` start where a load of as many may, whatever the loops other than `along` do?
  bool startsAt(unsigned dim, int64_t width, std::optional<unsigned> along) const {
    const Subscript &start = site.at[dim];
    bool still = llvm::all_of(start.terms, [&](const Term &term) { return term.loop == along; });
    return still && start.constant % width == 0 && tile::hasAlignedRuns(layout, dim, width) &&
           llvm::all_of(site.warps.front().lanes, [&](const LaneCoordinates &lane) { return !lane || (*lane)[dim] % width == 0; });
  }

  double costOf(int64_t width) const {
    SmallVector<int64_t, 4> origin(site.at.size(), 0);
    auto addresses = getAddresses(site, site.warps.front(), origin, site.steps.front().by,
                                  [&](MutableArrayRef<int64_t> at) { return std::optional<int64_t>(layout.at(at.data(), site.rank())); });
    layout::BankModel banks = getBankModel(machine);
    auto one = layout::countWavefronts(addresses, site.elementBytes, banks);
    auto joined = layout::countWavefronts(addresses, site.elementBytes * width, banks);
    if (!one || !joined || one->wavefronts == 0)
      return 1;
    return static_cast<double>(joined->wavefronts) / static_cast<double>(one->wavefronts * width);
  }

  const NestModel &model;
  const AccessSite &site;
  const layout::ComposedLayout &layout;
  const MachineSpec &machine;
};

} // namespace

JoinedLoads tilec::analysis::joinLoads(const NestModel &model, const AccessSite &site, int64_t iterations, const MachineSpec &machine) {
  const TileModel &tile = model.tiles[site.root];
  std::optional<SmallVector<int64_t>> strides = tile.layout ? getStrides(*tile.layout) : std::nullopt;
  if (site.copy || site.writes || site.width != 1 || !strides || site.warps.empty())
    return {};
  Joiner joiner(model, site, machine);
  for (auto [dim, stride] : llvm::enumerate(*strides)) {
    if (stride != 1)
      continue;
    if (JoinedLoads joined = joiner.acrossSteps(dim); joined.width > 1)
      return joined;
    if (JoinedLoads joined = joiner.acrossIterations(dim, iterations); joined.width > 1)
      return joined;
  }
  return {};
}
