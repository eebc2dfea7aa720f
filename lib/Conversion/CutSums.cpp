//===- CutSums.cpp - Sums that several blocks have parts of -------*- C++ -*-===//

#include "CutSums.h"

#include "Combine.h"
#include "IntMath.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Analysis/ClusterReduce.h"
#include "tilec/Analysis/CutTail.h"
#include "tilec/Tile/Reduction.h"

using namespace mlir;
using namespace tilec;

Value CutSums::getOwner(Location loc, Value end) {
  // Share g starts at floor(units * g / shares): the last one that starts before `end`.
  IntMath math{b, loc};
  Value last = math.sub(math.mul(end, math.wide(grid.getCutWave().shares)), math.wideNumber(1));
  return math.div(last, grid.getCutWave().units);
}

Value CutSums::getPartSlot(Location loc, Value number) {
  return cluster.getOwnNumber(loc, IntMath{b, loc}.add(grid.getPart()->tile, number));
}

Value CutSums::getHolder(Location loc, const tile::Distribution &distribution) {
  if (distribution.getHolders() >= threads.getCount())
    return threads.getNumber();
  IntMath math{b, loc};
  Value holder = math.number(0);
  for (const tile::Digit &digit : distribution.getThreadDigits())
    holder = math.add(math.mul(holder, math.number(digit.count)), threads.getDigit(loc, {digit.count, 1, digit.threadStride}));
  return holder;
}

Value CutSums::isFirstHolder(Location loc, const tile::Distribution &distribution) {
  if (distribution.getHolders() >= threads.getCount())
    return {};
  IntMath math{b, loc};
  Value first = math.number(0);
  for (const tile::Digit &digit : distribution.getThreadDigits())
    first = math.add(first, threads.getDigit(loc, {digit.count, digit.threadStride, digit.threadStride}));
  return math.equal(threads.getNumber(), first);
}

void CutSums::forEachSum(Location loc, Value slot, llvm::function_ref<void(const Run &)> body) {
  IntMath math{b, loc};
  for (auto [held, workspace] : llvm::zip(sums, workspaces)) {
    const RegisterTile &tile = registers.get(held);
    Value array = flatten(context, tile.array);
    auto type = cast<MemRefType>(array.getType());
    int64_t count = analysis::countHolders(tile.distribution, threads.getCount());
    int64_t width = analysis::getExchangeWidth(type.getNumElements(), type.getElementTypeBitWidth() / 8);
    // A slot is a row of holders for each run, so that a warp's accesses are whole lines.
    Value base = math.add(math.mul(math.wide(slot), math.wideNumber(type.getNumElements() * count)),
                          math.wide(math.mul(getHolder(loc, tile.distribution), math.number(width))), nameOf(held.getLoc(), "held") + "_slot");
    forEachRun(context, loc, type, width, [&](const IndexExpr &element, const Indices &indices) {
      Value at = base;
      if (!element.terms.empty())
        at = math.add(base, math.wide(context.index.materialize(loc, element * count)));
      body({held, array, indices, width, workspace, at, type.getNumElements() * count});
    });
  }
}

void CutSums::sumParts(Location loc, Value first, Value last) {
  IntMath math{b, loc};
  // Its own sums are among the parts. -0 + x is x for every x.
  for (Value held : sums) {
    Value array = flatten(context, registers.get(held).array);
    auto type = cast<MemRefType>(array.getType());
    Value none = arith::ConstantOp::create(b, loc, tile::getIdentity(tile::Combine::Add, type.getElementType()));
    forEachRun(context, loc, type, 1, [&](const IndexExpr &, const Indices &indices) {
      memref::StoreOp::create(b, loc, none, array, indices);
    });
  }
  int64_t atOnce = std::numeric_limits<int64_t>::max();
  for (Value held : sums)
    atOnce = std::min(atOnce, analysis::getPartsAtOnce(registers.get(held).distribution.getLocalElements(), cast<MemRefType>(held.getType()).getElementTypeBitWidth() / 8));
  auto walk = kernel::ForOp::create(b, loc, first, math.add(last, math.number(1)), math.number(atOnce));
  walk.getInductionVar().setLoc(named(loc, "from"));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(walk.getBody()->getTerminator());
  if (atOnce > 1)
    return sumFew(loc, walk.getInductionVar(), last, atOnce);
  forEachSum(loc, getPartSlot(loc, walk.getInductionVar()), [&](const Run &run) {
    Type element = cast<MemRefType>(run.array.getType()).getElementType();
    if (run.width == 1) {
      Value before = memref::LoadOp::create(b, loc, run.array, run.indices);
      Value more = kernel::LdgOp::create(b, loc, element, run.workspace, run.at);
      memref::StoreOp::create(b, loc, combine(b, loc, tile::Combine::Add, before, more), run.array, run.indices);
      return;
    }
    Value more = context.createArray(named(loc, "more"), run.width, element);
    kernel::LdgVectorOp::create(b, loc, more, math.number(0), run.workspace, run.at, run.width);
    combineRun(context, loc, tile::Combine::Add, run.array, run.indices, more, run.width);
  });
}

/// All loads are asked for before the first is waited for. Parts lie one after the other, so that one address is enough for those of a tile.
void CutSums::sumFew(Location loc, Value from, Value last, int64_t count) {
  IntMath math{b, loc};
  SmallVector<std::pair<Run, Value>> found;
  forEachSum(loc, getPartSlot(loc, from), [&](const Run &first) {
    Type element = cast<MemRefType>(first.array.getType()).getElementType();
    Value none = arith::ConstantOp::create(b, loc, tile::getIdentity(tile::Combine::Add, element));
    for (int64_t number = 0; number < count; ++number) {
      Run run = first;
      run.at = math.add(first.at, math.wideNumber(number * cluster.getBlocks() * first.slotElements));
      Value more = context.createArray(named(loc, "more"), run.width, element);
      for (int64_t i = 0; i < run.width; ++i)
        memref::StoreOp::create(b, loc, none, more, ValueRange(math.number(i)));
      found.push_back({run, more});
      OpBuilder::InsertionGuard guard(b);
      context.enterIf(loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, math.add(from, math.number(number), "part"), last));
      if (run.width == 1)
        memref::StoreOp::create(b, loc, kernel::LdgOp::create(b, loc, element, run.workspace, run.at), more, ValueRange(math.number(0)));
      else
        kernel::LdgVectorOp::create(b, loc, more, math.number(0), run.workspace, run.at, run.width);
    }
  });
  for (const auto &[run, more] : found)
    combineRun(context, loc, tile::Combine::Add, run.array, run.indices, more, run.width);
}

Value CutSums::leavePart(Location loc, Value done) {
  IntMath math{b, loc};
  const Value tile = grid.getPart()->tile, steps = grid.getCutWave().steps;
  forEachSum(loc, getPartSlot(loc, grid.getBlock()), [&](const Run &run) {
    OpBuilder::InsertionGuard guard(b);
    if (Value isFirst = isFirstHolder(loc, registers.get(run.held).distribution))
      context.enterIf(loc, isFirst);
    if (run.width > 1)
      kernel::StgVectorOp::create(b, loc, run.workspace, run.at, run.array, run.indices, run.width);
    else
      kernel::StgOp::create(b, loc, run.workspace, run.at, memref::LoadOp::create(b, loc, run.array, run.indices));
  });
  // The barrier orders what all threads have written before the count, and the count, which releases and
  // acquires, before what the threads of the last block read: causality order passes through both (PTX ISA, memory
  // consistency model), so that no thread needs a fence of its own.
  threads.wait(loc);
  auto byFirst = [&](llvm::function_ref<void()> emit) {
    OpBuilder::InsertionGuard guard(b);
    context.enterIf(loc, threads.isFirst(loc));
    emit();
  };
  Value own = cluster.getOwnNumber(loc, tile);
  auto count = [&](Value more) -> Value {
    return kernel::AtomicFetchAddOp::create(b, loc, b.getI32Type(), workspaces.back(), own, more);
  };
  byFirst([&] {
    Value before = count(arith::ConstantIntOp::create(b, loc, 1, 32));
    before.setLoc(named(loc, "before"));
    kernel::StsOp::create(b, loc, done, math.number(0), before);
  });
  threads.wait(loc);
  Value start = math.mul(math.wide(tile), math.wide(steps), "tile_start");
  Value first = getOwner(loc, math.add(start, math.wideNumber(1)));
  Value last = getOwner(loc, math.add(start, math.wide(steps)));
  first.setLoc(named(loc, "first_block"));
  last.setLoc(named(loc, "last_block"));
  Value before = kernel::LdsOp::create(b, loc, b.getI32Type(), done, math.number(0));
  Value others = math.trunc(math.sub(last, first));
  Value isLast = math.equal(before, others, "is_last");
  OpBuilder::InsertionGuard guard(b);
  context.enterIf(loc, isLast);
  sumParts(loc, math.narrow(first), math.narrow(last));
  byFirst([&] { count(math.trunc(math.sub(math.sub(first, last), math.wideNumber(1)))); }); // 0 for the next launch.
  return isLast;
}

Value CutSums::addParts(tile::ForOp cut) {
  Location loc = unnamed(cut.getLoc());
  IntMath math{b, loc};
  Value done = shared.create(named(loc, "done_before"), analysis::SharedUse::Done, cut, b.getI32Type());
  const auto &[first, last] = grid.getPart()->steps;
  Value isWhole = math.equal(math.sub(last, first), grid.getCutWave().steps);
  auto complete = scf::IfOp::create(b, named(loc, "is_complete"), b.getI1Type(), isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(complete.thenBlock());
  scf::YieldOp::create(b, loc, arith::ConstantIntOp::create(b, loc, 1, 1).getResult());
  b.setInsertionPointToEnd(complete.elseBlock());
  Value isLast = leavePart(loc, done);
  scf::YieldOp::create(b, loc, isLast);
  return complete.getResult(0);
}
