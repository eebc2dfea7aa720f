//===- Loops.cpp - Loops of the kernel ----------------------------*- C++ -*-===//

#include "Loops.h"

#include "tilec/Conversion/Launch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;

void tilec::createCountedLoop(Context &context, Location loc, StringRef name, int64_t count, int64_t step, bool unrolled,
                              llvm::function_ref<void(const IndexExpr &)> body, int64_t first) {
  if (count == 1)
    return body(constantIndex(first * step));
  OpBuilder &b = context.b;
  IndexBuilder &index = context.index;
  Value begin = index.constant(loc, first * step), end = index.constant(loc, (first + count) * step), by = index.constant(loc, step);
  if (end.getType() != begin.getType() || by.getType() != begin.getType())
    begin = index.widen(loc, begin), end = index.widen(loc, end), by = index.widen(loc, by);
  auto loop = kernel::ForOp::create(b, unnamed(loc), begin, end, by);
  loop.getInductionVar().setLoc(named(loc, name));
  if (unrolled)
    loop.setUnroll(kernel::ForOp::kWhole);
  index.know(loop.getInductionVar(), {step, first * step, (first + count - 1) * step, {}});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  body(valueIndex(loop.getInductionVar()));
}

void tilec::setUnrolled(Value iv, int64_t factor) {
  auto argument = dyn_cast<BlockArgument>(iv);
  auto loop = argument ? dyn_cast<kernel::ForOp>(argument.getOwner()->getParentOp()) : kernel::ForOp();
  if (loop)
    loop.setUnroll(factor);
}

int64_t tilec::getLast(tile::ForOp loop, unsigned i) {
  if (std::optional<int64_t> count = loop.getStaticCount(i))
    return std::max<int64_t>(*count - 1, 0) * loop.getSteps()[i];
  // The launcher refuses larger sizes. Of values that are no sums nothing is known.
  constexpr int64_t kUnknown = int64_t(1) << 62;
  tile::LinearExpr sum = tile::getIndexSum(cast<Value>(loop.getExtent(i)));
  int64_t most = sum.constant - 1;
  for (auto [value, factor] : sum.terms) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto outer = argument ? dyn_cast<tile::ForOp>(argument.getOwner()->getParentOp()) : tile::ForOp();
    int64_t reach, last = outer ? getLast(outer, argument.getArgNumber()) : runtime::maxExtent;
    if (!argument || llvm::MulOverflow(std::max<int64_t>(factor, 0), last, reach) || llvm::AddOverflow(most, reach, most))
      return kUnknown;
  }
  return std::clamp<int64_t>(most, 0, kUnknown);
}

kernel::ForOp tilec::createTimeLoop(Context &context, tile::ForOp loop, unsigned i, const TimeBounds &bounds) {
  auto lowered = kernel::ForOp::create(context.b, unnamed(loop.getLoc()), bounds.first, bounds.bound, bounds.step);
  lowered.getInductionVar().setLoc(loop.getInductionVar(i).getLoc());
  context.index.know(lowered.getInductionVar(),
                     {loop.getSteps()[i], 0, getLast(loop, i), dyn_cast<Value>(context.mapExtent(loop.getExtent(i)))});
  return lowered;
}

TimeBounds tilec::getTimeBounds(Context &context, tile::ForOp loop, unsigned i, std::optional<StepRange> cut, int64_t ahead) {
  OpBuilder &b = context.b;
  IndexBuilder &index = context.index;
  Location loc = unnamed(loop.getLoc());
  int64_t step = loop.getSteps()[i];
  Value bound = context.getExtentValue(loc, context.mapExtent(loop.getExtent(i))), first = index.constant(loc, 0);
  // The variable passes the last value by one step before the loop ends.
  int64_t beyond, reach;
  bool wide = llvm::MulOverflow(step, ahead + 1, beyond) || llvm::AddOverflow(getLast(loop, i), beyond, reach) ||
              reach > std::numeric_limits<int32_t>::max() || !bound.getType().isIndex();
  if (loop.getCutTail()) {
    std::string name = nameOf(loop.getInductionVar(i).getLoc(), "i");
    first = index.mul(loc, cut->first, step);
    Value last = index.mul(loc, cut->last, step);
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
