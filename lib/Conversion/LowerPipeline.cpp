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
#include "tilec/Analysis/PipelineDecisions.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilec;

LogicalResult KernelLowering::lowerPipeline(tile::ForOp loop) {
  if (loop.getNumLoops() != 1)
    return loop.emitOpError("pipelines ") << loop.getNumLoops() << " induction variables; one is lowered yet";
  if (loop.getProducers() && !ring)
    return loop.emitOpError("has producers, which a kernel without a loop on block does not have yet");
  if (loop.getProducers())
    return consume(loop);
  if (SmallVector<tile::StageOp> stages = analysis::getSharedStages(loop); !stages.empty())
    return pipelineShared(loop, stages);
  if (auto stages = llvm::to_vector(loop.getBody().front().getOps<tile::StageOp>()); !stages.empty())
    return pipelineRegisters(loop, stages);
  return loop.emitOpError("pipelines nothing: its body stages no tile");
}

Value KernelLowering::createCounter(Location loc, StringRef name, int64_t start) {
  auto space = tile::LevelAttr::get(b.getContext(), tile::Level::RF);
  auto type = MemRefType::get({}, b.getIndexType(), MemRefLayoutAttrInterface(), space);
  return kernel::RegistersOp::create(b, named(loc, name), type, b.getIndexAttr(start));
}

/// The body's own tiles, lowered with it: where a body is lowered twice, each has arrays of its own.
static void forgetTiles(tile::ForOp loop, llvm::DenseMap<Value, RegisterTile> &registers) {
  loop.walk([&](Operation *op) {
    for (Value result : op->getResults())
      registers.erase(result);
  });
}

/// Does the op, with all in it, only compute addresses and fill registers?
static bool onlyLoads(Operation &op) {
  return !op.walk([](Operation *inner) {
              if (isa<kernel::RegistersOp, kernel::LdsOp, kernel::LdsVectorOp>(inner))
                return WalkResult::advance();
              if (auto store = dyn_cast<memref::StoreOp>(inner))
                return store.getValueToStore().getDefiningOp<kernel::LdsOp>() ? WalkResult::advance() : WalkResult::interrupt();
              bool fine = inner->getNumRegions() ? isa<kernel::ForOp>(inner) : isMemoryEffectFree(inner);
              return fine ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

LogicalResult KernelLowering::pipelineShared(tile::ForOp loop, ArrayRef<tile::StageOp> stages) {
  Location loc = unnamed(loop.getLoc());
  for (tile::StageOp stage : stages)
    if (failed(declareShared(stage)))
      return failure();
  for (tile::StageOp stage : stages)
    if (failed(checkCopy(stage)))
      return failure();
  if (!loop.getChoose() || !loop.getIssue())
    return loop.emitOpError("leaves open where it chooses and asks for its copies; run tile-plan-pipeline");
  Value allFirst;
  for (tile::StageOp stage : stages)
    if (SmallVector<analysis::CopyForm> forms = analysis::getForms(stage); forms.size() > 1)
      allFirst = index.both(named(loc, "all_wide"), allFirst,
                            getFormCondition(loc, tile::traceParts(stage.getSource()).root, forms.front()));
  if (loop.getChoose() == tile::Choose::Copy || !allFirst)
    return emitPipeline(loop, stages, CopyWidth::Ask);
  auto branch = scf::IfOp::create(b, loc, allFirst, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  if (failed(emitPipeline(loop, stages, CopyWidth::Best)))
    return failure();
  forgetTiles(loop, registers);
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  llvm::SaveAndRestore<bool> second(compact, true);
  return emitPipeline(loop, stages, CopyWidth::Ask);
}

// In each iteration, the wait completes the copies that it computes on, and the barrier after it (placed
// later) also ends all reads of the slot that is filled next.
LogicalResult KernelLowering::emitPipeline(tile::ForOp loop, ArrayRef<tile::StageOp> stages, CopyWidth width) {
  Location loc = unnamed(loop.getLoc());
  int64_t slots = *loop.getPipeline(), ahead = slots - 1, step = loop.getSteps()[0];
  Value source = loop.getInductionVar(0);
  std::string name = nameOf(source.getLoc(), "k") + "_ahead";
  TimeBounds bounds = getTimeBounds(loop, 0, ahead);
  // Of the copies made ahead of time some are for iterations past the last.
  int64_t distanceAhead, lastAhead;
  if (llvm::MulOverflow(ahead, step, distanceAhead) || llvm::AddOverflow(getLast(loop, 0), distanceAhead, lastAhead))
    return loop.emitOpError("copies ") << ahead << " steps of " << step << " ahead of time, which pass 2^63 elements";
  // Behind the last iteration there is nothing to copy: the elements are absent. Behind a part of a cut loop
  // come iterations of other blocks.
  auto copy = [&](Value at, Value slot) -> LogicalResult {
    values.map(source, at);
    enterSlot(stages, slot, slots);
    {
      OpBuilder::InsertionGuard guard(b);
      if (loop.getCutTail()) {
        Value inside = index.compare(loc, arith::CmpIPredicate::slt, at, bounds.bound);
        auto condition = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/false);
        b.setInsertionPoint(condition.thenBlock()->getTerminator());
      }
      for (tile::StageOp stage : stages) {
        OpBuilder::InsertionGuard inner(b);
        if (!loop.getCutTail() && !analysis::endsWithLoop(loop, stage)) {
          Location there = unnamed(stage.getLoc());
          Value more = index.compare(there, arith::CmpIPredicate::slt, at, bounds.bound);
          auto condition = scf::IfOp::create(b, there, more, /*withElseRegion=*/false);
          b.setInsertionPoint(condition.thenBlock()->getTerminator());
        }
        if (failed(copyToShared(stage, width)))
          return failure();
      }
    }
    kernel::CpAsyncCommitOp::create(b, loc);
    return success();
  };

  LogicalResult prologue = success();
  countedLoop(named(loc, "fill"), "fill", ahead, 1, /*unrolled=*/false, [&](const IndexExpr &number) {
    Value slot = index.materialize(loc, number);
    Value at = index.mul(loc, slot, step);
    if (loop.getCutTail()) {
      std::tie(bounds.first, at) = index.unify(loc, bounds.first, at);
      at = arith::AddIOp::create(b, named(loc, name), bounds.first, at);
      index.know(at, {step, 0, lastAhead, {}});
    }
    prologue = copy(at, slot);
  });
  if (failed(prologue))
    return failure();

  Value counter = createCounter(loc, "slot", 0);
  kernel::ForOp lowered = createTimeLoop(loop, 0, bounds);
  lowered.setPipeline(true);
  Value iv = lowered.getInductionVar();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(lowered.getBody()->getTerminator());
  Value use = memref::LoadOp::create(b, named(loc, "use"), counter, ValueRange());
  index.know(use, {1, 0, ahead, {}});
  kernel::CpAsyncWaitOp wait = kernel::CpAsyncWaitOp::create(b, loc, b.getI64IntegerAttr(ahead - 1));

  values.map(source, iv);
  enterSlot(stages, use, slots);
  for (Operation &op : loop.getBody().front())
    if (!llvm::is_contained(stages, dyn_cast<tile::StageOp>(op)) && failed(lowerOp(op)))
      return failure();

  Operation *next = wait->getNextNode();
  while (loop.getIssue() == tile::Issue::AfterLoads && next != lowered.getBody()->getTerminator() && onlyLoads(*next))
    next = next->getNextNode();
  b.setInsertionPoint(next);
  auto [from, distance] = index.unify(loc, iv, index.constant(loc, distanceAhead));
  Value later = arith::AddIOp::create(b, named(loc, name), from, distance);
  index.know(later, {step, distanceAhead, lastAhead, {}});
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, use, index.constant(loc, 0));
  Value before = arith::SubIOp::create(b, loc, use, index.constant(loc, 1));
  Value fill = arith::SelectOp::create(b, named(loc, "fill"), isFirst, index.constant(loc, ahead), before);
  index.know(fill, {1, 0, ahead, {}});
  if (failed(copy(later, fill)))
    return failure();
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, use, index.constant(loc, ahead));
  Value following = arith::AddIOp::create(b, loc, use, index.constant(loc, 1));
  following = arith::SelectOp::create(b, loc, isLast, index.constant(loc, 0), following);
  memref::StoreOp::create(b, loc, following, counter, ValueRange());

  // Copies of absent elements past the last iteration are still under way; where the loop starts again they would
  // meet its first.
  bool copiesBeyond = !loop.getCutTail() &&
                      llvm::any_of(stages, [&](tile::StageOp stage) { return analysis::endsWithLoop(loop, stage); });
  for (auto outer = loop->getParentOfType<tile::ForOp>(); copiesBeyond && outer; outer = outer->getParentOfType<tile::ForOp>())
    if (outer.getUnit() == tile::Unit::Time || outer.getUnit() == tile::Unit::Unroll || outer.getPersistent()) {
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
  if (loop.getCutTail())
    return loop.emitOpError("pipelines registers and is cut; registers are indexed by constants");
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
  auto slotOf = [&](Value number) -> Value {
    auto [x, n] = index.unify(loc, number, index.constant(loc, slots));
    return index.narrow(loc, arith::RemSIOp::create(b, loc, x, n));
  };
  LogicalResult result = success();
  countedLoop(iv.getLoc(), nameOf(iv.getLoc(), "k"), *count, 1, /*unrolled=*/true, [&](const IndexExpr &number) {
    Value now = index.materialize(loc, number);
    // As many iterations as there are slots index registers by constants; the text that is seldom run stays short.
    if (compact && *count % slots == 0)
      setUnrolled(now, slots);
    {
      OpBuilder::InsertionGuard guard(b);
      Value later = index.materialize(loc, number + constantIndex(ahead));
      index.know(later, {1, ahead, *count - 1, {}}); // Inside of the condition below.
      Value more = index.compare(loc, arith::CmpIPredicate::slt, later, index.constant(loc, *count));
      auto condition = scf::IfOp::create(b, loc, more, /*withElseRegion=*/false);
      b.setInsertionPoint(condition.thenBlock()->getTerminator());
      result = copyAll(index.mul(loc, later, step), slotOf(later));
    }
    if (failed(result))
      return;
    values.map(iv, index.mul(loc, now, step));
    Value slot = slotOf(now);
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
