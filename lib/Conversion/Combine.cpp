//===- Combine.cpp - How partial results become one ---------------*- C++ -*-===//

#include "Combine.h"

#include "Loops.h"
#include "Scalars.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Tile/Reduction.h"

using namespace mlir;
using namespace tilec;

Value tilec::combine(OpBuilder &b, Location loc, tile::Combine kind, Value lhs, Value rhs) {
  bool floats = isa<FloatType>(lhs.getType());
  switch (kind) {
  case tile::Combine::Add:
    return floats ? arith::AddFOp::create(b, loc, lhs, rhs).getResult() : wrapping(arith::AddIOp::create(b, loc, lhs, rhs));
  case tile::Combine::Mul:
    return floats ? arith::MulFOp::create(b, loc, lhs, rhs).getResult() : wrapping(arith::MulIOp::create(b, loc, lhs, rhs));
  case tile::Combine::Max:
    return floats ? arith::MaximumFOp::create(b, loc, lhs, rhs).getResult() : arith::MaxSIOp::create(b, loc, lhs, rhs).getResult();
  case tile::Combine::Min:
    return floats ? arith::MinimumFOp::create(b, loc, lhs, rhs).getResult() : arith::MinSIOp::create(b, loc, lhs, rhs).getResult();
  case tile::Combine::MaxNum:
    return arith::MaxNumFOp::create(b, loc, lhs, rhs);
  case tile::Combine::MinNum:
    return arith::MinNumFOp::create(b, loc, lhs, rhs);
  }
  return {};
}

TypedAttr tilec::getIdentity(tile::Combine kind, Type type) {
  if (auto floats = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floats.getFloatSemantics();
    switch (kind) {
    case tile::Combine::Add:
      return FloatAttr::get(type, APFloat::getZero(semantics, /*Negative=*/true)); // -0 + x is x, for -0 too.
    case tile::Combine::Mul:
      return FloatAttr::get(type, APFloat::getOne(semantics));
    case tile::Combine::Max:
      return FloatAttr::get(type, APFloat::getInf(semantics, /*Negative=*/true));
    case tile::Combine::Min:
      return FloatAttr::get(type, APFloat::getInf(semantics));
    case tile::Combine::MaxNum:
    case tile::Combine::MinNum: // Of NaN and x either is x.
      return FloatAttr::get(type, APFloat::getQNaN(semantics));
    }
  }
  unsigned width = type.getIntOrFloatBitWidth();
  switch (kind) {
  case tile::Combine::Add:
    return IntegerAttr::get(type, 0);
  case tile::Combine::Mul:
    return IntegerAttr::get(type, 1);
  case tile::Combine::Max:
    return IntegerAttr::get(type, APInt::getSignedMinValue(width));
  case tile::Combine::Min:
    return IntegerAttr::get(type, APInt::getSignedMaxValue(width));
  case tile::Combine::MaxNum:
  case tile::Combine::MinNum: // Of floating-point numbers alone (rule R1).
    break;
  }
  return {};
}

void tilec::combineRun(Context &context, Location loc, tile::Combine kind, Value array, const Indices &first, Value more,
                       int64_t width) {
  OpBuilder &b = context.b;
  IndexBuilder &index = context.index;
  createCountedLoop(context, loc, "q", width, 1, /*unrolled=*/true, [&](const IndexExpr &element) {
    Value one = memref::LoadOp::create(b, loc, more, index.materialize(loc, element));
    Indices at;
    if (!first.empty())
      at.push_back(index.materialize(loc, valueIndex(first.front()) + element));
    Value before = memref::LoadOp::create(b, loc, array, at);
    memref::StoreOp::create(b, loc, combine(b, loc, kind, before, one), array, at);
  });
}

//===----------------------------------------------------------------------===//
// Of a loop
//===----------------------------------------------------------------------===//

SmallVector<SmallVector<Value>> Combiner::getGroups() {
  SmallVector<Value> tiles = tile::getReducedTiles(loop);
  if (isOrdered())
    return {tiles};
  return llvm::map_to_vector(tiles, [](Value held) { return SmallVector<Value>{held}; });
}

TypedAttr Combiner::getNeutral(Value held) {
  return isOrdered() ? held.getDefiningOp<tile::HoldOp>().getInit()
                     : getIdentity(*loop.getReduce(), cast<MemRefType>(held.getType()).getElementType());
}

Indices Combiner::combine(Location loc, ValueRange lower, ValueRange upper) {
  if (!isOrdered())
    return {tilec::combine(context->b, loc, *loop.getReduce(), lower.front(), upper.front())};
  IRMapping map = context->values;
  Block &block = loop.getCombiner();
  map.map(block.getArguments().take_front(lower.size()), lower);
  map.map(block.getArguments().drop_front(lower.size()), upper);
  for (Operation &op : block.without_terminator())
    lowerScalar(context->index, context->b, op, map);
  return llvm::map_to_vector(block.getTerminator()->getOperands(), [&](Value made) { return map.lookup(made); });
}
