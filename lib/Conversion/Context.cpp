//===- Context.cpp - What all of the lowering of a nest needs ----*- C++ -*-===//

#include "Context.h"

#include "Names.h"

using namespace mlir;
using namespace tilec;

OpFoldResult Context::mapExtent(OpFoldResult extent) const {
  if (auto value = dyn_cast<Value>(extent))
    return values.lookup(value);
  return extent;
}

OpFoldResult Context::getOperandExtent(Value operand, unsigned dim) const {
  return mapExtent(tile::KernelOp(kernel).getOperandExtent(cast<BlockArgument>(operand).getArgNumber(), dim));
}

OpFoldResult Context::getExtent(Value root, unsigned dim) const {
  if (isa<BlockArgument>(root))
    return getOperandExtent(root, dim);
  return b.getIndexAttr(cast<MemRefType>(root.getType()).getDimSize(dim));
}

Value Context::getExtentValue(Location loc, OpFoldResult extent) {
  std::optional<int64_t> fixed = getStatic(extent);
  return fixed ? index.constant(loc, *fixed) : cast<Value>(extent);
}

IndexExpr Context::mapSum(const tile::LinearExpr &sum) {
  IndexExpr expr = constantIndex(sum.constant);
  for (auto [value, factor] : sum.terms) {
    std::optional<tile::ScaledVar> scaled = tile::getScaledVar(value);
    if (scaled && scaled->divisor > 1) { // Of another iteration, where a copy is ahead of its own.
      Value variable = values.lookup(tile::ForOp(scaled->iv.loop).getInductionVar(scaled->iv.number));
      expr = expr + valueIndex(index.div(unnamed(value.getLoc()), variable, scaled->divisor), factor);
    } else {
      expr = expr + valueIndex(values.lookup(value), factor);
    }
  }
  return expr;
}

Coordinates Context::mapPlace(const tile::Access &access, const Coordinates &offsets) {
  Coordinates coordinates;
  for (auto [sum, offset] : llvm::zip_equal(access.subscripts, offsets))
    coordinates.push_back(mapSum(sum) + offset);
  return coordinates;
}

void Context::enterIf(Location loc, Value condition) {
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
}

void Context::choose(Location loc, Value condition, llvm::function_ref<void()> whole, llvm::function_ref<void()> other) {
  if (!condition)
    return whole();
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  whole();
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  other();
}

kernel::RegistersOp Context::createArray(Location loc, ArrayRef<int64_t> shape, Type element, TypedAttr init) {
  auto space = tile::LevelAttr::get(b.getContext(), tile::Level::RF);
  return kernel::RegistersOp::create(b, loc, MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space), init);
}

Value Context::createCounter(Location loc, StringRef name, int64_t start) {
  return createArray(named(loc, name), {}, b.getIndexType(), b.getIndexAttr(start));
}
