//===- Reduction.cpp - Sums of units ------------------------------*- C++ -*-===//

#include "Reduction.h"

#include "Loops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Analysis/ClusterReduce.h"

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

namespace {
/// What threads that differ in a digit have, and what those with a lower one make; the latter is empty where nobody asks for it.
struct Across {
  Indices all, before;
};
} // namespace

/// Lanes whose numbers differ in the bits of `digit` that a warp has get the combination of their values, that of the lower lane first.
static void combineLanes(Context &context, Threads &threads, Location loc, const tile::Digit &digit, int64_t shuffled, Combiner &combiner, Across &values) {
  OpBuilder &b = context.b;
  IndexBuilder &index = context.index;
  bool scans = !values.before.empty();
  auto select = [&](Value condition, Value a, Value c) -> Value { return arith::SelectOp::create(b, loc, condition, a, c); };
  for (int64_t bit = 1; bit < shuffled; bit *= 2) {
    Value mask = index.constant(loc, bit * digit.threadStride);
    Indices lower = values.all;
    Indices upper = llvm::map_to_vector(values.all, [&](Value value) -> Value { return kernel::ShflXorOp::create(b, loc, value.getType(), value, mask); });
    Value isLower;
    if (combiner.isOrdered() || scans) {
      Value side = index.rem(loc, index.div(loc, threads.getNumber(), bit * digit.threadStride), 2);
      isLower = index.compare(loc, arith::CmpIPredicate::eq, side, index.constant(loc, 0));
    }
    if (scans)
      for (auto [value, more] : llvm::zip_equal(values.before, combiner.combine(loc, upper, values.before)))
        value = select(isLower, value, more);
    if (combiner.isOrdered())
      for (auto [first, second] : llvm::zip_equal(lower, upper)) {
        Value own = first, other = second;
        first = select(isLower, own, other);
        second = select(isLower, other, own);
      }
    values.all = combiner.combine(loc, lower, upper);
  }
}

/// Values of a thread in registers of their own.
static Indices createArrays(Context &context, Location loc, StringRef name, ValueRange like) {
  return llvm::map_to_vector(like, [&](Value value) -> Value { return context.createArray(named(loc, name), {}, value.getType()); });
}
static void keep(Context &context, Location loc, ValueRange arrays, ValueRange values) {
  for (auto [array, value] : llvm::zip_equal(arrays, values))
    memref::StoreOp::create(context.b, loc, value, array, ValueRange());
}
static Indices getKept(Context &context, Location loc, ValueRange arrays) {
  return llvm::map_to_vector(arrays, [&](Value array) -> Value { return memref::LoadOp::create(context.b, loc, array, ValueRange()); });
}

/// All threads that differ in `digit` only get the combination of their values; those of the block that do not run the loop that of the
/// threads in whose place they hold it. `scratch` has an array for each value.
static void combineAcross(Context &context, Threads &threads, Location loc, const tile::Digit &digit, Combiner &combiner, Across &values,
                          ArrayRef<Value> scratch, const analysis::SumExchange &exchange) {
  OpBuilder &b = context.b;
  IndexBuilder &index = context.index;
  bool scans = !values.before.empty();
  Indices neutral = values.before;
  int64_t shuffled = exchange.getShuffled(digit.count, digit.threadStride);
  combineLanes(context, threads, loc, digit, shuffled, combiner, values);
  if (!exchange.passesMemory(digit.count, digit.threadStride))
    return;
  int64_t stride = digit.threadStride * shuffled, count = digit.count / shuffled;
  // Across warps: each thread leaves its values and reads those of its partners, in their order.
  Value place = threads.getNumber();
  {
    OpBuilder::InsertionGuard guard(b);
    if (exchange.isPart)
      context.enterIf(loc, index.compare(loc, arith::CmpIPredicate::slt, place, index.constant(loc, exchange.threads)));
    for (auto [array, value] : llvm::zip_equal(scratch, values.all))
      kernel::StsOp::create(b, loc, array, place, value);
  }
  if (exchange.isPart)
    place = index.rem(loc, place, exchange.threads);
  Value own = threads.getDigit(loc, {count, stride, stride});
  Value base = arith::SubIOp::create(b, loc, place, own);
  index.know(base, {1, 0, threads.getCount() - 1, {}});
  Indices all = createArrays(context, loc, "all", values.all), ahead = scans ? createArrays(context, loc, "ahead", values.all) : Indices();
  auto getPartner = [&](const IndexExpr &number) {
    Value at = index.materialize(loc, valueIndex(base) + number * stride);
    return llvm::map_to_vector(llvm::zip_equal(scratch, values.all), [&](auto pair) -> Value {
      return kernel::LdsOp::create(b, loc, std::get<1>(pair).getType(), std::get<0>(pair), at);
    });
  };
  keep(context, loc, all, getPartner(constantIndex(0)));
  keep(context, loc, ahead, neutral);
  auto addPartner = [&](const IndexExpr &number) {
    IndexExpr next = number + constantIndex(1);
    Indices before = getKept(context, loc, all);
    if (scans) { // Those so far are what lies before the next one.
      Value isOwn = index.compare(loc, arith::CmpIPredicate::eq, own, index.materialize(loc, next * stride));
      Indices known = getKept(context, loc, ahead);
      for (auto [value, sum] : llvm::zip_equal(known, before))
        value = arith::SelectOp::create(b, loc, isOwn, sum, value);
      keep(context, loc, ahead, known);
    }
    keep(context, loc, all, combiner.combine(loc, before, getPartner(next)));
  };
  if (count > 1)
    createCountedLoop(context, loc, "w", count - 1, 1, /*unrolled=*/true, addPartner);
  values.all = getKept(context, loc, all);
  if (scans)
    values.before = combiner.combine(loc, getKept(context, loc, ahead), values.before);
}

Indices Reduction::createScratch(ArrayRef<Value> group, SharedTiles &shared) {
  return llvm::map_to_vector(group, [&](Value held) -> Value {
    if (!shared.has(analysis::SharedUse::Partials, loop, held))
      return {};
    Location partials = named(loc, nameOf(held.getLoc(), "held") + "_partials");
    return shared.create(partials, analysis::SharedUse::Partials, loop, cast<MemRefType>(held.getType()).getElementType(), held);
  });
}

/// `width` elements of shared memory at `from`, in registers.
static Value fetchRun(Context &context, Location loc, Value shared, Value from, Type element, int64_t width) {
  OpBuilder &b = context.b;
  Value run = context.createArray(named(loc, "more"), width, element);
  Value first = context.index.constant(loc, 0);
  if (width > 1)
    kernel::LdsVectorOp::create(b, loc, run, first, shared, from, width);
  else
    memref::StoreOp::create(b, loc, kernel::LdsOp::create(b, loc, element, shared, from), run, first);
  return run;
}

void Reduction::exchangeRuns(ArrayRef<Value> arrays, const tile::Digit &digit, ArrayRef<Value> scratch, Threads &threads) {
  OpBuilder &b = context.b;
  IndexBuilder &index = context.index;
  analysis::SumExchange exchange = analysis::getSumExchange(loop, threads.getCount());
  auto type = cast<MemRefType>(arrays.front().getType());
  // All tiles of a tuple go in runs of the widest element.
  int64_t bytes = 0;
  for (Value array : arrays)
    bytes = std::max<int64_t>(bytes, cast<MemRefType>(array.getType()).getElementTypeBitWidth() / 8);
  int64_t atOnce = analysis::getExchangedAtOnce(type.getNumElements(), bytes), width = analysis::getExchangeWidth(atOnce, bytes);
  int64_t shuffled = exchange.getShuffled(digit.count, digit.threadStride), stride = digit.threadStride * shuffled, count = digit.count / shuffled;
  int64_t read = exchange.countRead(count, combiner.isOrdered());
  Value place = threads.getNumber();
  auto at = [&](const IndexExpr &run, Value thread, const IndexExpr &more) {
    return index.materialize(loc, run * threads.getCount() + valueIndex(thread, width) + more * (stride * width));
  };
  createCountedLoop(context, loc, "c", type.getNumElements() / atOnce, atOnce, /*unrolled=*/true, [&](const IndexExpr &begin) {
    auto forEach = [&](llvm::function_ref<void(const IndexExpr &, const IndexExpr &)> body) {
      createCountedLoop(context, loc, "e", atOnce / width, width, /*unrolled=*/true, [&](const IndexExpr &run) { body(run, begin + run); });
    };
    {
      OpBuilder::InsertionGuard guard(b);
      if (exchange.isPart)
        context.enterIf(loc, index.compare(loc, arith::CmpIPredicate::slt, place, index.constant(loc, exchange.threads)));
      forEach([&](const IndexExpr &run, const IndexExpr &element) {
        for (auto [array, shared] : llvm::zip_equal(arrays, scratch))
          storeRun(context, loc, shared, at(run, place, constantIndex(0)), array, Indices{index.materialize(loc, element)}, width);
      });
    }
    Value number = exchange.isPart ? index.rem(loc, place, exchange.threads) : place, own = threads.getDigit(loc, {count, 1, stride});
    Value base = arith::SubIOp::create(b, loc, number, index.mul(loc, own, stride));
    index.know(base, {1, 0, threads.getCount() - 1, {}});
    forEach([&](const IndexExpr &run, const IndexExpr &element) {
      auto fetch = [&](const IndexExpr &partner, bool isFirst) {
        Indices more = llvm::map_to_vector(llvm::zip_equal(arrays, scratch), [&](auto pair) {
          return fetchRun(context, loc, std::get<1>(pair), at(run, base, partner), cast<MemRefType>(std::get<0>(pair).getType()).getElementType(), width);
        });
        combineRuns(arrays, element, more, width, isFirst);
      };
      if (read < count)
        return fetch(constantIndex(1) + valueIndex(own, -1), /*isFirst=*/false);
      fetch(constantIndex(0), /*isFirst=*/true);
      createCountedLoop(context, loc, "w", count - 1, 1, /*unrolled=*/true,
                        [&](const IndexExpr &partner) { fetch(partner + constantIndex(1), /*isFirst=*/false); });
    });
  });
}

void Reduction::combineRuns(ArrayRef<Value> arrays, const IndexExpr &first, ArrayRef<Value> more, int64_t width, bool replaces) {
  OpBuilder &b = context.b;
  createCountedLoop(context, loc, "q", width, 1, /*unrolled=*/true, [&](const IndexExpr &number) {
    Value from = context.index.materialize(loc, number), to = context.index.materialize(loc, first + number);
    Indices values = llvm::map_to_vector(more, [&](Value array) -> Value { return memref::LoadOp::create(b, loc, array, from); });
    if (!replaces) {
      Indices before = llvm::map_to_vector(arrays, [&](Value array) -> Value { return memref::LoadOp::create(b, loc, array, to); });
      values = combiner.combine(loc, before, values);
    }
    for (auto [array, value] : llvm::zip_equal(arrays, values))
      memref::StoreOp::create(b, loc, value, array, to);
  });
}

void Reduction::finishThreads(Threads &threads, SharedTiles &shared) {
  analysis::SumExchange exchange = analysis::getSumExchange(loop, threads.getCount());
  for (ArrayRef<Value> group : groups) {
    const tile::Distribution &distribution = outer[group.front()].distribution;
    Indices scratch = createScratch(group, shared);
    SmallVector<tile::Digit> digits = analysis::getSummedDigits(loop, distribution);
    // Of one element all that is done to it stands together.
    if (!scratch.front() || distribution.getLocalElements() == 1) {
      addPartial(group, [&](Indices values) {
        Across across{std::move(values), {}};
        for (const tile::Digit &digit : digits)
          combineAcross(context, threads, loc, digit, combiner, across, scratch, exchange);
        return across.all;
      });
      continue;
    }
    SmallVector<Value> arrays = llvm::map_to_vector(group, [&](Value held) { return flatten(context, registers.get(held).array); });
    for (const tile::Digit &digit : digits) {
      if (int64_t shuffled = exchange.getShuffled(digit.count, digit.threadStride); shuffled > 1)
        forEachRun(context, loc, cast<MemRefType>(arrays.front().getType()), 1, [&](const IndexExpr &, const Indices &at) {
          Across across{llvm::map_to_vector(arrays, [&](Value array) -> Value { return memref::LoadOp::create(context.b, loc, array, at); }), {}};
          combineLanes(context, threads, loc, digit, shuffled, combiner, across);
          for (auto [array, value] : llvm::zip_equal(arrays, across.all))
            memref::StoreOp::create(context.b, loc, value, array, at);
        });
      if (exchange.passesMemory(digit.count, digit.threadStride))
        exchangeRuns(arrays, digit, scratch, threads);
    }
    addPartial(group);
  }
}

Value Reduction::scan(Value held, Threads &threads, SharedTiles &shared) {
  OpBuilder &b = context.b;
  analysis::SumExchange exchange = analysis::getSumExchange(loop, threads.getCount());
  const RegisterTile &whole = outer[held];
  Location beforeLoc = named(loc, nameOf(held.getLoc(), "held") + "_before");
  Value own = registers.get(held).array, before = kernel::RegistersOp::create(b, beforeLoc, cast<MemRefType>(own.getType()));
  Indices scratch = createScratch(held, shared);
  Value neutral = arith::ConstantOp::create(b, loc, combiner.getNeutral(held));
  tile::Digit digit = analysis::getSummedDigits(loop, whole.distribution).front(); // The only one (rule R8).
  registers.forEachHeld(loc, whole.distribution, 1, [&](const Indices &indices, const Coordinates &) {
    auto load = [&](Value array) -> Value { return memref::LoadOp::create(b, loc, array, indices); };
    Across across{{load(own)}, {neutral}};
    combineAcross(context, threads, loc, digit, combiner, across, scratch, exchange);
    memref::StoreOp::create(b, loc, combiner.combine(loc, load(whole.array), across.before).front(), before, indices);
    memref::StoreOp::create(b, loc, across.all.front(), own, indices);
  });
  return before;
}

void Reduction::finish() {
  for (ArrayRef<Value> group : groups)
    addPartial(group);
}
