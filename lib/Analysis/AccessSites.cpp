//===- AccessSites.cpp - What the lanes of a warp ask for -------*- C++ -*-===//
//
// Follows lib/Conversion in who copies which element and how wide; where the
// kernel asks at launch, the answer is that of dense operands that are aligned.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/AccessSites.h"

#include "tilec/Tile/Distribution.h"

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

SmallVector<int64_t> tilec::analysis::getTileStrides(const TileModel &tile) {
  FailureOr<SmallVector<int64_t>> strides =
      tile::getStaticStrides(cast<MemRefType>(tile.op->getResult(0).getType()));
  if (failed(strides) || llvm::is_contained(*strides, ShapedType::kDynamic))
    return {};
  return *strides;
}

std::vector<std::optional<int64_t>>
tilec::analysis::getAddresses(const AccessSite &site, unsigned warp, ArrayRef<int64_t> strides) {
  std::vector<std::optional<int64_t>> addresses;
  for (const LaneCoordinates &lane : site.warps[warp]) {
    if (!lane) {
      addresses.push_back(std::nullopt);
      continue;
    }
    int64_t element = std::inner_product(lane->begin(), lane->end(), strides.begin(), int64_t(0));
    addresses.push_back(element * site.elementBytes);
  }
  return addresses;
}

namespace {

/// Part of an element's number in a cooperative copy: `count` values of `dim`, `step` apart.
struct CopyDigit {
  unsigned dim;
  int64_t count;
  int64_t step;
};

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
           (model.levelOf(place) == tile::Level::SMEM &&
            !getTileStrides(model.tiles[place.root]).empty());
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
      if (tile.source->isOperand && !getTileStrides(tile).empty() && !tile.shape.empty())
        visitCopy(tile);
      return;
    }
    std::optional<tile::Distribution> spread = spreadOf(tile.op->getResult(0));
    if (!spread || !isAccessible(*tile.source))
      return;
    AccessSite &site = start(tile.op, *tile.source, /*writes=*/false, tile.elementBytes);
    if (site.shared)
      site.width = getLoadWidth(*tile.source, *spread, tile.elementBytes);
    fill(site, [&](int64_t thread) -> LaneCoordinates {
      if (!isActive(tile.loops, thread))
        return std::nullopt;
      return coordinatesAt(*tile.source, thread, &*spread);
    });
  }

  /// The largest number known to divide `subscript`, 0 if it is always 0.
  int64_t getDivisor(const Subscript &subscript) const {
    int64_t divisor = std::abs(subscript.constant);
    for (const Term &term : subscript.terms)
      if (model.loops[term.loop].count() > 1)
        divisor = std::gcd(divisor, std::abs(term.factor * model.loops[term.loop].step));
    return divisor;
  }

  /// Elements that one instruction loads from shared memory into consecutive registers.
  int64_t getLoadWidth(const Place &source, const tile::Distribution &spread,
                       int64_t elementBytes) const {
    SmallVector<int64_t> strides = getTileStrides(model.tiles[source.root]);
    const tile::Digit *last = nullptr;
    unsigned lastDim = 0;
    int64_t divisor = 0;
    for (auto [dim, digits] : llvm::enumerate(spread.dims)) {
      divisor = std::gcd(divisor, getDivisor(source.at[dim]) * strides[dim]);
      for (const tile::Digit &digit : digits)
        if (digit.threadStride == 0) {
          last = &digit;
          lastDim = dim;
        }
    }
    if (!last || last->step * strides[lastDim] != 1)
      return 1;
    for (auto [dim, digits] : llvm::enumerate(spread.dims))
      for (const tile::Digit &digit : digits)
        if (&digit != last)
          divisor = std::gcd(divisor, digit.step * strides[dim]);
    for (int64_t width = 16 / elementBytes; width > 1; width /= 2)
      if (last->count % width == 0 && divisor % width == 0 && width * elementBytes >= 4)
        return width;
    return 1;
  }

  /// A copy of 16 bytes for each thread needs `along` to be contiguous and aligned on both sides.
  bool isWide(const TileModel &tile, unsigned along, int64_t width, ArrayRef<int64_t> from,
              ArrayRef<int64_t> to) const {
    int64_t extent = model.operandShape(tile.source->root)[along];
    bool wide = width > 1 && from[along] == 1 && to[along] == 1 && !tile.pad &&
                tile.shape[along] % width == 0 && extent % width == 0 &&
                getDivisor(tile.source->at[along]) % width == 0;
    for (unsigned dim = 0; dim < tile.shape.size(); ++dim)
      if (dim != along)
        wide &= (tile.shape[dim] == 1 || to[dim] % width == 0) && from[dim] % width == 0;
    return wide;
  }

  void visitCopy(const TileModel &tile) {
    SmallVector<int64_t> from = getOperandStrides(model, tile.source->root);
    SmallVector<int64_t> to = getTileStrides(tile);
    // Consecutive threads read along the dimension that is contiguous in memory.
    unsigned along = tile.shape.size() - 1;
    for (unsigned dim = 0; dim < from.size(); ++dim)
      if (from[dim] == 1)
        along = dim;
    int64_t width = 16 / tile.elementBytes;
    if (tile.depth == 1 || !isWide(tile, along, width, from, to))
      width = 1;
    // Across the tile's own order threads take whole sectors of it.
    int64_t extent = tile.shape[along], sector = 32 / tile.elementBytes;
    bool crosses = width == 1 && to[along] != 1 && extent > sector && extent % sector == 0;
    SmallVector<CopyDigit> digits = {{along, crosses ? sector : extent / width, width}};
    for (int64_t dim = static_cast<int64_t>(tile.shape.size()) - 1; dim >= 0; --dim)
      if (dim != along)
        digits.push_back({static_cast<unsigned>(dim), tile.shape[dim], 1});
    if (crosses)
      digits.push_back({along, extent / sector, sector});

    auto within = [&](int64_t thread) -> LaneCoordinates {
      if (thread >= tile.elements() / width)
        return std::nullopt;
      SmallVector<int64_t, 4> at(tile.shape.size(), 0);
      for (const CopyDigit &digit : digits) {
        at[digit.dim] += thread % digit.count * digit.step;
        thread /= digit.count;
      }
      return at;
    };
    AccessSite &load = start(tile.op, *tile.source, /*writes=*/false, tile.elementBytes);
    load.width = width;
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
    store.width = width;
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
