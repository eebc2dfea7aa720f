//===- LowerPipelines.cpp - kernel-lower-pipelines -----------------*- C++ -*-===//
//
// From acquire, commit, wait and release to groups of cp.async or to mbarriers.
//
// A barrier's phases are told apart by their parity: a thread that has gone around
// all slots waits for the other one. A slot's first filling waits for the phase before
// the first, which is over.
//
//===----------------------------------------------------------------------===//

#include "Names.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "tilec/Conversion/Passes.h"
#include "tilec/Kernel/Kernel.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilec {
#define GEN_PASS_DEF_LOWERPIPELINESPASS
#include "tilec/Conversion/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::kernel;

namespace {
class PipelineConversion {
public:
  PipelineConversion(OpBuilder &builder) : b(builder) {}

  // One op each. Gives what stands for its result, if that is a number.
  Value convert(PipelineCreateOp op);
  Value convert(PipelineEnterOp op);
  Value convert(PipelineBeginOp op);
  Value convert(PipelineEndOp op);
  Value convert(PipelineAcquireOp op);
  Value convert(PipelineExpectOp op);
  Value convert(PipelineCommitOp op);
  Value convert(PipelineWaitOp op);
  Value convert(PipelineSlotOp op);
  Value convert(PipelineReleaseOp op);
  Value convert(PipelineAdvanceOp op);
  Value convert(PipelineDrainOp op);

private:
  /// Where a thread keeps its turn; without roles there is no parity.
  struct Turn {
    PipelineCreateOp pipeline;
    Value slot, parity;
    /// Of a team: its number, the steps that the other teams take between two turns of its own, up to twice around all slots, and the
    /// parity of the phase that says that it is its turn.
    Value team, between, order;
  };
  PipelineCreateOp getPipeline(Value pipeline) { return pipeline.getDefiningOp<PipelineCreateOp>(); }
  Value number(Location loc, int64_t n) { return arith::ConstantIndexOp::create(b, loc, n); }
  Value compare(Location loc, arith::CmpIPredicate predicate, Value x, int64_t n) {
    return arith::CmpIOp::create(b, loc, predicate, x, number(loc, n));
  }
  /// A value that a thread keeps; without `start` it is stored to before it is loaded.
  Value createCounter(Location loc, StringRef name, std::optional<int64_t> start = 0);
  /// The slot and, with roles, the parity of a turn.
  std::pair<Value, Value> load(Location loc, const Turn &turn);
  /// Goes on inside of an scf.if.
  void enterIf(Location loc, Value condition);
  /// A loop over 0..count.
  void forEach(Location loc, int64_t count, llvm::function_ref<void(Value)> body);
  /// The turn of slot `from`, in the phase of `parity`, has been; `steps` later is that of another one.
  void moveOn(Location loc, Turn turn, Value from, Value parity, Value steps);
  /// Arrives for `slot`, unless it is `maybeNone` and negative.
  void giveBack(PipelineReleaseOp op, PipelineCreateOp pipeline, Value slot, bool maybeNone);

  OpBuilder &b;
  llvm::DenseMap<Value, Turn> turns;
  /// Of each slot whose turn it is the parity.
  llvm::DenseMap<Value, Value> parities;
};
} // namespace

Value PipelineConversion::createCounter(Location loc, StringRef name, std::optional<int64_t> start) {
  auto space = tile::LevelAttr::get(b.getContext(), tile::Level::RF);
  auto type = MemRefType::get({}, b.getIndexType(), MemRefLayoutAttrInterface(), space);
  return RegistersOp::create(b, named(loc, name), type, start ? b.getIndexAttr(*start) : TypedAttr());
}

void PipelineConversion::enterIf(Location loc, Value condition) {
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
}

void PipelineConversion::forEach(Location loc, int64_t count, llvm::function_ref<void(Value)> body) {
  auto loop = ForOp::create(b, loc, number(loc, 0), number(loc, count), number(loc, 1));
  loop.getInductionVar().setLoc(named(loc, "i"));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  body(loop.getInductionVar());
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

Value PipelineConversion::convert(PipelineCreateOp op) {
  if (!op.hasRoles())
    return {};
  Location loc = op.getLoc();
  {
    OpBuilder::InsertionGuard guard(b);
    Value thread = ThreadOp::create(b, named(loc, "thread"), b.getIndexType());
    enterIf(loc, compare(loc, arith::CmpIPredicate::eq, thread, 0));
    Value fills = number(loc, *op.getFills());
    if (op.getAlone())
      fills = arith::SelectOp::create(b, loc, op.getAlone(), number(loc, 1), fills);
    Value releases = number(loc, *op.getReleases());
    forEach(loc, op.getSlots(), [&](Value slot) {
      MbarrierInitOp::create(b, loc, op.getFull(), slot, fills);
      MbarrierInitOp::create(b, loc, op.getEmpty(), slot, releases);
    });
    if (op.getOrder()) {
      Value handovers = number(loc, *op.getHandovers());
      forEach(loc, op.getTeams(), [&](Value team) { MbarrierInitOp::create(b, loc, op.getOrder(), team, handovers); });
    }
    FenceMbarrierInitOp::create(b, loc);
  }
  if (op.getCluster())
    ClusterSyncOp::create(b, loc);
  else
    SyncBlockOp::create(b, loc);
  return {};
}

Value PipelineConversion::convert(PipelineDrainOp op) {
  if (getPipeline(op.getPipeline()).hasRoles())
    ClusterSyncOp::create(b, op.getLoc());
  else
    CpAsyncWaitOp::create(b, op.getLoc(), b.getI64IntegerAttr(0));
  return {};
}

Value PipelineConversion::convert(PipelineExpectOp op) {
  Value full = getPipeline(op.getPipeline()).getFull();
  if (op.getBytes() == 0)
    MbarrierArriveOp::create(b, op.getLoc(), full, op.getSlot());
  else
    MbarrierArriveExpectTxOp::create(b, op.getLoc(), full, op.getSlot(), number(op.getLoc(), op.getBytes()));
  return {};
}

Value PipelineConversion::convert(PipelineCommitOp op) {
  Location loc = op.getLoc();
  PipelineCreateOp pipeline = getPipeline(op.getPipeline());
  if (!pipeline.hasRoles()) {
    CpAsyncCommitOp::create(b, loc);
    return {};
  }
  if (op.getProxyFence()) {
    // The fence is for what the thread knows to be there.
    CpAsyncCommitOp::create(b, loc);
    CpAsyncWaitOp::create(b, loc, b.getI64IntegerAttr(0));
    FenceProxyAsyncOp::create(b, loc);
  } else {
    CpAsyncMbarrierArriveOp::create(b, loc, pipeline.getFull(), op.getSlot());
  }
  // The arrival for copies publishes no stores (BarrierOps.td).
  if (op.getProxyFence() || op.getStores())
    MbarrierArriveOp::create(b, loc, pipeline.getFull(), op.getSlot());
  return {};
}

//===----------------------------------------------------------------------===//
// A thread's turns
//===----------------------------------------------------------------------===//

Value PipelineConversion::convert(PipelineEnterOp op) {
  PipelineCreateOp pipeline = getPipeline(op.getPipeline());
  Location loc = op.getLoc();
  Turn &turn = turns[op.getTurn()];
  std::optional<int64_t> start = op.getTeam() ? std::nullopt : std::optional<int64_t>(0);
  turn = {pipeline, createCounter(loc, "slot", start), pipeline.hasRoles() ? createCounter(loc, "parity", start) : Value(), op.getTeam(), {}, {}};
  if (!turn.team)
    return {};
  // Twice around all slots is where it began, parities included.
  Value steps = arith::RemSIOp::create(b, named(loc, "steps"), op.getSteps(), number(loc, 2 * pipeline.getSlots()));
  turn.between = arith::MulIOp::create(b, named(loc, "between"), steps, number(loc, pipeline.getTeams() - 1));
  moveOn(loc, turn, number(loc, 0), number(loc, 0), arith::MulIOp::create(b, loc, steps, turn.team));
  // Nobody goes ahead of the first team: it waits for the phase before the first, which is over.
  turn.order = createCounter(loc, "order_parity", std::nullopt);
  Value isFirst = compare(loc, arith::CmpIPredicate::eq, turn.team, 0);
  memref::StoreOp::create(b, loc, arith::SelectOp::create(b, loc, isFirst, number(loc, 1), number(loc, 0)), turn.order, ValueRange());
  return {};
}

void PipelineConversion::moveOn(Location loc, Turn turn, Value from, Value parity, Value steps) {
  Value slots = number(loc, turn.pipeline.getSlots());
  Value at = arith::AddIOp::create(b, named(loc, "at"), from, steps);
  memref::StoreOp::create(b, loc, arith::RemSIOp::create(b, loc, at, slots), turn.slot, ValueRange());
  Value rounds = arith::AddIOp::create(b, loc, parity, arith::DivSIOp::create(b, loc, at, slots));
  memref::StoreOp::create(b, loc, arith::RemSIOp::create(b, loc, rounds, number(loc, 2)), turn.parity, ValueRange());
}

Value PipelineConversion::convert(PipelineBeginOp op) {
  Location loc = op.getLoc();
  Turn turn = turns.lookup(op.getTurn());
  Value phase = memref::LoadOp::create(b, named(loc, "order_phase"), turn.order, ValueRange());
  MbarrierWaitOp::create(b, loc, turn.pipeline.getOrder(), turn.team, phase);
  memref::StoreOp::create(b, loc, arith::SubIOp::create(b, loc, number(loc, 1), phase), turn.order, ValueRange());
  return {};
}

Value PipelineConversion::convert(PipelineEndOp op) {
  Location loc = op.getLoc();
  Turn turn = turns.lookup(op.getTurn());
  SyncWarpOp::create(b, loc); // All lanes know of their turn: two phases later they would take it for the one before.
  {
    OpBuilder::InsertionGuard guard(b);
    Value isLast = compare(loc, arith::CmpIPredicate::eq, turn.team, turn.pipeline.getTeams() - 1);
    Value after = arith::AddIOp::create(b, loc, turn.team, number(loc, 1));
    Value next = arith::SelectOp::create(b, named(loc, "next_team"), isLast, number(loc, 0), after);
    enterIf(loc, compare(loc, arith::CmpIPredicate::eq, op.getLane(), 0));
    MbarrierArriveOp::create(b, loc, turn.pipeline.getOrder(), next);
  }
  auto [slot, parity] = load(loc, turn);
  moveOn(loc, turn, slot, parity, turn.between);
  return {};
}

std::pair<Value, Value> PipelineConversion::load(Location loc, const Turn &turn) {
  Value slot = memref::LoadOp::create(b, named(loc, "use"), turn.slot, ValueRange());
  if (!turn.parity)
    return {slot, Value()};
  Value parity = memref::LoadOp::create(b, named(loc, "phase"), turn.parity, ValueRange());
  parities[slot] = parity;
  return {slot, parity};
}

Value PipelineConversion::convert(PipelineAcquireOp op) {
  Location loc = op.getLoc();
  Turn turn = turns.lookup(op.getTurn());
  if (Value use = op.getUse()) {
    Value isFirst = compare(loc, arith::CmpIPredicate::eq, use, 0);
    Value before = arith::SubIOp::create(b, loc, use, number(loc, 1));
    return arith::SelectOp::create(b, named(loc, "fill"), isFirst, number(loc, turn.pipeline.getSlots() - 1), before);
  }
  auto [slot, parity] = load(loc, turn);
  Value other = arith::SubIOp::create(b, named(loc, "phase_before"), number(loc, 1), parity);
  MbarrierWaitOp::create(b, loc, turn.pipeline.getEmpty(), slot, other);
  return slot;
}

Value PipelineConversion::convert(PipelineWaitOp op) {
  Location loc = op.getLoc();
  Turn turn = turns.lookup(op.getTurn());
  auto [slot, parity] = load(loc, turn);
  if (parity)
    MbarrierWaitOp::create(b, loc, turn.pipeline.getFull(), slot, parity);
  else // Of the slots but the one being filled, the oldest is full.
    CpAsyncWaitOp::create(b, loc, b.getI64IntegerAttr(turn.pipeline.getSlots() - 2));
  return slot;
}

Value PipelineConversion::convert(PipelineSlotOp op) { return load(op.getLoc(), turns.lookup(op.getTurn())).first; }

Value PipelineConversion::convert(PipelineAdvanceOp op) {
  Location loc = op.getLoc();
  Turn turn = turns.lookup(op.getTurn());
  Value slot = op.getSlot(), parity = parities.lookup(slot);
  Value isLast = compare(loc, arith::CmpIPredicate::eq, slot, turn.pipeline.getSlots() - 1);
  Value next = arith::AddIOp::create(b, loc, slot, number(loc, 1));
  memref::StoreOp::create(b, loc, arith::SelectOp::create(b, loc, isLast, number(loc, 0), next), turn.slot, ValueRange());
  if (!parity)
    return {};
  isLast.setLoc(named(loc, "is_last_slot")); // It is asked twice.
  Value other = arith::SubIOp::create(b, loc, number(loc, 1), parity);
  memref::StoreOp::create(b, loc, arith::SelectOp::create(b, loc, isLast, other, parity), turn.parity, ValueRange());
  return {};
}

void PipelineConversion::giveBack(PipelineReleaseOp op, PipelineCreateOp pipeline, Value slot, bool maybeNone) {
  Location loc = op.getLoc();
  SyncWarpOp::create(b, loc); // All lanes have read.
  std::optional<uint64_t> blocks = op.getBlocks();
  Value gives = compare(loc, blocks ? arith::CmpIPredicate::slt : arith::CmpIPredicate::eq, op.getLane(), blocks.value_or(0));
  if (maybeNone)
    gives = arith::AndIOp::create(b, loc, gives, compare(loc, arith::CmpIPredicate::sge, slot, 0));
  OpBuilder::InsertionGuard guard(b);
  enterIf(loc, gives);
  if (blocks)
    MbarrierArriveRemoteOp::create(b, loc, pipeline.getEmpty(), slot, op.getRank());
  else
    MbarrierArriveOp::create(b, loc, pipeline.getEmpty(), slot);
}

Value PipelineConversion::convert(PipelineReleaseOp op) {
  Turn turn = turns.lookup(op.getTurn());
  Value held = op.getHeld();
  Value slot = held ? memref::LoadOp::create(b, named(op.getLoc(), "used_before"), held, ValueRange()).getResult() : op.getSlot();
  giveBack(op, turn.pipeline, slot, /*maybeNone=*/bool(held));
  if (held)
    memref::StoreOp::create(b, op.getLoc(), op.getSlot(), held, ValueRange());
  return {};
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct LowerPipelines : tilec::impl::LowerPipelinesPassBase<LowerPipelines> {
  void runOnOperation() override {
    // In an order in which what an op uses is converted before it.
    SmallVector<Operation *> ops;
    getOperation().walk<WalkOrder::PreOrder, ForwardDominanceIterator<>>([&](Operation *op) {
      if (isa<PipelineCreateOp, PipelineEnterOp, PipelineBeginOp, PipelineEndOp, PipelineAcquireOp, PipelineExpectOp, PipelineCommitOp, PipelineWaitOp, PipelineSlotOp, PipelineReleaseOp,
              PipelineAdvanceOp, PipelineDrainOp>(op))
        ops.push_back(op);
    });
    OpBuilder b(&getContext());
    PipelineConversion conversion(b);
    for (Operation *op : ops) {
      b.setInsertionPoint(op);
      Value number = llvm::TypeSwitch<Operation *, Value>(op)
                         .Case<PipelineCreateOp, PipelineEnterOp, PipelineBeginOp, PipelineEndOp, PipelineAcquireOp, PipelineExpectOp, PipelineCommitOp, PipelineWaitOp,
                               PipelineSlotOp, PipelineReleaseOp, PipelineAdvanceOp, PipelineDrainOp>([&](auto known) { return conversion.convert(known); });
      if (number)
        op->getResult(0).replaceAllUsesWith(number);
    }
    for (Operation *op : llvm::reverse(ops))
      op->erase();
  }
};
} // namespace
