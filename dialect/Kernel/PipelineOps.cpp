//===- PipelineOps.cpp - Pipelines of slots ---------------------*- C++ -*-===//
//
// What the ops of a pipeline must have in common.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilec/Kernel/Kernel.h"

using namespace mlir;
using namespace tilec::kernel;

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

LogicalResult PipelineCreateOp::verify() {
  if (bool(getFull()) != bool(getEmpty()) || bool(getFull()) != getFills().has_value() || bool(getFull()) != getReleases().has_value())
    return emitOpError("has barriers and arrivals of one kind only; it has both of both kinds, or none");
  if (getAlone() && !hasRoles())
    return emitOpError("has one thread that fills slots, but no barriers that it arrives at");
  if (getCluster() && !hasRoles())
    return emitOpError("in a cluster needs barriers, which tell blocks about slots of each other");
  if (bool(getOrder()) != getHandovers().has_value() || (getOrder() && !hasRoles()))
    return emitOpError("has barriers for the order of teams without arrivals or without barriers of slots");
  if (auto type = getOrder() ? getOrder().getType() : MemRefType(); type && (!type.hasStaticShape() || type.getNumElements() < 2))
    return emitOpError("has barriers of type ") << type << " for the order of teams; it needs one for each of several";
  for (auto barriers : {getFull(), getEmpty()})
    if (auto type = barriers ? barriers.getType() : MemRefType(); type && (!type.hasStaticShape() || type.getNumElements() != int64_t(getSlots())))
      return emitOpError("has ") << getSlots() << " slots and barriers of type " << type << "; it needs one a slot";
  return success();
}

/// The op that creates the pipeline of `op`. Fails with a diagnostic where none is in sight.
static FailureOr<PipelineCreateOp> getCreator(Operation *op, Value pipeline) {
  if (auto creator = pipeline.getDefiningOp<PipelineCreateOp>())
    return creator;
  return op->emitOpError("is of a pipeline that is handed on; pipelines are used by name");
}

static FailureOr<PipelineCreateOp> getCreatorOfTurn(Operation *op, Value turn) {
  if (auto enter = turn.getDefiningOp<PipelineEnterOp>())
    return getCreator(op, enter.getPipeline());
  return op->emitOpError("is of a turn that is handed on; turns are used by name");
}

LogicalResult PipelineEnterOp::verify() {
  FailureOr<PipelineCreateOp> creator = getCreator(*this, getPipeline());
  if (failed(creator))
    return failure();
  if (bool(getTeam()) != bool(getSteps()) || (getTeam() && !creator->getOrder()))
    return emitOpError("is of a team, but lacks its steps, or its pipeline has no order of teams");
  return success();
}

/// Of a turn that a team takes.
static LogicalResult verifyTeamTurn(Operation *op, Value turn) {
  if (failed(getCreatorOfTurn(op, turn)))
    return failure();
  return turn.getDefiningOp<PipelineEnterOp>().getTeam() ? success() : op->emitOpError("is of a turn that no team takes");
}

LogicalResult PipelineBeginOp::verify() { return verifyTeamTurn(*this, getTurn()); }

LogicalResult PipelineEndOp::verify() { return verifyTeamTurn(*this, getTurn()); }

LogicalResult PipelineCommitOp::verify() {
  FailureOr<PipelineCreateOp> creator = getCreator(*this, getPipeline());
  if (failed(creator))
    return failure();
  if (!creator->hasRoles() && (getStores() || getProxyFence()))
    return emitOpError("has ") << (getStores() ? "stores" : "proxy_fence") << " of a pipeline without barriers to arrive at";
  return success();
}

LogicalResult PipelineExpectOp::verify() {
  FailureOr<PipelineCreateOp> creator = getCreator(*this, getPipeline());
  if (failed(creator))
    return failure();
  return creator->hasRoles() ? success() : emitOpError("is of a pipeline without barriers, which count no bytes");
}

LogicalResult PipelineDrainOp::verify() {
  FailureOr<PipelineCreateOp> creator = getCreator(*this, getPipeline());
  if (failed(creator))
    return failure();
  if (creator->hasRoles() && !creator->getCluster())
    return emitOpError("is of a pipeline whose readers wait for each slot; nothing is under way after them");
  return success();
}

//===----------------------------------------------------------------------===//
// A thread's turns
//===----------------------------------------------------------------------===//

/// Has this thread waited in `turn` for slot `slot` to be full?
static bool isWaitedFor(Value slot, Value turn) {
  auto wait = slot.getDefiningOp<PipelineWaitOp>();
  return wait && wait.getTurn() == turn;
}

LogicalResult PipelineSlotOp::verify() {
  FailureOr<PipelineCreateOp> creator = getCreatorOfTurn(*this, getTurn());
  if (failed(creator))
    return failure();
  return creator->hasRoles() ? emitOpError("is of a pipeline with barriers, whose readers wait for each slot when they come to it") : success();
}

LogicalResult PipelineWaitOp::verify() { return failure(failed(getCreatorOfTurn(*this, getTurn()))); }

LogicalResult PipelineAcquireOp::verify() {
  FailureOr<PipelineCreateOp> creator = getCreatorOfTurn(*this, getTurn());
  if (failed(creator))
    return failure();
  if (creator->hasRoles() == bool(getUse()))
    return emitOpError(getUse() ? "waits for its slot; it is not that before another" : "needs the slot that its own is before: its pipeline has no barriers");
  if (getUse() && !isWaitedFor(getUse(), getTurn()))
    return emitOpError("gives the slot before one that this thread has not waited for");
  return success();
}

LogicalResult PipelineReleaseOp::verify() {
  FailureOr<PipelineCreateOp> creator = getCreatorOfTurn(*this, getTurn());
  if (failed(creator))
    return failure();
  if (!creator->hasRoles())
    return emitOpError("is of a pipeline without barriers, whose slots nobody waits for");
  if (bool(getRank()) != getBlocks().has_value() || bool(getRank()) != creator->getCluster())
    return emitOpError("gives a slot back to ") << getBlocks().value_or(1) << " blocks; its pipeline is filled by "
                                                << (creator->getCluster() ? "several" : "one");
  bool keepsNone = getHeld() && getConstantIntValue(getSlot()) == -1;
  if (!keepsNone && !isWaitedFor(getSlot(), getTurn()))
    return emitOpError("gives back a slot that this thread has not waited for");
  return success();
}

LogicalResult PipelineAdvanceOp::verify() {
  FailureOr<PipelineCreateOp> creator = getCreatorOfTurn(*this, getTurn());
  if (failed(creator))
    return failure();
  auto acquire = getSlot().getDefiningOp<PipelineAcquireOp>();
  bool isAcquired = creator->hasRoles() && acquire && acquire.getTurn() == getTurn();
  auto known = getSlot().getDefiningOp<PipelineSlotOp>();
  bool isWaited = isWaitedFor(getSlot(), getTurn()) || (known && known.getTurn() == getTurn());
  return isAcquired || isWaited ? success() : emitOpError("passes a slot whose turn it was not");
}
