//===- LowerPipeline.cpp - Copies ahead of their use ------------*- C++ -*-===//
//
// pipeline(n) on a time loop: tiles staged in its body have n copies. While an
// iteration computes on one, the next n-1 are on their way. What follows from
// that (prologue, slots, waits) is derived here.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tilec;

LogicalResult KernelLowering::lowerPipeline(tile::ForOp loop) {
  if (loop.getNumLoops() != 1)
    return loop.emitOpError("pipelines ") << loop.getNumLoops() << " induction variables; one is lowered yet";
  SmallVector<tile::StageOp> toShared, toRegisters;
  for (auto stage : loop.getBody().front().getOps<tile::StageOp>())
    (*tile::getLevel(stage.getTile().getType()) == tile::Level::SMEM ? toShared : toRegisters).push_back(stage);
  if (!toShared.empty())
    return pipelineShared(loop, toShared);
  if (!toRegisters.empty())
    return pipelineRegisters(loop, toRegisters);
  return loop.emitOpError("pipelines nothing: its body stages no tile");
}

/// A value that threads keep across iterations: an int in a register.
static Value createCounter(OpBuilder &b, Location loc, StringRef name, int64_t start) {
  auto space = tile::LevelAttr::get(b.getContext(), tile::Level::RF);
  auto type = MemRefType::get({}, b.getIndexType(), MemRefLayoutAttrInterface(), space);
  Value counter = memref::AllocaOp::create(b, named(loc, name), type);
  counter.getDefiningOp()->setAttr("tilec.init", b.getIndexAttr(start));
  return counter;
}

// The loop starts n-1 iterations early: those only copy, so that prologue and steady state are one
// text. In each iteration, the wait completes the copies that it computes on, and the barrier behind
// it (placed later) also ends all reads of the slot that is filled next.
LogicalResult KernelLowering::pipelineShared(tile::ForOp loop, ArrayRef<tile::StageOp> stages) {
  Location loc = unnamed(loop.getLoc());
  int64_t slots = *loop.getPipeline(), ahead = slots - 1, step = loop.getSteps()[0];
  Value source = loop.getInductionVar(0);
  for (tile::StageOp stage : stages)
    if (failed(declareShared(stage, slots)))
      return failure();
  auto enterSlot = [&](Value slot) {
    for (tile::StageOp stage : stages) {
      SharedTile &tile = shared[stage.getTile()];
      tile.slot = valueIndex(slot, cast<MemRefType>(tile.buffer.getType()).getNumElements() / slots);
    }
  };
  OpFoldResult extent = mapExtent(loop.getExtent(0));
  Value bound = getStatic(extent) ? index.constant(loc, *getStatic(extent)) : cast<Value>(extent);
  // Iteration -ahead fills slot 0, so that iteration 0 uses it.
  Value counter = createCounter(b, loc, "slot", 1);
  auto lowered = scf::ForOp::create(b, loc, index.constant(loc, -ahead * step), bound, index.constant(loc, step));
  Value iv = lowered.getInductionVar();
  iv.setLoc(source.getLoc());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(lowered.getBody()->getTerminator());

  Value use = memref::LoadOp::create(b, named(loc, "use"), counter, ValueRange());
  index.know(use, {1, 0, ahead, {}});
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, use, index.constant(loc, 0));
  Value before = arith::SubIOp::create(b, loc, use, index.constant(loc, 1));
  Value fill = arith::SelectOp::create(b, named(loc, "fill"), isFirst, index.constant(loc, ahead), before);
  index.know(fill, {1, 0, ahead, {}});
  kernel::CpAsyncWaitOp::create(b, loc, b.getI64IntegerAttr(ahead - 1));

  // Behind the last iteration there is nothing to copy: the elements are absent.
  std::string name = nameOf(source.getLoc(), "k") + "_ahead";
  Value later = arith::AddIOp::create(b, named(loc, name), iv, index.constant(loc, ahead * step));
  index.know(later, {step, 0, std::nullopt, {}});
  values.map(source, later);
  enterSlot(fill);
  for (tile::StageOp stage : stages)
    if (failed(copyToShared(stage, /*async=*/true)))
      return failure();
  kernel::CpAsyncCommitOp::create(b, loc);
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, use, index.constant(loc, ahead));
  Value next = arith::AddIOp::create(b, loc, use, index.constant(loc, 1));
  next = arith::SelectOp::create(b, loc, isLast, index.constant(loc, 0), next);
  memref::StoreOp::create(b, loc, next, counter, ValueRange());

  Value started = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, iv, index.constant(loc, 0));
  auto steady = scf::IfOp::create(b, loc, started, /*withElseRegion=*/false);
  b.setInsertionPoint(steady.thenBlock()->getTerminator());
  index.know(iv, {step, 0, std::nullopt, dyn_cast<Value>(extent)});
  values.map(source, iv);
  enterSlot(use);
  for (Operation &op : loop.getBody().front())
    if (!llvm::is_contained(stages, dyn_cast<tile::StageOp>(op)) && failed(lowerOp(op)))
      return failure();
  // The copies behind the last iteration are still under way; where the loop starts again they would meet its first.
  for (auto outer = loop->getParentOfType<tile::ForOp>(); outer; outer = outer->getParentOfType<tile::ForOp>())
    if (outer.getUnit() == tile::Unit::Time || outer.getUnit() == tile::Unit::Unroll) {
      b.setInsertionPointAfter(lowered);
      kernel::CpAsyncWaitOp::create(b, loc, b.getI64IntegerAttr(0));
      break;
    }
  return success();
}

LogicalResult KernelLowering::pipelineRegisters(tile::ForOp loop, ArrayRef<tile::StageOp> stages) {
  Location loc = unnamed(loop.getLoc());
  int64_t slots = *loop.getPipeline(), ahead = slots - 1, step = loop.getSteps()[0];
  std::optional<int64_t> count = loop.getStaticCount(0);
  if (!count)
    return loop.emitOpError("pipelines registers over a dynamic extent; registers are indexed by constants");
  Value iv = loop.getInductionVar(0);
  for (tile::StageOp stage : stages)
    if (failed(createRegisters(stage.getTile(), slots)))
      return failure();
  auto copyAll = [&](Value at, Value slot) -> LogicalResult {
    values.map(iv, at);
    for (tile::StageOp stage : stages) {
      registers[stage.getTile()].slot = slot;
      if (failed(copyToRegisters(stage)))
        return failure();
    }
    return success();
  };
  for (int64_t i = 0; i < std::min(ahead, *count); ++i)
    if (failed(copyAll(index.constant(loc, i * step), index.constant(loc, i))))
      return failure();
  LogicalResult result = success();
  countedLoop(iv.getLoc(), nameOf(iv.getLoc(), "k"), *count, 1, /*unrolled=*/true, [&](const IndexExpr &number) {
    Value now = index.materialize(loc, number);
    {
      OpBuilder::InsertionGuard guard(b);
      Value later = index.materialize(loc, number + constantIndex(ahead));
      index.know(later, {1, ahead, *count - 1, {}}); // Inside of the condition below.
      Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, later, index.constant(loc, *count));
      auto condition = scf::IfOp::create(b, loc, more, /*withElseRegion=*/false);
      b.setInsertionPoint(condition.thenBlock()->getTerminator());
      result = copyAll(index.mul(loc, later, step), arith::RemSIOp::create(b, loc, later, index.constant(loc, slots)));
    }
    if (failed(result))
      return;
    values.map(iv, index.mul(loc, now, step));
    Value slot = arith::RemSIOp::create(b, loc, now, index.constant(loc, slots));
    for (tile::StageOp stage : stages)
      registers[stage.getTile()].slot = slot;
    for (Operation &op : loop.getBody().front())
      if (!llvm::is_contained(stages, dyn_cast<tile::StageOp>(op)) && failed(lowerOp(op))) {
        result = failure();
        return;
      }
  });
  return result;
}
