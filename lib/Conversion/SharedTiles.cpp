//===- SharedTiles.cpp - Arrays in shared memory -------------------*- C++ -*-===//

#include "SharedTiles.h"

#include "tilec/Analysis/CopyPlan.h"
#include "tilec/Layout/Algebra.h"
#include "tilec/Layout/OffsetMap.h"
#include "tilec/Tile/Distribution.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

LogicalResult SharedTiles::readPlan() {
  plan = analysis::planShared(context.kernel);
  if (!plan.isDynamic() || plan.placed)
    return success();
  return context.kernel.emitOpError("takes ") << plan.bytes
                                              << " bytes of shared memory, and nothing says where its arrays lie; run tile-plan-smem";
}

void SharedTiles::setBytes() const {
  kernel::FuncOp function = context.function;
  plan.isDynamic() ? function.setDynamicShared(plan.bytes) : function.setStaticShared(plan.bytes);
}

Value SharedTiles::create(Location loc, analysis::SharedUse use, Operation *op, Type element, Value held) {
  const analysis::SharedArray *array = plan.find(use, op, held);
  assert(array && array->elementBytes * 8 == element.getIntOrFloatBitWidth() && "the lowering and the plan walk alike");
  OpBuilder &b = context.b;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(context.start);
  auto type = MemRefType::get({array->elements}, element, MemRefLayoutAttrInterface(),
                              tile::LevelAttr::get(b.getContext(), tile::Level::SMEM));
  return kernel::SharedOp::create(b, loc, type, plan.isDynamic() ? b.getI64IntegerAttr(array->offset) : IntegerAttr());
}

LogicalResult SharedTiles::declare(Operation *op) {
  for (auto loop = op->getParentOfType<tile::ForOp>(); loop; loop = loop->getParentOfType<tile::ForOp>())
    if (tile::isThreadUnit(loop)) // limit_x19
      return op->emitOpError(isa<tile::StageOp>(op) ? "stages" : "holds a tile") << (isa<tile::StageOp>(op) ? " to" : " in") << " smem inside of a loop on "
             << stringifyUnit(loop.getUnit()) << "; a tile in shared memory belongs to the block";
  Value tile = op->getResult(0);
  auto type = cast<MemRefType>(tile.getType());
  if (failed(analysis::getCosize(type))) // limit_x20
    return op->emitOpError("a tile in shared memory needs static strides, got ") << type;
  constexpr int64_t kMostElements = int64_t(1) << 20; // More than any shared memory holds.
  layout::Result<layout::OffsetMap> places = layout::mapOffsets(*tile::getStaticLayout(type), kMostElements);
  if (!places)
    return op->emitOpError("a tile in shared memory: ") << places.error().message;
  if (!places->shared.empty()) // limit_x20
    return op->emitOpError("a tile in shared memory needs a place for each element; ")
           << type << " has several at offset " << places->shared.front().first;
  tiles[tile] = {create(tile.getLoc(), analysis::SharedUse::Tile, op, type.getElementType()), type, {}};
  return success();
}

const SharedTile *SharedTiles::find(Value root) const {
  auto it = tiles.find(root);
  return it == tiles.end() ? nullptr : &it->second;
}

void SharedTiles::enterSlot(ArrayRef<tile::StageOp> stages, Value slot, int64_t slots) {
  for (tile::StageOp stage : stages) {
    SharedTile &tile = tiles[stage.getTile()];
    tile.slot = valueIndex(slot, cast<MemRefType>(tile.buffer.getType()).getNumElements() / slots);
  }
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// A value for a sum >= 0, with the facts of the sum.
static Value materializeKnown(IndexBuilder &index, Location loc, const IndexExpr &sum) {
  if (sum.constant == 0 && sum.terms.size() == 1 && sum.terms.front().second == 1)
    return sum.terms.front().first;
  IndexFacts facts{index.getDivisor(sum), std::max<int64_t>(index.getLeast(sum).value_or(0), 0), index.getMost(sum), {}};
  Value value = index.materialize(loc, sum);
  index.know(value, facts);
  return value;
}

/// sum / divisor and sum % divisor of a sum >= 0. Multiples of the divisor go to the quotient as they
/// are, provided the others cannot be negative.
static std::pair<IndexExpr, IndexExpr> divRem(IndexBuilder &index, Location loc, const IndexExpr &sum, int64_t divisor) {
  IndexExpr quotient, rest;
  for (auto [value, factor] : sum.terms)
    if (factor % divisor == 0)
      quotient.add(value, factor / divisor);
    else
      rest.add(value, factor);
  quotient.constant = llvm::divideFloorSigned(sum.constant, divisor);
  rest.constant = llvm::mod(sum.constant, divisor);
  if (index.getLeast(rest).value_or(-1) < 0) {
    quotient = {};
    rest = sum;
  } else if (std::optional<int64_t> most = index.getMost(rest); most && *most < divisor) {
    return {quotient, rest};
  }
  if (index.getDivisor(rest) % divisor == 0)
    return {quotient + valueIndex(index.div(loc, materializeKnown(index, loc, rest), divisor)), {}};
  Value value = materializeKnown(index, loc, rest);
  return {quotient + valueIndex(index.div(loc, value, divisor)), valueIndex(index.rem(loc, value, divisor))};
}

/// The parts of an offset that a swizzle may change, and multiples of its period, which it moves along as they are. All of it may change
/// where the first part might be negative.
static std::pair<IndexExpr, IndexExpr> splitByPeriod(IndexBuilder &index, const layout::Swizzle &swizzle, const IndexExpr &offset) {
  int64_t period = int64_t(1) << (swizzle.base() + swizzle.bits() + std::abs(swizzle.shift()));
  IndexExpr inside, whole;
  for (auto [value, factor] : offset.terms)
    (factor % period == 0 ? whole : inside).add(value, factor);
  inside.constant = llvm::mod(offset.constant, period);
  whole.constant = offset.constant - inside.constant;
  return index.getLeast(inside).value_or(-1) < 0 ? std::pair(offset, IndexExpr()) : std::pair(inside, whole);
}

/// The swizzled offset, bits of it xored onto others.
static IndexExpr swizzled(OpBuilder &b, IndexBuilder &index, Location loc, const layout::Swizzle &swizzle,
                          const IndexExpr &sum) {
  auto [offset, whole] = splitByPeriod(index, swizzle, sum);
  int64_t source = int64_t(1) << (swizzle.base() + std::max(0, swizzle.shift()));
  int64_t target = int64_t(1) << (swizzle.base() + std::max(0, -swizzle.shift()));
  IndexExpr bits = divRem(index, loc, divRem(index, loc, offset, source).first, int64_t(1) << swizzle.bits()).second;
  if (bits.terms.empty() && bits.constant == 0)
    return sum;
  Value plain = materializeKnown(index, loc, offset), mask = materializeKnown(index, loc, bits * target);
  // Powers of two that divide both divide the result.
  int64_t common = std::gcd(index.getDivisor(offset), index.getDivisor(bits * target));
  Value result = arith::XOrIOp::create(b, loc, plain, mask);
  std::optional<int64_t> most = index.getMost(offset);
  if (most) // Both are of its bits.
    most = static_cast<int64_t>(llvm::NextPowerOf2(*most)) - 1;
  index.know(result, {common & -common, 0, most, {}});
  return valueIndex(result) + whole;
}

Value SharedTiles::getAddress(Location loc, const SharedTile &tile, const Coordinates &coordinates) {
  IndexBuilder &index = context.index;
  const layout::ComposedLayout composed = *tile::getStaticLayout(tile.type); // declare has refused others.
  const layout::Swizzle swizzle = composed.swizzle();
  IndexExpr sum = swizzle.isIdentity() ? tile.slot : IndexExpr();
  sum.constant += composed.baseOffset();
  for (auto [dim, coordinate] : llvm::enumerate(coordinates)) {
    layout::Layout mode = composed.layout().mode(dim);
    if (mode.modes().size() > 1)
      mode = layout::coalesce(mode);
    IndexExpr rest = coordinate;
    for (const layout::Mode &leaf : llvm::ArrayRef(mode.modes()).drop_back()) {
      auto [quotient, digit] = divRem(index, loc, rest, leaf.extent);
      sum = sum + digit * leaf.stride;
      rest = quotient;
    }
    sum = sum + rest * mode.modes().back().stride;
  }
  return index.materialize(loc, swizzle.isIdentity() ? sum : tile.slot + swizzled(context.b, index, loc, swizzle, sum));
}
