//===- CutLoop.cpp - What a loop must be to be cut --------------*- C++ -*-===//
//
// Parts of a cut loop run in different blocks, each from the initial values. Their
// results are put together by addition, so each part may only add. That is read
// off the regions of the computations.
//
//===----------------------------------------------------------------------===//

#include "tilec/Tile/CutLoop.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilec/Tile/Distribution.h"
#include "tilec/Tile/Reduction.h"

using namespace mlir;
using namespace tilec::tile;

static InFlightDiagnostic refuse(Operation *op, ForOp loop, const Twine &why) {
  InFlightDiagnostic diag = op->emitOpError() << why;
  diag.attachNote(loop.getLoc()) << "blocks that have a part of this loop's iterations each run it";
  return diag;
}

/// No operand is written by `op`, which is before the loop or in it, and none is read before it.
static LogicalResult verifyOperands(Operation *op, ForOp loop) {
  auto isOperand = [](Value memref) { return isa<MemRefType>(memref.getType()) && isOperandLevel(*getLevel(memref.getType())); };
  if (!loop->isAncestor(op) && isa<StageOp, linalg::LinalgOp>(op) && llvm::any_of(op->getOperands(), isOperand)) // for_f11
    return refuse(op, loop, "reads an operand before a tail(cut) loop, again for each part of a tile; read it in the "
                            "loop or after it");
  if (auto store = dyn_cast<StoreOp>(op); store && isOperand(store.getDest())) // for_f11
    return refuse(op, loop, "writes an operand before all parts of a tail(cut) loop are added; store after the loop");
  if (auto compute = dyn_cast<linalg::LinalgOp>(op))
    if (llvm::any_of(compute.getDpsInits(), isOperand)) // for_f11
      return refuse(op, loop, "writes an operand before all parts of a tail(cut) loop are added; add to a held tile");
  return success();
}

/// A use of the held tile `held`, which the loop adds to.
static LogicalResult verifyHeldUse(const TileUse &use, ForOp loop) {
  Operation *user = use.operand->getOwner();
  Operation *inBody = loop->getBlock()->findAncestorOpInBlock(*user);
  if (!inBody || loop->isBeforeInBlock(inBody)) // After the loop the tile is whole.
    return success();
  if (!loop->isAncestor(user)) // for_f11
    return refuse(user, loop, "uses a held tile before the tail(cut) loop that adds to it; each part would start from it");
  auto compute = dyn_cast<linalg::LinalgOp>(user);
  if (!compute || !use.writes) // for_f11
    return refuse(user, loop, "reads a held tile that is a sum of parts only after the tail(cut) loop");
  if (!isUpdateBy(compute, *use.operand, Combine::Add)) // for_f11
    return refuse(user, loop, "does something else than add to a held tile in a tail(cut) loop; parts of it are put "
                              "together by addition");
  for (auto outer = user->getParentOfType<ForOp>(); outer != loop; outer = outer->getParentOfType<ForOp>())
    if (outer.reduces() && outer.getReduce() != Combine::Add) { // for_f11
      refuse(outer, loop, "reduces by " + (outer.getReduce() ? stringifyCombine(*outer.getReduce()) : "combine") +
                              " in a tail(cut) loop; parts of it are put together by addition");
      return failure();
    }
  return success();
}

/// The tiles from outside of the loop that its body writes, each with the first op that does.
static llvm::MapVector<Value, Operation *> getChanged(ForOp loop) {
  llvm::MapVector<Value, Operation *> changed;
  auto change = [&](Operation *op, Value memref) {
    Value root = traceParts(memref).root;
    if (Operation *def = root.getDefiningOp(); def && !loop->isAncestor(def))
      changed.insert({root, op});
  };
  loop.getBody().walk([&](Operation *op) {
    if (auto store = dyn_cast<StoreOp>(op))
      change(op, store.getDest());
    else if (auto compute = dyn_cast<linalg::LinalgOp>(op))
      for (Value init : compute.getDpsInits())
        change(op, init);
  });
  return changed;
}

SmallVector<Value> tilec::tile::getSums(ForOp loop) {
  return llvm::map_to_vector(getChanged(loop), [](const auto &change) { return change.first; });
}

std::string tilec::tile::getPartsName(Value sum, unsigned number) {
  auto name = dyn_cast<NameLoc>(sum.getLoc());
  return (name ? name.getName().str() : "sum" + std::to_string(number)) + "_parts";
}

LogicalResult tilec::tile::verifyCutLoop(ForOp loop) {
  for (Operation &op : *loop->getBlock()) {
    WalkResult result = op.walk([&](Operation *inner) -> WalkResult { return verifyOperands(inner, loop); });
    if (result.wasInterrupted())
      return failure();
    if (&op == loop.getOperation())
      break;
  }
  llvm::MapVector<Value, Operation *> changed = getChanged(loop);
  for (auto [tile, op] : changed)
    if (!isa<HoldOp>(tile.getDefiningOp()) || getLevel(tile.getType()) != Level::RF || tile.getDefiningOp()->getBlock() != loop->getBlock()) // for_f11
      return refuse(op, loop, "changes a tile from outside of a tail(cut) loop that is not held in rf right before it");
  for (auto [held, op] : changed)
    for (const TileUse &use : getTileUses(held))
      if (failed(verifyHeldUse(use, loop)))
        return failure();
  return success();
}
