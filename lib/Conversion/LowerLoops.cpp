//===- LowerLoops.cpp - Threads and time ------------------------*- C++ -*-===//
//
// What the loops of a nest become inside of a block.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Peel.h"
#include "Reduction.h"
#include "tilec/Analysis/InstructionPlan.h"
#include "tilec/Tile/InstructionUse.h"
#include "tilec/Tile/Reduction.h"
#include "llvm/ADT/SetVector.h"

#include <list>

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

Operation *tilec::getLastOp(OpBuilder &b) {
  return b.getInsertionPoint() == b.getInsertionBlock()->begin() ? nullptr : &*std::prev(b.getInsertionPoint());
}

/// Is each iteration of `loop`, and of the loops on threads that are nested one right in the other in it, that of one
/// thread? Lanes of a warp may execute one together.
static bool isOneLoop(tile::ForOp loop) {
  if (loop.getUnit() != tile::Unit::Thread)
    return false;
  tile::ForOp inner;
  bool others = false;
  for (Operation &op : loop.getBody().front()) {
    auto nested = dyn_cast<tile::ForOp>(op);
    if (nested && tile::isThreadUnit(nested) && !nested.reduces() && !inner)
      inner = nested;
    else
      others |= !isa<tile::PartOp>(op);
  }
  if (inner)
    return !others && isOneLoop(inner);
  return !loop.getBody().walk([](tile::ForOp nested) {
    return tile::isThreadUnit(nested) ? WalkResult::interrupt() : WalkResult::advance();
  }).wasInterrupted();
}

void tilec::setThreadLoop(OpBuilder &b, Operation *last, int64_t number) {
  for (Operation *op = last ? last->getNextNode() : &b.getInsertionBlock()->front(); op && b.getInsertionPoint() != Block::iterator(op);
       op = op->getNextNode())
    op->walk([&](kernel::ThreadLoopMember access) { access.setThreadLoop(number); });
}

static bool isInThreads(tile::ForOp loop) {
  for (auto outer = loop->getParentOfType<tile::ForOp>(); outer; outer = outer->getParentOfType<tile::ForOp>())
    if (tile::isThreadUnit(outer))
      return true;
  return false;
}

/// The threads of the outermost loop on threads around `loop`.
static int64_t getOutermostThreads(tile::ForOp loop) {
  tile::ForOp outermost = loop;
  for (auto outer = loop->getParentOfType<tile::ForOp>(); outer; outer = outer->getParentOfType<tile::ForOp>())
    if (tile::isThreadUnit(outer))
      outermost = outer;
  return tile::getThreads(outermost);
}

/// Does `value`, computed from scalars and induction variables, differ between the lanes of a warp?
static bool differsInWarp(Value value) {
  if (Operation *op = value.getDefiningOp())
    return llvm::any_of(op->getOperands(), differsInWarp);
  auto argument = cast<BlockArgument>(value);
  auto loop = dyn_cast<tile::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || !tile::isThreadUnit(loop))
    return false;
  unsigned number = argument.getArgNumber();
  return loop.getStaticCount(number) != 1 && tile::getThreadStride(loop, number) % tile::kWarpThreads != 0;
}

/// Refuses an `scf.if` around `loop` that some lanes of a warp go into: all of them exchange elements.
static LogicalResult checkConditions(tile::ForOp loop) {
  for (auto condition = loop->getParentOfType<scf::IfOp>(); condition; condition = condition->getParentOfType<scf::IfOp>()) {
    if (!differsInWarp(condition.getCondition()))
      continue;
    InFlightDiagnostic diag = loop.emitOpError("reduces over threads where not all lanes of a warp may come"); // limit_x17
    diag.attachNote(condition.getLoc()) << "this condition differs between them";
    return diag;
  }
  return success();
}

/// Is each of the threads around `loop`, which reduces inside of another loop on threads, one of a group that runs all of its iterations?
static LogicalResult checkInnerReduction(tile::ForOp loop) {
  if (int64_t outermost = getOutermostThreads(loop); outermost % tile::kWarpThreads != 0) // limit_x17
    return loop.emitOpError("reduces over threads inside of a loop on ") << outermost << " threads, which is not a multiple of " << tile::kWarpThreads;
  tile::ForOp around = tile::getThreadLoop(loop);
  int64_t threads = tile::getThreads(loop), group = tile::getThreadStride(around, around.getNumLoops() - 1);
  if (group % threads == 0)
    return success();
  InFlightDiagnostic diag = loop.emitOpError("reduces over ") << threads << " threads of the " << group << " of a " << stringifyUnit(around.getUnit()) // limit_x17
                                                              << ", which is not a multiple of them";
  diag.attachNote(around.getLoc()) << "an iteration of this loop has that many";
  return diag;
}

/// The body of a loop on threads, for the first `part` of them where that is not 0; `number` is what its accesses to shared memory have.
static LogicalResult lowerIterations(tile::ForOp loop, int64_t part, int64_t number, Lowering &lowering) {
  Context &context = lowering.context;
  Threads &threads = lowering.threads;
  OpBuilder &b = context.b;
  bool outermost = !isInThreads(loop);
  OpBuilder::InsertionGuard guard(b);
  auto active = threads.activate(part ? part : threads.getActive());
  if (part)
    context.enterIf(loop.getLoc(), context.index.compare(loop.getLoc(), arith::CmpIPredicate::slt, threads.getNumber(),
                                                         context.index.constant(loop.getLoc(), part)));
  Operation *last = getLastOp(b);
  bool instructions = outermost && analysis::runsInstructions(loop);
  if (instructions)
    enterInstructions(unnamed(loop.getLoc()), lowering);
  if (failed(lowerBody(loop, lowering)))
    return failure();
  if (instructions)
    leaveInstructions(loop, lowering);
  if (outermost)
    setThreadLoop(b, last, number);
  return success();
}

void tilec::mapThreads(tile::ForOp loop, Lowering &lowering) {
  for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
    Value source = loop.getInductionVar(i);
    int64_t count = *loop.getStaticCount(i);
    Value value = count == 1 ? lowering.context.index.constant(loop.getLoc(), 0)
                             : lowering.threads.getDigit(source.getLoc(), {count, loop.getSteps()[i], tile::getThreadStride(loop, i)});
    lowering.context.values.map(source, value);
  }
}

static LogicalResult lowerThreads(tile::ForOp loop, Lowering &lowering) {
  Context &context = lowering.context;
  Threads &threads = lowering.threads;
  int64_t count = tile::getThreads(loop), blockThreads = threads.getCount();
  // Threads of a loop with prefix exchange elements in it.
  int64_t number = isOneLoop(loop) && !loop.getPrefix() ? ++lowering.threadLoops : -1;
  bool outermost = !isInThreads(loop), isPart = outermost && count < blockThreads;
  if (loop.getPrefix() && isPart) // limit_x51
    return loop.emitOpError("with prefix has ") << count << " threads of the block's " << blockThreads << "; expected all of them, which wait for each other in it";
  mapThreads(loop, lowering);
  if (loop.reduces() && !outermost && (failed(checkInnerReduction(loop)) || failed(checkConditions(loop))))
    return failure();
  std::optional<Reduction> reduction;
  if (loop.reduces() && tile::getCombiningLoop(loop) == loop)
    reduction.emplace(context, lowering.registers, loop);
  llvm::SaveAndRestore<Reduction *> scan(lowering.scan, loop.getPrefix() ? &*reduction : nullptr);
  if (failed(lowerIterations(loop, isPart ? count : 0, number, lowering)))
    return failure();
  if (loop.getPrefix())
    reduction->finish();
  else if (reduction)
    reduction->finishThreads(threads, lowering.shared);
  return success();
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// The loop of induction variable `i`.
static LogicalResult lowerTimeLoop(tile::ForOp loop, unsigned i, Lowering &lowering, llvm::function_ref<LogicalResult()> body) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  Value source = loop.getInductionVar(i);
  Location loc = source.getLoc();
  std::optional<int64_t> count = loop.getStaticCount(i);
  if (count == 1 && !loop.getCutTail()) {
    context.values.map(source, context.index.constant(loc, 0));
    return body();
  }
  OpBuilder::InsertionGuard guard(b);
  if (loop.getUnit() == tile::Unit::Unroll) { // Counts tiles: their number is what indexes registers.
    LogicalResult result = success();
    auto create = [&](int64_t first, int64_t last) {
      if (first == last || failed(result))
        return;
      auto lowerIteration = [&](const IndexExpr &number) {
        context.values.map(source, context.index.mul(unnamed(loc), context.index.materialize(unnamed(loc), number), loop.getSteps()[i]));
        result = body();
      };
      createCountedLoop(context, loc, nameOf(loc, "i"), last - first, 1, /*unrolled=*/true, lowerIteration, first);
    };
    auto [before, after] = getPeeled(context, loop, i);
    create(0, before);
    create(before, *count - after);
    create(*count - after, *count);
    return result;
  }
  kernel::ForOp lowered = createTimeLoop(context, loop, i, getTimeBounds(context, loop, i, lowering.grid.getCutSteps()));
  context.values.map(source, lowered.getInductionVar());
  b.setInsertionPoint(lowered.getBody()->getTerminator());
  return body();
}

LogicalResult tilec::lowerTimeLoops(tile::ForOp loop, Lowering &lowering, llvm::function_ref<LogicalResult()> body) {
  std::function<LogicalResult(unsigned)> nest = [&](unsigned i) -> LogicalResult {
    return i == loop.getNumLoops() ? body() : lowerTimeLoop(loop, i, lowering, [&] { return nest(i + 1); });
  };
  return nest(0);
}

static bool isTime(Operation *op) {
  auto loop = dyn_cast<tile::ForOp>(op);
  return loop && loop.getUnit() == tile::Unit::Time;
}

/// Do threads multiply rows by columns that they hold, without an instruction of the tensor cores? Of two inputs in registers each lacks a dimension of the result, so that
/// registers are read again and again, three at a time.
static bool multipliesRegisters(linalg::LinalgOp op) {
  auto isShared = [&](OpOperand *input) {
    auto type = dyn_cast<MemRefType>(input->get().getType());
    AffineMap map = op.getMatchingIndexingMap(input);
    auto isMissing = [&](unsigned dim) { return op.getIteratorTypesArray()[dim] == utils::IteratorType::parallel && !map.isFunctionOfDim(dim); };
    return type && tile::getLevel(type) == tile::Level::RF && llvm::any_of(llvm::seq(op.getNumLoops()), isMissing);
  };
  return op.getNumDpsInits() == 1 && !tile::getInstructionUse(op) && llvm::count_if(op.getDpsInputOperands(), isShared) >= 2;
}

/// After a loop on time that is in no other, in which products are added to a tile, its sums may be in other registers: those of the loop are chosen for the products alone
/// then. In another loop the instruction for each sum would cost more than that brings.
static void loosenSums(tile::ForOp loop, Lowering &lowering) {
  for (Operation *around = loop->getParentOp(); around; around = around->getParentOp())
    if (isTime(around))
      return;
  llvm::SetVector<Value> sums;
  loop.walk([&](linalg::LinalgOp op) {
    if (multipliesRegisters(op))
      sums.insert(tile::traceParts(op.getDpsInits()[0]).root);
  });
  for (Value sum : sums) {
    Operation *made = sum.getDefiningOp();
    const RegisterTile *tile = made && !loop->isAncestor(made) ? lowering.registers.find(sum) : nullptr;
    auto array = tile ? cast<MemRefType>(tile->array.getType()) : MemRefType();
    if (array && array.getRank() > 0 && array.getElementTypeBitWidth() == kRegisterBits)
      kernel::LoosenOp::create(lowering.context.b, unnamed(loop.getLoc()), tile->array);
  }
}

/// A loop on time, and what threads have of the tiles that loops in it reduce is put together.
static LogicalResult lowerSteps(tile::ForOp loop, Lowering &lowering) {
  std::list<Reduction> reductions;
  loop.walk([&](tile::ForOp inner) {
    if (inner != loop && inner.reduces() && tile::getCombiningLoop(inner) == loop)
      reductions.emplace_back(lowering.context, lowering.registers, inner);
  });
  if (failed(loop.getPipeline() ? lowerPipeline(loop, lowering) : lowerTimeLoops(loop, lowering, [&] { return lowerBody(loop, lowering); })))
    return failure();
  if (isTime(loop))
    loosenSums(loop, lowering);
  for (Reduction &reduction : reductions)
    reduction.finishThreads(lowering.threads, lowering.shared);
  return success();
}

//===----------------------------------------------------------------------===//
// By unit
//===----------------------------------------------------------------------===//

LogicalResult tilec::lower(tile::ForOp loop, Lowering &lowering) {
  switch (loop.getUnit()) {
  case tile::Unit::Cluster:
  case tile::Unit::Block:
    return lowerGrid(loop, lowering);
  case tile::Unit::Warpgroup:
  case tile::Unit::Warp:
  case tile::Unit::Thread:
    return askByBlock(loop, lowering, [&] { return lowerThreads(loop, lowering); });
  case tile::Unit::Unroll:
    return askByBlock(loop, lowering, [&] { return lowerSteps(loop, lowering); });
  case tile::Unit::Time:
    return lowerSteps(loop, lowering);
  }
  return failure();
}
