//===- Reduction.cpp - Sums of units ------------------------------*- C++ -*-===//

#include "Reduction.h"

#include "Loops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tilec;

Reduction::Reduction(Context &context, RegisterTiles &registers, tile::ForOp loop)
    : context(context), registers(registers), loop(loop), combiner(context, loop), groups(combiner.getGroups()), loc(unnamed(loop.getLoc())) {
  OpBuilder &b = context.b;
  for (ArrayRef<Value> group : groups)
    for (Value held : group) {
      RegisterTile whole = registers.get(held);
      outer[held] = whole;
      Location partLoc = named(loc, nameOf(held.getLoc(), "held") + "_part");
      Value partial = kernel::RegistersOp::create(b, partLoc, cast<MemRefType>(whole.array.getType()));
      registers.get(held).array = partial;
      Value neutral = arith::ConstantOp::create(b, partLoc, combiner.getNeutral(held));
      registers.forEachHeld(partLoc, whole.distribution, 1, [&](const Indices &indices, const Coordinates &) {
        memref::StoreOp::create(b, partLoc, neutral, partial, indices);
      });
    }
}

void Reduction::addPartial(ArrayRef<Value> group, llvm::function_ref<Indices(Indices)> complete) {
  OpBuilder &b = context.b;
  registers.forEachHeld(loc, outer[group.front()].distribution, 1, [&](const Indices &indices, const Coordinates &) {
    Indices values = llvm::map_to_vector(group, [&](Value held) -> Value { return memref::LoadOp::create(b, loc, registers.get(held).array, indices); });
    if (complete)
      values = complete(values);
    Indices before = llvm::map_to_vector(group, [&](Value held) -> Value { return memref::LoadOp::create(b, loc, outer[held].array, indices); });
    for (auto [held, value] : llvm::zip_equal(group, combiner.combine(loc, before, values)))
      memref::StoreOp::create(b, loc, value, outer[held].array, indices);
  });
  for (Value held : group)
    registers.get(held) = outer[held];
}

/// Lanes whose numbers differ in the bits of `digit` that a warp has get the combination of their values, that of the lower lane first.
static Indices combineLanes(Context &context, Threads &threads, Location loc, const tile::Digit &digit, int64_t shuffled, Combiner &combiner, Indices values) {
  OpBuilder &b = context.b;
  IndexBuilder &index = context.index;
  for (int64_t bit = 1; bit < shuffled; bit *= 2) {
    Value mask = index.constant(loc, bit * digit.threadStride);
    Indices lower = values;
    Indices upper = llvm::map_to_vector(values, [&](Value value) -> Value { return kernel::ShflXorOp::create(b, loc, value.getType(), value, mask); });
    if (combiner.isOrdered()) {
      Value side = index.rem(loc, index.div(loc, threads.getNumber(), bit * digit.threadStride), 2);
      Value isLower = index.compare(loc, arith::CmpIPredicate::eq, side, index.constant(loc, 0));
      for (auto [first, second] : llvm::zip_equal(lower, upper)) {
        Value own = first, other = second;
        first = arith::SelectOp::create(b, loc, isLower, own, other);
        second = arith::SelectOp::create(b, loc, isLower, other, own);
      }
    }
    values = combiner.combine(loc, lower, upper);
  }
  return values;
}

/// All threads that differ in `digit` only get the combination of their values; those of the block that do not run the loop that of the
/// threads in whose place they hold it. `scratch` has an array for each value.
static Indices combineAcross(Context &context, Threads &threads, Location loc, const tile::Digit &digit, Combiner &combiner, Indices values,
                             ArrayRef<Value> scratch, const analysis::SumExchange &exchange) {
  OpBuilder &b = context.b;
  IndexBuilder &index = context.index;
  int64_t shuffled = exchange.getShuffled(digit.count, digit.threadStride);
  values = combineLanes(context, threads, loc, digit, shuffled, combiner, values);
  if (!exchange.passesMemory(digit.count, digit.threadStride))
    return values;
  int64_t stride = digit.threadStride * shuffled, count = digit.count / shuffled;
  // Across warps: each thread leaves its values and reads those of its partners, in their order.
  Value place = threads.getNumber();
  {
    OpBuilder::InsertionGuard guard(b);
    if (exchange.isPart)
      context.enterIf(loc, index.compare(loc, arith::CmpIPredicate::slt, place, index.constant(loc, exchange.threads)));
    for (auto [array, value] : llvm::zip_equal(scratch, values))
      kernel::StsOp::create(b, loc, array, place, value);
  }
  if (exchange.isPart)
    place = index.rem(loc, place, exchange.threads);
  Value own = threads.getDigit(loc, {count, stride, stride});
  Value base = arith::SubIOp::create(b, loc, place, own);
  index.know(base, {1, 0, threads.getCount() - 1, {}});
  Indices all = llvm::map_to_vector(values, [&](Value value) -> Value { return context.createArray(named(loc, "all"), {}, value.getType()); });
  auto getPartner = [&](const IndexExpr &number) {
    Value at = index.materialize(loc, valueIndex(base) + number * stride);
    return llvm::map_to_vector(llvm::zip_equal(scratch, values), [&](auto pair) -> Value {
      return kernel::LdsOp::create(b, loc, std::get<1>(pair).getType(), std::get<0>(pair), at);
    });
  };
  auto keep = [&](const Indices &tuple) {
    for (auto [array, value] : llvm::zip_equal(all, tuple))
      memref::StoreOp::create(b, loc, value, array, ValueRange());
  };
  auto getKept = [&] { return llvm::map_to_vector(all, [&](Value array) -> Value { return memref::LoadOp::create(b, loc, array, ValueRange()); }); };
  keep(getPartner(constantIndex(0)));
  auto addPartner = [&](const IndexExpr &number) {
    Indices before = getKept();
    keep(combiner.combine(loc, before, getPartner(number + constantIndex(1))));
  };
  if (count > 1)
    createCountedLoop(context, loc, "w", count - 1, 1, /*unrolled=*/true, addPartner);
  return getKept();
}

void Reduction::finishThreads(Threads &threads, SharedTiles &shared) {
  analysis::SumExchange exchange = analysis::getSumExchange(loop, threads.getCount());
  for (ArrayRef<Value> group : groups) {
    Indices scratch = llvm::map_to_vector(group, [&](Value held) -> Value {
      Type type = cast<MemRefType>(held.getType()).getElementType();
      if (!shared.has(analysis::SharedUse::Partials, loop, held))
        return {};
      return shared.create(named(loc, nameOf(held.getLoc(), "held") + "_partials"), analysis::SharedUse::Partials, loop, type, held);
    });
    addPartial(group, [&](Indices values) {
      for (const tile::Digit &digit : analysis::getSummedDigits(loop, outer[group.front()].distribution))
        values = combineAcross(context, threads, loc, digit, combiner, values, scratch, exchange);
      return values;
    });
  }
}

void Reduction::finishBlocks() {
  for (ArrayRef<Value> group : groups)
    addPartial(group);
}
