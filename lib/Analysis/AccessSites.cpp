//===- AccessSites.cpp - What the lanes of a warp ask for -------*- C++ -*-===//
//
// Who copies which element and how wide is CopyPlan's word.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/AccessSites.h"

#include "Guards.h"

#include "tilec/Analysis/BulkPlan.h"
#include "tilec/Analysis/ClusterPlan.h"
#include "tilec/Analysis/CopyDecisions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <numeric>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

static SmallVector<int64_t> getDenseStrides(const NestModel &model, unsigned argument) {
  tile::KernelOp kernel = model.kernel;
  auto type = cast<MemRefType>(kernel.getArgumentTypes()[argument]);
  SmallVector<int64_t> shape = model.operandShape(argument);
  SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
  if (FailureOr<SmallVector<int64_t>> fixed = tile::getStaticStrides(type); succeeded(fixed))
    strides = *fixed;
  int64_t dense = 1;
  // The type may take columns alone; the launcher lays operands out alike.
  bool columns = shape.size() > 1 && strides.front() == 1 && ShapedType::isDynamic(strides.back());
  for (size_t i = 0; i < shape.size(); ++i) {
    size_t dim = columns ? i : shape.size() - 1 - i;
    if (ShapedType::isDynamic(strides[dim]))
      strides[dim] = dense;
    dense = std::max<int64_t>(strides[dim] * std::max<int64_t>(shape[dim], 1), dense);
  }
  return strides;
}

LaunchLayouts tilec::analysis::getDenseLayouts(const NestModel &model) {
  LaunchLayouts layouts;
  tile::KernelOp kernel = model.kernel;
  for (auto [number, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (isa<MemRefType>(type))
      layouts[number] = {getDenseStrides(model, number), 0};
  return layouts;
}

namespace {

class Finder {
public:
  Finder(const NestModel &model, const LaunchLayouts &layouts, std::optional<unsigned> onlyTile)
      : model(model), layouts(layouts), onlyTile(onlyTile), threads(model.threadsPerBlock()),
        strides(model.loops.size(), 0), counts(model.loops.size(), 0) {}

  std::vector<AccessSite> find() {
    // Sites are large: none should be copied when the next is added.
    sites.reserve(2 * model.tiles.size() + 4 * model.computes.size() + model.stores.size() + 8);
    for (const TileModel &tile : model.tiles)
      if (tile.source)
        visitStage(tile);
    for (const ComputeModel &compute : model.computes)
      visitCompute(compute);
    for (const StoreModel &store : model.stores)
      visitStore(store);
    return std::move(sites);
  }

private:
  std::string nameAt(const Place &place) const {
    std::optional<unsigned> operand = model.operandOf(place);
    tile::KernelOp kernel = model.kernel;
    return operand ? nameOf(kernel.getBody().getArgument(*operand)) : "tile";
  }

  /// Of loops on threads; looked up in the nest once each, as every thread asks for them.
  int64_t strideOf(unsigned number) const {
    const LoopModel &loop = model.loops[number];
    if (strides[number] == 0)
      strides[number] = tile::getThreadStride(loop.op, loop.number);
    return strides[number];
  }
  int64_t threadsOf(unsigned number) const {
    if (counts[number] == 0)
      counts[number] = tile::getThreads(model.loops[number].op);
    return counts[number];
  }

  int64_t threadValue(const Term &term, int64_t thread) const {
    const LoopModel &loop = model.loops[term.loop];
    if (!loop.onThreads())
      return 0;
    return thread / strideOf(term.loop) % loop.count() * loop.step * term.factor;
  }

  /// Does `thread` run the loops `around`? Threads beyond those of the outermost loop on threads are
  /// idle; inside of it, what a loop leaves over does the same again.
  bool isActive(ArrayRef<unsigned> around, int64_t thread) const {
    for (unsigned number : around)
      if (const LoopModel &loop = model.loops[number]; loop.onThreads())
        return thread < threadsOf(number);
    return true;
  }

  void addStart(AccessSite &site, const Subscript &subscript) const {
    Subscript &kept = site.at.emplace_back();
    kept.constant = subscript.constant;
    for (const Term &term : subscript.terms)
      if (!model.loops[term.loop].onThreads())
        kept.terms.push_back(term);
  }

  AccessSite &start(Operation *op, const Place &place, bool writes, int64_t elementBytes,
                    ArrayRef<unsigned> around) {
    AccessSite &site = sites.emplace_back();
    site.op = op;
    site.name = nameAt(place);
    site.shared = !place.isOperand;
    site.root = place.root;
    site.writes = writes;
    site.elementBytes = elementBytes;
    for (const Subscript &subscript : place.at)
      addStart(site, subscript);
    for (unsigned number : around)
      if (!model.loops[number].onThreads())
        site.loops.emplace_back(number, model.loops[number].count());
    return site;
  }

  /// Adds one instruction: `coordinates(thread)` of each lane of each warp.
  void addWarps(AccessSite &site, llvm::function_ref<LaneCoordinates(int64_t)> coordinates) {
    addWarps(site, coordinates, threads);
  }
  static void addWarps(AccessSite &site, llvm::function_ref<LaneCoordinates(int64_t)> coordinates,
                       int64_t threads) {
    for (int64_t first = 0; first < threads; first += tile::kWarpThreads) {
      WarpLanes warp{static_cast<unsigned>(first / tile::kWarpThreads), {}};
      warp.lanes.reserve(tile::kWarpThreads);
      for (int64_t lane = 0; lane < tile::kWarpThreads; ++lane)
        warp.lanes.push_back(first + lane < threads ? coordinates(first + lane) : LaneCoordinates());
      if (llvm::any_of(warp.lanes, [](const LaneCoordinates &lane) { return lane.has_value(); }))
        site.warps.push_back(std::move(warp));
    }
  }

  int64_t coordinateAt(const Subscript &subscript, int64_t thread) const {
    int64_t sum = 0;
    for (const Term &term : subscript.terms)
      sum += threadValue(term, thread);
    return sum;
  }

  /// What the lane of `thread` adds to the place where an access starts, with its share of what a
  /// register tile has spread.
  SmallVector<int64_t, 4> coordinatesAt(const Place &place, int64_t thread,
                                        const tile::Distribution *spread) const {
    SmallVector<int64_t, 4> at;
    for (auto [dim, subscript] : llvm::enumerate(place.at)) {
      int64_t sum = coordinateAt(subscript, thread);
      if (spread)
        for (const tile::Digit &digit : spread->dims[dim])
          if (digit.threadStride != 0)
            sum += thread / digit.threadStride % digit.count * digit.step;
      at.push_back(sum);
    }
    return at;
  }

  /// One step for each element that a thread holds, `width` of them at a time along the last digit.
  static std::vector<AccessStep> stepsOf(const tile::Distribution &spread, int64_t width) {
    SmallVector<std::pair<unsigned, tile::Digit>> local;
    for (auto [dim, digits] : llvm::enumerate(spread.dims))
      for (const tile::Digit &digit : digits)
        if (digit.threadStride == 0)
          local.emplace_back(dim, digit);
    std::vector<AccessStep> steps = {{SmallVector<int64_t, 4>(spread.dims.size(), 0), 1}};
    for (auto [i, entry] : llvm::enumerate(local)) {
      auto [dim, digit] = entry;
      int64_t stride = i + 1 == local.size() ? width : 1;
      std::vector<AccessStep> longer;
      longer.reserve(steps.size() * llvm::divideCeil(digit.count, stride));
      for (const AccessStep &step : steps)
        for (int64_t value = 0; value < digit.count; value += stride) {
          longer.push_back(step);
          longer.back().by[dim] += value * digit.step;
        }
      steps = std::move(longer);
    }
    return steps;
  }

  bool isAccessible(const Place &place) const {
    if (onlyTile && (place.isOperand || place.root != *onlyTile))
      return false;
    return model.levelOf(place) == tile::Level::DRAM ||
           (model.levelOf(place) == tile::Level::SMEM && model.tiles[place.root].layout);
  }

  /// Of threads that do the same in memory the first does it: is a thread one, where `spread` and
  /// the loops around say who holds what?
  std::function<bool(int64_t)> getIsFirst(const tile::Distribution &spread, ArrayRef<unsigned> around) const {
    SmallVector<ThreadDigit> covered;
    for (ArrayRef<tile::Digit> digits : spread.dims)
      for (const tile::Digit &digit : digits)
        if (digit.threadStride != 0)
          covered.push_back({digit.threadStride, digit.count});
    for (unsigned number : around)
      if (const LoopModel &loop = model.loops[number]; loop.onThreads())
        covered.push_back({strideOf(number), loop.count()});
    return [free = getFreeDigits(covered, threads)](int64_t thread) {
      return llvm::all_of(free, [&](const ThreadDigit &digit) { return thread / digit.stride % digit.count == 0; });
    };
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

  void visitCompute(const ComputeModel &compute) {
    bool onlyRegisters = llvm::all_of(compute.outputs, [&](const ComputeOperand &output) {
      return model.levelOf(output.place) == tile::Level::RF;
    });
    SmallVector<Presence> guards = getGuards(model, compute, /*first=*/0);
    llvm::erase_if(guards, [&](const Presence &guard) { return !mayFail(guard, compute.extents); });
    auto visit = [&](const ComputeOperand &operand, bool writes) {
      if (!isAccessible(operand.place))
        return;
      AccessSite &site =
          start(compute.op, operand.place, writes, operand.elementBytes, compute.loops);
      site.conditional = compute.conditional;
      SmallVector<Factors> dims(operand.dims.begin(), operand.dims.end());
      for (const Presence &guard : guards) {
        addStart(site, guard.subscript);
        site.guards.push_back(guard.extent);
        Factors &factors = dims.emplace_back();
        for (const CountTerm &term : guard.dims)
          factors.emplace_back(term.variable, term.factor);
      }
      site.steps = stepsOf(dims, compute.extents);
      std::function<bool(int64_t)> isFirst = getIsFirst(tile::Distribution(), compute.loops);
      addWarps(site, [&](int64_t thread) -> LaneCoordinates {
        if (!isActive(compute.loops, thread) || (!onlyRegisters && !isFirst(thread)))
          return std::nullopt;
        SmallVector<int64_t, 4> at = coordinatesAt(operand.place, thread, nullptr);
        for (const Presence &guard : guards)
          at.push_back(coordinateAt(guard.subscript, thread));
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
    AccessSite &site = start(store.op, store.to, /*writes=*/true, store.elementBytes, store.loops);
    site.conditional = store.conditional;
    CopySource dest = getSource(store.to);
    if (auto wide = getWideStore(cast<tile::StoreOp>(store.op), *spread, dest); wide && isTaken(*wide, store.to, dest))
      site.width = wide->width;
    site.steps = stepsOf(*spread, site.width);
    std::function<bool(int64_t)> isFirst = getIsFirst(*spread, store.loops);
    addWarps(site, [&](int64_t thread) -> LaneCoordinates {
      if (!isActive(store.loops, thread) || !isFirst(thread))
        return std::nullopt;
      return coordinatesAt(store.to, thread, &*spread);
    });
  }

  void visitStage(const TileModel &tile) {
    if (tile.level == tile::Level::SMEM) {
      bool asked = !onlyTile || *onlyTile == static_cast<unsigned>(&tile - model.tiles.data());
      if (asked && tile.source->isOperand && tile.layout && !tile.shape.empty())
        visitCopy(tile);
      return;
    }
    if (!tile.isCopied() || !isAccessible(*tile.source))
      return;
    std::optional<tile::Distribution> spread = getSpread(tile.op->getResult(0));
    if (!spread)
      return;
    AccessSite &site =
        start(tile.op, *tile.source, /*writes=*/false, tile.elementBytes, tile.loops);
    site.conditional = tile.conditional;
    site.pad = tile.pad;
    if (site.shared)
      site.width = getLoadWidth(cast<tile::StageOp>(tile.op), *spread, *model.tiles[tile.source->root].layout,
                                getDivisors(*tile.source));
    site.steps = stepsOf(*spread, site.width);
    addWarps(site, [&](int64_t thread) -> LaneCoordinates {
      if (!isActive(tile.loops, thread))
        return std::nullopt;
      return coordinatesAt(*tile.source, thread, &*spread);
    });
  }

  /// For each dimension a number that the lowering knows to divide the coordinate, 0 if it is
  /// always 0.
  SmallVector<int64_t> getDivisors(const Place &place) const {
    return llvm::map_to_vector(place.at, [&](const Subscript &subscript) {
      int64_t divisor = std::abs(subscript.constant);
      for (const Term &term : subscript.terms) {
        const LoopModel &loop = model.loops[term.loop];
        if (tile::ForOp op = loop.op; op.getStaticCount(loop.number) != 1)
          divisor = std::gcd(divisor, std::abs(term.factor * loop.step));
      }
      return divisor;
    });
  }

  CopySource getSource(const Place &place) const {
    tile::KernelOp kernel = model.kernel;
    CopySource source;
    source.strides =
        *tile::getStaticStrides(cast<MemRefType>(kernel.getArgumentTypes()[place.root]));
    source.divisors = getDivisors(place);
    for (unsigned dim = 0; dim < source.strides.size(); ++dim)
      source.extents.push_back(getConstantIntValue(kernel.getOperandExtent(place.root, dim))
                                   .value_or(ShapedType::kDynamic));
    return source;
  }

  /// Does the launch take this form of moving elements of the operand at `place`?
  bool isTaken(CopyForm form, const Place &place, const CopySource &source) const {
    const OperandLayout &layout = layouts.at(place.root);
    return admits(form, source, layout.strides, model.operandShape(place.root),
                  layout.offset % form.width == 0);
  }

  CopyForm chooseForm(ArrayRef<CopyForm> forms, const TileModel &tile, const CopySource &source) const {
    return *llvm::find_if(forms, [&](const CopyForm &form) {
      return &form == &forms.back() || isTaken(form, *tile.source, source);
    });
  }

  /// Iterations before the first one only copy; some copy for iterations that do not exist.
  void addIterationsAhead(AccessSite &site, const TileModel &tile) const {
    tile::ForOp loop = getPipeline(cast<tile::StageOp>(tile.op));
    if (!loop || loop.getProducers() || loop.getCutTail() ||
        !endsWithLoop(loop, cast<tile::StageOp>(tile.op)))
      return;
    for (auto &[number, count] : site.loops)
      if (model.loops[number].op == loop)
        count += tile.depth - 1;
  }

  /// Do all boxes of the loop's tiles come by TMA in this launch? They go one way.
  bool takesBoxes(tile::ForOp loop) const {
    for (const TileModel &tile : model.tiles) {
      auto stage = dyn_cast<tile::StageOp>(tile.op);
      if (!stage || stage.getCopy() != tile::Copy::Tma || stage->getParentOp() != loop)
        continue;
      const OperandLayout &layout = layouts.at(tile.source->root);
      auto isWhole = [&](int64_t elements) { return elements * tile.elementBytes % kBulkBytes == 0; };
      if (!isWhole(layout.offset) || llvm::is_contained(model.operandShape(tile.source->root), 0))
        return false;
      std::optional<SmallVector<int64_t>> strides = getStrides(*tile.layout);
      if (!strides || tile.shape.empty()) // No box; the lowering refuses it.
        return false;
      for (unsigned dim : ArrayRef<unsigned>(orderBoxDims(*strides, tile.shape)).drop_front())
        if (!isWhole(layout.strides[dim]))
          return false;
    }
    return true;
  }

  /// Boxes are copied once for all blocks of a cluster that want the tile: a slice by each of them.
  void addBoxes(AccessSite &site, const TileModel &tile) const {
    site.bulk = true;
    BlockGroup sharers = getSharers(getClusteredLoop(model.kernel), cast<tile::StageOp>(tile.op));
    SmallVector<int64_t> strides = *getStrides(*tile.layout); // takesBoxes has seen to it that there are.
    SmallVector<unsigned> dims = orderBoxDims(strides, tile.shape);
    unsigned sliced = dims[getSliced(llvm::map_to_vector(dims, [&](unsigned dim) { return tile.shape[dim]; }))];
    int64_t slices = getSlices(cast<tile::StageOp>(tile.op), sharers.size(), tile.shape[sliced], tile.elements() * tile.elementBytes);
    site.warps.resize(slices);
    for (auto &warp : site.warps)
      warp.lanes.reserve(tile.elements() / slices);
    SmallVector<int64_t, 4> at(tile.shape.size(), 0);
    for (int64_t element = 0; element < tile.elements(); ++element) {
      site.warps[at[sliced] * slices / tile.shape[sliced]].lanes.emplace_back(at);
      for (size_t dim = tile.shape.size(); dim-- > 0;) {
        if (++at[dim] < tile.shape[dim])
          break;
        at[dim] = 0;
      }
    }
    // The source is read by one block of those that share.
    for (auto &[number, count] : site.loops) {
      tile::ForOp op = model.loops[number].op;
      mlir::Value iv = op.getInductionVar(model.loops[number].number);
      if (!site.shared && llvm::any_of(sharers.own, [&](const RankDigit &digit) { return digit.iv == iv; }))
        count = 1;
    }
  }

  void addRounds(AccessSite &site, const TileModel &tile, CopyForm form,
                 ArrayRef<CopyDigit> digits) {
    tile::ForOp loop = getPipeline(cast<tile::StageOp>(tile.op));
    int64_t groups = tile.elements() / form.width;
    int64_t copying = loop && loop.getProducers() ? *loop.getProducers() * tile::kWarpThreads : threads;
    site.width = form.width;
    addIterationsAhead(site, tile);
    auto placeOf = [&](int64_t number) {
      SmallVector<int64_t, 4> at(tile.shape.size(), 0);
      for (const CopyDigit &digit : digits) {
        at[digit.dim] += number % digit.count * digit.step;
        number /= digit.count;
      }
      return at;
    };
    auto addRound = [&](int64_t first) {
      addWarps(
          site,
          [&](int64_t thread) -> LaneCoordinates {
            return first + thread < groups ? LaneCoordinates(placeOf(first + thread)) : std::nullopt;
          },
          copying);
    };
    if (isEven(digits, copying)) {
      addRound(0);
      site.steps.clear();
      for (int64_t first = 0; first < groups; first += copying)
        site.steps.push_back({placeOf(first), 1});
      return;
    }
    for (int64_t first = 0; first < groups; first += copying)
      addRound(first);
  }

  void visitCopy(const TileModel &tile) {
    auto stage = cast<tile::StageOp>(tile.op);
    tile::ForOp loop = getPipeline(stage);
    bool bulk = stage.getCopy() == tile::Copy::Tma && takesBoxes(loop);
    CopyTile target = {tile.shape, *tile.layout, tile.elementBytes, loop != nullptr,
                       tile.pad.has_value()};
    CopySource source = getSource(*tile.source);
    SmallVector<CopyForm> forms = getForms(stage, target, source);
    CopyForm form = chooseForm(forms, tile, source);
    SmallVector<CopyDigit> digits = getCopyDigits(target, form);
    std::optional<int64_t> widest;
    if (stage.getCopy() == tile::Copy::Tma && !bulk)
      widest = 0;
    else if (!bulk && forms.front().width > form.width)
      widest = forms.front().width * tile.elementBytes;
    auto add = [&](const Place &place, bool writes) {
      AccessSite &site = start(tile.op, place, writes, tile.elementBytes, tile.loops);
      site.conditional = tile.conditional;
      site.pad = tile.pad;
      site.copy = true;
      site.widestBytes = widest;
      site.steps = {{SmallVector<int64_t, 4>(tile.shape.size(), 0), 1}};
      if (bulk)
        addBoxes(site, tile);
      else
        addRounds(site, tile, form, digits);
    };
    add(*tile.source, /*writes=*/false);
    Place place;
    place.root = &tile - model.tiles.data();
    place.at.resize(tile.shape.size());
    add(place, /*writes=*/true);
  }

  const NestModel &model;
  const LaunchLayouts &layouts;
  std::optional<unsigned> onlyTile;
  int64_t threads;
  /// Of each loop; 0 where nobody has asked yet.
  mutable SmallVector<int64_t> strides, counts;
  std::vector<AccessSite> sites;
};

} // namespace

std::vector<AccessSite> tilec::analysis::findAccessSites(const NestModel &model,
                                                         const LaunchLayouts &layouts,
                                                         std::optional<unsigned> onlyTile) {
  return Finder(model, layouts, onlyTile).find();
}
