//===- LowerCopiesAhead.cpp - Copies ahead of their use ---------*- C++ -*-===//
//
// pipeline(n) on a time loop: tiles staged in its body have n copies. While an
// iteration computes on one, the next n-1 are on their way. Which slots there are,
// and when they are waited for, is said by ops of a pipeline; the prologue is
// derived here. Tiles in registers: LowerLoadsAhead.cpp.
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
        loc(unnamed(loop.getLoc())), slots(*loop.getPipeline()), ahead(slots - 1), step(loop.getSteps()[0]), loads(analysis::getLoopAhead(loop)) {}

  LogicalResult emit();

private:
  /// Copies what iteration `at` reads, if there is one, to `slot`.
  void copy(Value at, Value slot);
  /// The copies of the first iterations.
  void fill();
  /// After `wait` for slot `use`, and what stays ahead of copies: those of the iteration that is `distance` elements after `iv`.
  void copyLater(Operation *wait, Value iv, Value use, int64_t distance);
  /// The body, in an iteration of `lowered` that waits for its slot.
  LogicalResult emitIteration(kernel::ForOp lowered);
  /// The body where a loop in it begins ahead: the iteration has its slot, and waits for that of the next one in the middle.
  LogicalResult emitHandingOn(kernel::ForOp lowered);
  /// Ahead of the first iteration that hands on: its slot, the copies that one before would ask for, and what it loads first.
  LogicalResult begin();
  kernel::PipelineWaitOp wait();
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
  /// The loop in the body that begins ahead; null where none does.
  tile::ForOp loads;
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

void CopiesAhead::copyLater(Operation *wait, Value iv, Value use, int64_t distance) {
  Operation *next = wait->getNextNode();
  while (loop.getIssue() == tile::Issue::AfterLoads && next != next->getBlock()->getTerminator() && onlyLoads(*next))
    next = next->getNextNode();
  b.setInsertionPoint(next);
  auto [from, apart] = index.unify(loc, iv, index.constant(loc, distance));
  Value later = arith::AddIOp::create(b, named(loc, nameAhead()), from, apart);
  index.know(later, {step, distance, lastAhead, {}});
  Value slot = kernel::PipelineAcquireOp::create(b, loc, b.getIndexType(), turn, use);
  index.know(slot, {1, 0, ahead, {}});
  copy(later, slot);
}

kernel::PipelineWaitOp CopiesAhead::wait() {
  auto wait = kernel::PipelineWaitOp::create(b, loc, b.getIndexType(), turn);
  index.know(wait.getSlot(), {1, 0, ahead, {}});
  return wait;
}

LogicalResult CopiesAhead::emitIteration(kernel::ForOp lowered) {
  kernel::PipelineWaitOp full = wait();
  context.values.map(loop.getInductionVar(0), lowered.getInductionVar());
  lowering.shared.enterSlot(stages, full.getSlot(), slots);
  if (failed(lowerBody(loop, lowering, stages)))
    return failure();
  copyLater(full, lowered.getInductionVar(), full.getSlot(), distanceAhead);
  kernel::PipelineAdvanceOp::create(b, loc, turn, full.getSlot());
  return success();
}

LogicalResult CopiesAhead::emitHandingOn(kernel::ForOp lowered) {
  Value use = kernel::PipelineSlotOp::create(b, loc, b.getIndexType(), turn);
  index.know(use, {1, 0, ahead, {}});
  context.values.map(loop.getInductionVar(0), lowered.getInductionVar());
  lowering.shared.enterSlot(stages, use, slots);
  kernel::PipelineWaitOp full;
  llvm::SaveAndRestore<std::function<void()>> next(lowering.enterNextSlot, [&] {
    kernel::PipelineAdvanceOp::create(b, loc, turn, use);
    full = wait();
    lowering.shared.enterSlot(stages, full.getSlot(), slots);
  });
  if (failed(lowerBody(loop, lowering, stages)))
    return failure();
  copyLater(full, lowered.getInductionVar(), full.getSlot(), distanceAhead + step);
  return success();
}

LogicalResult CopiesAhead::begin() {
  kernel::PipelineWaitOp full = wait();
  copy(index.constant(loc, distanceAhead), index.constant(loc, ahead));
  context.values.map(loop.getInductionVar(0), bounds.first);
  lowering.shared.enterSlot(stages, full.getSlot(), slots);
  for (tile::ForOp between : analysis::getLoopsBetween(loop, loads))
    mapThreads(between, lowering);
  return lowerFirstLoads(loads, lowering);
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
  int64_t furthest = ahead + (loads ? 1 : 0);
  if (llvm::MulOverflow(furthest, step, distanceAhead) || llvm::AddOverflow(getLast(loop, 0), distanceAhead, lastAhead))
    return loop.emitOpError("copies ") << furthest << " steps of " << step << " ahead of time, which pass 2^63 elements";
  distanceAhead = ahead * step;
  bounds = getTimeBounds(context, loop, 0, lowering.grid.getCutSteps(), furthest);
  pipeline = kernel::PipelineCreateOp::create(b, loc, b.getType<kernel::PipelineType>(), slots, /*full=*/Value(), /*fills=*/IntegerAttr(),
                                              /*empty=*/Value(), /*releases=*/IntegerAttr(), /*cluster=*/false, /*alone=*/Value(), /*order=*/Value(),
                                              /*handovers=*/IntegerAttr());
  fill();
  turn = kernel::PipelineEnterOp::create(b, loc, b.getType<kernel::TurnType>(), pipeline, Value(), Value());
  if (loads && failed(begin()))
    return failure();
  kernel::ForOp lowered = createTimeLoop(context, loop, 0, bounds);
  lowered.setPipeline(true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(lowered.getBody()->getTerminator());
  if (failed(loads ? emitHandingOn(lowered) : emitIteration(lowered)))
    return failure();
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

LogicalResult tilec::lowerPipeline(tile::ForOp loop, Lowering &lowering) {
  if (loop.getNumLoops() != 1) // limit_x7
    return loop.emitOpError("pipelines ") << loop.getNumLoops() << " induction variables; one is lowered yet";
  if (loop.getProducers() && !lowering.ring) // limit_x9
    return loop.emitOpError("has producers, which a kernel without a loop on block does not have yet");
  if (loop.getProducers())
    return lowerConsumers(loop, lowering);
  if (SmallVector<tile::StageOp> stages = analysis::getSharedStages(loop); !stages.empty())
    return pipelineShared(loop, stages, lowering);
  if (!analysis::getRegisterStages(loop).empty())
    return lowerLoadsAhead(loop, lowering);
  return loop.emitOpError("pipelines nothing: its body stages no tile"); // limit_x8
}
