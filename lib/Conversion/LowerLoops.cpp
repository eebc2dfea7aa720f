//===- LowerLoops.cpp - Grid, threads and time ------------------*- C++ -*-===//
//
// What the loops of a nest become.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilec;

LogicalResult KernelLowering::lowerFor(tile::ForOp loop) {
  switch (loop.getUnit()) {
  case tile::Unit::Cluster:
    return loop.emitOpError("on cluster is not lowered yet");
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
// Grid
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::lowerGrid(tile::ForOp loop) {
  if (!isa<tile::KernelOp>(loop->getParentOp()))
    return loop.emitOpError("on block must be the kernel's outermost loop");
  if (llvm::count_if(loop->getBlock()->getOps<tile::ForOp>(), [](tile::ForOp other) { return true; }) > 1)
    return loop.emitOpError("on block must be the kernel's only outermost loop");
  Location loc = unnamed(loop.getLoc());
  Value block = kernel::BlockOp::create(b, named(loc, "block"), b.getIndexType());
  unsigned count = loop.getNumLoops();
  // Tiles along each induction variable: a constant, or (extent + step - 1) / step.
  SmallVector<Value> tiles;
  for (unsigned i = 0; i < count; ++i) {
    std::string name = nameOf(loop.getInductionVar(i).getLoc(), "i" + std::to_string(i));
    if (std::optional<int64_t> fixed = loop.getStaticCount(i)) {
      tiles.push_back(index.constant(loc, *fixed));
      continue;
    }
    int64_t step = loop.getSteps()[i];
    Value extent = cast<Value>(mapExtent(loop.getExtent(i)));
    Value up = arith::AddIOp::create(b, loc, extent, index.constant(loc, step - 1));
    tiles.push_back(arith::DivSIOp::create(b, named(loc, name + "_tiles"), up, index.constant(loc, step)));
  }
  SmallVector<Value> numbers(count);
  tile::RasterAttr raster = loop.getRasterAttr();
  tile::RasterOrder order = raster ? raster.getOrder() : tile::RasterOrder::Row;
  auto divide = [&](Value x, Value y) -> Value { return arith::DivSIOp::create(b, loc, x, y); };
  auto remain = [&](Value x, Value y) -> Value { return arith::RemSIOp::create(b, loc, x, y); };
  auto multiply = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, loc, x, y); };
  if (order == tile::RasterOrder::Grouped) {
    // Bands of `group` tiles along the first variable, each walked down before along; the last may be lower.
    Value group = index.constant(loc, raster.getGroup());
    Value bandTiles = multiply(group, tiles[1]);
    Value first = arith::MulIOp::create(b, named(loc, "band"), divide(block, bandTiles), group);
    Value left = arith::SubIOp::create(b, loc, tiles[0], first);
    Value height = arith::MinSIOp::create(b, named(loc, "band_height"), left, group);
    Value inBand = arith::RemSIOp::create(b, named(loc, "in_band"), block, bandTiles);
    numbers[0] = arith::AddIOp::create(b, loc, first, remain(inBand, height));
    numbers[1] = divide(inBand, height);
  } else {
    Value rest = block;
    for (unsigned k = 0; k < count; ++k) {
      unsigned i = order == tile::RasterOrder::Row ? count - 1 - k : k;
      bool last = k + 1 == count;
      numbers[i] = last ? rest : remain(rest, tiles[i]);
      if (!last)
        rest = divide(rest, tiles[i]);
    }
  }
  for (unsigned i = 0; i < count; ++i) {
    Value source = loop.getInductionVar(i);
    int64_t step = loop.getSteps()[i];
    Value offset = arith::MulIOp::create(b, source.getLoc(), numbers[i], index.constant(loc, step));
    OpFoldResult extent = mapExtent(loop.getExtent(i));
    std::optional<int64_t> fixed = loop.getStaticCount(i);
    index.know(offset, {step, 0, fixed ? std::optional<int64_t>((*fixed - 1) * step) : std::nullopt,
                        dyn_cast<Value>(extent)});
    values.map(source, offset);
  }
  return lowerBlock(loop.getBody().front());
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
  llvm::DenseMap<Value, RegisterTile> outer;
  if (loop.getReduce() && failed(beginReduction(loop, outer)))
    return failure();
  if (failed(lowerBlock(loop.getBody().front())))
    return failure();
  if (loop.getReduce() && failed(endReduction(loop, outer)))
    return failure();
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
  if (count == 1) {
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
  Value bound = count ? index.constant(loc, *getStatic(extent)) : cast<Value>(extent);
  auto lowered = scf::ForOp::create(b, unnamed(loop.getLoc()), index.constant(loc, 0), bound, index.constant(loc, step));
  lowered.getInductionVar().setLoc(loc);
  index.know(lowered.getInductionVar(),
             {step, 0, count ? std::optional<int64_t>((*count - 1) * step) : std::nullopt, dyn_cast<Value>(extent)});
  values.map(source, lowered.getInductionVar());
  b.setInsertionPoint(lowered.getBody()->getTerminator());
  return body();
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
