//===- Reduction.cpp - Sums of units ------------------------------*- C++ -*-===//

#include "Reduction.h"

#include "Combine.h"
#include "Loops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Tile/Reduction.h"

using namespace mlir;
using namespace tilec;

Reduction::Reduction(Context &context, RegisterTiles &registers, tile::ForOp loop)
    : context(context), registers(registers), loop(loop), kind(*loop.getReduce()), loc(unnamed(loop.getLoc())) {
  OpBuilder &b = context.b;
  for (Value held : tile::getReducedTiles(loop)) {
    RegisterTile whole = registers.get(held);
    outer[held] = whole;
    Location partLoc = named(loc, nameOf(held.getLoc(), "held") + "_part");
    Value partial = kernel::RegistersOp::create(b, partLoc, cast<MemRefType>(whole.array.getType()));
    registers.get(held).array = partial;
    Type type = cast<MemRefType>(held.getType()).getElementType();
    Value identity = arith::ConstantOp::create(b, partLoc, getIdentity(kind, type));
    registers.forEachHeld(partLoc, whole.distribution, 1, [&](const Indices &indices, const Coordinates &) {
      memref::StoreOp::create(b, partLoc, identity, partial, indices);
    });
  }
}

void Reduction::addPartial(Value held, llvm::function_ref<Value(Value)> complete) {
  OpBuilder &b = context.b;
  const RegisterTile &whole = outer[held];
  Value partial = registers.get(held).array;
  registers.forEachHeld(loc, whole.distribution, 1, [&](const Indices &indices, const Coordinates &) {
    Value value = memref::LoadOp::create(b, loc, partial, indices);
    if (complete)
      value = complete(value);
    Value before = memref::LoadOp::create(b, loc, whole.array, indices);
    memref::StoreOp::create(b, loc, combine(b, loc, kind, before, value), whole.array, indices);
  });
  registers.get(held) = whole;
}

/// All threads that differ in `digit` only get the combination of their values; those of the block that do not run the loop that of the
/// threads in whose place they hold it.
static Value combineAcross(Context &context, Threads &threads, Location loc, const tile::Digit &digit, tile::Combine kind, Value value,
                           Value scratch, const analysis::SumExchange &exchange) {
  OpBuilder &b = context.b;
  IndexBuilder &index = context.index;
  // Within a warp: butterflies over the bits of the digit.
  int64_t shuffled = exchange.getShuffled(digit.count, digit.threadStride);
  for (int64_t bit = 1; bit < shuffled; bit *= 2) {
    Value mask = index.constant(loc, bit * digit.threadStride);
    Value other = kernel::ShflXorOp::create(b, loc, value.getType(), value, mask);
    value = combine(b, loc, kind, value, other);
  }
  if (!exchange.passesMemory(digit.count, digit.threadStride))
    return value;
  int64_t stride = digit.threadStride * shuffled, count = digit.count / shuffled;
  // Across warps: each thread leaves its value and reads those of its partners, in their order.
  Value place = threads.getNumber();
  {
    OpBuilder::InsertionGuard guard(b);
    if (exchange.isPart)
      context.enterIf(loc, index.compare(loc, arith::CmpIPredicate::slt, place, index.constant(loc, exchange.threads)));
    kernel::StsOp::create(b, loc, scratch, place, value);
  }
  if (exchange.isPart)
    place = index.rem(loc, place, exchange.threads);
  Value own = threads.getDigit(loc, {count, stride, stride});
  Value base = arith::SubIOp::create(b, loc, place, own);
  index.know(base, {1, 0, threads.getCount() - 1, {}});
  Value all = context.createArray(named(loc, "all"), {}, value.getType());
  auto partner = [&](const IndexExpr &number) -> Value {
    Value at = index.materialize(loc, valueIndex(base) + number * stride);
    return kernel::LdsOp::create(b, loc, value.getType(), scratch, at);
  };
  memref::StoreOp::create(b, loc, partner(constantIndex(0)), all, ValueRange());
  auto addPartner = [&](const IndexExpr &number) {
    Value before = memref::LoadOp::create(b, loc, all, ValueRange());
    memref::StoreOp::create(b, loc, combine(b, loc, kind, before, partner(number + constantIndex(1))), all, ValueRange());
  };
  if (count > 1)
    createCountedLoop(context, loc, "w", count - 1, 1, /*unrolled=*/true, addPartner);
  return memref::LoadOp::create(b, loc, all, ValueRange());
}

void Reduction::finishThreads(Threads &threads, SharedTiles &shared) {
  analysis::SumExchange exchange = analysis::getSumExchange(loop, threads.getCount());
  for (Value held : getTiles()) {
    Type type = cast<MemRefType>(held.getType()).getElementType();
    Value scratch;
    if (shared.has(analysis::SharedUse::Partials, loop, held))
      scratch = shared.create(named(loc, nameOf(held.getLoc(), "held") + "_partials"), analysis::SharedUse::Partials, loop, type, held);
    const tile::Distribution &distribution = outer[held].distribution;
    addPartial(held, [&](Value value) {
      for (const tile::Digit &digit : analysis::getSummedDigits(loop, distribution))
        value = combineAcross(context, threads, loc, digit, kind, value, scratch, exchange);
      return value;
    });
  }
}

void Reduction::finishBlocks() {
  for (Value held : getTiles())
    addPartial(held);
}
