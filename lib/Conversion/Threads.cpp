//===- Threads.cpp - Who runs what is being emitted --------------*- C++ -*-===//

#include "Threads.h"

#include "tilec/Analysis/CopyPlan.h"

using namespace mlir;
using namespace tilec;

Threads::Threads(Context &context, Value number, int64_t count, Value team)
    : context(&context), number(number), count(count), active(count), team(team), areBlock(!team) {
  context.index.know(number, {1, 0, count - 1, {}});
}

void Threads::nameDigits() {
  tile::KernelOp(context->kernel).walk([&](tile::ForOp loop) {
    if (!tile::isThreadUnit(loop))
      return;
    for (unsigned i = 0; i < loop.getNumLoops(); ++i)
      if (int64_t count = *loop.getStaticCount(i); count > 1)
        getDigit(loop.getInductionVar(i).getLoc(), {count, loop.getSteps()[i], tile::getThreadStride(loop, i)});
  });
}

Value Threads::getDigit(Location loc, const tile::Digit &digit) {
  Value &known = digits[{digit.threadStride, digit.count, digit.step}];
  if (known)
    return known;
  OpBuilder &b = context->b;
  IndexBuilder &index = context->index;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(number);
  // Later digits come after earlier ones.
  while (b.getInsertionPoint() != b.getInsertionBlock()->end() && isa<arith::ArithDialect>(b.getInsertionPoint()->getDialect()))
    b.setInsertionPoint(b.getInsertionBlock(), std::next(b.getInsertionPoint()));
  Location inner = unnamed(loc);
  Value value = index.rem(inner, index.div(inner, number, digit.threadStride), digit.count);
  value = index.mul(inner, value, digit.step);
  if (value != number)
    value.setLoc(loc);
  return known = value;
}

Coordinates Threads::getCoordinates(Location loc, const tile::Distribution &distribution) {
  Coordinates coordinates(distribution.dims.size());
  for (auto [dim, dimDigits] : llvm::enumerate(distribution.dims))
    for (const tile::Digit &digit : dimDigits)
      if (digit.threadStride != 0)
        coordinates[dim] = coordinates[dim] + valueIndex(getDigit(loc, digit));
  return coordinates;
}

Value Threads::isFirstHolder(Operation *op, const tile::Distribution &distribution) {
  // Several threads may hold the same elements: those that differ only in digits of the thread number that neither the
  // tile's distribution nor the loops around it mention.
  SmallVector<analysis::ThreadDigit> covered;
  for (ArrayRef<tile::Digit> dimDigits : distribution.dims)
    for (const tile::Digit &digit : dimDigits)
      if (digit.threadStride != 0)
        covered.push_back({digit.threadStride, digit.count});
  for (auto loop = op->getParentOfType<tile::ForOp>(); loop; loop = loop->getParentOfType<tile::ForOp>())
    if (tile::isThreadUnit(loop))
      for (unsigned i = 0; i < loop.getNumLoops(); ++i)
        covered.push_back({tile::getThreadStride(loop, i), *loop.getStaticCount(i)});
  Location loc = unnamed(op->getLoc());
  IndexBuilder &index = context->index;
  Value first;
  for (auto [stride, count] : analysis::getFreeDigits(covered, active)) {
    Value digit = getDigit(loc, {count, 1, stride});
    first = index.both(loc, first, arith::CmpIOp::create(context->b, loc, arith::CmpIPredicate::eq, digit, index.constant(loc, 0)));
  }
  return first;
}

Value Threads::isFirst(Location loc) {
  return arith::CmpIOp::create(context->b, loc, arith::CmpIPredicate::eq, number, context->index.constant(loc, 0));
}

void Threads::wait(Location loc) {
  IndexBuilder &index = context->index;
  if (areBlock) {
    kernel::SyncBlockOp::create(context->b, loc);
    return;
  }
  // Each team has a barrier of its own; 0 is that of the block.
  Value number = index.materialize(loc, constantIndex(1) + getOwn(1));
  kernel::SyncNamedOp::create(context->b, loc, number, index.constant(loc, count));
}
