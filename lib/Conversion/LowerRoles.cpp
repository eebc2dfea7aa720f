//===- LowerRoles.cpp - Warps that only copy --------------------*- C++ -*-===//
//
// producers(w) on a pipelined loop: w warps after the others walk the same
// tiles and iterations, and fill the slots of the ring; the others compute. Two
// barriers a slot say that it is full and that it is empty. Phases, arrivals and
// bytes are derived here.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Analysis/BulkPlan.h"
#include "tilec/Analysis/PipelineDecisions.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// Enters slot after slot; the parity tells rounds apart.
KernelLowering::RingPlace KernelLowering::createRingPlace(Location loc, int64_t slots) {
  return {createCounter(loc, "slot", 0), createCounter(loc, "parity", 0), slots};
}

std::pair<Value, Value> KernelLowering::loadRingPlace(Location loc, const RingPlace &place) {
  Value slot = memref::LoadOp::create(b, named(loc, "use"), place.slot, ValueRange());
  index.know(slot, {1, 0, place.slots - 1, {}});
  return {slot, memref::LoadOp::create(b, named(loc, "phase"), place.parity, ValueRange())};
}

void KernelLowering::advanceRingPlace(Location loc, const RingPlace &place, Value slot, Value parity) {
  Value isLast = arith::CmpIOp::create(b, named(loc, "is_last_slot"), arith::CmpIPredicate::eq, slot,
                                       index.constant(loc, place.slots - 1));
  Value next = arith::AddIOp::create(b, loc, slot, index.constant(loc, 1));
  Value other = arith::SubIOp::create(b, loc, index.constant(loc, 1), parity);
  memref::StoreOp::create(b, loc, arith::SelectOp::create(b, loc, isLast, index.constant(loc, 0), next), place.slot,
                          ValueRange());
  memref::StoreOp::create(b, loc, arith::SelectOp::create(b, loc, isLast, other, parity), place.parity, ValueRange());
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::lowerRoles(tile::ForOp outer, tile::ForOp loop) {
  Location loc = unnamed(loop.getLoc());
  if (loop.getNumLoops() != 1)
    return loop.emitOpError("pipelines ") << loop.getNumLoops() << " induction variables; one is lowered yet";
  if (tile::ForOp blocks = getBlockLoop(outer); blocks.getReduce())
    return blocks.emitOpError("reduces over blocks whose tiles producers fill; not lowered yet");
  int64_t producers = *loop.getProducers() * tile::kWarpThreads;
  constexpr int64_t kWarpgroupThreads = 128; // setmaxnreg is for whole warpgroups, PTX ISA 9.7.20.5.
  if (blockThreads % tile::kWarpThreads != 0)
    return loop.emitOpError("producers need whole warps beside them; the others are ") << blockThreads << " threads";
  if (loop.getRegisters() && (blockThreads % kWarpgroupThreads != 0 || producers % kWarpgroupThreads != 0))
    return loop.emitOpError("registers are dealt out to whole warpgroups of ")
           << kWarpgroupThreads << " threads; producers are " << producers << ", the others " << blockThreads;
  SmallVector<tile::StageOp> stages = analysis::getSharedStages(loop);
  if (stages.empty())
    return loop.emitOpError("has producers but stages no tile in smem for them to fill");
  if (!loop.getRelease())
    return loop.emitOpError("leaves open when a slot is given back; run tile-plan-pipeline");
  int64_t slots = *loop.getPipeline();
  for (tile::StageOp stage : stages)
    for (const tile::TileUse &use : tile::getTileUses(stage.getTile()))
      if (use.writes) {
        InFlightDiagnostic diag = use.operand->getOwner()->emitOpError(
            "writes a tile that producers fill; not lowered yet, stage it to rf and compute there");
        diag.attachNote(stage.getLoc()) << "the tile";
        return diag;
      }
  for (tile::StageOp stage : stages)
    if (failed(declareShared(stage)))
      return failure();
  ring.emplace();
  ring->loop = loop;
  ring->full = createShared(named(loc, "full"), analysis::SharedUse::Full, loop, b.getI64Type());
  ring->empty = createShared(named(loc, "empty"), analysis::SharedUse::Empty, loop, b.getI64Type());
  for (tile::StageOp stage : stages)
    shared[stage.getTile()].buffer.getDefiningOp<kernel::SharedOp>().setGuarded(true);

  // One thread starts the barriers: each producer arrives at `full`, one of them once more with the bytes of
  // bulk copies; a lane of each other warp at `empty`, also of the blocks that fill slots here.
  SmallVector<tile::StageOp> bulk = analysis::getBulkStages(kernel);
  if (!bulk.empty())
    ring->sharers = analysis::getSharers(analysis::getClusteredLoop(kernel), bulk);
  int64_t sharers = ring->sharers.size();
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread, index.constant(loc, 0));
  auto start = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(start.thenBlock()->getTerminator());
    countedLoop(loc, "i", slots, 1, /*unrolled=*/false, [&](const IndexExpr &number) {
      Value i = index.materialize(loc, number);
      kernel::MbarrierInitOp::create(b, loc, ring->full, i, index.constant(loc, producers + !bulk.empty()));
      kernel::MbarrierInitOp::create(b, loc, ring->empty, i,
                                     index.constant(loc, sharers * blockThreads / tile::kWarpThreads));
    });
    kernel::FenceMbarrierInitOp::create(b, loc);
  }
  if (sharers > 1)
    kernel::ClusterSyncOp::create(b, loc);
  else
    kernel::SyncBlockOp::create(b, loc);

  enterGrid(outer);
  int64_t consumers = blockThreads;
  Value produces = arith::CmpIOp::create(b, named(loc, "produces"), arith::CmpIPredicate::sge, thread,
                                         index.constant(loc, consumers));
  index.know(thread, {1, 0, consumers - 1, {}}); // In the consumers' part; the other has its own.
  auto roles = kernel::RolesOp::create(b, loc, produces, ArrayRef<int64_t>{producers, consumers});
  function.setThreads(consumers + producers);

  OpBuilder::InsertionGuard guard(b);
  {
    b.setInsertionPoint(roles.getBlock(0)->getTerminator());
    if (loop.getRegisters())
      kernel::SetMaxRegistersDecOp::create(b, loc, loop.getRegisters()->front());
    Value own = arith::SubIOp::create(b, named(loc, "producer"), thread, index.constant(loc, consumers));
    index.know(own, {1, 0, producers - 1, {}});
    llvm::SaveAndRestore<Value> asThread(thread, own);
    llvm::SaveAndRestore<int64_t> asBlock(blockThreads, producers), asActive(activeThreads, producers);
    std::map<std::tuple<int64_t, int64_t, int64_t>, Value> others;
    std::swap(digits, others);
    ring->place = createRingPlace(loc, slots);
    LogicalResult result = forEachTile(outer, [&] { return lowerProducers(getBlockLoop(outer), stages); });
    std::swap(digits, others);
    if (failed(result))
      return failure();
  }
  b.setInsertionPoint(roles.getBlock(1)->getTerminator());
  if (loop.getRegisters())
    kernel::SetMaxRegistersIncOp::create(b, loc, loop.getRegisters()->back());
  ring->place = createRingPlace(loc, slots);
  ring->lane = index.rem(named(loc, "lane"), thread, tile::kWarpThreads);
  if (sharers > 1)
    ring->sharer = getRankOf(loc, ring->sharers, ring->lane);
  if (loop.getRelease() == tile::Release::Next)
    ring->held = createCounter(loc, "held", -1);
  roleThreads = consumers;
  LogicalResult result = forEachTile(outer, [&] { return lowerTile(getBlockLoop(outer)); });
  roleThreads = 0;
  // While a block is there, others may still fill its slots and give theirs back to it.
  b.setInsertionPointAfter(roles);
  if (sharers > 1)
    kernel::ClusterSyncOp::create(b, loc);
  return result;
}

/// Of the nest, the loops around the ring's.
LogicalResult KernelLowering::lowerProducers(tile::ForOp outer, ArrayRef<tile::StageOp> stages) {
  if (outer == ring->loop)
    return produce(stages);
  for (auto inner : outer.getBody().front().getOps<tile::ForOp>()) {
    if (inner != ring->loop && !inner->isAncestor(ring->loop))
      continue;
    if (inner == ring->loop)
      return produce(stages);
    if (inner.getUnit() != tile::Unit::Time)
      return inner.emitOpError("on ") << stringifyUnit(inner.getUnit())
                                      << " stands around a loop with producers; only loops on time are lowered there yet";
    std::function<LogicalResult(unsigned)> nest = [&](unsigned i) -> LogicalResult {
      if (i == inner.getNumLoops())
        return lowerProducers(inner, stages);
      return lowerTimeLoop(inner, i, [&] { return nest(i + 1); });
    };
    return nest(0);
  }
  return ring->loop.emitOpError("has producers in a place that they cannot walk to");
}

void KernelLowering::enterSlot(ArrayRef<tile::StageOp> stages, Value slot, int64_t slots) {
  for (tile::StageOp stage : stages) {
    SharedTile &tile = shared[stage.getTile()];
    tile.slot = valueIndex(slot, cast<MemRefType>(tile.buffer.getType()).getNumElements() / slots);
  }
}

kernel::ForOp KernelLowering::createRingLoop(tile::ForOp loop) {
  kernel::ForOp lowered = createTimeLoop(loop, 0, getTimeBounds(loop, 0));
  values.map(loop.getInductionVar(0), lowered.getInductionVar());
  b.setInsertionPoint(lowered.getBody()->getTerminator());
  return lowered;
}

LogicalResult KernelLowering::produce(ArrayRef<tile::StageOp> stages) {
  Location loc = unnamed(ring->loop.getLoc());
  OpBuilder::InsertionGuard guard(b);
  createRingLoop(ring->loop);
  auto [slot, parity] = loadRingPlace(loc, ring->place);
  // The first round finds all slots empty: it waits for the phase before the first.
  Value other = arith::SubIOp::create(b, named(loc, "phase_before"), index.constant(loc, 1), parity);
  kernel::MbarrierWaitOp::create(b, loc, ring->empty, slot, other);
  enterSlot(stages, slot, ring->place.slots);
  SmallVector<tile::StageOp> bulk;
  for (tile::StageOp stage : stages)
    (stage.getCopy() == tile::Copy::Tma ? bulk.push_back(stage) : void());
  for (tile::StageOp stage : stages)
    if (stage.getCopy() != tile::Copy::Tma && failed(copyToShared(stage)))
      return failure();
  if (!bulk.empty() && failed(copyBulk(bulk, slot)))
    return failure();
  kernel::CpAsyncMbarrierArriveOp::create(b, loc, ring->full, slot);
  advanceRingPlace(loc, ring->place, slot, parity);
  return success();
}

void KernelLowering::giveBack(Location loc, Value slot, bool isAlways) {
  kernel::SyncWarpOp::create(b, loc);
  int64_t sharers = ring->sharers.size();
  Value gives = arith::CmpIOp::create(b, loc, sharers > 1 ? arith::CmpIPredicate::slt : arith::CmpIPredicate::eq, ring->lane,
                                      index.constant(loc, sharers > 1 ? sharers : 0));
  if (!isAlways)
    gives = index.both(loc, gives, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, slot, index.constant(loc, 0)));
  auto release = scf::IfOp::create(b, loc, gives, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard inner(b);
  b.setInsertionPoint(release.thenBlock()->getTerminator());
  if (sharers > 1)
    kernel::MbarrierArriveRemoteOp::create(b, loc, ring->empty, slot, ring->sharer);
  else
    kernel::MbarrierArriveOp::create(b, loc, ring->empty, slot);
}

LogicalResult KernelLowering::consume(tile::ForOp loop) {
  Location loc = unnamed(loop.getLoc());
  SmallVector<tile::StageOp> stages = analysis::getSharedStages(loop);
  OpBuilder::InsertionGuard guard(b);
  createRingLoop(loop);
  auto [slot, parity] = loadRingPlace(loc, ring->place);
  kernel::MbarrierWaitOp::create(b, loc, ring->full, slot, parity);
  if (ring->held) { // The slot of the iteration before.
    giveBack(loc, memref::LoadOp::create(b, named(loc, "used_before"), ring->held, ValueRange()), /*isAlways=*/false);
    memref::StoreOp::create(b, loc, slot, ring->held, ValueRange());
  }
  enterSlot(stages, slot, ring->place.slots);
  for (Operation &op : loop.getBody().front())
    if (!llvm::is_contained(stages, dyn_cast<tile::StageOp>(op)) && failed(lowerOp(op)))
      return failure();
  if (!ring->held)
    giveBack(loc, slot, /*isAlways=*/true);
  advanceRingPlace(loc, ring->place, slot, parity);
  return success();
}

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::copyBulk(ArrayRef<tile::StageOp> stages, Value slot) {
  Location loc = unnamed(ring->loop.getLoc());
  // One thread asks for all boxes. Where a launch's operand does not allow them, all producers copy.
  Value allBulk;
  int64_t bytes = 0;
  for (tile::StageOp stage : stages) {
    if (failed(checkCopy(stage)))
      return failure();
    auto type = cast<MemRefType>(stage.getTile().getType());
    bytes += type.getNumElements() * type.getElementTypeBitWidth() / 8;
    allBulk = index.both(loc, allBulk, getBulkCondition(stage));
    ArrayRef<int64_t> tileShape = type.getShape();
    for (auto [dim, sum] : llvm::enumerate(tile::getSourceAccess(stage).subscripts))
      if (!index.fitsInt(mapSum(sum) + constantIndex(tileShape[dim]))) // A slice may begin further on.
        return stage.emitOpError("subscript ") << dim << " may pass 2147483647, which coordinates of copy(tma) do not; without "
                                                         "copy(tma) it may";
  }
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread, index.constant(loc, 0));
  auto ask = [&] {
    auto one = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(one.thenBlock()->getTerminator());
    kernel::MbarrierArriveExpectTxOp::create(b, loc, ring->full, slot, index.constant(loc, bytes));
    for (tile::StageOp stage : stages)
      copySlice(stage, slot);
  };
  if (!allBulk) {
    ask();
    return success();
  }
  auto branch = scf::IfOp::create(b, loc, allBulk, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  ask();
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  auto one = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPoint(one.thenBlock()->getTerminator());
    kernel::MbarrierArriveOp::create(b, loc, ring->full, slot);
  }
  llvm::SaveAndRestore<bool> rare(compact, true);
  for (tile::StageOp stage : stages)
    if (failed(copyToShared(stage)))
      return failure();
  return success();
}

/// Does a loop around `op` walk `extent`? Then it is not 0 where `op` runs.
static bool isWalkedAround(OpFoldResult extent, Operation *op) {
  for (auto loop = op->getParentOfType<tile::ForOp>(); loop; loop = loop->getParentOfType<tile::ForOp>())
    for (unsigned i = 0; i < loop.getNumLoops(); ++i)
      if (loop.getExtent(i) == extent)
        return true;
  return false;
}

/// Base and strides at multiples of 16 bytes, and no extent 0, of which no map can be made.
Value KernelLowering::getBulkCondition(tile::StageOp stage) {
  Location loc = unnamed(stage.getLoc());
  auto operand = cast<BlockArgument>(tile::traceParts(stage.getSource()).root);
  auto type = cast<MemRefType>(operand.getType());
  int64_t elements = analysis::kBulkBytes * 8 / type.getElementTypeBitWidth();
  Value condition = getAlignedCondition(loc, operand, analysis::getBulkCopy(stage)->box.dims.front(), elements);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    OpFoldResult extent = kernel.getOperandExtent(operand.getArgNumber(), dim);
    if (getConstantIntValue(extent).value_or(0) > 0 || isWalkedAround(extent, stage))
      continue;
    OpFoldResult mapped = mapExtent(extent);
    Value size = getStatic(mapped) ? index.constant(loc, *getStatic(mapped)) : cast<Value>(mapped);
    condition = index.both(loc, condition, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, size, index.constant(loc, 0)));
  }
  return condition;
}
