//===- Prefix.cpp - Loops whose iterations see those before them -*- C++ -*-===//
//
// A loop on thread that says reduce(kind) prefix has iterations in an order. The op
// that combines with a tile of the loop's is run twice: for what a thread's own points
// make, and, when it is known what those before it have, for all that it yields. So
// what it combines with must be the same both times.
//
//===----------------------------------------------------------------------===//

#include "tilec/Tile/Reduction.h"

#include "tilec/Tile/Distribution.h"

using namespace mlir;
using namespace tilec::tile;

LogicalResult tilec::tile::verifyPrefixClause(ForOp loop) {
  ForOp inner;
  loop.getBody().walk([&](ForOp other) {
    if (isThreadUnit(other))
      inner = other;
  });
  if (!inner)
    return success();
  InFlightDiagnostic diag = loop.emitOpError("with prefix is parted further among threads; expected each iteration to be one thread's"); // for_f20
  diag.attachNote(inner.getLoc()) << "by this loop";
  return diag;
}

/// The elements of results that are not one point's alone: what was there before is another thing when the op is run again.
static bool isOfOnePoint(linalg::LinalgOp op, OpOperand &init) {
  AffineMap map = op.getMatchingIndexingMap(&init);
  for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
    if (op.getStaticLoopRanges()[dim] != 1 && !llvm::is_contained(map.getResults(), getAffineDimExpr(dim, op.getContext())))
      return false;
  return true;
}

/// Does what `op` makes of `carried` depend on the results of points before, other than those in it?
static bool dependsOnPoints(linalg::LinalgOp op, OpOperand &carried) {
  llvm::DenseSet<Value> moving;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (&init != &carried && !isOfOnePoint(op, init))
      for (OpOperand &operand : op->getOpOperands())
        if (operand.get() == init.get() && op.getMatchingIndexingMap(&operand) == op.getMatchingIndexingMap(&init))
          moving.insert(op.getMatchingBlockArgument(&operand));
  for (Operation &inner : op.getBlock()->without_terminator())
    if (llvm::any_of(inner.getOperands(), [&](Value operand) { return moving.contains(operand); }))
      moving.insert(inner.result_begin(), inner.result_end());
  unsigned position = carried.getOperandNumber() - op.getDpsInitOperand(0)->getOperandNumber();
  return moving.contains(op.getBlock()->getTerminator()->getOperand(position));
}

/// Rule R8: the iterations before one are those with a lower value of one induction variable.
static LogicalResult verifyOrder(ForOp loop, linalg::LinalgOp op, OpOperand &carried) {
  Access access = traceParts(carried.get());
  unsigned orders = 0;
  for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
    Value iv = loop.getInductionVar(i);
    orders += loop.getStaticCount(i) != 1 && llvm::none_of(access.subscripts, [&](const LinearExpr &sum) { return sum.factorOf(iv) != 0; });
  }
  if (orders == 1)
    return success();
  InFlightDiagnostic diag = op->emitOpError("combines with an element in the iterations of ") // rule_r8
                            << orders << " induction variables of a loop with prefix; expected one, in whose order they stand, and that the others part the tile";
  diag.attachNote(loop.getLoc()) << "the loop";
  return diag;
}

LogicalResult tilec::tile::verifyPrefixUpdate(ForOp loop, Value tile, linalg::LinalgOp op, OpOperand &carried) {
  auto refuse = [&](const Twine &what) {
    InFlightDiagnostic diag = op->emitOpError() << what;
    diag.attachNote(loop.getLoc()) << "the loop with prefix is here";
    diag.attachNote(tile.getLoc()) << "the tile";
    return failure();
  };
  if (op->getParentOp() != loop) // rule_r7
    return refuse("combines with a tile of a loop with prefix, but does not stand directly in it");
  SmallVector<Value> all = getReducedTiles(loop);
  for (OpOperand &init : op.getDpsInitsMutable())
    if (&init != &carried && llvm::is_contained(all, traceParts(init.get()).root)) // rule_r7
      return refuse("combines with two tiles of a loop with prefix; expected an op for each");
  if (!isCombinedBy(op, carried, *loop.getReduce()) || dependsOnPoints(op, carried)) // rule_r7
    return refuse("does something else to a tile of a loop with prefix than to combine it by " + stringifyCombine(*loop.getReduce()) +
                  ", once a point, with what depends on no point before");
  return verifyOrder(loop, op, carried);
}

LogicalResult tilec::tile::verifyOneUpdate(ForOp loop, Value tile) {
  Operation *first = nullptr;
  for (const TileUse &use : getTileUses(tile)) {
    Operation *user = use.operand->getOwner();
    if (!use.writes || !loop->isAncestor(user))
      continue;
    if (first && first != user) { // rule_r7
      auto [earlier, later] = first->isBeforeInBlock(user) ? std::pair(first, user) : std::pair(user, first);
      InFlightDiagnostic diag = later->emitOpError("is the second op that combines with a tile of a loop with prefix; expected one");
      diag.attachNote(earlier->getLoc()) << "the first one is here";
      return diag;
    }
    first = user;
  }
  return success();
}

OpOperand *tilec::tile::getCarried(linalg::LinalgOp op) {
  auto loop = dyn_cast<ForOp>(op->getParentOp());
  if (!loop || !loop.getPrefix())
    return nullptr;
  SmallVector<Value> all = getReducedTiles(loop);
  for (OpOperand &init : op.getDpsInitsMutable())
    if (llvm::is_contained(all, traceParts(init.get()).root))
      return &init;
  return nullptr;
}
