//===- LowerRoles.cpp - Warps that only copy --------------------*- C++ -*-===//
//
// producers(w) on a pipelined loop: w warps after the others walk the same
// tiles and iterations, and fill the slots of the ring; the others compute. Two
// barriers a slot say that it is full and that it is empty. Who arrives at them is
// derived here, their phases are those of the pipeline. Where teams take tiles in
// turn, producers fill the ring tile after tile for all of them.
//
//===----------------------------------------------------------------------===//

#include "Ring.h"

#include "Scalars.h"
#include "tilec/Analysis/BulkPlan.h"
#include "tilec/Analysis/BulkStore.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Analysis/InstructionPlan.h"
#include "tilec/Analysis/PipelineDecisions.h"
#include "tilec/Tile/Teams.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilec;

/// A loop over the iterations of the ring's loop, with the insertion point in its body.
static void enterRingLoop(Ring &ring, Lowering &lowering) {
  Context &context = lowering.context;
  TimeBounds bounds = getTimeBounds(context, ring.loop, 0, lowering.grid.getCutSteps());
  kernel::ForOp lowered = createTimeLoop(context, ring.loop, 0, bounds);
  context.values.map(ring.loop.getInductionVar(0), lowered.getInductionVar());
  context.b.setInsertionPoint(lowered.getBody()->getTerminator());
}

//===----------------------------------------------------------------------===//
// Producers
//===----------------------------------------------------------------------===//

/// Do producers store to slots themselves in some launch?
static bool mayStore(const Ring &ring) {
  return llvm::any_of(ring.stages, [](tile::StageOp stage) {
    FailureOr<analysis::CopyTile> tile = analysis::getCopyTile(stage);
    return succeeded(tile) && llvm::any_of(analysis::getForms(stage), [&](analysis::CopyForm form) { return !analysis::isAsync(*tile, form); });
  });
}

void tilec::commitCopies(Value slot, Lowering &lowering) {
  Ring &ring = *lowering.ring;
  // Tensor cores read through the async proxy (PTX ISA 8.1, proxies): what is copied otherwise than by TMA needs a fence.
  bool fences = analysis::runsInstructions(ring.loop);
  kernel::PipelineCommitOp::create(lowering.context.b, ring.getLoc(), ring.pipeline, slot, /*stores=*/!fences && mayStore(ring), fences);
}

static LogicalResult produce(Lowering &lowering) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  Ring &ring = *lowering.ring;
  Location loc = ring.getLoc();
  OpBuilder::InsertionGuard guard(b);
  enterRingLoop(ring, lowering);
  Value slot = kernel::PipelineAcquireOp::create(b, loc, b.getIndexType(), ring.turn, /*use=*/Value());
  context.index.know(slot, {1, 0, ring.slots - 1, {}});
  lowering.shared.enterSlot(ring.stages, slot, ring.slots);
  SmallVector<tile::StageOp> bulk;
  for (tile::StageOp stage : ring.stages) {
    if (stage.getCopy() == tile::Copy::Tma) {
      bulk.push_back(stage);
      continue;
    }
    if (failed(checkCopy(stage)))
      return failure();
    copyToShared(lowering.getCopying(), stage, CopyWidth::Ask);
  }
  if (!bulk.empty() && failed(copyBulk(bulk, slot, lowering)))
    return failure();
  if (!ring.byBoxes)
    commitCopies(slot, lowering);
  kernel::PipelineAdvanceOp::create(b, loc, ring.turn, slot);
  return success();
}

/// Of what stands in the body of `outer` itself computes what extents of loops in it follow from, down to the ring's: each role has values of its own.
static void lowerExtents(tile::ForOp outer, Lowering &lowering) {
  SmallVector<Value> waiting;
  for (tile::ForOp loop = lowering.ring->loop; loop != outer; loop = loop->getParentOfType<tile::ForOp>())
    for (unsigned i = 0; i < loop.getNumLoops(); ++i)
      if (auto extent = dyn_cast<Value>(loop.getExtent(i)))
        waiting.push_back(extent);
  llvm::DenseSet<Operation *> needed;
  while (!waiting.empty())
    if (Operation *op = waiting.pop_back_val().getDefiningOp(); op && needed.insert(op).second)
      llvm::append_range(waiting, op->getOperands());
  for (Operation &op : outer.getBody().front())
    if (needed.contains(&op))
      lowerScalar(lowering.context.index, lowering.context.b, op, lowering.context.values);
}

/// Of the nest, the loops around the ring's.
static LogicalResult lowerProducers(tile::ForOp outer, Lowering &lowering) {
  tile::ForOp filled = lowering.ring->loop;
  if (outer != filled)
    lowerExtents(outer, lowering);
  if (outer == filled)
    return produce(lowering);
  for (auto inner : outer.getBody().front().getOps<tile::ForOp>()) {
    if (inner == filled)
      return produce(lowering);
    if (!inner->isAncestor(filled))
      continue;
    if (inner.getUnit() != tile::Unit::Time) // limit_x9
      return inner.emitOpError("on ") << stringifyUnit(inner.getUnit())
                                      << " stands around a loop with producers; only loops on time are lowered there yet";
    return lowerTimeLoops(inner, lowering, [&] { return lowerProducers(inner, lowering); });
  }
  return filled.emitOpError("has producers in a place that they cannot walk to"); // limit_x9
}

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

static void release(Value slot, Ring &ring, OpBuilder &b) {
  IntegerAttr blocks = ring.isShared() ? b.getI64IntegerAttr(ring.sharers.size()) : IntegerAttr();
  kernel::PipelineReleaseOp::create(b, ring.getLoc(), ring.turn, slot, ring.lane, ring.sharer, blocks, ring.held);
}

/// One iteration: waits for its slot, computes, and gives a slot back.
static LogicalResult consume(tile::ForOp loop, bool inFlight, Lowering &lowering) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  Ring &ring = *lowering.ring;
  Location loc = ring.getLoc();
  OpBuilder::InsertionGuard guard(b);
  enterRingLoop(ring, lowering);
  Value slot = kernel::PipelineWaitOp::create(b, loc, b.getIndexType(), ring.turn);
  context.index.know(slot, {1, 0, ring.slots - 1, {}});
  // The slot of the iteration before is given back when its loads have returned, or the instructions that read it are done.
  if (ring.held && !inFlight)
    release(slot, ring, b);
  lowering.shared.enterSlot(ring.stages, slot, ring.slots);
  if (failed(lowerBody(loop, lowering, ring.stages)))
    return failure();
  if (!ring.held || inFlight)
    release(slot, ring, b);
  kernel::PipelineAdvanceOp::create(b, loc, ring.turn, slot);
  return success();
}

LogicalResult tilec::lowerConsumers(tile::ForOp loop, Lowering &lowering) {
  bool inFlight = analysis::staysInFlight(loop);
  Ring &ring = *lowering.ring;
  OpBuilder &b = lowering.context.b;
  if (ring.teams > 1)
    kernel::PipelineBeginOp::create(b, ring.getLoc(), ring.turn);
  if (failed(consume(loop, inFlight, lowering)))
    return failure();
  // What is still in flight the next team's instructions come right behind.
  if (ring.teams > 1)
    kernel::PipelineEndOp::create(b, ring.getLoc(), ring.turn, ring.lane);
  if (inFlight)
    waitForInstructions(loop, lowering);
  else if (ring.teams == 1 || !ring.held)
    return success();
  // All that instructions read is free before the next tile's first iteration asks for more, if there is one.
  auto around = loop->getParentOfType<tile::ForOp>();
  tile::ForOp grid = around.getUnit() == tile::Unit::Block && isa<tile::ForOp>(around->getParentOp()) ? around->getParentOfType<tile::ForOp>() : around;
  if (grid.getUnit() != tile::Unit::Time && !grid.getPersistent())
    return success();
  release(lowering.context.index.constant(ring.getLoc(), -1), ring, b);
  return success();
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// Refuses rings whose roles are not lowered.
static LogicalResult checkRing(tile::ForOp outer, tile::ForOp loop, ArrayRef<tile::StageOp> stages, int64_t consumers) {
  if (loop.getNumLoops() != 1) // limit_x7
    return loop.emitOpError("pipelines ") << loop.getNumLoops() << " induction variables; one is lowered yet";
  int64_t producers = *loop.getProducers() * tile::kWarpThreads;
  // setmaxnreg is for whole warpgroups, PTX ISA 9.7.20.5.
  if (consumers % tile::kWarpThreads != 0) // limit_x10
    return loop.emitOpError("producers need whole warps beside them; the others are ") << consumers << " threads";
  if (loop.getRegisters() && (consumers % tile::kWarpgroupThreads != 0 || producers % tile::kWarpgroupThreads != 0)) // limit_x10
    return loop.emitOpError("registers are dealt out to whole warpgroups of ")
           << tile::kWarpgroupThreads << " threads; producers are " << producers << ", the others " << consumers;
  if (stages.empty()) // limit_x8
    return loop.emitOpError("has producers but stages no tile in smem for them to fill");
  if (!loop.getRelease())
    return loop.emitOpError("leaves open when a slot is given back; run tile-plan-pipeline");
  for (tile::StageOp stage : stages)
    for (const tile::TileUse &use : tile::getTileUses(stage.getTile()))
      if (use.writes) { // limit_x11
        InFlightDiagnostic diag = use.operand->getOwner()->emitOpError(
            "writes a tile that producers fill; not lowered yet, stage it to rf and compute there");
        diag.attachNote(stage.getLoc()) << "the tile";
        return diag;
      }
  return success();
}

/// Refuses loads from slots that are given back right after them: nothing would wait for the values, which the next copy may overtake. A team gives back whole tiles'
/// slots, beside instructions, for which alone it waits.
static LogicalResult checkReads(const Ring &ring) {
  tile::ForOp loop = ring.loop;
  bool byTeam = ring.teams > 1 && analysis::runsInstructions(loop);
  if (loop.getRelease() == tile::Release::Next && !byTeam)
    return success();
  for (tile::StageOp stage : ring.stages)
    for (const tile::TileUse &use : tile::getTileUses(stage.getTile()))
      if (!tile::getInstructionUse(use.operand->getOwner())) { // limit_x53
        Operation *read = use.operand->getOwner();
        if (!byTeam) {
          InFlightDiagnostic diag = loop.emitOpError("has release(end), which gives a slot back right after threads read it, and nothing waits for their values; with release(next) they have come by then");
          diag.attachNote(read->getLoc()) << "this reads a tile in the slot";
          return diag;
        }
        InFlightDiagnostic diag = read->emitOpError("reads a slot that a team gives back when its tile ends, beside instructions, which alone are waited for; leave out teams, or read it from the operand");
        diag.attachNote(stage.getLoc()) << "the tile in the slot";
        return diag;
      }
  return success();
}

/// The extent of a loop is a number or a size.
static bool isSameForTiles(tile::ForOp loop) {
  auto extent = dyn_cast<Value>(loop.getExtent(0));
  return !extent || (isa<BlockArgument>(extent) && isa<tile::KernelOp>(extent.getParentBlock()->getParentOp()));
}

/// Refuses what teams would share, or could not take in turn.
static LogicalResult checkTeams(tile::ForOp outer, const Ring &ring, const analysis::SharedPlan &plan) {
  tile::ForOp loop = ring.loop;
  if (!analysis::runsInstructions(loop)) // limit_x47
    return loop.emitOpError("computes without instructions of warpgroups, which all threads of the block do as fast together; leave out teams(") << ring.teams << ")";
  if (!isSameForTiles(loop)) { // limit_x48
    InFlightDiagnostic diag = loop.emitOpError("has an extent that is neither a constant nor a size argument, but teams(") << ring.teams << ") know where their tiles begin in the ring by one number of iterations";
    diag.attachNote(outer.getLoc()) << "without teams it may";
    return diag;
  }
  for (const analysis::SharedArray &array : plan.arrays)
    if (array.op != loop.getOperation() && array.use != analysis::SharedUse::Slice && !llvm::is_contained(ring.stages, dyn_cast<tile::StageOp>(array.op))) // limit_x49
      return array.op->emitOpError("has an array of ") << array.bytes() << " bytes in shared memory that teams(" << ring.teams
                                                       << ") would share; stage it in the loop with producers, or leave out teams";
  for (Operation &op : *outer->getBlock())
    if (isa<tile::StageOp, tile::HoldOp>(op)) // limit_x49
      return op.emitOpError("makes a tile ahead of the loop whose teams(") << ring.teams << ") would share it; make it in the loop on block";
  return success();
}

/// The arrays of a ring and its barriers.
static LogicalResult declareRing(Ring &ring, Lowering &lowering) {
  SharedTiles &shared = lowering.shared;
  Location loc = ring.getLoc();
  for (tile::StageOp stage : ring.stages)
    if (failed(shared.declare(stage)))
      return failure();
  Type element = lowering.context.b.getI64Type();
  ring.full = shared.create(named(loc, "full"), analysis::SharedUse::Full, ring.loop, element);
  ring.empty = shared.create(named(loc, "empty"), analysis::SharedUse::Empty, ring.loop, element);
  if (ring.teams > 1)
    ring.order = shared.create(named(loc, "order"), analysis::SharedUse::Order, ring.loop, element);
  for (tile::StageOp stage : ring.stages)
    shared.find(stage.getTile())->buffer.getDefiningOp<kernel::SharedOp>().setGuarded(true);
  SmallVector<tile::StageOp> bulk = analysis::getBulkStages(lowering.context.kernel);
  if (!bulk.empty())
    ring.sharers = analysis::getSharers(analysis::getClusteredLoop(lowering.context.kernel), bulk);
  return success();
}

/// Each producer arrives at `full`, twice where it may store, one of them once more with the bytes of bulk copies; or one of them fills the slots alone. A lane of each
/// other warp, of one team, at `empty`, also of the blocks that fill slots here, and at `order`.
static void createPipeline(Ring &ring, int64_t producers, Lowering &lowering) {
  OpBuilder &b = lowering.context.b;
  bool isBulk = !analysis::getBulkStages(lowering.context.kernel).empty() && !ring.byBoxes;
  int64_t warps = lowering.threads.getCount() / tile::kWarpThreads;
  int64_t arrivals = ring.byBoxes && !ring.alone ? 1 : mayStore(ring) && !analysis::runsInstructions(ring.loop) ? 2 * producers : producers;
  IntegerAttr fills = b.getI64IntegerAttr(arrivals + isBulk), releases = b.getI64IntegerAttr(ring.sharers.size() * warps);
  ring.pipeline = kernel::PipelineCreateOp::create(b, ring.getLoc(), b.getType<kernel::PipelineType>(), ring.slots, ring.full, fills, ring.empty,
                                                   releases, ring.isShared(), ring.alone, ring.order,
                                                   ring.order ? b.getI64IntegerAttr(warps) : IntegerAttr());
}

/// Those of the producers that fill slots walk to them.
static LogicalResult fillSlots(tile::ForOp blocks, Lowering &lowering) {
  Context &context = lowering.context;
  const Ring &ring = *lowering.ring;
  Location loc = unnamed(ring.loop->getLoc());
  OpBuilder::InsertionGuard guard(context.b);
  if (ring.byBoxes) {
    Value fills = lowering.threads.isFirst(loc);
    if (ring.alone) {
      Value all = arith::XOrIOp::create(context.b, loc, ring.alone, arith::ConstantIntOp::create(context.b, loc, 1, 1));
      fills = arith::OrIOp::create(context.b, loc, all, fills);
    }
    context.enterIf(loc, fills);
  }
  return lowerProducers(blocks, lowering);
}

static LogicalResult emitProducers(tile::ForOp outer, int64_t producers, Lowering &lowering) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  Ring &ring = *lowering.ring;
  Location loc = ring.getLoc();
  if (ring.loop.getRegisters())
    kernel::SetMaxRegistersDecOp::create(b, loc, ring.loop.getRegisters()->front());
  Value own = arith::SubIOp::create(b, named(loc, "producer"), lowering.threads.getNumber(),
                                    context.index.constant(loc, ring.teams * lowering.threads.getCount()));
  llvm::SaveAndRestore<Threads> role(lowering.threads, Threads(context, own, producers));
  ring.turn = kernel::PipelineEnterOp::create(b, loc, b.getType<kernel::TurnType>(), ring.pipeline, Value(), Value());
  tile::ForOp blocks = getBlockLoop(outer);
  return lowering.grid.forEachTile(outer, [&]() -> LogicalResult {
    if (failed(fillSlots(blocks, lowering)))
      return failure();
    for (int wait = 0; blocks.reduces() && lowering.cluster.getBlocks() > 1 && wait < 2; ++wait)
      kernel::ClusterSyncOp::create(b, loc);
    return success();
  });
}

/// The threads that compute: all together, or those of a team.
static Threads getComputing(Value team, Lowering &lowering) {
  if (!team)
    return lowering.threads;
  Context &context = lowering.context;
  int64_t count = lowering.threads.getCount();
  context.index.know(team, {1, 0, lowering.ring->teams - 1, {}});
  // What is known of the block's threads is not of all that come here.
  Value number = arith::RemSIOp::create(context.b, named(lowering.ring->getLoc(), "member"), lowering.threads.getNumber(),
                                        context.index.constant(lowering.ring->getLoc(), count));
  return Threads(context, number, count, team);
}

static LogicalResult emitConsumers(tile::ForOp outer, Lowering &lowering) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  Ring &ring = *lowering.ring;
  Location loc = ring.getLoc();
  if (ring.loop.getRegisters())
    kernel::SetMaxRegistersIncOp::create(b, loc, ring.loop.getRegisters()->back());
  Value team, steps;
  std::optional<TeamTurn> turn;
  if (ring.teams > 1) {
    team = kernel::TeamOp::create(b, named(loc, "team"), b.getIndexType(), b.getI64IntegerAttr(lowering.threads.getCount()));
    steps = lowering.grid.countSteps(ring.loop, named(loc, "steps"));
    turn = TeamTurn{team, ring.teams};
  }
  llvm::SaveAndRestore<Threads> computing(lowering.threads, getComputing(team, lowering));
  if (team)
    lowering.threads.nameDigits();
  ring.turn = kernel::PipelineEnterOp::create(b, loc, b.getType<kernel::TurnType>(), ring.pipeline, team, steps);
  ring.lane = context.index.rem(named(loc, "lane"), lowering.threads.getNumber(), tile::kWarpThreads);
  if (ring.isShared())
    ring.sharer = lowering.cluster.getRankOf(loc, ring.sharers, ring.lane);
  if (ring.loop.getRelease() == tile::Release::Next)
    ring.held = context.createCounter(loc, "held", -1);
  auto role = lowering.threads.bePart();
  tile::ForOp blocks = getBlockLoop(outer);
  auto lowerOne = [&] { return blocks.reduces() ? lowerReducingBlocks(blocks, lowering) : lowerTile(blocks, lowering); };
  if (failed(lowering.grid.forEachTile(outer, lowerOne, turn)))
    return failure();
  waitForBulkStores(lowering);
  return success();
}

/// Tensor maps come from memory: one thread asks for them before anybody needs them.
static void prefetchMaps(Location loc, Lowering &lowering) {
  OpBuilder &b = lowering.context.b;
  OpBuilder::InsertionGuard guard(b);
  lowering.context.enterIf(loc, lowering.threads.isFirst(loc));
  for (Operation *op : analysis::getBulkOps(lowering.context.kernel))
    kernel::PrefetchMapOp::create(b, loc, lowering.operands.getMap(op));
}

LogicalResult tilec::lowerRoles(tile::ForOp outer, tile::ForOp loop, Lowering &lowering) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  Ring ring;
  ring.loop = loop;
  ring.teams = tile::getTeams(context.kernel);
  int64_t consumers = lowering.threads.getCount() * ring.teams;
  ring.stages = analysis::getSharedStages(loop);
  ring.slots = *loop.getPipeline();
  Location loc = ring.getLoc();
  if (failed(checkRing(outer, loop, ring.stages, consumers)) || failed(checkReads(ring)) || (ring.teams > 1 && failed(checkTeams(outer, ring, lowering.shared.getPlan()))) ||
      failed(declareRing(ring, lowering)))
    return failure();
  llvm::SaveAndRestore<Ring *> inRing(lowering.ring, &ring);
  int64_t producers = *loop.getProducers() * tile::kWarpThreads;
  ring.byBoxes = llvm::all_of(ring.stages, [](tile::StageOp stage) { return stage.getCopy() == tile::Copy::Tma; });
  if (ring.byBoxes) {
    prefetchMaps(loc, lowering);
    ring.alone = getBulkCondition(ring.stages, lowering);
  }
  createPipeline(ring, producers, lowering);

  lowering.grid.enter(outer);
  Value produces = arith::CmpIOp::create(b, named(loc, "produces"), arith::CmpIPredicate::sge, lowering.threads.getNumber(),
                                         context.index.constant(loc, consumers));
  auto roles = kernel::RolesOp::create(b, loc, produces, ArrayRef<int64_t>{producers, consumers}, ring.teams);
  context.function.setThreads(consumers + producers);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(roles.getBlock(0)->getTerminator());
    if (failed(emitProducers(outer, producers, lowering)))
      return failure();
    b.setInsertionPoint(roles.getBlock(1)->getTerminator());
    if (failed(emitConsumers(outer, lowering)))
      return failure();
  }
  // While a block is there, others may still fill its slots and give theirs back to it.
  if (ring.isShared())
    kernel::PipelineDrainOp::create(b, loc, ring.pipeline);
  return success();
}
