//===- AbsentElements.cpp - What absent elements can change -----*- C++ -*-===//
//
// Follows zeros through the op's region.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/AbsentElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Tile/Distribution.h"

using namespace mlir;
using namespace tilec;

namespace {
/// What is known of a value of the region when all inputs along a reduction are absent and read as zero.
enum class Absent { Zero, Accumulator, Unknown };
struct Known {
  Absent what = Absent::Unknown;
  /// Of an accumulator: which.
  Value old = {};
};
} // namespace

bool tilec::analysis::isZeroNeutral(linalg::LinalgOp op, ArrayRef<OpOperand *> zero) {
  llvm::DenseMap<Value, Known> known;
  Block *body = op.getBlock();
  for (OpOperand &operand : op->getOpOperands()) {
    Value argument = op.getMatchingBlockArgument(&operand);
    if (op.isDpsInit(&operand))
      known[argument] = {Absent::Accumulator, argument};
    else
      known[argument].what = llvm::is_contained(zero, &operand) ? Absent::Zero : Absent::Unknown;
  }
  auto isZero = [&](Value value) { return known.lookup(value).what == Absent::Zero; };
  for (Operation &inner : body->without_terminator()) {
    Known result;
    if (isa<arith::MulFOp, arith::MulIOp>(inner)) {
      if (isZero(inner.getOperand(0)) && isZero(inner.getOperand(1)))
        result.what = Absent::Zero;
    } else if (isa<arith::AddFOp, arith::AddIOp>(inner)) {
      if (isZero(inner.getOperand(1)))
        result = known.lookup(inner.getOperand(0));
      else if (isZero(inner.getOperand(0)))
        result = known.lookup(inner.getOperand(1));
    } else if (isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp, arith::UIToFPOp>(inner)) {
      if (isZero(inner.getOperand(0)))
        result.what = Absent::Zero;
    }
    for (Value value : inner.getResults())
      known[value] = result;
  }
  return llvm::all_of(llvm::enumerate(body->getTerminator()->getOperands()), [&](auto yielded) {
    // Another result's old value is no old value of this one.
    Known result = known.lookup(yielded.value());
    return result.what == Absent::Accumulator && result.old == op.getMatchingBlockArgument(op.getDpsInitOperand(yielded.index()));
  });
}

bool tilec::analysis::isWrittenInPlace(Value memref) {
  Value root = tile::traceParts(memref).root;
  while (auto stage = root.getDefiningOp<tile::StageOp>()) {
    if (llvm::any_of(tile::getTileUses(root), [](const tile::TileUse &use) { return use.writes; }))
      return true;
    root = tile::traceParts(stage.getSource()).root;
  }
  return false;
}

bool tilec::analysis::mayHaveNoMeaning(linalg::LinalgOp op) {
  return llvm::any_of(op.getBlock()->without_terminator(), [](Operation &inner) {
    bool shifts = isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(inner);
    bool divides = isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(inner);
    // By a constant, zero is as good as any number.
    if (shifts || divides)
      return !matchPattern(inner.getOperand(1), m_Constant());
    return isa<arith::FPToSIOp, arith::FPToUIOp>(inner);
  });
}

/// The held tile that a computation makes of the elements of the tile in `operand`, held or staged, each from the one at its place;
/// null for another computation.
static Value getImage(linalg::LinalgOp compute, OpOperand &operand) {
  if (compute.getNumDpsInits() != 1 || compute.getNumParallelLoops() != compute.getNumLoops())
    return {};
  OpOperand &result = *compute.getDpsInitOperand(0);
  if (!compute.getMatchingIndexingMap(&operand).isIdentity() || !compute.getMatchingIndexingMap(&result).isIdentity())
    return {};
  tile::Access from = tile::traceParts(operand.get()), to = tile::traceParts(result.get());
  return from.subscripts == to.subscripts && isa_and_present<tile::HoldOp, tile::StageOp>(from.root.getDefiningOp()) && to.root.getDefiningOp<tile::HoldOp>() ? to.root : Value();
}

/// Adds the stores of a tile; false where its elements are used for anything else.
static bool findStores(Value held, SmallVector<tile::StoreOp> &stores, llvm::SmallDenseSet<Value> &seen) {
  // What lies in shared memory others read.
  if (!held || tile::getLevel(held.getType()) != tile::Level::RF || !seen.insert(held).second)
    return false;
  for (const tile::TileUse &use : tile::getTileUses(held)) {
    Operation *user = use.operand->getOwner();
    if (auto compute = dyn_cast<linalg::LinalgOp>(user)) {
      Value image = compute.isDpsInit(use.operand) ? held : getImage(compute, *use.operand);
      // Elements that are computed anew from themselves stay where they are.
      if (image != held && !findStores(image, stores, seen))
        return false;
      continue;
    }
    auto store = dyn_cast<tile::StoreOp>(user);
    if (!store || !isa<BlockArgument>(tile::getDestAccess(store).root))
      return false;
    stores.push_back(store);
  }
  return true;
}

SmallVector<tile::StoreOp> tilec::analysis::getStores(Value held) {
  llvm::SmallDenseSet<Value> seen;
  SmallVector<tile::StoreOp> stores;
  return findStores(held, stores, seen) ? stores : SmallVector<tile::StoreOp>();
}
