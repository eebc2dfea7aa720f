//===- AccessSites.cpp - What the lanes of a warp ask for -------*- C++ -*-===//
//
// Accesses of computations, of stores, and of loads into registers; CopySites.cpp
// has copies into shared memory.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/AccessSites.h"

#include "Guards.h"
#include "SiteBuilder.h"

#include "tilec/Analysis/BulkStore.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Analysis/HeldTiles.h"
#include "tilec/Analysis/MatrixLoad.h"
#include "tilec/Analysis/PipelineDecisions.h"
#include "tilec/Analysis/SlicedStore.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

namespace {
/// Values of a digit: every `stride`-th from `first` on, below `last`.
struct Run {
  int64_t first, last, stride;
};
} // namespace

/// One step for each element that a thread holds, but along the last digit for those of a run.
static std::vector<AccessStep> stepsOf(const tile::Distribution &spread, Run run) {
  SmallVector<tile::LocalDigit> local = spread.getLocalDigits();
  std::vector<AccessStep> steps = {{SmallVector<int64_t, 4>(spread.dims.size(), 0), 1}};
  for (auto [i, entry] : llvm::enumerate(local)) {
    auto [dim, digit] = entry;
    Run values = i + 1 == local.size() ? run : Run{0, digit.count, 1};
    std::vector<AccessStep> longer;
    longer.reserve(steps.size() * llvm::divideCeil(values.last - values.first, values.stride));
    for (const AccessStep &step : steps)
      for (int64_t value = values.first; value < values.last; value += values.stride) {
        longer.push_back(step);
        longer.back().by[dim] += value * digit.step;
      }
    steps = std::move(longer);
  }
  return steps;
}

/// One step for each element that a thread holds, `width` of them at a time along the last digit.
static std::vector<AccessStep> stepsOf(const tile::Distribution &spread, int64_t width) {
  SmallVector<tile::LocalDigit> local = spread.getLocalDigits();
  return stepsOf(spread, Run{0, local.empty() ? 1 : local.back().digit.count, width});
}

using Factors = SmallVector<std::pair<unsigned, int64_t>, 2>;

/// The points of the iteration space, as steps of coordinates with these factors.
static std::vector<AccessStep> stepsOf(ArrayRef<Factors> dims, ArrayRef<int64_t> extents) {
  std::vector<AccessStep> steps = {{SmallVector<int64_t, 4>(dims.size(), 0), 1}};
  for (auto [position, extent] : llvm::enumerate(extents)) {
    SmallVector<int64_t, 4> factors(dims.size(), 0);
    for (auto [dim, terms] : llvm::enumerate(dims))
      for (auto [of, factor] : terms)
        if (of == position)
          factors[dim] += factor;
    bool moves = llvm::any_of(factors, [](int64_t factor) { return factor != 0; });
    std::vector<AccessStep> longer;
    longer.reserve(steps.size() * (moves ? extent : 1));
    for (AccessStep &step : steps)
      for (int64_t value = 0; value < (moves ? extent : 1); ++value) {
        AccessStep &next = longer.emplace_back(step);
        next.times *= moves ? 1 : extent;
        for (auto [dim, factor] : llvm::enumerate(factors))
          next.by[dim] += value * factor;
      }
    steps = std::move(longer);
  }
  return steps;
}

/// Adds to the coordinates `at`, which have these factors, those of a point.
static void addPoint(MutableArrayRef<int64_t> at, ArrayRef<Factors> dims, ArrayRef<int64_t> point) {
  for (auto [coordinate, terms] : llvm::zip_equal(at, dims))
    for (auto [of, factor] : terms)
      coordinate += factor * point[of];
}

/// The points that a thread holds, as steps of coordinates with these factors.
static std::vector<AccessStep> stepsOf(ArrayRef<Factors> dims, const tile::Distribution &spread) {
  std::vector<AccessStep> steps = stepsOf(spread, 1);
  for (AccessStep &step : steps) {
    SmallVector<int64_t, 4> by(dims.size(), 0);
    addPoint(by, dims, step.by);
    step.by = std::move(by);
  }
  return steps;
}

namespace {

class Finder {
public:
  Finder(const NestModel &model, const LaunchLayouts &layouts, std::optional<TileAccesses> only)
      : model(model), only(only), builder(model, layouts) {}

  std::vector<AccessSite> find() {
    for (const TileModel &tile : model.tiles)
      tile.source ? visitStage(tile) : visitHold(tile);
    for (const ComputeModel &compute : model.computes)
      if (!compute.byUnit) // No lane asks for what an instruction of a unit reads.
        visitCompute(compute);
    for (const StoreModel &store : model.stores)
      visitStore(store);
    return builder.takeSites();
  }

private:
  using Which = TileAccesses::Which;

  /// Are these accesses of `tile` asked for?
  bool isAsked(const TileModel &tile, Which which) const { return !only || (&model.tiles[only->tile] == &tile && only->which == which); }

  bool isAccessible(const Place &place) const {
    if (only && (place.isOperand || !isAsked(model.tiles[place.root], Which::Others)))
      return false;
    return tile::isOperandLevel(model.levelOf(place)) ||
           (model.levelOf(place) == tile::Level::SMEM && model.tiles[place.root].layout);
  }

  /// Is the sum outside of its extent for some value of the loops and of `extents`?
  bool mayFail(const Presence &guard, ArrayRef<int64_t> extents) const {
    int64_t least = guard.subscript.constant, most = guard.subscript.constant;
    auto extend = [&](int64_t last) { (last < 0 ? least : most) += last; };
    for (const Term &term : guard.subscript.terms)
      extend(term.factor * model.loops[term.loop].step * (model.loops[term.loop].count() - 1));
    for (const CountTerm &term : guard.dims)
      extend(term.factor * (extents[term.variable] - 1));
    return least < 0 || most >= guard.extent;
  }

  void visitCompute(const ComputeModel &compute) {
    bool onlyRegisters = llvm::all_of(compute.outputs, [&](const ComputeOperand &output) {
      return model.levelOf(output.place) == tile::Level::RF;
    });
    auto isVisited = [&](const ComputeOperand &operand) { return isAccessible(operand.place); };
    if (llvm::none_of(compute.inputs, isVisited) && llvm::none_of(compute.outputs, isVisited))
      return;
    SmallVector<Presence> guards = getGuards(model, compute, /*first=*/0);
    llvm::erase_if(guards, [&](const Presence &guard) { return !mayFail(guard, compute.extents); });
    auto visit = [&](const ComputeOperand &operand, bool writes) {
      if (!isAccessible(operand.place))
        return;
      AccessSite &site =
          builder.start(compute.op, operand.place, writes, operand.elementBytes, compute.loops);
      site.conditional = compute.conditional;
      SmallVector<Factors> dims(operand.dims.begin(), operand.dims.end());
      for (const Presence &guard : guards) {
        builder.addStart(site, guard.subscript);
        site.guards.push_back(guard.extent);
        Factors &factors = dims.emplace_back();
        for (const CountTerm &term : guard.dims)
          factors.emplace_back(term.variable, term.factor);
      }
      site.steps = compute.spread ? stepsOf(dims, *compute.spread) : stepsOf(dims, compute.extents);
      std::function<bool(int64_t)> isFirst = builder.getIsFirst(tile::Distribution(), compute.loops);
      addWarps(site, [&](int64_t thread) -> LaneCoordinates {
        if (!builder.isActive(compute.loops, thread) || (!onlyRegisters && !isFirst(thread)))
          return std::nullopt;
        SmallVector<int64_t, 4> at = builder.coordinatesAt(operand.place, thread, nullptr);
        for (const Presence &guard : guards)
          at.push_back(builder.coordinateAt(guard.subscript, thread));
        if (compute.spread)
          addPoint(at, dims, compute.spread->getThreadCoordinates(thread));
        return at;
      });
    };
    for (const ComputeOperand &input : compute.inputs)
      if (input.isRead)
        visit(input, /*writes=*/false);
    for (const ComputeOperand &output : compute.outputs) {
      if (output.isRead)
        visit(output, /*writes=*/false);
      visit(output, /*writes=*/true);
    }
  }

  void visitStore(const StoreModel &store) {
    if (model.levelOf(store.from) != tile::Level::RF || store.from.isOperand ||
        !isAccessible(store.to))
      return;
    std::optional<tile::Distribution> spread = getSpread(model.tiles[store.from.root].op->getResult(0));
    if (!spread)
      return;
    auto start = [&]() -> AccessSite & {
      AccessSite &site = builder.start(store.op, store.to, /*writes=*/true, store.elementBytes, store.loops);
      site.conditional = store.conditional;
      return site;
    };
    auto op = cast<tile::StoreOp>(store.op);
    std::function<bool(int64_t)> isFirst;
    auto coordinates = [&](int64_t thread) -> LaneCoordinates {
      if (!builder.isActive(store.loops, thread) || !isFirst(thread))
        return std::nullopt;
      return builder.coordinatesAt(store.to, thread, &*spread);
    };
    if (!store.to.isOperand) {
      AccessSite &site = start();
      const layout::ComposedLayout &layout = *model.tiles[store.to.root].layout;
      site.width = getStoreWidth(op, *spread, layout, builder.getTilePlace(store.to, layout));
      site.steps = stepsOf(*spread, site.width);
      isFirst = builder.getIsFirst(*spread, store.loops);
      addWarps(site, coordinates);
      if (!only)
        builder.addIndexSite(store.to);
      return;
    }
    CopySource dest = builder.getSource(store.to);
    tile::Distribution held = *spread;
    if (op.getCopy() && builder.takesBoxes(op, store.to, cast<MemRefType>(op.getTile().getType()).getRank() - 1)) {
      addBoxes(op, held, start());
      return;
    }
    spread = getStoredSpread(op, held);
    if (asksOnce(op, held)) {
      std::optional<WideRuns> wide = getWideRuns(op, held, dest);
      if (wide && !builder.isTaken(wide->form, store.to, dest, /*whole=*/true))
        wide.reset();
      isFirst = builder.getIsFirst(*spread, store.loops);
      addRuns(store.to, held, wide, getAskedDims(store.to, cast<MemRefType>(op.getTile().getType()).getShape()), start, coordinates);
      return;
    }
    AccessSite &site = start();
    if (auto wide = getWideStore(op, *spread, dest); wide && !op.getCopy() && builder.isTaken(*wide, store.to, dest))
      site.width = wide->width;
    if (op.getSliceColumns() && !op.getCopy())
      if (FailureOr<SlicedStore> sliced = getSlicedStore(op, held); succeeded(sliced))
        spread = sliced->getDealt(site.width, /*all=*/true);
    site.steps = stepsOf(*spread, site.width);
    isFirst = builder.getIsFirst(*spread, store.loops);
    addWarps(site, coordinates);
    builder.addIndexSite(store.to);
  }

  void visitHold(const TileModel &tile) {
    if (isAsked(tile, Which::Filling) && tile.level == tile::Level::SMEM && tile.layout && !tile.shape.empty() && isInitRead(cast<tile::HoldOp>(tile.op)))
      addFillSite(builder, tile);
  }

  /// A box for each slice of each warp.
  static void addBoxes(tile::StoreOp op, const tile::Distribution &held, AccessSite &site) {
    ScopedDiagnosticHandler quiet(op.getContext(), [](Diagnostic &) { return success(); });
    FailureOr<BulkStore> bulk = getBulkStore(op, held);
    if (failed(bulk)) // The lowering refuses it.
      return;
    site.box = llvm::to_vector<4>(bulk->type.getShape());
    site.steps = {{SmallVector<int64_t, 4>(bulk->type.getRank(), 0), 1}};
    for (unsigned warp = 0; warp < bulk->warps; ++warp)
      for (int64_t slice = 0; slice < bulk->slices(); ++slice) {
        SmallVector<int64_t, 4> first = bulk->origin.getThreadCoordinates(warp * tile::kWarpThreads);
        int64_t rest = slice;
        for (const BulkStore::Walk &walk : llvm::reverse(bulk->walks)) {
          first[walk.dim] += rest % walk.count * walk.step;
          rest /= walk.count;
        }
        site.warps.push_back({warp, {first}});
      }
  }

  void visitStage(const TileModel &tile) {
    if (tile.level == tile::Level::SMEM) {
      bool reads = isAsked(tile, Which::Source), writes = isAsked(tile, Which::Filling);
      if ((reads || writes) && tile.source->isOperand && tile.layout && !tile.shape.empty())
        addCopySites(builder, tile, reads, writes);
      return;
    }
    if (!tile.isCopied() || !isAccessible(*tile.source))
      return;
    std::optional<tile::Distribution> spread = getSpread(tile.op->getResult(0));
    if (!spread)
      return;
    if (tile.source->isOperand) {
      visitLoad(tile, *spread);
      return;
    }
    loadFromShared(tile, *spread, startLoad(tile));
    auto stage = cast<tile::StageOp>(tile.op);
    tile::ForOp ring = getRingAhead(stage);
    if (!ring)
      return;
    // What the first iterations of a run use is loaded once more than there are runs, before the first and after the last.
    AccessSite &once = startLoad(tile);
    llvm::erase_if(once.loops, [&](const auto &loop) { return model.loops[loop.first].op == ring; });
    for (auto &[number, count] : once.loops)
      if (model.loops[number].op == stage->getParentOp())
        count = getStepsAhead(model.loops[number].op);
    loadFromShared(tile, *spread, once);
  }

  void loadFromShared(const TileModel &tile, tile::Distribution spread, AccessSite &site) {
    const layout::ComposedLayout &layout = *model.tiles[tile.source->root].layout;
    RegisterLoad load = getRegisterLoad(cast<tile::StageOp>(tile.op), spread, layout, builder.getTilePlace(*tile.source, layout));
    site.width = load.width;
    int64_t step = load.width, lanes = tile::kWarpThreads;
    if (load.matrices) { // Lanes ask for rows.
      constexpr int64_t kRowsOfMatrix = 8;
      spread = load.matrices->rows;
      site.width = tile::kWidestBytes / site.elementBytes;
      step = load.matrices->step;
      lanes = kRowsOfMatrix * load.matrices->count;
    }
    site.steps = stepsOf(spread, step);
    addWarps(site, [&](int64_t thread) {
      return thread % tile::kWarpThreads < lanes ? coordinatesOfLoad(tile, spread, thread) : LaneCoordinates();
    });
  }

  AccessSite &startLoad(const TileModel &tile) {
    AccessSite &site = builder.start(tile.op, *tile.source, /*writes=*/false, tile.elementBytes, tile.loops);
    site.conditional = tile.conditional;
    site.pad = tile.pad;
    return site;
  }

  LaneCoordinates coordinatesOfLoad(const TileModel &tile, const tile::Distribution &spread, int64_t thread) const {
    if (!builder.isActive(tile.loops, thread))
      return std::nullopt;
    return builder.coordinatesAt(*tile.source, thread, &spread);
  }

  void visitLoad(const TileModel &tile, const tile::Distribution &spread) {
    auto stage = cast<tile::StageOp>(tile.op);
    CopySource source = builder.getSource(*tile.source);
    std::optional<WideRuns> wide = getWideRuns(stage, spread, source);
    bool once = getEdges(stage, spread) != tile::EdgeCheck::Element;
    if (wide && !builder.isTaken(wide->form, *tile.source, source, /*whole=*/once || wide->partial))
      wide.reset();
    addRuns(*tile.source, spread, wide, once ? getAskedDims(*tile.source, tile.shape) : SmallVector<unsigned>(),
            [&]() -> AccessSite & { return startLoad(tile); }, [&](int64_t thread) { return coordinatesOfLoad(tile, spread, thread); });
  }

  /// The dimensions along which some of a tile at `place` may be absent.
  SmallVector<unsigned> getAskedDims(const Place &place, ArrayRef<int64_t> tile) const {
    SmallVector<unsigned> asked;
    SmallVector<int64_t> shape = model.operandShape(place.root);
    for (auto [dim, subscript] : llvm::enumerate(place.at)) {
      Presence first, last;
      first.extent = last.extent = shape[dim];
      first.subscript = last.subscript = subscript;
      last.subscript.constant += tile[dim] - 1;
      if (mayFail(first, {}) || mayFail(last, {}))
        asked.push_back(dim);
    }
    return asked;
  }

  /// The runs of what threads hold, `wide` ones or single elements. Threads that do not have all of their box along the dimensions `asked`, and groups that
  /// may be there in part and are not all there, do other accesses, element by element.
  void addRuns(const Place &place, const tile::Distribution &spread, const std::optional<WideRuns> &wide, SmallVector<unsigned> asked,
               llvm::function_ref<AccessSite &()> start, llvm::function_ref<LaneCoordinates(int64_t)> coordinates) {
    // Groups that ask each for itself.
    int64_t group = wide && wide->partial ? wide->form.width : 0;
    if (group)
      asked = {wide->form.along};
    auto add = [&](Run part, bool beyond) {
      if (part.first >= part.last)
        return;
      AccessSite &site = start();
      site.width = part.stride;
      site.beyond = beyond;
      site.steps = stepsOf(spread, part);
      for (unsigned dim : asked) { // The first element of the box, or the group, and the last.
        Subscript last = place.at[dim];
        last.constant += (group ? group : (*spread.getBox())[dim]) - 1;
        builder.addStart(site, place.at[dim]);
        builder.addStart(site, last);
        site.guards.append(2, model.operandShape(place.root)[dim]);
      }
      for (AccessStep &step : site.steps) {
        int64_t start = group ? step.by[asked.front()] / group * group : 0;
        step.by.append(site.guards.size(), start);
      }
      addWarps(site, [&](int64_t thread) {
        LaneCoordinates at = coordinates(thread);
        for (unsigned dim : asked)
          if (at)
            at->append(2, (*at)[dim]);
        return at;
      });
      builder.addIndexSite(place);
    };
    int64_t run = spread.getLocalElements() > 1 ? spread.getLocalDigits().back().digit.count : 1;
    int64_t head = wide ? wide->head : 0, width = wide ? wide->form.width : 1, after = head + (run - head) / width * width;
    add({head, after, width}, /*beyond=*/false);
    add({0, head, 1}, /*beyond=*/false);
    add({after, run, 1}, /*beyond=*/false);
    if (!asked.empty())
      add({0, run, 1}, /*beyond=*/true);
  }

  void addWarps(AccessSite &site, llvm::function_ref<LaneCoordinates(int64_t)> coordinates) const {
    SiteBuilder::addWarps(site, coordinates, builder.getThreads());
  }

  const NestModel &model;
  std::optional<TileAccesses> only;
  SiteBuilder builder;
};

} // namespace

std::vector<AccessSite> tilec::analysis::findAccessSites(const NestModel &model,
                                                         const LaunchLayouts &layouts,
                                                         std::optional<TileAccesses> only) {
  return Finder(model, layouts, only).find();
}
