//===- AccessSites.cpp - What the lanes of a warp ask for -------*- C++ -*-===//
//
// Who copies which element and how wide is CopyPlan's word.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/AccessSites.h"

#include "tilec/Analysis/CopyPlan.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Diagnostics.h"

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
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 1; dim >= 0; --dim) {
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
      : model(model), layouts(layouts), onlyTile(onlyTile), threads(model.threadsPerBlock()) {
    for (const LoopModel &loop : model.loops) {
      tile::ForOp op = loop.op;
      unmodelled |= op.getPersistent() || op.getCutTail() || op.getProducers();
    }
  }

  std::vector<AccessSite> find() {
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

  int64_t threadValue(const Term &term, int64_t thread) const {
    const LoopModel &loop = model.loops[term.loop];
    if (!loop.onThreads())
      return 0;
    return thread / tile::getThreadStride(loop.op, loop.number) % loop.count() * loop.step *
           term.factor;
  }

  /// Does `thread` run the loops `around`? Lanes beyond the threads of the outermost loop on
  /// thread are idle, in each warp where loops on warp number the warps.
  bool isActive(ArrayRef<unsigned> around, int64_t thread) const {
    bool inWarps = false;
    for (unsigned number : around) {
      const LoopModel &loop = model.loops[number];
      if (loop.unit == tile::Unit::Warp && !inWarps) {
        inWarps = true;
        if (thread >= tile::getThreads(loop.op))
          return false;
      }
      if (loop.unit != tile::Unit::Thread)
        continue;
      int64_t count = tile::getThreads(loop.op);
      int64_t whole = llvm::alignTo(count, tile::kWarpThreads);
      return (inWarps ? thread % whole : thread) < count;
    }
    return true;
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
    site.unmodelled = unmodelled;
    for (const Subscript &subscript : place.at) {
      Subscript &kept = site.at.emplace_back();
      kept.constant = subscript.constant;
      for (const Term &term : subscript.terms)
        if (!model.loops[term.loop].onThreads())
          kept.terms.push_back(term);
    }
    for (unsigned number : around)
      if (!model.loops[number].onThreads())
        site.loops.emplace_back(number, model.loops[number].count());
    return site;
  }

  /// Adds one instruction: `coordinates(thread)` of each lane of each warp.
  void addWarps(AccessSite &site, llvm::function_ref<LaneCoordinates(int64_t)> coordinates) {
    for (int64_t first = 0; first < threads; first += tile::kWarpThreads) {
      WarpLanes warp{static_cast<unsigned>(first / tile::kWarpThreads), {}};
      for (int64_t lane = 0; lane < tile::kWarpThreads; ++lane)
        warp.lanes.push_back(first + lane < threads ? coordinates(first + lane) : LaneCoordinates());
      if (llvm::any_of(warp.lanes, [](const LaneCoordinates &lane) { return lane.has_value(); }))
        site.warps.push_back(std::move(warp));
    }
  }

  /// What the lane of `thread` adds to the place where an access starts, with its share of what a
  /// register tile has spread.
  SmallVector<int64_t, 4> coordinatesAt(const Place &place, int64_t thread,
                                        const tile::Distribution *spread) const {
    SmallVector<int64_t, 4> at;
    for (auto [dim, subscript] : llvm::enumerate(place.at)) {
      int64_t sum = 0;
      for (const Term &term : subscript.terms)
        sum += threadValue(term, thread);
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
      for (const AccessStep &step : steps)
        for (int64_t value = 0; value < digit.count; value += stride) {
          longer.push_back(step);
          longer.back().by[dim] += value * digit.step;
        }
      steps = std::move(longer);
    }
    return steps;
  }

  static std::optional<tile::Distribution> spreadOf(Value registers) {
    // What the lowering refuses it reports itself.
    ScopedDiagnosticHandler quiet(registers.getContext(), [](Diagnostic &) { return success(); });
    FailureOr<tile::Distribution> spread = tile::getDistribution(registers);
    if (failed(spread))
      return std::nullopt;
    return *spread;
  }

  bool isAccessible(const Place &place) const {
    if (onlyTile && (place.isOperand || place.root != *onlyTile))
      return false;
    return model.levelOf(place) == tile::Level::DRAM ||
           (model.levelOf(place) == tile::Level::SMEM && model.tiles[place.root].layout);
  }

  /// Of threads that do the same in memory the first does it: is `thread` one, where `spread` and
  /// the loops around say who holds what?
  bool isFirst(int64_t thread, const tile::Distribution &spread, ArrayRef<unsigned> around) const {
    SmallVector<std::pair<int64_t, int64_t>> named; // Stride and count of digits that matter.
    for (ArrayRef<tile::Digit> digits : spread.dims)
      for (const tile::Digit &digit : digits)
        if (digit.threadStride != 0)
          named.emplace_back(digit.threadStride, digit.count);
    for (unsigned number : around)
      if (const LoopModel &loop = model.loops[number]; loop.onThreads())
        named.emplace_back(tile::getThreadStride(loop.op, loop.number), loop.count());
    llvm::sort(named);
    int64_t below = 1;
    for (auto [stride, count] : named) {
      if (stride > below && thread / below % (stride / below) != 0)
        return false;
      below = stride * count;
    }
    return thread / below == 0;
  }

  /// Does the place leave the operand for some value of the loops and of `extents`?
  bool mayLeave(const ComputeOperand &operand, ArrayRef<int64_t> extents) const {
    std::optional<unsigned> argument = model.operandOf(operand.place);
    if (!argument)
      return false;
    SmallVector<int64_t> shape = model.operandShape(*argument);
    for (auto [dim, subscript] : llvm::enumerate(model.tracedSubscripts(operand.place))) {
      int64_t least = subscript.constant, most = subscript.constant;
      auto extend = [&](int64_t last) { (last < 0 ? least : most) += last; };
      for (const Term &term : subscript.terms)
        extend(term.factor * model.loops[term.loop].step * (model.loops[term.loop].count() - 1));
      for (auto [position, factor] : operand.dims[dim])
        extend(factor * (extents[position] - 1));
      if (least < 0 || most >= shape[dim])
        return true;
    }
    return false;
  }

  /// The points of the iteration space, as steps of an operand.
  static std::vector<AccessStep> stepsOf(const ComputeOperand &operand, ArrayRef<int64_t> extents) {
    std::vector<AccessStep> steps = {{SmallVector<int64_t, 4>(operand.dims.size(), 0), 1}};
    for (auto [position, extent] : llvm::enumerate(extents)) {
      SmallVector<int64_t, 4> factors(operand.dims.size(), 0);
      for (auto [dim, terms] : llvm::enumerate(operand.dims))
        for (auto [of, factor] : terms)
          if (of == position)
            factors[dim] += factor;
      bool moves = llvm::any_of(factors, [](int64_t factor) { return factor != 0; });
      std::vector<AccessStep> longer;
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
    // Points that an operand does not have are left out where they could change something.
    auto leaves = [&](const ComputeOperand &operand) { return mayLeave(operand, compute.extents); };
    bool guarded = llvm::any_of(compute.inputs, leaves) || llvm::any_of(compute.outputs, leaves);
    auto visit = [&](const ComputeOperand &operand, bool writes) {
      if (!isAccessible(operand.place))
        return;
      AccessSite &site =
          start(compute.op, operand.place, writes, operand.elementBytes, compute.loops);
      site.conditional = compute.conditional || guarded;
      site.steps = stepsOf(operand, compute.extents);
      addWarps(site, [&](int64_t thread) -> LaneCoordinates {
        if (!isActive(compute.loops, thread) ||
            (!onlyRegisters && !isFirst(thread, tile::Distribution(), compute.loops)))
          return std::nullopt;
        return coordinatesAt(operand.place, thread, nullptr);
      });
    };
    auto op = cast<linalg::LinalgOp>(compute.op);
    SmallVector<OpOperand *> inputs;
    for (OpOperand *input : op.getDpsInputOperands())
      if (isa<MemRefType>(input->get().getType()))
        inputs.push_back(input);
    for (auto [operand, input] : llvm::zip_equal(inputs, compute.inputs))
      if (!op.getMatchingBlockArgument(operand).use_empty())
        visit(input, /*writes=*/false);
    for (auto [init, output] : llvm::zip(op.getDpsInitsMutable(), compute.outputs)) {
      if (!op.getMatchingBlockArgument(&init).use_empty())
        visit(output, /*writes=*/false);
      visit(output, /*writes=*/true);
    }
  }

  void visitStore(const StoreModel &store) {
    if (model.levelOf(store.from) != tile::Level::RF || store.from.isOperand ||
        !isAccessible(store.to))
      return;
    std::optional<tile::Distribution> spread =
        spreadOf(model.tiles[store.from.root].op->getResult(0));
    if (!spread)
      return;
    AccessSite &site = start(store.op, store.to, /*writes=*/true, store.elementBytes, store.loops);
    site.conditional = store.conditional;
    if (!store.combines) {
      CopySource dest = getSource(store.to);
      if (auto wide = getWideStore(*spread, store.elementBytes, dest);
          wide && isTaken(*wide, store.to, dest))
        site.width = wide->width;
    }
    site.steps = stepsOf(*spread, site.width);
    addWarps(site, [&](int64_t thread) -> LaneCoordinates {
      if (!isActive(store.loops, thread) || !isFirst(thread, *spread, store.loops))
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
    if (!isAccessible(*tile.source))
      return;
    std::optional<tile::Distribution> spread = spreadOf(tile.op->getResult(0));
    if (!spread)
      return;
    AccessSite &site =
        start(tile.op, *tile.source, /*writes=*/false, tile.elementBytes, tile.loops);
    site.conditional = tile.conditional;
    site.pad = tile.pad;
    if (site.shared)
      site.width = getLoadWidth(*spread, *model.tiles[tile.source->root].layout, tile.elementBytes,
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

  CopyForm getCopyForm(const TileModel &tile, const CopyTile &target) const {
    CopySource source = getSource(*tile.source);
    SmallVector<CopyForm> forms = getCopyForms(target, source);
    return *llvm::find_if(forms, [&](const CopyForm &form) {
      return &form == &forms.back() || isTaken(form, *tile.source, source);
    });
  }

  void visitCopy(const TileModel &tile) {
    CopyTile target = {tile.shape, *tile.layout, tile.elementBytes, tile.depth > 1,
                       tile.pad.has_value()};
    CopyForm form = getCopyForm(tile, target);
    SmallVector<CopyDigit> digits = getCopyDigits(target, form);
    int64_t groups = tile.elements() / form.width;
    auto addRounds = [&](AccessSite &site) {
      site.width = form.width;
      site.conditional = tile.conditional;
      site.cooperative = true;
      site.pad = tile.pad;
      site.steps = {{SmallVector<int64_t, 4>(tile.shape.size(), 0), 1}};
      if (tile.depth > 1) // Iterations before the first one only copy; those they copy for exist.
        for (auto &[number, count] : llvm::reverse(site.loops))
          if (model.loops[number].unit == tile::Unit::Time) {
            count += tile.depth - 1;
            break;
          }
      for (int64_t round = 0; round * threads < groups; ++round)
        addWarps(site, [&](int64_t thread) -> LaneCoordinates {
          int64_t number = round * threads + thread;
          if (number >= groups)
            return std::nullopt;
          SmallVector<int64_t, 4> at(tile.shape.size(), 0);
          for (const CopyDigit &digit : digits) {
            at[digit.dim] += number % digit.count * digit.step;
            number /= digit.count;
          }
          return at;
        });
    };
    addRounds(start(tile.op, *tile.source, /*writes=*/false, tile.elementBytes, tile.loops));
    Place place;
    place.root = &tile - model.tiles.data();
    place.at.resize(tile.shape.size());
    addRounds(start(tile.op, place, /*writes=*/true, tile.elementBytes, tile.loops));
  }

  const NestModel &model;
  const LaunchLayouts &layouts;
  std::optional<unsigned> onlyTile;
  int64_t threads;
  bool unmodelled = false;
  std::vector<AccessSite> sites;
};

} // namespace

std::vector<AccessSite> tilec::analysis::findAccessSites(const NestModel &model,
                                                         const LaunchLayouts &layouts,
                                                         std::optional<unsigned> onlyTile) {
  return Finder(model, layouts, onlyTile).find();
}
