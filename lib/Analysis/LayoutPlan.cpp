//===- LayoutPlan.cpp - Where a tile's elements should lie ------*- C++ -*-===//

#include "tilec/Analysis/LayoutPlan.h"

#include "AccessCost.h"
#include "tilec/Analysis/Capacity.h"
#include "tilec/Analysis/CopyPlan.h"
#include "tilec/Analysis/Occupancy.h"
#include "tilec/Analysis/SharedPlan.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

void tilec::analysis::setLayout(NestModel &model, unsigned number,
                                const layout::ComposedLayout &layout) {
  TileModel &tile = model.tiles[number];
  tile.layout = layout;
  if (layout::Result<int64_t> cosize = layout.cosize())
    tile.cosize = *cosize;
}

/// What the tile's own accesses cost, in `figures`; false where it cannot be counted, or is more than `most`.
static bool countShared(TileFigures &figures, const NestModel &model, unsigned number, const LaunchLayouts &layouts, const MachineSpec &machine,
                        const BankLimits &most = {}) {
  RequestTotals all;
  // What fills the tile takes longest to count, and need not be where the others are too many already.
  for (TileAccesses::Which which : {TileAccesses::Which::Others, TileAccesses::Which::Filling})
    for (AccessSite &site : findAccessSites(model, layouts, TileAccesses{number, which})) {
      int64_t addresses = getAddressInstructions(model, site, machine);
      std::vector<AccessSite> one;
      one.push_back(std::move(site));
      std::optional<RequestTotals> total = countBankAccesses(model, one, machine, most.after(all));
      if (!total)
        return false;
      all = all + *total;
      figures.addresses += addresses * total->requests;
    }
  figures.wavefronts = all.cost;
  figures.idealWavefronts = all.ideal;
  figures.requests = all.requests;
  return true;
}

/// What the copy's source costs.
static bool countSource(TileFigures &figures, const NestModel &model, unsigned number,
                        const LaunchLayouts &layouts, const MachineSpec &machine) {
  std::vector<AccessSite> sites = findAccessSites(model, layouts, TileAccesses{number, TileAccesses::Which::Source});
  for (const GlobalAccess &access : analyzeCoalescing(model, sites, layouts, machine, /*described=*/false)) {
    if (!access.total)
      return false;
    figures.sectors += access.total->cost;
    figures.lines += getPasses(model, access.site, access.total->requests, access.total->lines);
  }
  return true;
}

std::optional<TileFigures> tilec::analysis::countTile(const NestModel &model, unsigned number,
                                                      const LaunchLayouts &layouts,
                                                      const MachineSpec &machine) {
  TileFigures figures;
  if (!countShared(figures, model, number, layouts, machine) ||
      !countSource(figures, model, number, layouts, machine))
    return std::nullopt;
  return figures;
}

std::optional<layout::ComposedLayout> tilec::analysis::layRows(const layout::ComposedLayout &like, ArrayRef<int64_t> shape, ArrayRef<unsigned> order,
                                                               int64_t distance) {
  std::vector<layout::IntTuple> extents(shape.begin(), shape.end()), distances(shape.size());
  distances[order.back()] = 1;
  for (unsigned dim : llvm::reverse(order.drop_back())) {
    distances[dim] = distance;
    distance *= shape[dim];
  }
  auto rows = layout::Layout::get(layout::IntTuple::tuple(std::move(extents)), layout::IntTuple::tuple(std::move(distances)));
  auto laid = rows ? like.withLayout(*rows) : rows.error();
  return laid ? std::optional(*laid) : std::nullopt;
}

/// A placement of rows and columns as one of a tile of any rank, whose rows are the last dimension.
static std::optional<layout::ComposedLayout> spreadRows(const layout::Placement &placement, ArrayRef<int64_t> shape) {
  std::optional<SmallVector<int64_t>> strides = getStrides(placement.layout.layout());
  return layRows(placement.layout, shape, llvm::to_vector(llvm::seq<unsigned>(0, shape.size())), strides->front());
}

/// Paddings first, each kind with the smallest buffer first.
static std::vector<layout::ComposedLayout> listLayouts(const TileModel &tile,
                                                       const layout::BankModel &banks) {
  std::vector<layout::ComposedLayout> layouts;
  int64_t last = tile.shape.back(), rows = tile.elements() / last;
  for (bool rowMajor : {true, false}) {
    if (!rowMajor && tile.shape.size() != 2)
      continue;
    auto placements =
        layout::listPlacements({rows, last, rowMajor}, tile.elementBytes, tile.elementBytes, banks);
    if (!placements)
      continue;
    for (const layout::Placement &placement : *placements) {
      if (tile.shape.size() == 2)
        layouts.push_back(placement.layout);
      else if (auto spread = spreadRows(placement, tile.shape))
        layouts.push_back(*spread);
    }
  }
  llvm::stable_sort(layouts, [](const auto &a, const auto &b) {
    auto rank = [](const layout::ComposedLayout &layout) {
      return std::pair(!layout.swizzle().isIdentity(), layout.layout().cosize());
    };
    return rank(a) < rank(b);
  });
  return layouts;
}

namespace {

class Planner {
public:
  Planner(const NestModel &model, unsigned number, const LaunchLayouts &layouts,
          const MachineSpec &machine)
      : tried(model), number(number), layouts(layouts), machine(machine),
        resources(countResources(model)),
        registers(wantedRegisters(model, resources.threadsPerBlock, machine)) {
    otherBytes = resources.smemBytes - getSmemBytes(model.tiles[number]);
  }

  std::optional<LayoutPlan> run() {
    std::optional<TileFigures> own = countTile(tried, number, layouts, machine);
    if (!own || own->isConflictFree())
      return std::nullopt;
    before = *own;
    leastBlocks = std::clamp<int64_t>(countBlocks(), 1, countUsefulBlocks(machine, tried.blocks(), resources.threadsPerBlock));
    std::vector<layout::ComposedLayout> candidates =
        listLayouts(tried.tiles[number], getBankModel(machine));
    for (const layout::ComposedLayout &candidate : candidates)
      tryLayout(candidate);
    return best;
  }

private:
  int64_t countBlocks() const {
    int64_t bytes = otherBytes + getSmemBytes(tried.tiles[number]);
    if (bytes > machine.limits.smemPerBlock.value)
      return 0;
    return findOccupancy(machine, bytes, resources.threadsPerBlock,
                         registers)
        .blocksPerSM;
  }

  void tryLayout(const layout::ComposedLayout &candidate) {
    setLayout(tried, number, candidate);
    TileFigures after;
    BankLimits better = {before.wavefronts - 1, (best ? best->after : before).all() - 1};
    if (countBlocks() < leastBlocks || !countShared(after, tried, number, layouts, machine, better) || after.requests > before.requests ||
        !countSource(after, tried, number, layouts, machine) || after.sectors > before.sectors || after.all() > better.wavefrontsAndRequests)
      return;
    best = {candidate, before, after};
  }

  NestModel tried;
  unsigned number;
  const LaunchLayouts &layouts;
  const MachineSpec &machine;
  Resources resources;
  int64_t registers;
  int64_t otherBytes = 0, leastBlocks = 1;
  TileFigures before;
  std::optional<LayoutPlan> best;
};

} // namespace

std::optional<LayoutPlan> tilec::analysis::planLayout(const NestModel &model, unsigned number,
                                                      const LaunchLayouts &layouts,
                                                      const MachineSpec &machine) {
  const TileModel &tile = model.tiles[number];
  if (tile.level != tile::Level::SMEM || !tile.layout || tile.shape.size() < 2)
    return std::nullopt;
  // A box is written without gaps.
  if (auto stage = dyn_cast<tile::StageOp>(tile.op); stage && stage.getCopy() == tile::Copy::Tma)
    return std::nullopt;
  return Planner(model, number, layouts, machine).run();
}
