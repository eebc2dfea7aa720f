//===- Reduction.cpp - Loops whose iterations add up -------------*- C++ -*-===//
//
// Each unit that runs iterations of a reducing loop starts from a neutral value;
// what the units have is combined when the loop ends. That is what the nest says
// only if the iterations do nothing but combine by the same kind.
//
//===----------------------------------------------------------------------===//

#include "tilec/Tile/Reduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Tile/Distribution.h"

using namespace mlir;
using namespace tilec::tile;

/// Is there an induction variable of `loop`, of several iterations, that moves no subscript?
static bool isReducedBy(ForOp loop, const Access &access) {
  for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
    Value iv = loop.getInductionVar(i);
    if (loop.getStaticCount(i) != 1 &&
        llvm::none_of(access.subscripts, [&](const LinearExpr &sum) { return sum.factorOf(iv) != 0; }))
      return true;
  }
  return false;
}

/// A register tile from outside of `loop`.
static bool isOuterTile(ForOp loop, Value root) {
  Operation *def = root.getDefiningOp();
  return def && !loop->isAncestor(def) && getLevel(root.getType()) == Level::RF;
}

SmallVector<Value> tilec::tile::getReducedTiles(ForOp loop) {
  if (!loop.getTied().empty())
    return llvm::to_vector(loop.getTied());
  llvm::SetVector<Value> tiles;
  loop.walk([&](linalg::LinalgOp op) {
    for (OpOperand &init : op.getDpsInitsMutable()) {
      Access access = traceParts(init.get());
      if (isOuterTile(loop, access.root) && isReducedBy(loop, access))
        tiles.insert(access.root);
    }
  });
  return tiles.takeVector();
}

/// Does anything in `around` but `loop`, which is in it, read, write or store `tile`, or parts of it?
static bool isTouchedBeside(ForOp loop, ForOp around, Value tile) {
  return llvm::any_of(tile.getUsers(), [&](Operation *user) {
    if (auto part = dyn_cast<PartOp>(user))
      return isTouchedBeside(loop, around, part.getPart());
    return around->isAncestor(user) && !loop->isAncestor(user);
  });
}

ForOp tilec::tile::getCombiningLoop(ForOp loop) {
  if (loop.getPrefix() || !loop.getTied().empty() || !isThreadUnit(loop))
    return loop;
  SmallVector<Value> tiles = getReducedTiles(loop);
  ForOp last = loop;
  for (Operation *around = loop->getParentOp(); around; around = around->getParentOp()) {
    if (isa<scf::IfOp>(around))
      continue;
    auto steps = dyn_cast<ForOp>(around);
    if (!steps || (steps.getUnit() != Unit::Time && steps.getUnit() != Unit::Unroll) ||
        llvm::any_of(tiles, [&](Value tile) { return steps->isAncestor(tile.getDefiningOp()) || isTouchedBeside(loop, steps, tile); }))
      break;
    last = steps;
  }
  return last;
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

namespace {
/// How a value of a computation's region depends on the old value: not at all, as kind(old value, x) with an x
/// that does not depend on it, or otherwise.
enum class Dependence { None, Update, Other };
} // namespace

/// Is operand `number` of `op` the one that is combined by `kind` with the others?
static bool combines(Operation &op, unsigned number, Combine kind) {
  switch (kind) {
  case Combine::Add:
    return isa<arith::AddFOp, arith::AddIOp>(op) || (number == 0 && isa<arith::SubFOp, arith::SubIOp>(op));
  case Combine::Mul:
    return isa<arith::MulFOp, arith::MulIOp>(op);
  case Combine::Max:
    return isa<arith::MaximumFOp, arith::MaxSIOp>(op);
  case Combine::Min:
    return isa<arith::MinimumFOp, arith::MinSIOp>(op);
  case Combine::MaxNum:
    return isa<arith::MaxNumFOp>(op);
  case Combine::MinNum:
    return isa<arith::MinNumFOp>(op);
  case Combine::And:
    return isa<arith::AndIOp>(op);
  case Combine::Or:
    return isa<arith::OrIOp>(op);
  case Combine::Xor:
    return isa<arith::XOrIOp>(op);
  }
  return false;
}

/// Is `operand` the old value of `init`: itself, or the same memref by the same map?
static bool readsSame(linalg::LinalgOp op, OpOperand &operand, OpOperand &init) {
  return operand.get() == init.get() && op.getMatchingIndexingMap(&operand) == op.getMatchingIndexingMap(&init);
}

/// How each value that `op` yields depends on the old value of `init`.
static SmallVector<Dependence> getDependences(linalg::LinalgOp op, OpOperand &init, Combine kind) {
  llvm::DenseMap<Value, Dependence> known;
  for (OpOperand &operand : op->getOpOperands())
    if (readsSame(op, operand, init))
      known[op.getMatchingBlockArgument(&operand)] = Dependence::Update;
  auto of = [&](Value value) { return known.lookup(value); };
  for (Operation &inner : op.getBlock()->without_terminator()) {
    bool depends = false;
    inner.walk([&](Operation *nested) { // Regions of the region: from outside.
      depends |= llvm::any_of(nested->getOperands(), [&](Value v) { return of(v) != Dependence::None; });
    });
    if (!depends)
      continue;
    Dependence result = Dependence::Other;
    for (unsigned number = 0; number < inner.getNumOperands(); ++number)
      if (inner.getNumOperands() == 2 && combines(inner, number, kind) &&
          of(inner.getOperand(number)) == Dependence::Update && of(inner.getOperand(1 - number)) == Dependence::None)
        result = Dependence::Update;
    for (Value value : inner.getResults())
      known[value] = result;
  }
  return llvm::map_to_vector(op.getBlock()->getTerminator()->getOperands(), of);
}

/// Which of the yielded values is that of `init`.
static unsigned getPosition(linalg::LinalgOp op, OpOperand &init) { return init.getOperandNumber() - op.getDpsInitOperand(0)->getOperandNumber(); }

bool tilec::tile::isCombinedBy(linalg::LinalgOp op, OpOperand &init, Combine kind) {
  return getDependences(op, init, kind)[getPosition(op, init)] == Dependence::Update;
}

bool tilec::tile::isUpdateBy(linalg::LinalgOp op, OpOperand &init, Combine kind) {
  for (auto [number, dependence] : llvm::enumerate(getDependences(op, init, kind)))
    if (dependence != (number == getPosition(op, init) ? Dependence::Update : Dependence::None))
      return false;
  return true;
}

std::optional<Combine> tilec::tile::getUpdateKind(linalg::LinalgOp op, OpOperand &init) {
  for (unsigned number = 0; number <= getMaxEnumValForCombine(); ++number)
    if (std::optional<Combine> kind = symbolizeCombine(number); kind && isUpdateBy(op, init, *kind))
      return kind;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// What bodies combine by.
static StringRef describeUpdate(Combine kind) {
  switch (kind) {
  case Combine::Add:
    return "arith.addf or addi";
  case Combine::Mul:
    return "arith.mulf or muli";
  case Combine::Max:
    return "arith.maximumf or maxsi";
  case Combine::Min:
    return "arith.minimumf or minsi";
  case Combine::MaxNum:
    return "arith.maxnumf";
  case Combine::MinNum:
    return "arith.minnumf";
  case Combine::And:
    return "arith.andi";
  case Combine::Or:
    return "arith.ori";
  case Combine::Xor:
    return "arith.xori";
  }
  return "";
}

static LogicalResult verifyUse(ForOp loop, Value tile, const TileUse &use) {
  Operation *user = use.operand->getOwner();
  if (!loop->isAncestor(user))
    return success();
  StringRef kind = stringifyCombine(*loop.getReduce());
  auto compute = dyn_cast<linalg::LinalgOp>(user);
  OpOperand *init = nullptr;
  for (OpOperand &written : compute ? compute.getDpsInitsMutable() : MutableOperandRange(user, 0, 0))
    if (readsSame(compute, *use.operand, written))
      init = &written;
  if (!init) { // rule_r3
    InFlightDiagnostic diag = user->emitOpError(isa<StoreOp>(user) ? "stores" : "reads")
                              << " a held tile inside of the loop that reduces it, where each unit has a part of the result only";
    diag.attachNote(loop.getLoc()) << "the result is complete after this loop";
    return diag;
  }
  if (loop.getPrefix())
    return verifyPrefixUpdate(loop, tile, compute, *init);
  if (isUpdateBy(compute, *init, *loop.getReduce())) // rule_r1
    return success();
  InFlightDiagnostic diag = user->emitOpError("does something else to a held tile than to combine it by ")
                            << kind << ", by which the loop around it reduces";
  diag.attachNote(loop.getLoc()) << "parts of the result are put together by " << kind
                                 << " when this loop ends; yield the old value combined with others by "
                                 << describeUpdate(*loop.getReduce());
  return diag;
}

/// No loop in `loop` puts `tile` together in a way of its own.
static LogicalResult verifyUntied(ForOp loop, Value tile) {
  for (Operation *user : tile.getUsers()) {
    if (!isa<ForOp>(user) || !loop->isAncestor(user))
      continue;
    InFlightDiagnostic diag = user->emitOpError("ties a held tile to others, of which a loop around it reduces each by ") // rule_r1
                              << stringifyCombine(*loop.getReduce());
    diag.attachNote(loop.getLoc()) << "let this loop tie them, too";
    return diag;
  }
  return success();
}

LogicalResult tilec::tile::verifyReduction(ForOp loop) {
  if (!loop.getReduce())
    return verifyTied(loop);
  for (Value tile : getReducedTiles(loop)) {
    if (!isa<HoldOp>(tile.getDefiningOp())) { // rule_r2
      InFlightDiagnostic diag = loop.emitOpError("reduces a staged tile; only held tiles are combined when a loop ends");
      diag.attachNote(tile.getLoc()) << "the tile";
      return diag;
    }
    if (failed(verifyUntied(loop, tile)))
      return failure();
    for (const TileUse &use : getTileUses(tile))
      if (failed(verifyUse(loop, tile, use)))
        return failure();
    if (loop.getPrefix() && failed(verifyOneUpdate(loop, tile)))
      return failure();
  }
  return success();
}

TypedAttr tilec::tile::getIdentity(Combine kind, Type type) {
  if (auto floats = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floats.getFloatSemantics();
    switch (kind) {
    case Combine::Add:
      return FloatAttr::get(type, APFloat::getZero(semantics, /*Negative=*/true)); // -0 + x is x, for -0 too.
    case Combine::Mul:
      return FloatAttr::get(type, APFloat::getOne(semantics));
    case Combine::Max:
      return FloatAttr::get(type, APFloat::getInf(semantics, /*Negative=*/true));
    case Combine::Min:
      return FloatAttr::get(type, APFloat::getInf(semantics));
    case Combine::MaxNum:
    case Combine::MinNum: // Of NaN and x either is x.
      return FloatAttr::get(type, APFloat::getQNaN(semantics));
    case Combine::And:
    case Combine::Or:
    case Combine::Xor: // Of integers alone (rule R1).
      return {};
    }
  }
  unsigned width = type.getIntOrFloatBitWidth();
  switch (kind) {
  case Combine::Add:
  case Combine::Or:
  case Combine::Xor:
    return IntegerAttr::get(type, 0);
  case Combine::And:
    return IntegerAttr::get(type, APInt::getAllOnes(width));
  case Combine::Mul:
    return IntegerAttr::get(type, 1);
  case Combine::Max:
    return IntegerAttr::get(type, APInt::getSignedMinValue(width));
  case Combine::Min:
    return IntegerAttr::get(type, APInt::getSignedMaxValue(width));
  case Combine::MaxNum:
  case Combine::MinNum: // Of floating-point numbers alone (rule R1).
    break;
  }
  return {};
}
