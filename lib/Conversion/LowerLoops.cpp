//===- LowerLoops.cpp - Threads and time ------------------------*- C++ -*-===//
//
// What the loops of a nest become inside of a block.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Conversion/Launch.h"

#include "llvm/Support/MathExtras.h"

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
  // Later digits come after earlier ones.
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

/// Is each iteration of `loop`, and of the loops on threads that are nested one right in the other in it, that of one
/// thread? Lanes of a warp may execute one together.
static bool isOneLoop(tile::ForOp loop) {
  if (loop.getUnit() != tile::Unit::Thread)
    return false;
  tile::ForOp inner;
  bool others = false;
  for (Operation &op : loop.getBody().front()) {
    auto nested = dyn_cast<tile::ForOp>(op);
    if (nested && tile::isThreadUnit(nested) && !nested.getReduce() && !inner)
      inner = nested;
    else
      others |= !isa<tile::PartOp>(op);
  }
  if (inner)
    return !others && isOneLoop(inner);
  return !loop.getBody().walk([](tile::ForOp nested) {
    return tile::isThreadUnit(nested) ? WalkResult::interrupt() : WalkResult::advance();
  }).wasInterrupted();
}

LogicalResult KernelLowering::lowerThreads(tile::ForOp loop) {
  int64_t threads = tile::getThreads(loop);
  int64_t number = isOneLoop(loop) ? ++threadLoops : -1;
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
    Value some = index.compare(loop.getLoc(), arith::CmpIPredicate::slt, thread,
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
  if (outermost)
    for (Operation *op = last ? last->getNextNode() : &b.getInsertionBlock()->front();
         op && b.getInsertionPoint() != Block::iterator(op); op = op->getNextNode())
      op->walk([&](kernel::ThreadLoopMember access) { access.setThreadLoop(number); });
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
  // One loop an induction variable, the last innermost.
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
  kernel::ForOp lowered = createTimeLoop(loop, i, getTimeBounds(loop, i));
  values.map(source, lowered.getInductionVar());
  b.setInsertionPoint(lowered.getBody()->getTerminator());
  return body();
}

int64_t KernelLowering::getLast(tile::ForOp loop, unsigned i) {
  if (std::optional<int64_t> count = loop.getStaticCount(i))
    return std::max<int64_t>(*count - 1, 0) * loop.getSteps()[i];
  // The launcher refuses larger sizes. Of other values nothing is known.
  auto size = dyn_cast<BlockArgument>(cast<Value>(loop.getExtent(i)));
  return size && isa<tile::KernelOp>(size.getOwner()->getParentOp()) ? runtime::maxExtent - 1 : int64_t(1) << 62;
}

kernel::ForOp KernelLowering::createTimeLoop(tile::ForOp loop, unsigned i, const TimeBounds &bounds) {
  Location loc = loop.getInductionVar(i).getLoc();
  auto lowered = kernel::ForOp::create(b, unnamed(loop.getLoc()), bounds.first, bounds.bound, bounds.step);
  lowered.getInductionVar().setLoc(loc);
  index.know(lowered.getInductionVar(),
             {loop.getSteps()[i], 0, getLast(loop, i), dyn_cast<Value>(mapExtent(loop.getExtent(i)))});
  return lowered;
}

TimeBounds KernelLowering::getTimeBounds(tile::ForOp loop, unsigned i, int64_t ahead) {
  Location loc = unnamed(loop.getLoc());
  int64_t step = loop.getSteps()[i];
  Value bound = getExtentValue(loc, mapExtent(loop.getExtent(i))), first = index.constant(loc, 0);
  // The variable passes the last value by one step before the loop ends.
  int64_t beyond, reach;
  bool wide = llvm::MulOverflow(step, ahead + 1, beyond) || llvm::AddOverflow(getLast(loop, i), beyond, reach) ||
              reach > std::numeric_limits<int32_t>::max() || !bound.getType().isIndex();
  if (loop.getCutTail()) {
    std::string name = nameOf(loop.getInductionVar(i).getLoc(), "i");
    first = index.mul(loc, part->first, step);
    Value last = index.mul(loc, part->last, step);
    if (step > 1)
      first.setLoc(named(loc, name + "_first"));
    std::tie(last, bound) = index.unify(loc, last, bound);
    bound = arith::MinSIOp::create(b, named(loc, name + "_last"), last, bound);
    wide |= !first.getType().isIndex() || !bound.getType().isIndex();
  }
  if (!wide)
    return {first, bound, index.constant(loc, step)};
  return {index.widen(loc, first), index.widen(loc, bound), arith::ConstantIntOp::create(b, loc, step, 64)};
}

void KernelLowering::countedLoop(Location loc, StringRef name, int64_t count, int64_t step, bool unrolled,
                                 llvm::function_ref<void(const IndexExpr &)> body) {
  if (count == 1)
    return body(constantIndex(0));
  Value first = index.constant(loc, 0), end = index.constant(loc, count * step), by = index.constant(loc, step);
  if (end.getType() != first.getType() || by.getType() != first.getType())
    first = index.widen(loc, first), end = index.widen(loc, end), by = index.widen(loc, by);
  auto loop = kernel::ForOp::create(b, unnamed(loc), first, end, by);
  loop.getInductionVar().setLoc(named(loc, name));
  if (unrolled)
    loop.setUnroll(kernel::ForOp::kWhole);
  index.know(loop.getInductionVar(), {step, 0, (count - 1) * step, {}});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  body(valueIndex(loop.getInductionVar()));
}

void KernelLowering::setUnrolled(Value iv, int64_t factor) {
  auto argument = dyn_cast<BlockArgument>(iv);
  auto loop = argument ? dyn_cast<kernel::ForOp>(argument.getOwner()->getParentOp()) : kernel::ForOp();
  if (loop)
    loop.setUnroll(factor);
}

/// A loop whose variable indexes registers is written out: registers have no addresses.
void KernelLowering::markUnrolled(Value iv) { setUnrolled(iv, kernel::ForOp::kWhole); }
