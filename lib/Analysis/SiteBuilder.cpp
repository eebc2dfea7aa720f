//===- SiteBuilder.cpp - Sites and the lanes that access at them -*- C++ -*-===//
//
// See SiteBuilder.h.
//
//===----------------------------------------------------------------------===//

#include "SiteBuilder.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilec/Tile/Access.h"

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
  const LoopModel &loop = model.loops[number];
  if (strides[number] == 0)
    strides[number] = tile::getThreadStride(loop.op, loop.number);
  return strides[number];
}

int64_t SiteBuilder::threadsOf(unsigned number) const {
  if (counts[number] == 0)
    counts[number] = tile::getThreads(model.loops[number].op);
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

SmallVector<int64_t> SiteBuilder::getDivisors(const Place &place, bool withConstant) const {
  return llvm::map_to_vector(place.at, [&](const Subscript &subscript) {
    int64_t divisor = withConstant ? std::abs(subscript.constant) : 0;
    for (const Term &term : subscript.terms) {
      const LoopModel &loop = model.loops[term.loop];
      divisor = tile::addToDivisor(divisor, loop.op, loop.number, loop.step, term.factor);
    }
    return divisor;
  });
}

CopySource SiteBuilder::getSource(const Place &place) const {
  tile::KernelOp kernel = model.kernel;
  CopySource source;
  source.strides =
      *tile::getStaticStrides(cast<MemRefType>(kernel.getArgumentTypes()[place.root]));
  source.divisors = getDivisors(place);
  source.moves = getDivisors(place, /*withConstant=*/false);
  source.constants = llvm::map_to_vector(place.at, [](const Subscript &subscript) { return subscript.constant; });
  for (unsigned dim = 0; dim < source.strides.size(); ++dim)
    source.extents.push_back(getConstantIntValue(kernel.getOperandExtent(place.root, dim))
                                 .value_or(ShapedType::kDynamic));
  return source;
}

bool SiteBuilder::isTaken(CopyForm form, const Place &place, const CopySource &source, bool whole) const {
  const OperandLayout &layout = layouts.at(place.root);
  return admits(form, source, layout.strides, model.operandShape(place.root),
                layout.offset % form.width == 0, whole);
}
