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
  Value convert(PipelineAcquireOp op);
  Value convert(PipelineExpectOp op);
  Value convert(PipelineCommitOp op);
  Value convert(PipelineWaitOp op);
  Value convert(PipelineReleaseOp op);
  Value convert(PipelineAdvanceOp op);
  Value convert(PipelineDrainOp op);

private:
  /// Where a thread keeps its turn; without roles there is no parity.
  struct Turn {
    PipelineCreateOp pipeline;
    Value slot, parity;
  };
  PipelineCreateOp getPipeline(Value pipeline) { return pipeline.getDefiningOp<PipelineCreateOp>(); }
  Value number(Location loc, int64_t n) { return arith::ConstantIndexOp::create(b, loc, n); }
  Value compare(Location loc, arith::CmpIPredicate predicate, Value x, int64_t n) {
    return arith::CmpIOp::create(b, loc, predicate, x, number(loc, n));
  }
  Value createCounter(Location loc, StringRef name);
  /// The slot and, with roles, the parity of a turn.
  std::pair<Value, Value> load(Location loc, const Turn &turn);
  /// Goes on inside of an scf.if.
  void enterIf(Location loc, Value condition);
  /// Arrives for `slot`, unless it is `maybeNone` and negative.
  void giveBack(PipelineReleaseOp op, PipelineCreateOp pipeline, Value slot, bool maybeNone);

  OpBuilder &b;
  llvm::DenseMap<Value, Turn> turns;
  /// Of each slot whose turn it is the parity.
  llvm::DenseMap<Value, Value> parities;
};
} // namespace

Value PipelineConversion::createCounter(Location loc, StringRef name) {
  auto space = tile::LevelAttr::get(b.getContext(), tile::Level::RF);
  auto type = MemRefType::get({}, b.getIndexType(), MemRefLayoutAttrInterface(), space);
  return RegistersOp::create(b, named(loc, name), type, b.getIndexAttr(0));
}

void PipelineConversion::enterIf(Location loc, Value condition) {
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
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
    auto loop = ForOp::create(b, loc, number(loc, 0), number(loc, op.getSlots()), number(loc, 1));
    loop.getInductionVar().setLoc(named(loc, "i"));
    FenceMbarrierInitOp::create(b, loc);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    MbarrierInitOp::create(b, loc, op.getFull(), loop.getInductionVar(), fills);
    MbarrierInitOp::create(b, loc, op.getEmpty(), loop.getInductionVar(), number(loc, *op.getReleases()));
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
  Value slot = createCounter(op.getLoc(), "slot");
  turns[op.getTurn()] = {pipeline, slot, pipeline.hasRoles() ? createCounter(op.getLoc(), "parity") : Value()};
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
      if (isa<PipelineCreateOp, PipelineEnterOp, PipelineAcquireOp, PipelineExpectOp, PipelineCommitOp, PipelineWaitOp, PipelineReleaseOp,
              PipelineAdvanceOp, PipelineDrainOp>(op))
        ops.push_back(op);
    });
    OpBuilder b(&getContext());
    PipelineConversion conversion(b);
    for (Operation *op : ops) {
      b.setInsertionPoint(op);
      Value number = llvm::TypeSwitch<Operation *, Value>(op)
                         .Case<PipelineCreateOp, PipelineEnterOp, PipelineAcquireOp, PipelineExpectOp, PipelineCommitOp, PipelineWaitOp,
                               PipelineReleaseOp, PipelineAdvanceOp, PipelineDrainOp>([&](auto known) { return conversion.convert(known); });
      if (number)
        op->getResult(0).replaceAllUsesWith(number);
    }
    for (Operation *op : llvm::reverse(ops))
      op->erase();
  }
};
} // namespace
