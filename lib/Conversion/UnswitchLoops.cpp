//===- UnswitchLoops.cpp - kernel-unswitch-loops ----------------*- C++ -*-===//
//
// Whether an operand's elements lie where vectors can be loaded is the same in all iterations of a loop. Asked in it, each load is a branch of its own, and no two loads of a
// thread are under way at once.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Conversion/Passes.h"
#include "tilec/Kernel/Kernel.h"

namespace tilec {
#define GEN_PASS_DEF_UNSWITCHLOOPSPASS
#include "tilec/Conversion/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

/// A longer loop would take too much of the instruction cache twice.
static constexpr unsigned kMostOps = 400;

/// Does `op`, beside what stands in it, concern no other thread, neither by shared memory nor by waiting?
static bool isOfThread(Operation *op) {
  return isa<kernel::ForOp, kernel::RegistersOp, kernel::LdgOp, kernel::LdgVectorOp, kernel::StgOp, kernel::StgVectorOp, scf::IfOp, memref::LoadOp, memref::StoreOp>(op) ||
         (op->getNumRegions() == 0 && isMemoryEffectFree(op));
}

/// Is `value` the same whenever `loop` asks, by pure ops that then are in `made` in their order? Sets `asks` where addresses decide.
static bool isInvariant(Value value, kernel::ForOp loop, SmallVectorImpl<Operation *> &made, bool &asks) {
  Operation *maker = value.getDefiningOp();
  asks |= isa_and_nonnull<kernel::IsAlignedOp>(maker);
  if (maker && isa<arith::AndIOp, arith::OrIOp>(maker) && !loop->isAncestor(maker))
    for (Value operand : maker->getOperands())
      isInvariant(operand, loop, made, asks);
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  if (!maker || maker->getNumRegions() > 0 || !isPure(maker))
    return false;
  for (Value operand : maker->getOperands())
    if (!isInvariant(operand, loop, made, asks))
      return false;
  if (!llvm::is_contained(made, maker))
    made.push_back(maker);
  return true;
}

namespace {

/// The branches of a loop that its addresses decide, and what their conditions are computed by in it.
struct Question {
  SmallVector<scf::IfOp> branches;
  SmallVector<Operation *> made;
};

} // namespace

/// What `loop` asks again and again; nothing where that is to be left as it is.
static Question findQuestion(kernel::ForOp loop) {
  Question question;
  unsigned count = 0;
  WalkResult walked = loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (++count > kMostOps || !isOfThread(op))
      return WalkResult::interrupt();
    auto branch = dyn_cast<scf::IfOp>(op);
    // What stands where another's condition does not hold goes with it.
    if (!branch || branch.getNumResults() > 0 || !branch.elseBlock() || llvm::any_of(question.branches, [&](scf::IfOp other) { return other.getElseRegion().isAncestor(op->getParentRegion()); }))
      return WalkResult::advance();
    SmallVector<Operation *> made = question.made;
    bool asks = false;
    if (isInvariant(branch.getCondition(), loop, made, asks) && asks) {
      question.branches.push_back(branch);
      question.made = made;
    }
    return WalkResult::advance();
  });
  return walked.wasInterrupted() ? Question() : question;
}

/// Has `body` stand for `branch`, which it is a part of.
static void replace(scf::IfOp branch, Block *body) {
  body->getTerminator()->erase();
  branch->getBlock()->getOperations().splice(branch->getIterator(), body->getOperations());
  branch->erase();
}

/// Has `loop` once without its branches, where all their conditions hold, and once more where not.
static void unswitch(kernel::ForOp loop, const Question &question) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  for (Operation *op : question.made)
    op->moveBefore(loop);
  SmallVector<Value> conditions;
  Value all;
  for (scf::IfOp branch : question.branches) {
    Value condition = branch.getCondition();
    if (llvm::is_contained(conditions, condition))
      continue;
    conditions.push_back(condition);
    all = all ? arith::AndIOp::create(b, loc, all, condition) : condition;
  }
  auto choice = scf::IfOp::create(b, loc, all, /*withElseRegion=*/true);
  IRMapping copied;
  OpBuilder fast = choice.getThenBodyBuilder();
  fast.clone(*loop, copied);
  // Branches in a branch go first.
  for (scf::IfOp branch : llvm::reverse(question.branches)) {
    auto copy = cast<scf::IfOp>(copied.lookup(branch.getOperation()));
    replace(copy, copy.thenBlock());
    // Of one condition it is known there, too.
    if (conditions.size() == 1)
      replace(branch, branch.elseBlock());
  }
  loop->moveBefore(choice.elseBlock()->getTerminator());
}

namespace {
struct UnswitchLoops : tilec::impl::UnswitchLoopsPassBase<UnswitchLoops> {
  void runOnOperation() override {
    getOperation().walk<WalkOrder::PreOrder>([](kernel::ForOp loop) {
      // What is written out is long already.
      Question question = loop.isWrittenOut() ? Question() : findQuestion(loop);
      if (question.branches.empty())
        return WalkResult::advance();
      unswitch(loop, question);
      return WalkResult::skip();
    });
  }
};
} // namespace
