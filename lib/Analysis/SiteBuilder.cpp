//===- SiteBuilder.cpp - Sites and the lanes that access at them -*- C++ -*-===//
//
// See SiteBuilder.h.
//
//===----------------------------------------------------------------------===//

#include "SiteBuilder.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilec/Analysis/BulkPlan.h"
#include "tilec/Tile/Access.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

SiteBuilder::SiteBuilder(const NestModel &model, const LaunchLayouts &layouts)
    : model(model), layouts(layouts), threads(model.threadsPerBlock()), strides(model.loops.size(), 0),
      counts(model.loops.size(), 0) {
  // Sites are large: none should be copied when the next is added.
  sites.reserve(2 * model.tiles.size() + 4 * model.computes.size() + model.stores.size() + 8);
}

std::string SiteBuilder::nameAt(const Place &place) const {
  std::optional<unsigned> operand = model.operandOf(place);
  tile::KernelOp kernel = model.kernel;
  return operand ? nameOf(kernel.getBody().getArgument(*operand)) : model.heldNameOf(place);
}

int64_t SiteBuilder::strideOf(unsigned number) const {
  if (strides[number] == 0)
    strides[number] = model.threadStrideOf(number);
  return strides[number];
}

int64_t SiteBuilder::threadsOf(unsigned number) const {
  if (counts[number] == 0)
    counts[number] = model.threadsOf(number);
  return counts[number];
}

int64_t SiteBuilder::threadValue(const Term &term, int64_t thread) const {
  const LoopModel &loop = model.loops[term.loop];
  if (!loop.onThreads())
    return 0;
  return thread / strideOf(term.loop) % loop.count() * loop.step * term.factor;
}

bool SiteBuilder::isActive(ArrayRef<unsigned> around, int64_t thread) const {
  for (unsigned number : around)
    if (const LoopModel &loop = model.loops[number]; loop.onThreads())
      return thread < threadsOf(number);
  return true;
}

void SiteBuilder::addStart(AccessSite &site, const Subscript &subscript) const {
  Subscript &kept = site.at.emplace_back();
  kept.constant = subscript.constant;
  for (const Term &term : subscript.terms)
    if (!model.loops[term.loop].onThreads())
      kept.terms.push_back(term);
}

AccessSite &SiteBuilder::start(Operation *op, const Place &place, bool writes, int64_t elementBytes,
                  ArrayRef<unsigned> around) {
  AccessSite &site = sites.emplace_back();
  site.op = op;
  site.name = nameAt(place);
  site.shared = !place.isOperand;
  site.constant = model.levelOf(place) == tile::Level::Constant;
  site.root = place.root;
  site.writes = writes;
  site.elementBytes = elementBytes;
  if (auto store = dyn_cast<tile::StoreOp>(op); store && writes)
    site.atomic = store.getCombine().has_value();
  site.scattered = place.gather.has_value();
  for (const Subscript &subscript : place.at)
    addStart(site, subscript);
  for (unsigned number : around)
    if (!model.loops[number].onThreads())
      site.loops.emplace_back(number, model.loops[number].count());
  return site;
}

void SiteBuilder::addIndexSite(const Place &place) {
  if (!place.gather)
    return;
  const AccessSite &data = sites.back();
  unsigned dim = place.gather->dim;
  AccessSite site;
  site.op = data.op;
  site.name = nameAt(*place.getIndices());
  site.root = place.gather->indices;
  site.elementBytes = model.operandElementBytes(site.root);
  site.at = {data.at[dim]};
  site.loops = data.loops;
  site.conditional = data.conditional;
  site.copy = data.copy;
  if (data.isBulk()) { // By each block, whoever copies what of a tile for others.
    for (auto &[number, count] : site.loops)
      count = model.loops[number].count();
    site.steps = {{{0}, 1}};
    addWarps(site, [](int64_t) { return LaneCoordinates(SmallVector<int64_t, 4>{0}); }, /*count=*/1);
    sites.push_back(std::move(site));
    return;
  }
  for (const AccessStep &step : data.steps) {
    auto known = llvm::find_if(site.steps, [&](const AccessStep &other) { return other.by.front() == step.by[dim]; });
    if (known == site.steps.end())
      site.steps.push_back({{step.by[dim]}, step.times});
    else
      known->times += step.times;
  }
  for (const WarpLanes &warp : data.warps) {
    WarpLanes &own = site.warps.emplace_back(WarpLanes{warp.warp, {}});
    for (const LaneCoordinates &lane : warp.lanes)
      own.lanes.push_back(lane ? LaneCoordinates(SmallVector<int64_t, 4>{(*lane)[dim]}) : std::nullopt);
  }
  sites.push_back(std::move(site));
}

void SiteBuilder::addWarps(AccessSite &site, llvm::function_ref<LaneCoordinates(int64_t)> coordinates, int64_t count) {
  for (int64_t first = 0; first < count; first += tile::kWarpThreads) {
    WarpLanes warp{static_cast<unsigned>(first / tile::kWarpThreads), {}};
    warp.lanes.reserve(tile::kWarpThreads);
    for (int64_t lane = 0; lane < tile::kWarpThreads; ++lane)
      warp.lanes.push_back(first + lane < count ? coordinates(first + lane) : LaneCoordinates());
    if (llvm::any_of(warp.lanes, [](const LaneCoordinates &lane) { return lane.has_value(); }))
      site.warps.push_back(std::move(warp));
  }
}

int64_t SiteBuilder::coordinateAt(const Subscript &subscript, int64_t thread) const {
  int64_t sum = 0;
  for (const Term &term : subscript.terms)
    sum += threadValue(term, thread);
  return sum;
}

SmallVector<int64_t, 4> SiteBuilder::coordinatesAt(const Place &place, int64_t thread,
                                      const tile::Distribution *spread) const {
  SmallVector<int64_t, 4> at, held(place.at.size(), 0);
  if (spread)
    held = spread->getThreadCoordinates(thread);
  for (auto [subscript, offset] : llvm::zip_equal(place.at, held))
    at.push_back(coordinateAt(subscript, thread) + offset);
  return at;
}

std::function<bool(int64_t)> SiteBuilder::getIsFirst(const tile::Distribution &spread, ArrayRef<unsigned> around) const {
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

std::vector<AccessSite> SiteBuilder::takeSites() {
  for (AccessSite &site : sites)
    for (auto [loop, count] : site.loops)
      if (std::optional<Subscript> rest = model.getRest(loop)) {
        addStart(site, *rest);
        site.guards.push_back(model.loops[loop].extent);
        ++site.bounds;
        for (AccessStep &step : site.steps)
          step.by.push_back(0);
        for (WarpLanes &warp : site.warps)
          for (auto [lane, at] : llvm::enumerate(warp.lanes))
            if (at)
              at->push_back(coordinateAt(*rest, warp.warp * tile::kWarpThreads + lane));
      }
  return std::move(sites);
}

int64_t SiteBuilder::getDivisor(const Subscript &subscript) const {
  int64_t divisor = 0;
  for (auto [size, factor] : subscript.sizes)
    divisor = std::gcd(divisor, std::abs(factor));
  for (const Term &term : subscript.terms) {
    const LoopModel &loop = model.loops[term.loop];
    divisor = tile::addToDivisor(divisor, loop.op, loop.number, loop.step, term.factor);
  }
  return divisor;
}

SmallVector<int64_t> SiteBuilder::getDivisors(const Place &place, bool withConstant) const {
  return llvm::map_to_vector(place.at, [&](const Subscript &subscript) {
    return std::gcd(withConstant ? std::abs(subscript.written) : 0, getDivisor(subscript));
  });
}

Subscript SiteBuilder::countBefore(const Place &place, ArrayRef<int64_t> strides) {
  Subscript before;
  std::map<unsigned, int64_t> loops, sizes;
  for (auto [subscript, stride] : llvm::zip_equal(place.at, strides)) {
    before.written += subscript.written * stride;
    for (const Term &term : subscript.terms)
      loops[term.loop] += term.factor * stride;
    for (auto [size, factor] : subscript.sizes)
      sizes[size] += factor * stride;
  }
  for (auto [loop, factor] : loops)
    before.terms.push_back({loop, factor});
  before.sizes.append(sizes.begin(), sizes.end());
  return before;
}

CopySource SiteBuilder::getSource(const Place &place) const {
  tile::KernelOp kernel = model.kernel;
  CopySource source;
  source.strides =
      *tile::getStaticStrides(cast<MemRefType>(kernel.getArgumentTypes()[place.root]));
  source.single = model.levelOf(place) == tile::Level::Constant;
  source.divisors = getDivisors(place);
  source.moves = getDivisors(place, /*withConstant=*/false);
  source.constants = llvm::map_to_vector(place.at, [](const Subscript &subscript) { return subscript.written; });
  for (unsigned dim = 0; dim < source.strides.size(); ++dim)
    source.extents.push_back(getConstantIntValue(kernel.getOperandExtent(place.root, dim))
                                 .value_or(ShapedType::kDynamic));
  auto isCounted = [](const Subscript &subscript) {
    return CopySource::isCounted(subscript.written) && llvm::all_of(subscript.terms, [](const Term &term) { return CopySource::isCounted(term.factor); }) &&
           llvm::all_of(subscript.sizes, [](const auto &size) { return CopySource::isCounted(size.second); });
  };
  if (llvm::all_of(source.strides, CopySource::isCounted) && llvm::all_of(place.at, isCounted)) {
    Subscript before = countBefore(place, source.strides);
    source.before = before.written;
    source.beforeMoves = getDivisor(before);
  }
  if (place.gather)
    source.gather(place.gather->dim);
  return source;
}

TilePlace SiteBuilder::getTilePlace(const Place &place, const layout::ComposedLayout &layout) const {
  TilePlace known{getDivisors(place)};
  std::optional<SmallVector<int64_t>> strides = getStrides(layout);
  if (!strides || place.gather)
    return known;
  Subscript before = countBefore(place, *strides);
  known.before = std::gcd(std::abs(before.written + layout.baseOffset()), getDivisor(before));
  return known;
}

bool SiteBuilder::isTaken(CopyForm form, const Place &place, const CopySource &source, bool whole) const {
  const OperandLayout &layout = layouts.at(place.root);
  return admits(form, source, layout.strides, model.operandShape(place.root),
                layout.offset % form.width == 0, whole);
}

bool SiteBuilder::takesBoxes(Operation *op, const Place &place, unsigned along) const {
  tile::KernelOp kernel = model.kernel;
  BulkNeeds needs = getBulkNeeds(op, kernel.getBody().getArgument(place.root), along);
  SmallVector<int64_t> extents = model.operandShape(place.root);
  return isTaken(needs.form, place, getSource(place), /*whole=*/true) && llvm::all_of(needs.dims, [&](unsigned dim) { return extents[dim] > 0; });
}
