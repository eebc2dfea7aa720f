//===- LowerLoops.cpp - Threads and time ------------------------*- C++ -*-===//
//
// What the loops of a nest become inside of a block.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilec;

LogicalResult KernelLowering::lowerFor(tile::ForOp loop) {
  switch (loop.getUnit()) {
  case tile::Unit::Cluster:
  case tile::Unit::Block:
    return lowerGrid(loop);
  case tile::Unit::Warp:
  case tile::Unit::Thread:
    return lowerThreads(loop);
  case tile::Unit::Time:
  case tile::Unit::Unroll:
    return lowerTime(loop);
  }
  return failure();
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

Value KernelLowering::threadDigit(Location loc, const tile::Digit &digit) {
  Value &known = digits[{digit.threadStride, digit.count, digit.step}];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(thread);
  // Later digits come behind earlier ones.
  while (b.getInsertionPoint() != b.getInsertionBlock()->end() && isa<arith::ArithDialect>(b.getInsertionPoint()->getDialect()))
    b.setInsertionPoint(b.getInsertionBlock(), std::next(b.getInsertionPoint()));
  Location inner = unnamed(loc);
  Value number = index.rem(inner, index.div(inner, thread, digit.threadStride), digit.count);
  number = index.mul(inner, number, digit.step);
  if (number != thread)
    number.setLoc(loc);
  return known = number;
}

/// The op in front of the insertion point; null for none.
static Operation *getLastOp(OpBuilder &b) {
  return b.getInsertionPoint() == b.getInsertionBlock()->begin() ? nullptr : &*std::prev(b.getInsertionPoint());
}

static bool holdsNoThreadLoop(tile::ForOp loop) {
  return !loop.getBody().walk([](tile::ForOp inner) {
    return tile::isThreadUnit(inner) ? WalkResult::interrupt() : WalkResult::advance();
  }).wasInterrupted();
}

LogicalResult KernelLowering::lowerThreads(tile::ForOp loop) {
  int64_t threads = tile::getThreads(loop);
  bool outermost = !loop->getParentOfType<tile::ForOp>() ||
                   [&] {
                     for (auto outer = loop->getParentOfType<tile::ForOp>(); outer; outer = outer->getParentOfType<tile::ForOp>())
                       if (tile::isThreadUnit(outer))
                         return false;
                     return true;
                   }();
  for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
    Value source = loop.getInductionVar(i);
    int64_t count = *loop.getStaticCount(i);
    Value value = count == 1 ? index.constant(loop.getLoc(), 0)
                             : threadDigit(source.getLoc(), {count, loop.getSteps()[i], tile::getThreadStride(loop, i)});
    values.map(source, value);
  }
  OpBuilder::InsertionGuard guard(b);
  int64_t outerActive = activeThreads;
  if (outermost && threads < blockThreads) {
    if (loop.getReduce())
      return loop.emitOpError("reduces over ") << threads << " threads of a block of " << blockThreads
                                               << "; reductions over a part of the block are not lowered yet";
    Value some = arith::CmpIOp::create(b, loop.getLoc(), arith::CmpIPredicate::slt, thread,
                                       index.constant(loop.getLoc(), threads));
    auto condition = scf::IfOp::create(b, loop.getLoc(), some, /*withElseRegion=*/false);
    b.setInsertionPoint(condition.thenBlock()->getTerminator());
    activeThreads = threads;
  }
  OuterTiles outer;
  if (loop.getReduce()) {
    if (blockThreads % tile::kWarpThreads != 0)
      return loop.emitOpError("reduces over threads of a block of ")
             << blockThreads << " threads, which is not a multiple of " << tile::kWarpThreads;
    outer = beginReduction(loop);
  }
  Operation *last = getLastOp(b);
  if (failed(lowerBlock(loop.getBody().front())))
    return failure();
  if (outermost && holdsNoThreadLoop(loop))
    for (Operation *op = last ? last->getNextNode() : &b.getInsertionBlock()->front();
         op && b.getInsertionPoint() != Block::iterator(op); op = op->getNextNode())
      if (op->getNumRegions() != 0 || isa<kernel::VocabularyCall>(op)) // Arithmetic may be that of others, too.
        op->setAttr("tilec.thread_loop", b.getI64IntegerAttr(threadLoops + 1));
  ++threadLoops;
  reduceThreads(loop, outer);
  activeThreads = outerActive;
  return success();
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::lowerTime(tile::ForOp loop) {
  if (loop.getPipeline())
    return lowerPipeline(loop);
  // One scf.for an induction variable, the last innermost.
  std::function<LogicalResult(unsigned)> nest = [&](unsigned i) -> LogicalResult {
    if (i == loop.getNumLoops())
      return lowerBlock(loop.getBody().front());
    return lowerTimeLoop(loop, i, [&] { return nest(i + 1); });
  };
  return nest(0);
}

LogicalResult KernelLowering::lowerTimeLoop(tile::ForOp loop, unsigned i, llvm::function_ref<LogicalResult()> body) {
  Value source = loop.getInductionVar(i);
  Location loc = source.getLoc();
  int64_t step = loop.getSteps()[i];
  std::optional<int64_t> count = loop.getStaticCount(i);
  if (count == 1 && !loop.getCutTail()) {
    values.map(source, index.constant(loc, 0));
    return body();
  }
  OpBuilder::InsertionGuard guard(b);
  if (loop.getUnit() == tile::Unit::Unroll) { // Counts tiles: their number is what indexes registers.
    LogicalResult result = success();
    countedLoop(loc, nameOf(loc, "i"), *count, 1, /*unrolled=*/true, [&](const IndexExpr &number) {
      values.map(source, index.mul(unnamed(loc), number.terms.front().first, step));
      result = body();
    });
    return result;
  }
  OpFoldResult extent = mapExtent(loop.getExtent(i));
  auto [first, bound] = getTimeBounds(loop, i);
  auto lowered = scf::ForOp::create(b, unnamed(loop.getLoc()), first, bound, index.constant(loc, step));
  lowered.getInductionVar().setLoc(loc);
  index.know(lowered.getInductionVar(),
             {step, 0, count ? std::optional<int64_t>((*count - 1) * step) : std::nullopt, dyn_cast<Value>(extent)});
  values.map(source, lowered.getInductionVar());
  b.setInsertionPoint(lowered.getBody()->getTerminator());
  return body();
}

std::pair<Value, Value> KernelLowering::getTimeBounds(tile::ForOp loop, unsigned i) {
  Location loc = unnamed(loop.getLoc());
  OpFoldResult extent = mapExtent(loop.getExtent(i));
  std::optional<int64_t> fixed = getStatic(extent);
  Value bound = fixed ? index.constant(loc, *fixed) : cast<Value>(extent);
  if (!loop.getCutTail())
    return {index.constant(loc, 0), bound};
  std::string name = nameOf(loop.getInductionVar(i).getLoc(), "i");
  int64_t step = loop.getSteps()[i];
  Value first = index.mul(loc, part->first, step), last = index.mul(loc, part->last, step);
  if (step > 1)
    first.setLoc(named(loc, name + "_first"));
  return {first, arith::MinSIOp::create(b, named(loc, name + "_last"), last, bound)};
}

void KernelLowering::countedLoop(Location loc, StringRef name, int64_t count, int64_t step, bool unrolled,
                                 llvm::function_ref<void(const IndexExpr &)> body) {
  if (count == 1)
    return body(constantIndex(0));
  auto loop = scf::ForOp::create(b, unnamed(loc), index.constant(loc, 0), index.constant(loc, count * step),
                                 index.constant(loc, step));
  loop.getInductionVar().setLoc(named(loc, name));
  if (unrolled)
    loop->setAttr("tilec.unroll", b.getUnitAttr());
  index.know(loop.getInductionVar(), {step, 0, (count - 1) * step, {}});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  body(valueIndex(loop.getInductionVar()));
}

void KernelLowering::setUnrolled(Value iv, int64_t factor) {
  auto argument = dyn_cast<BlockArgument>(iv);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (loop)
    loop->setAttr("tilec.unroll", factor == 0 ? Attribute(b.getUnitAttr()) : b.getI64IntegerAttr(factor));
}

/// A loop whose variable indexes registers is written out: registers have no addresses.
void KernelLowering::markUnrolled(Value iv) { setUnrolled(iv, 0); }
