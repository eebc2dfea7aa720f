//===- AccessSites.cpp - What the lanes of a warp ask for -------*- C++ -*-===//
//
// Who copies which element and how wide is CopyPlan's word; where the kernel
// asks at launch, the answer is that of dense operands that are aligned.
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

SmallVector<int64_t> tilec::analysis::getOperandStrides(const NestModel &model, unsigned argument) {
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

template <typename Fn>
static std::vector<std::optional<int64_t>> mapLanes(const AccessSite &site, unsigned warp,
                                                    Fn elementOf) {
  std::vector<std::optional<int64_t>> addresses;
  for (const LaneCoordinates &lane : site.warps[warp])
    addresses.push_back(lane ? std::optional(elementOf(*lane) * site.elementBytes) : std::nullopt);
  return addresses;
}

std::vector<std::optional<int64_t>>
tilec::analysis::getAddresses(const AccessSite &site, unsigned warp, ArrayRef<int64_t> strides) {
  return mapLanes(site, warp, [&](ArrayRef<int64_t> at) {
    return std::inner_product(at.begin(), at.end(), strides.begin(), int64_t(0));
  });
}

std::vector<std::optional<int64_t>>
tilec::analysis::getAddresses(const AccessSite &site, unsigned warp,
                              const layout::ComposedLayout &layout) {
  return mapLanes(site, warp,
                  [&](ArrayRef<int64_t> at) { return layout.at(at.data(), at.size()); });
}

namespace {

class Finder {
public:
  explicit Finder(const NestModel &model) : model(model), threads(model.threadsPerBlock()) {}

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

  AccessSite &start(Operation *op, const Place &place, bool writes, int64_t elementBytes) {
    AccessSite &site = sites.emplace_back();
    site.op = op;
    site.name = nameAt(place);
    site.shared = !place.isOperand;
    site.root = place.root;
    site.writes = writes;
    site.elementBytes = elementBytes;
    return site;
  }

  /// Calls `coordinates(thread)` for each lane of each warp.
  void fill(AccessSite &site, llvm::function_ref<LaneCoordinates(int64_t)> coordinates) {
    for (int64_t first = 0; first < threads; first += tile::kWarpThreads) {
      auto &lanes = site.warps.emplace_back();
      for (int64_t lane = 0; lane < tile::kWarpThreads; ++lane)
        lanes.push_back(first + lane < threads ? coordinates(first + lane) : LaneCoordinates());
    }
  }

  /// Where `thread` finds the first element of `place`, of what a register tile has spread.
  SmallVector<int64_t, 4> coordinatesAt(const Place &place, int64_t thread,
                                        const tile::Distribution *spread) const {
    SmallVector<int64_t, 4> at;
    for (auto [dim, subscript] : llvm::enumerate(place.at)) {
      int64_t sum = subscript.constant;
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

  static std::optional<tile::Distribution> spreadOf(Value registers) {
    // What the lowering refuses it reports itself.
    ScopedDiagnosticHandler quiet(registers.getContext(), [](Diagnostic &) { return success(); });
    FailureOr<tile::Distribution> spread = tile::getDistribution(registers);
    if (failed(spread))
      return std::nullopt;
    return *spread;
  }

  bool isAccessible(const Place &place) const {
    return model.levelOf(place) == tile::Level::DRAM ||
           (model.levelOf(place) == tile::Level::SMEM && model.tiles[place.root].layout);
  }

  void visitCompute(const ComputeModel &compute) {
    auto visit = [&](const ComputeOperand &operand, bool writes) {
      if (!isAccessible(operand.place))
        return;
      AccessSite &site = start(compute.op, operand.place, writes, operand.elementBytes);
      fill(site, [&](int64_t thread) -> LaneCoordinates {
        if (!isActive(compute.loops, thread))
          return std::nullopt;
        return coordinatesAt(operand.place, thread, nullptr);
      });
    };
    for (const ComputeOperand &input : compute.inputs)
      visit(input, /*writes=*/false);
    auto op = cast<linalg::LinalgOp>(compute.op);
    for (auto [init, output] : llvm::zip(op.getDpsInitsMutable(), compute.outputs)) {
      if (!op.getMatchingBlockArgument(&init).use_empty())
        visit(output, /*writes=*/false);
      visit(output, /*writes=*/true);
    }
  }

  void visitStore(const StoreModel &store) {
    if (model.levelOf(store.from) != tile::Level::RF || store.from.isOperand)
      return;
    std::optional<tile::Distribution> spread =
        spreadOf(model.tiles[store.from.root].op->getResult(0));
    if (!spread || !isAccessible(store.to))
      return;
    SmallVector<std::pair<int64_t, int64_t>> named; // Stride and count of digits that matter.
    for (ArrayRef<tile::Digit> digits : spread->dims)
      for (const tile::Digit &digit : digits)
        if (digit.threadStride != 0)
          named.emplace_back(digit.threadStride, digit.count);
    for (unsigned number : store.loops)
      if (const LoopModel &loop = model.loops[number]; loop.onThreads())
        named.emplace_back(tile::getThreadStride(loop.op, loop.number), loop.count());
    llvm::sort(named);
    // Of threads that hold the same element the first stores it.
    auto storesAt = [&](int64_t thread) {
      int64_t below = 1;
      for (auto [stride, count] : named) {
        if (stride > below && thread / below % (stride / below) != 0)
          return false;
        below = stride * count;
      }
      return thread / below == 0;
    };
    AccessSite &site = start(store.op, store.to, /*writes=*/true, store.elementBytes);
    fill(site, [&](int64_t thread) -> LaneCoordinates {
      if (!isActive(store.loops, thread) || !storesAt(thread))
        return std::nullopt;
      return coordinatesAt(store.to, thread, &*spread);
    });
  }

  void visitStage(const TileModel &tile) {
    if (tile.level == tile::Level::SMEM) {
      if (tile.source->isOperand && tile.layout && !tile.shape.empty())
        visitCopy(tile);
      return;
    }
    std::optional<tile::Distribution> spread = spreadOf(tile.op->getResult(0));
    if (!spread || !isAccessible(*tile.source))
      return;
    AccessSite &site = start(tile.op, *tile.source, /*writes=*/false, tile.elementBytes);
    if (site.shared)
      site.width = getLoadWidth(*spread, *model.tiles[tile.source->root].layout, tile.elementBytes,
                                getDivisors(*tile.source));
    fill(site, [&](int64_t thread) -> LaneCoordinates {
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

  /// The form of a copy that a launch with the model's extents takes.
  CopyForm getCopyForm(const TileModel &tile, const CopyTile &target) const {
    unsigned operand = tile.source->root;
    tile::KernelOp kernel = model.kernel;
    CopySource source;
    source.strides = *tile::getStaticStrides(cast<MemRefType>(kernel.getArgumentTypes()[operand]));
    source.divisors = getDivisors(*tile.source);
    for (unsigned dim = 0; dim < source.strides.size(); ++dim)
      source.extents.push_back(
          getConstantIntValue(kernel.getOperandExtent(operand, dim)).value_or(ShapedType::kDynamic));
    SmallVector<CopyForm> forms = getCopyForms(target, source);
    SmallVector<int64_t> strides = getOperandStrides(model, operand);
    SmallVector<int64_t> extents = model.operandShape(operand);
    return *llvm::find_if(forms, [&](const CopyForm &form) {
      return &form == &forms.back() || admits(form, source, strides, extents, /*aligned=*/true);
    });
  }

  void visitCopy(const TileModel &tile) {
    CopyTile target = {tile.shape, *tile.layout, tile.elementBytes, tile.depth > 1,
                       tile.pad.has_value()};
    CopyForm form = getCopyForm(tile, target);
    SmallVector<CopyDigit> digits = getCopyDigits(target, form);
    auto within = [&](int64_t thread) -> LaneCoordinates {
      if (thread >= tile.elements() / form.width)
        return std::nullopt;
      SmallVector<int64_t, 4> at(tile.shape.size(), 0);
      for (const CopyDigit &digit : digits) {
        at[digit.dim] += thread % digit.count * digit.step;
        thread /= digit.count;
      }
      return at;
    };
    AccessSite &load = start(tile.op, *tile.source, /*writes=*/false, tile.elementBytes);
    load.width = form.width;
    fill(load, [&](int64_t thread) -> LaneCoordinates {
      LaneCoordinates at = within(thread);
      if (at)
        for (auto [coordinate, subscript] : llvm::zip_equal(*at, tile.source->at))
          coordinate += subscript.constant;
      return at;
    });
    Place place;
    place.root = &tile - model.tiles.data();
    AccessSite &store = start(tile.op, place, /*writes=*/true, tile.elementBytes);
    store.width = form.width;
    fill(store, within);
  }

  const NestModel &model;
  int64_t threads;
  std::vector<AccessSite> sites;
};

} // namespace

std::vector<AccessSite> tilec::analysis::findAccessSites(const NestModel &model) {
  return Finder(model).find();
}
