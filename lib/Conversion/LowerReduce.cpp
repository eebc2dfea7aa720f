//===- LowerReduce.cpp - Reductions over threads ----------------*- C++ -*-===//
//
// Inside of a loop on threads that says reduce, each thread adds to a partial
// tile of its own; after the loop the partial tiles become one, by shuffles
// within a warp and through shared memory across warps. The order of
// combination is fixed, so results do not vary between runs.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
  }
  return {};
}

KernelLowering::OuterTiles KernelLowering::beginReduction(tile::ForOp loop) {
  OuterTiles outer;
  for (Value held : tile::getReducedTiles(loop)) {
    RegisterTile whole = registers.find(held)->second;
    outer[held] = whole;
    Location loc = named(loop.getLoc(), nameOf(held.getLoc(), "held") + "_part");
    Value partial = kernel::RegistersOp::create(b, loc, cast<MemRefType>(whole.array.getType()));
    registers[held].array = partial;
    Type type = cast<MemRefType>(held.getType()).getElementType();
    Value identity = arith::ConstantOp::create(b, loc, getIdentity(*loop.getReduce(), type));
    forEachHeld(loc, whole.distribution, 1, [&](const Indices &indices, const Coordinates &) {
      memref::StoreOp::create(b, loc, identity, partial, indices);
    });
  }
  return outer;
}

void KernelLowering::addPartial(Location loc, Value held, tile::Combine kind, const RegisterTile &whole,
                                llvm::function_ref<Value(Value)> complete) {
  Value partial = registers[held].array;
  forEachHeld(loc, whole.distribution, 1, [&](const Indices &indices, const Coordinates &) {
    Value value = memref::LoadOp::create(b, loc, partial, indices);
    if (complete)
      value = complete(value);
    Value before = memref::LoadOp::create(b, loc, whole.array, indices);
    memref::StoreOp::create(b, loc, combine(b, loc, kind, before, value), whole.array, indices);
  });
  registers[held] = whole;
}

/// All threads that differ in `digit` only get the combination of their values.
Value KernelLowering::combineAcross(Location loc, const tile::Digit &digit, tile::Combine kind, Value value,
                                    Value scratch) {
  int64_t stride = digit.threadStride, count = digit.count;
  // Within a warp: butterflies over the bits of the digit.
  if (llvm::isPowerOf2_64(count) && llvm::isPowerOf2_64(stride))
    for (; count > 1 && stride < tile::kWarpThreads; stride *= 2, count /= 2) {
      Value mask = index.constant(loc, stride);
      Value other = kernel::ShflXorOp::create(b, loc, value.getType(), value, mask);
      value = combine(b, loc, kind, value, other);
    }
  if (count == 1)
    return value;
  // Across warps: each thread leaves its value and reads those of its partners, in their order.
  kernel::StsOp::create(b, loc, scratch, thread, value);
  Value own = threadDigit(loc, {count, stride, stride});
  Value base = arith::SubIOp::create(b, loc, thread, own);
  index.know(base, {1, 0, blockThreads - 1, {}});
  auto space = tile::LevelAttr::get(b.getContext(), tile::Level::RF);
  Value all = kernel::RegistersOp::create(b, named(loc, "all"),
                                       MemRefType::get({}, value.getType(), MemRefLayoutAttrInterface(), space));
  auto partner = [&](const IndexExpr &number) -> Value {
    Value at = index.materialize(loc, valueIndex(base) + number * stride);
    return kernel::LdsOp::create(b, loc, value.getType(), scratch, at);
  };
  memref::StoreOp::create(b, loc, partner(constantIndex(0)), all, ValueRange());
  countedLoop(loc, "w", count - 1, 1, /*unrolled=*/true, [&](const IndexExpr &number) {
    Value before = memref::LoadOp::create(b, loc, all, ValueRange());
    memref::StoreOp::create(b, loc, combine(b, loc, kind, before, partner(number + constantIndex(1))), all, ValueRange());
  });
  return memref::LoadOp::create(b, loc, all, ValueRange());
}

void KernelLowering::reduceThreads(tile::ForOp loop, const OuterTiles &outer) {
  for (const auto &[held, whole] : outer) {
    Location loc = unnamed(loop.getLoc());
    Type type = cast<MemRefType>(held.getType()).getElementType();
    Value scratch;
    if (plan.find(analysis::SharedUse::Partials, loop, held))
      scratch = createShared(named(loc, nameOf(held.getLoc(), "held") + "_partials"), analysis::SharedUse::Partials, loop, type, held);
    addPartial(loc, held, *loop.getReduce(), whole, [&](Value value) {
      for (unsigned i = loop.getNumLoops(); i-- > 0;) {
        int64_t count = *loop.getStaticCount(i), stride = tile::getThreadStride(loop, i);
        if (count > 1 && !whole.distribution.isPartedBy(stride))
          value = combineAcross(loc, {count, 1, stride}, *loop.getReduce(), value, scratch);
      }
      return value;
    });
  }
}
