//===- LowerCopiesAhead.cpp - Copies ahead of their use ---------*- C++ -*-===//
//
// pipeline(n) on a time loop: tiles staged in its body have n copies. While an
// iteration computes on one, the next n-1 are on their way. Which slots there are,
// and when they are waited for, is said by ops of a pipeline; the prologue is
// derived here.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Analysis/PipelineDecisions.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// In shared memory, by the threads that compute
//===----------------------------------------------------------------------===//

/// Does the op, with all in it, only compute addresses and fill registers?
static bool onlyLoads(Operation &op) {
  return !op.walk([](Operation *inner) {
              if (isa<kernel::RegistersOp, kernel::LdsOp, kernel::LdsVectorOp, kernel::LdmatrixOp>(inner))
                return WalkResult::advance();
              if (auto store = dyn_cast<memref::StoreOp>(inner))
                return store.getValueToStore().getDefiningOp<kernel::LdsOp>() ? WalkResult::advance() : WalkResult::interrupt();
              bool fine = inner->getNumRegions() ? isa<kernel::ForOp>(inner) : isMemoryEffectFree(inner);
              return fine ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

namespace {
/// The copies of a loop's stages ahead of its iterations, and the iterations.
class CopiesAhead {
public:
  CopiesAhead(tile::ForOp loop, ArrayRef<tile::StageOp> stages, CopyWidth width, Lowering &lowering)
      : loop(loop), stages(stages), width(width), lowering(lowering), context(lowering.context), b(context.b), index(context.index),
        loc(unnamed(loop.getLoc())), slots(*loop.getPipeline()), ahead(slots - 1), step(loop.getSteps()[0]) {}

  LogicalResult emit();

private:
  /// Copies what iteration `at` reads, if there is one, to `slot`.
  void copy(Value at, Value slot);
  /// The copies of the first iterations.
  void fill();
  /// In an iteration that reads slot `use`, after `wait` and what stays ahead of copies: those of the iteration that is
  /// `ahead` after it.
  void copyLater(Operation *wait, Value iv, Value use);
  /// Does the loop start again, so that copies of absent elements past its last iteration would meet its first?
  bool meetsItsCopies();
  std::string nameAhead() { return nameOf(loop.getInductionVar(0).getLoc(), "k") + "_ahead"; }

  tile::ForOp loop;
  ArrayRef<tile::StageOp> stages;
  CopyWidth width;
  Lowering &lowering;
  Context &context;
  OpBuilder &b;
  IndexBuilder &index;
  Location loc;
  int64_t slots, ahead, step;
  TimeBounds bounds;
  Value pipeline, turn;
  /// How far elements copied in an iteration are from its own, and the last of them.
  int64_t distanceAhead = 0, lastAhead = 0;
};
} // namespace

void CopiesAhead::copy(Value at, Value slot) {
  context.values.map(loop.getInductionVar(0), at);
  lowering.shared.enterSlot(stages, slot, slots);
  {
    OpBuilder::InsertionGuard guard(b);
    auto enterIfInside = [&](Location there) {
      context.enterIf(there, index.compare(there, arith::CmpIPredicate::slt, at, bounds.bound));
    };
    // After the last iteration there is nothing to copy: the elements are absent. After a part of a cut loop
    // come iterations of other blocks.
    if (loop.getCutTail())
      enterIfInside(loc);
    for (tile::StageOp stage : stages) {
      OpBuilder::InsertionGuard inner(b);
      if (!loop.getCutTail() && !analysis::endsWithLoop(loop, stage))
        enterIfInside(unnamed(stage.getLoc()));
      copyToShared(lowering.getCopying(), stage, width);
    }
  }
  kernel::PipelineCommitOp::create(b, loc, pipeline, slot);
}

void CopiesAhead::fill() {
  createCountedLoop(context, named(loc, "fill"), "fill", ahead, 1, /*unrolled=*/false, [&](const IndexExpr &number) {
    Value slot = index.materialize(loc, number);
    Value at = index.mul(loc, slot, step);
    if (loop.getCutTail()) {
      std::tie(bounds.first, at) = index.unify(loc, bounds.first, at);
      at = arith::AddIOp::create(b, named(loc, nameAhead()), bounds.first, at);
      index.know(at, {step, 0, lastAhead, {}});
    }
    copy(at, slot);
  });
}

void CopiesAhead::copyLater(Operation *wait, Value iv, Value use) {
  Operation *next = wait->getNextNode();
  while (loop.getIssue() == tile::Issue::AfterLoads && next != next->getBlock()->getTerminator() && onlyLoads(*next))
    next = next->getNextNode();
  b.setInsertionPoint(next);
  auto [from, distance] = index.unify(loc, iv, index.constant(loc, distanceAhead));
  Value later = arith::AddIOp::create(b, named(loc, nameAhead()), from, distance);
  index.know(later, {step, distanceAhead, lastAhead, {}});
  Value slot = kernel::PipelineAcquireOp::create(b, loc, b.getIndexType(), turn, use);
  index.know(slot, {1, 0, ahead, {}});
  copy(later, slot);
  kernel::PipelineAdvanceOp::create(b, loc, turn, use);
}

bool CopiesAhead::meetsItsCopies() {
  if (loop.getCutTail() || llvm::none_of(stages, [&](tile::StageOp stage) { return analysis::endsWithLoop(loop, stage); }))
    return false;
  for (auto outer = loop->getParentOfType<tile::ForOp>(); outer; outer = outer->getParentOfType<tile::ForOp>())
    if (outer.getUnit() == tile::Unit::Time || outer.getUnit() == tile::Unit::Unroll || outer.getPersistent())
      return true;
  return false;
}

// In each iteration, the wait completes the copies that it computes on, and the barrier after it (placed
// later) also ends all reads of the slot that is filled next.
LogicalResult CopiesAhead::emit() {
  // Of the copies made ahead of time some are for iterations past the last.
  if (llvm::MulOverflow(ahead, step, distanceAhead) || llvm::AddOverflow(getLast(loop, 0), distanceAhead, lastAhead))
    return loop.emitOpError("copies ") << ahead << " steps of " << step << " ahead of time, which pass 2^63 elements";
  bounds = getTimeBounds(context, loop, 0, lowering.grid.getCutSteps(), ahead);
  pipeline = kernel::PipelineCreateOp::create(b, loc, b.getType<kernel::PipelineType>(), slots, /*full=*/Value(), /*fills=*/IntegerAttr(),
                                              /*empty=*/Value(), /*releases=*/IntegerAttr(), /*cluster=*/false, /*alone=*/Value(), /*order=*/Value(),
                                              /*handovers=*/IntegerAttr());
  fill();
  turn = kernel::PipelineEnterOp::create(b, loc, b.getType<kernel::TurnType>(), pipeline, Value(), Value());
  kernel::ForOp lowered = createTimeLoop(context, loop, 0, bounds);
  lowered.setPipeline(true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(lowered.getBody()->getTerminator());
  auto wait = kernel::PipelineWaitOp::create(b, loc, b.getIndexType(), turn);
  Value use = wait.getSlot();
  index.know(use, {1, 0, ahead, {}});

  context.values.map(loop.getInductionVar(0), lowered.getInductionVar());
  lowering.shared.enterSlot(stages, use, slots);
  if (failed(lowerBody(loop, lowering, stages)))
    return failure();

  copyLater(wait, lowered.getInductionVar(), use);
  if (meetsItsCopies()) {
    b.setInsertionPointAfter(lowered);
    kernel::PipelineDrainOp::create(b, loc, pipeline);
  }
  return success();
}

static LogicalResult pipelineShared(tile::ForOp loop, ArrayRef<tile::StageOp> stages, Lowering &lowering) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  Location loc = unnamed(loop.getLoc());
  for (tile::StageOp stage : stages)
    if (failed(lowering.shared.declare(stage)))
      return failure();
  for (tile::StageOp stage : stages)
    if (failed(checkCopy(stage)))
      return failure();
  if (!loop.getChoose() || !loop.getIssue())
    return loop.emitOpError("leaves open where it chooses and asks for its copies; run tile-plan-pipeline");
  Value allFirst;
  for (tile::StageOp stage : stages)
    if (SmallVector<analysis::CopyForm> forms = analysis::getForms(stage); forms.size() > 1) {
      Value isFirst = lowering.operands.getFormCondition(loc, tile::traceParts(stage.getSource()).root, forms.front());
      allFirst = context.index.both(named(loc, "all_wide"), allFirst, isFirst);
    }
  if (loop.getChoose() == tile::Choose::Copy || !allFirst)
    return CopiesAhead(loop, stages, CopyWidth::Ask, lowering).emit();
  auto branch = scf::IfOp::create(b, loc, allFirst, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  if (failed(CopiesAhead(loop, stages, CopyWidth::Best, lowering).emit()))
    return failure();
  lowering.registers.forgetTilesIn(loop);
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  llvm::SaveAndRestore<bool> second(context.isRare, true);
  return CopiesAhead(loop, stages, CopyWidth::Ask, lowering).emit();
}

//===----------------------------------------------------------------------===//
// In registers
//===----------------------------------------------------------------------===//

static LogicalResult pipelineRegisters(tile::ForOp loop, ArrayRef<tile::StageOp> stages, Lowering &lowering) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  IndexBuilder &index = context.index;
  Location loc = unnamed(loop.getLoc());
  int64_t slots = *loop.getPipeline(), ahead = slots - 1, step = loop.getSteps()[0];
  std::optional<int64_t> count = loop.getStaticCount(0);
  if (loop.getCutTail()) // limit_x5
    return loop.emitOpError("pipelines registers and is cut; registers are indexed by constants");
  if (!count) // limit_x5
    return loop.emitOpError("pipelines registers over a dynamic extent; registers are indexed by constants");
  Value iv = loop.getInductionVar(0);
  for (tile::StageOp stage : stages)
    if (failed(lowering.registers.create(stage.getTile(), slots)))
      return failure();
  auto copyAll = [&](Value at, Value slot) -> LogicalResult {
    context.values.map(iv, at);
    for (tile::StageOp stage : stages) {
      lowering.registers.get(stage.getTile()).slot = slot;
      if (failed(copyToRegisters(stage, lowering)))
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
  createCountedLoop(context, iv.getLoc(), nameOf(iv.getLoc(), "k"), *count, 1, /*unrolled=*/true, [&](const IndexExpr &number) {
    Value now = index.materialize(loc, number);
    // As many iterations as there are slots index registers by constants; the text that is seldom run stays short.
    if (context.isRare && *count % slots == 0)
      setUnrolled(now, slots);
    {
      OpBuilder::InsertionGuard guard(b);
      Value later = index.materialize(loc, number + constantIndex(ahead));
      index.know(later, {1, ahead, *count - 1, {}}); // Inside of the condition below.
      Value more = index.compare(loc, arith::CmpIPredicate::slt, later, index.constant(loc, *count));
      context.enterIf(loc, more);
      result = copyAll(index.mul(loc, later, step), slotOf(later));
    }
    if (failed(result))
      return;
    context.values.map(iv, index.mul(loc, now, step));
    Value slot = slotOf(now);
    for (tile::StageOp stage : stages)
      lowering.registers.get(stage.getTile()).slot = slot;
    result = lowerBody(loop, lowering, stages);
  });
  return result;
}

LogicalResult tilec::lowerPipeline(tile::ForOp loop, Lowering &lowering) {
  if (loop.getNumLoops() != 1) // limit_x7
    return loop.emitOpError("pipelines ") << loop.getNumLoops() << " induction variables; one is lowered yet";
  if (loop.getProducers() && !lowering.ring) // limit_x9
    return loop.emitOpError("has producers, which a kernel without a loop on block does not have yet");
  if (loop.getProducers())
    return lowerConsumers(loop, lowering);
  if (SmallVector<tile::StageOp> stages = analysis::getSharedStages(loop); !stages.empty())
    return pipelineShared(loop, stages, lowering);
  if (auto stages = llvm::to_vector(loop.getBody().front().getOps<tile::StageOp>()); !stages.empty())
    return pipelineRegisters(loop, stages, lowering);
  return loop.emitOpError("pipelines nothing: its body stages no tile"); // limit_x8
}
