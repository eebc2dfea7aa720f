//===- Operands.cpp - Operands in global memory -------------------*- C++ -*-===//

#include "Operands.h"

#include "tilec/Conversion/Launch.h"

using namespace mlir;
using namespace tilec;

void Operands::add(Value operand, Value base) {
  context.values.map(operand, base);
  strides[operand].resize(cast<MemRefType>(operand.getType()).getRank());
}

bool Operands::hasNarrowAddresses(Value operand) {
  // Only where all extents and strides are known and small.
  auto type = cast<MemRefType>(operand.getType());
  return llvm::none_of(*tile::getStaticStrides(type), ShapedType::isDynamic) && type.hasStaticShape() &&
         succeeded(analysis::getCosize(type)) && *analysis::getCosize(type) < (int64_t(1) << 31);
}

Value Operands::getAddress(Location loc, Value operand, const Coordinates &coordinates, Value from) {
  auto type = cast<MemRefType>(operand.getType());
  SmallVector<int64_t> fixed = *tile::getStaticStrides(type);
  if (hasNarrowAddresses(operand)) {
    IndexExpr sum = from ? valueIndex(from) : IndexExpr();
    for (auto [coordinate, stride] : llvm::zip_equal(coordinates, fixed))
      sum = sum + coordinate * stride;
    return index.materialize(loc, sum);
  }
  Value address = from;
  for (auto [dim, coordinate] : llvm::enumerate(coordinates)) {
    if (address && coordinate.terms.empty() && coordinate.constant == 0)
      continue;
    Value term = index.materialize(loc, coordinate);
    if (term.getType().isIndex())
      term = arith::IndexCastOp::create(b, loc, b.getI64Type(), term);
    Value stride = strides[operand][dim];
    if (!stride && fixed[dim] != 1)
      stride = arith::ConstantIntOp::create(b, loc, fixed[dim], 64);
    if (stride)
      term = arith::MulIOp::create(b, loc, term, stride);
    address = address ? arith::AddIOp::create(b, loc, address, term).getResult() : term;
  }
  return address ? address : arith::ConstantIntOp::create(b, loc, 0, 64).getResult();
}

Value Operands::loadAt(Location loc, Value operand, Value address) {
  Value base = context.values.lookup(operand);
  Type element = cast<MemRefType>(operand.getType()).getElementType();
  if (kernel::isConstant(base.getType()))
    return kernel::LdcOp::create(b, loc, element, base, address);
  return kernel::LdgOp::create(b, loc, element, base, address);
}

Coordinates Operands::getApart(Coordinates coordinates, const Coordinates &from) {
  for (auto [coordinate, other] : llvm::zip_equal(coordinates, from))
    coordinate = coordinate + other * -1;
  return coordinates;
}

Coordinates Operands::namePlace(Location loc, const tile::Access &access, const Coordinates &offsets) {
  Coordinates coordinates;
  for (auto [dim, sum] : llvm::enumerate(access.subscripts)) {
    IndexExpr coordinate = context.mapSum(sum) + offsets[dim];
    if (coordinate.terms.size() > 1 || (coordinate.constant != 0 && !coordinate.terms.empty())) {
      IndexFacts facts{index.getDivisor(coordinate), index.getLeast(coordinate), index.getMost(coordinate), {}};
      Value value = index.materialize(named(loc, "g" + getDimName(sum, dim)), coordinate);
      index.know(value, facts);
      coordinate = valueIndex(value);
    }
    if (access.isGathered(dim))
      coordinate = loadIndex(loc, access.gather->indices, coordinate, context.getExtent(access.root, dim));
    coordinates.push_back(coordinate);
  }
  return coordinates;
}

IndexExpr Operands::loadIndex(Location loc, Value indices, const IndexExpr &place, OpFoldResult extent) {
  Value limit = context.getExtentValue(loc, extent);
  Location numberLoc = named(loc, nameOf(indices.getLoc(), "index") + "_at");
  auto load = [&](Location at) -> Value {
    return kernel::LdgIndexOp::create(b, at, b.getIndexType(), context.values.lookup(indices), getAddress(loc, indices, {place}), limit);
  };
  Value present = isPresent(loc, indices, {place}), number;
  if (present) {
    auto guarded = scf::IfOp::create(b, numberLoc, b.getIndexType(), present, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(guarded.thenBlock());
    scf::YieldOp::create(b, loc, load(loc));
    b.setInsertionPointToStart(guarded.elseBlock());
    Value none = index.constant(loc, -1);
    scf::YieldOp::create(b, loc, none);
    number = guarded.getResult(0);
  } else {
    number = load(numberLoc);
  }
  index.know(number, {1, -1, getStatic(extent).value_or(runtime::maxExtent) - 1, limit});
  return valueIndex(number);
}

Value Operands::isPresent(Location loc, Value operand, const Coordinates &coordinates) {
  Value present;
  for (auto [dim, coordinate] : llvm::enumerate(coordinates))
    present = index.both(loc, present, index.isInside(loc, coordinate, context.getOperandExtent(operand, dim)));
  return present;
}

Value Operands::isTileInside(Location loc, const tile::Access &access, ArrayRef<int64_t> shape) {
  return isBoxInside(loc, access, llvm::map_to_vector(access.subscripts, [&](const tile::LinearExpr &sum) { return context.mapSum(sum); }), shape);
}

Value Operands::isBoxInside(Location loc, const tile::Access &access, const Coordinates &box, ArrayRef<int64_t> shape) {
  Value inside;
  for (auto [dim, start] : llvm::enumerate(box)) {
    IndexExpr last = start + constantIndex(shape[dim] - 1);
    if (index.mayBeNegative(start))
      inside = index.both(loc, inside, index.compare(loc, arith::CmpIPredicate::sge, index.materialize(loc, start),
                                                     index.constant(loc, 0)));
    OpFoldResult extent = context.getOperandExtent(access.root, dim);
    if (!index.mayReach(last, extent))
      continue;
    inside = index.both(loc, inside, index.compare(loc, arith::CmpIPredicate::slt, index.materialize(loc, last),
                                                   context.getExtentValue(loc, extent)));
  }
  return inside;
}

/// x clamped to 0 .. extent-1, mirrored at both edges (edge elements not repeated), or moved by extents, as often as it takes; the extent is
/// not 0. `below` and `above`: x may lie there.
static Value padCoordinate(OpBuilder &b, IndexBuilder &index, Location loc, Value x, Value extent, tile::Pad pad, bool below,
                           bool above) {
  std::tie(x, extent) = index.unify(loc, x, extent);
  // Twice an extent is more than an int may hold.
  constexpr int64_t kMostDoubled = int64_t(1) << 30;
  if (pad == tile::Pad::Reflect && getConstantIntValue(extent).value_or(runtime::maxExtent) > kMostDoubled) {
    x = index.widen(loc, x);
    extent = index.widen(loc, extent);
  }
  auto number = [&](int64_t n) {
    return extent.getType().isIndex() ? index.constant(loc, n) : index.widen(loc, index.constant(loc, n));
  };
  Value zero = number(0), one = number(1);
  if (pad == tile::Pad::Wrap) {
    // Of no elements it takes none.
    x = arith::RemSIOp::create(b, loc, x, arith::MaxSIOp::create(b, loc, extent, one));
    if (!below)
      return x;
    Value isBelow = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, zero);
    return arith::SelectOp::create(b, loc, isBelow, arith::AddIOp::create(b, loc, x, extent), x);
  }
  Value last = arith::SubIOp::create(b, loc, extent, one);
  if (pad == tile::Pad::Reflect) {
    // |x| modulo a there and back of 2 (extent - 1), which is 0 where there is one element.
    if (below)
      x = arith::MaxSIOp::create(b, loc, x, arith::SubIOp::create(b, loc, zero, x));
    Value twice = arith::AddIOp::create(b, loc, last, last);
    Value period = arith::MaxSIOp::create(b, loc, twice, one);
    x = arith::RemSIOp::create(b, loc, x, period);
    Value back = arith::SubIOp::create(b, loc, twice, x);
    return arith::MinSIOp::create(b, loc, x, back);
  }
  if (above)
    x = arith::MinSIOp::create(b, loc, x, last);
  return below ? arith::MaxSIOp::create(b, loc, x, zero).getResult() : x;
}

Value Operands::load(Location loc, Value operand, Coordinates coordinates, std::optional<tile::Pad> pad) {
  Type element = cast<MemRefType>(operand.getType()).getElementType();
  Value present;
  if (pad && *pad != tile::Pad::Zero) {
    for (auto [dim, coordinate] : llvm::enumerate(coordinates)) {
      OpFoldResult extent = context.getOperandExtent(operand, dim);
      if (!index.mayBeNegative(coordinate) && !index.mayReach(coordinate, extent))
        continue;
      Value limit = context.getExtentValue(loc, extent);
      Value padded = padCoordinate(b, index, loc, index.materialize(loc, coordinate), limit, *pad, index.mayBeNegative(coordinate),
                                   index.mayReach(coordinate, extent));
      index.know(padded, {1, 0, runtime::maxExtent - 1, limit});
      coordinate = valueIndex(index.narrow(loc, padded));
      if (index.getLeast(valueIndex(limit)).value_or(0) < 1) // There may be no element to take.
        present = index.both(loc, present, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, limit, index.constant(loc, 0)));
    }
  }
  auto load = [&]() -> Value {
    return loadAt(loc, operand, getAddress(loc, operand, coordinates));
  };
  present = index.both(loc, present, isPresent(loc, operand, coordinates));
  if (!present)
    return load();
  auto guarded = scf::IfOp::create(b, loc, element, present, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(guarded.thenBlock());
  scf::YieldOp::create(b, loc, load());
  b.setInsertionPointToStart(guarded.elseBlock());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  scf::YieldOp::create(b, loc, zero);
  return guarded.getResult(0);
}

/// With the extent a multiple of the width too, a group of elements is present or absent as a whole.
Value Operands::getFormCondition(Location loc, Value operand, analysis::CopyForm form, bool whole) {
  std::string name = nameOf(operand.getLoc(), "operand");
  Value condition;
  auto require = [&](Value value, Value expected) {
    condition = index.both(loc, condition, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, value, expected));
  };
  auto wide = [&](int64_t number) -> Value { return arith::ConstantIntOp::create(b, loc, number, 64); };
  if (Value stride = strides[operand][form.along]) {
    require(stride, wide(1));
    condition.setLoc(named(loc, name + "_along_" + Twine(form.along)));
  }
  if (form.width == 1)
    return condition;
  OpFoldResult extent = context.getOperandExtent(operand, form.along);
  if (!whole && !getStatic(extent)) {
    Value size = cast<Value>(extent);
    Value fits = arith::CmpIOp::create(b, named(loc, nameOf(size.getLoc(), "extent") + "_by_" + Twine(form.width)),
                                       arith::CmpIPredicate::eq,
                                       arith::RemSIOp::create(b, loc, size, index.constant(loc, form.width)),
                                       index.constant(loc, 0));
    condition = index.both(loc, condition, fits);
  }
  return index.both(named(loc, name + "_wide"), condition, getAlignedCondition(loc, operand, form.along, form.width));
}

Value Operands::getAlignedCondition(Location loc, Value operand, unsigned along, int64_t width) {
  Value condition;
  auto wide = [&](int64_t number) -> Value { return arith::ConstantIntOp::create(b, loc, number, 64); };
  for (auto [dim, stride] : llvm::enumerate(strides[operand]))
    if (dim != along && stride) {
      Value rest = arith::RemSIOp::create(b, loc, stride, wide(width));
      condition = index.both(loc, condition, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest, wide(0)));
    }
  int64_t bytes = width * cast<MemRefType>(operand.getType()).getElementTypeBitWidth() / 8;
  return index.both(named(loc, nameOf(operand.getLoc(), "operand") + "_wide"), condition,
                    kernel::IsAlignedOp::create(b, loc, b.getI1Type(), context.values.lookup(operand), index.constant(loc, 0),
                                                b.getI64IntegerAttr(bytes)));
}
