//===- LowerLoadsAhead.cpp - Loads ahead of their use -----------*- C++ -*-===//
//
// pipeline(n) on a time loop whose tiles are in registers: n copies, indexed by
// constants, of which n-1 are loaded ahead. With begin(ahead) those of the first
// iterations are loaded in the last ones of the run before.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tilec/Analysis/PipelineDecisions.h"

using namespace mlir;
using namespace tilec;

namespace {
class LoadsAhead {
public:
  LoadsAhead(tile::ForOp loop, Lowering &lowering)
      : loop(loop), lowering(lowering), context(lowering.context), b(context.b), index(context.index), loc(unnamed(loop.getLoc())),
        iv(loop.getInductionVar(0)), stages(analysis::getRegisterStages(loop)), slots(*loop.getPipeline()), ahead(slots - 1),
        step(loop.getSteps()[0]), count(*loop.getStaticCount(0)) {}

  /// The registers, and the loads of the first iterations.
  LogicalResult fill();
  /// The iterations, after `fill`.
  LogicalResult emit();
  /// The same where the first iterations of the next run are loaded in the last ones of this.
  LogicalResult emitHandingOn();

private:
  LogicalResult load(Value at, Value slot);
  LogicalResult compute(Value now);
  /// `times` iterations from number `first` on; what they load is for those from `loaded` on.
  LogicalResult emitPart(int64_t first, int64_t times, int64_t loaded);
  Value slotOf(Value number) {
    auto [x, n] = index.unify(loc, number, index.constant(loc, slots));
    return index.narrow(loc, arith::RemSIOp::create(b, loc, x, n));
  }
  std::string name() { return nameOf(iv.getLoc(), "k"); }

  tile::ForOp loop;
  Lowering &lowering;
  Context &context;
  OpBuilder &b;
  IndexBuilder &index;
  Location loc;
  Value iv;
  SmallVector<tile::StageOp> stages;
  int64_t slots, ahead, step, count;
};
} // namespace

LogicalResult LoadsAhead::load(Value at, Value slot) {
  context.values.map(iv, at);
  for (tile::StageOp stage : stages) {
    lowering.registers.get(stage.getTile()).slot = slot;
    if (failed(copyToRegisters(stage, lowering)))
      return failure();
  }
  return success();
}

LogicalResult LoadsAhead::compute(Value now) {
  context.values.map(iv, index.mul(loc, now, step));
  Value slot = slotOf(now);
  for (tile::StageOp stage : stages)
    lowering.registers.get(stage.getTile()).slot = slot;
  return lowerBody(loop, lowering, stages);
}

LogicalResult LoadsAhead::fill() {
  for (tile::StageOp stage : stages)
    if (failed(lowering.registers.create(stage.getTile(), slots)))
      return failure();
  for (int64_t i = 0; i < std::min(ahead, count); ++i)
    if (failed(load(index.constant(loc, i * step), index.constant(loc, i))))
      return failure();
  return success();
}

LogicalResult LoadsAhead::emit() {
  LogicalResult result = success();
  createCountedLoop(context, iv.getLoc(), name(), count, 1, /*unrolled=*/true, [&](const IndexExpr &number) {
    Value now = index.materialize(loc, number);
    // As many iterations as there are slots index registers by constants; the text that is seldom run stays short.
    if (context.isRare && count % slots == 0)
      setUnrolled(now, slots);
    {
      OpBuilder::InsertionGuard guard(b);
      Value later = index.materialize(loc, number + constantIndex(ahead));
      index.know(later, {1, ahead, count - 1, {}}); // Inside of the condition below.
      Value more = index.compare(loc, arith::CmpIPredicate::slt, later, index.constant(loc, count));
      context.enterIf(loc, more);
      result = load(index.mul(loc, later, step), slotOf(later));
    }
    if (succeeded(result))
      result = compute(now);
  });
  return result;
}

LogicalResult LoadsAhead::emitPart(int64_t first, int64_t times, int64_t loaded) {
  LogicalResult result = success();
  createCountedLoop(context, iv.getLoc(), name(), times, 1, /*unrolled=*/true, [&](const IndexExpr &number) {
    auto count = [&](int64_t from) {
      Value value = index.materialize(loc, number + constantIndex(from));
      index.know(value, {1, from, from + times - 1, {}});
      return value;
    };
    Value later = count(loaded);
    result = load(index.mul(loc, later, step), slotOf(later));
    if (succeeded(result))
      result = compute(count(first));
  });
  return result;
}

LogicalResult LoadsAhead::emitHandingOn() {
  if (failed(emitPart(0, count - ahead, ahead)))
    return failure();
  lowering.enterNextSlot();
  return emitPart(count - ahead, ahead, 0);
}

/// Registers are indexed by constants.
static LogicalResult checkCount(tile::ForOp loop) {
  if (loop.getCutTail()) // limit_x5
    return loop.emitOpError("pipelines registers and is cut; registers are indexed by constants");
  if (!loop.getStaticCount(0)) // limit_x5
    return loop.emitOpError("pipelines registers over a dynamic extent; registers are indexed by constants");
  return success();
}

LogicalResult tilec::lowerLoadsAhead(tile::ForOp loop, Lowering &lowering) {
  if (failed(checkCount(loop)))
    return failure();
  if (!loop.getBegin() && analysis::getRing(loop))
    return loop.emitOpError("leaves open where it begins to load; run tile-plan-pipeline");
  LoadsAhead loads(loop, lowering);
  if (loop.getBegin() == tile::Begin::Ahead)
    return loads.emitHandingOn();
  return failed(loads.fill()) ? failure() : loads.emit();
}

LogicalResult tilec::lowerFirstLoads(tile::ForOp loop, Lowering &lowering) { return LoadsAhead(loop, lowering).fill(); }
