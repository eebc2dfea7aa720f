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
  case tile::Combine::And:
    return arith::AndIOp::create(b, loc, lhs, rhs);
  case tile::Combine::Or:
    return arith::OrIOp::create(b, loc, lhs, rhs);
  case tile::Combine::Xor:
    return arith::XOrIOp::create(b, loc, lhs, rhs);
  }
  return {};
}

LogicalResult tilec::checkAtomic(tile::StoreOp op) {
  tile::Combine kind = *op.getCombine();
  Type element = cast<MemRefType>(op.getTile().getType()).getElementType();
  bool adds = kind == tile::Combine::Add;
  if (kind == tile::Combine::Mul || kind == tile::Combine::MaxNum || kind == tile::Combine::MinNum) // limit_x25
    return op.emitOpError("combine(") << stringifyCombine(kind) << ") is not lowered, since the hardware has no atomic operation of it; combine by add, max, min, and, or or xor";
  if (adds ? !kernel::isAddedInMemory(element) : !element.isInteger(32)) // limit_x25
    return op.emitOpError("combine(") << stringifyCombine(kind) << ") of " << element << ", which the hardware does for "
                                      << (adds ? "f32, f64 and i32" : "i32") << " only; store elements of " << (adds ? "one of these" : "that");
  return success();
}

/// The op of one kind, by where the element lies.
template <typename Global, typename Shared>
static void createOneAtomic(OpBuilder &b, Location loc, Value array, Value address, Value value) {
  if (kernel::isShared(array.getType()))
    Shared::create(b, loc, array, address, value);
  else
    Global::create(b, loc, array, address, value);
}

void tilec::createAtomic(OpBuilder &b, Location loc, tile::Combine kind, Value array, Value address, Value value) {
  switch (kind) {
  case tile::Combine::Add:
    return createOneAtomic<kernel::AtomicAddOp, kernel::AtomicAddSharedOp>(b, loc, array, address, value);
  case tile::Combine::Max:
    return createOneAtomic<kernel::AtomicMaxOp, kernel::AtomicMaxSharedOp>(b, loc, array, address, value);
  case tile::Combine::Min:
    return createOneAtomic<kernel::AtomicMinOp, kernel::AtomicMinSharedOp>(b, loc, array, address, value);
  case tile::Combine::And:
    return createOneAtomic<kernel::AtomicAndOp, kernel::AtomicAndSharedOp>(b, loc, array, address, value);
  case tile::Combine::Or:
    return createOneAtomic<kernel::AtomicOrOp, kernel::AtomicOrSharedOp>(b, loc, array, address, value);
  case tile::Combine::Xor:
    return createOneAtomic<kernel::AtomicXorOp, kernel::AtomicXorSharedOp>(b, loc, array, address, value);
  case tile::Combine::Mul:
  case tile::Combine::MaxNum:
  case tile::Combine::MinNum:
    break;
  }
  llvm_unreachable("checkAtomic refuses other kinds");
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

void tilec::storeRun(Context &context, Location loc, Value shared, Value to, Value array, const Indices &first, int64_t width) {
  OpBuilder &b = context.b;
  if (width > 1)
    kernel::StsVectorOp::create(b, loc, shared, to, array, first, width);
  else
    kernel::StsOp::create(b, loc, shared, to, memref::LoadOp::create(b, loc, array, first));
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
                     : tile::getIdentity(*loop.getReduce(), cast<MemRefType>(held.getType()).getElementType());
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
