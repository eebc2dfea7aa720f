//===- Copies.cpp - Cooperative copies to shared memory -----------*- C++ -*-===//

#include "Copies.h"

#include "Loops.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilec;

LogicalResult tilec::checkCopy(tile::StageOp op) {
  auto type = cast<MemRefType>(op.getTile().getType());
  if (type.getRank() == 0) // limit_x21
    return op.emitOpError("a staged tile of rank 0 is not lowered");
  bool isOpen = !op.getForms() || !op.getEdges() || !op.getUnroll() || (op.getCopy() == tile::Copy::Tma && !op.getSlices());
  return isOpen ? op.emitOpError("leaves open how its tile is copied; run tile-plan-copy") : success();
}

namespace {
/// A copy in one form: what one thread does of it.
class FormCopy {
public:
  FormCopy(Copying copying, tile::StageOp op, analysis::CopyForm form)
      : context(copying.context), threads(copying.threads), operands(copying.operands), tiles(copying.tiles), b(context.b), index(context.index), op(op),
        form(form), loc(unnamed(op.getLoc())), type(cast<MemRefType>(op.getTile().getType())), access(tile::getSourceAccess(op)),
        tile(*copying.tiles.find(op.getTile())), isAsync(analysis::isAsync(*analysis::getCopyTile(op), form)),
        places(analysis::getCopyDigits(*analysis::getCopyTile(op), form)),
        groups(type.getNumElements() / form.width), rounds(groups / threads.getCount()) {}

  void emit() { analysis::isEven(places, threads.getCount()) ? emitEven() : emitByNumber(); }

private:
  /// Each group's place is a sum of the thread's and the round's.
  void emitEven();
  /// Each group's place follows from its number; what the rounds leave over falls to the first threads.
  void emitByNumber();

  /// Copies the group of elements that begins with element `offsets` of the tile.
  void copyGroup(const Coordinates &offsets);
  /// The same from `from`, where it is present.
  void copyPresent(const Coordinates &offsets, Value from);
  /// The same by cp.async, a group that is whole where `present`, null for always.
  void copyAsync(const Coordinates &offsets, Value from, Value present);
  void store(const Coordinates &offsets, Value element);
  /// A loop over the rounds, whose number it gives times `step`.
  void forEachRound(int64_t step, llvm::function_ref<void(const IndexExpr &)> body);
  Value getSharedAddress(const Coordinates &offsets) { return tiles.getAddress(loc, tile, offsets); }
  std::string nameOfDim(unsigned dim) { return getDimName(access.subscripts[dim], dim); }
  Coordinates getThreadOffsets();
  Coordinates getRoundOffsets(const IndexExpr &round);
  Coordinates getGroupOffsets(Value number);

  Context &context;
  Threads &threads;
  Operands &operands;
  SharedTiles &tiles;
  OpBuilder &b;
  IndexBuilder &index;
  tile::StageOp op;
  analysis::CopyForm form;
  Location loc;
  MemRefType type;
  tile::Access access;
  const SharedTile &tile;
  /// By cp.async, or through registers.
  bool isAsync;
  SmallVector<analysis::CopyDigit> places;
  int64_t groups;
  /// Whole rounds of all threads.
  int64_t rounds;
};
} // namespace

void FormCopy::copyAsync(const Coordinates &offsets, Value from, Value present) {
  if (!present)
    present = arith::ConstantIntOp::create(b, loc, 1, 1);
  Value address = getSharedAddress(offsets);
  kernel::CpAsyncOp::create(b, loc, tile.buffer, address, context.values.lookup(access.root), from, present, form.width);
}

void FormCopy::store(const Coordinates &offsets, Value element) {
  auto store = kernel::StsOp::create(b, loc, tile.buffer, getSharedAddress(offsets), element);
  store.setAhead(analysis::getPipeline(op) != nullptr);
}

void FormCopy::copyPresent(const Coordinates &offsets, Value from) {
  if (isAsync)
    copyAsync(offsets, from, Value());
  else
    store(offsets, kernel::LdgOp::create(b, loc, type.getElementType(), context.values.lookup(access.root), from));
}

void FormCopy::copyGroup(const Coordinates &offsets) {
  Coordinates coordinates = operands.namePlace(loc, access, offsets);
  if (!isAsync) {
    store(offsets, operands.load(loc, access.root, coordinates, op.getPad()));
    return;
  }
  Value present = operands.isPresent(loc, access.root, coordinates);
  copyAsync(offsets, operands.getAddress(loc, access.root, coordinates), present);
}

void FormCopy::forEachRound(int64_t step, llvm::function_ref<void(const IndexExpr &)> body) {
  int64_t unrolled = op.getUnroll()->front(), rareUnrolled = op.getUnroll()->back();
  createCountedLoop(context, loc, "e", rounds, step, !context.isRare && rounds <= unrolled, [&](const IndexExpr &round) {
    if (context.isRare && rounds > rareUnrolled)
      setUnrolled(round.terms.front().first, rareUnrolled);
    body(round);
  });
}

//===----------------------------------------------------------------------===//
// Even copies
//===----------------------------------------------------------------------===//

Coordinates FormCopy::getThreadOffsets() {
  Coordinates offsets(type.getRank());
  int64_t below = 1, count = threads.getCount();
  for (const analysis::CopyDigit &place : places) {
    if (int64_t own = std::min(place.count, count / std::min(count, below)); own > 1)
      offsets[place.dim] = offsets[place.dim] + valueIndex(threads.getDigit(named(loc, nameOfDim(place.dim)), {own, place.step, below}));
    below *= place.count;
  }
  return offsets;
}

Coordinates FormCopy::getRoundOffsets(const IndexExpr &round) {
  Coordinates offsets(type.getRank());
  int64_t below = 1, count = threads.getCount();
  for (const analysis::CopyDigit &place : places) {
    int64_t above = below * place.count;
    if (above > count) {
      // The digit's part that the rounds walk: round / (below / threads) % (...).
      int64_t first = std::max<int64_t>(below / count, 1), own = std::max<int64_t>(count / below, 1);
      Value digit = index.rem(loc, index.div(loc, index.materialize(loc, round), first), place.count / own);
      offsets[place.dim] = offsets[place.dim] + valueIndex(digit, place.step * own);
    }
    below = above;
  }
  return offsets;
}

static Coordinates add(Coordinates sum, const Coordinates &more) {
  for (auto [coordinate, other] : llvm::zip_equal(sum, more))
    coordinate.add(other);
  return sum;
}

void FormCopy::emitEven() {
  Coordinates byThread = getThreadOffsets();
  auto copyRounds = [&] { forEachRound(1, [&](const IndexExpr &round) { copyGroup(add(byThread, getRoundOffsets(round))); }); };
  // Of a tile that lies inside all rounds go out from one element.
  bool asks = op.getEdges() == tile::EdgeCheck::Tile && !context.isRare;
  Value inside = asks ? operands.isTileInside(loc, access, type.getShape()) : Value();
  if (!inside) {
    copyRounds();
    return;
  }
  auto branch = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  Value first = operands.getAddress(loc, access.root, context.mapPlace(access, byThread));
  first.setLoc(named(loc, nameOf(access.root.getLoc(), "operand") + "_at"));
  forEachRound(1, [&](const IndexExpr &round) {
    Coordinates more = getRoundOffsets(round);
    copyPresent(add(byThread, more), operands.getAddress(loc, access.root, more, first));
  });
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  llvm::SaveAndRestore<bool> rare(context.isRare, true);
  copyRounds();
}

//===----------------------------------------------------------------------===//
// Copies by number
//===----------------------------------------------------------------------===//

Coordinates FormCopy::getGroupOffsets(Value number) {
  Coordinates offsets(type.getRank());
  for (const analysis::CopyDigit &place : places) {
    Value digit = index.rem(named(loc, nameOfDim(place.dim)), number, place.count);
    offsets[place.dim] = offsets[place.dim] + valueIndex(digit, place.step);
    if (&place != &places.back()) // The last quotient is a digit itself.
      number = index.div(&place + 1 == &places.back() ? named(loc, nameOfDim(places.back().dim)) : loc, number, place.count);
  }
  return offsets;
}

void FormCopy::emitByNumber() {
  int64_t count = threads.getCount(), whole = rounds * count;
  if (rounds > 0)
    forEachRound(count, [&](const IndexExpr &first) {
      Value number = index.materialize(named(loc, "at"), first + valueIndex(threads.getNumber()));
      index.know(number, {1, 0, whole - 1, {}});
      copyGroup(getGroupOffsets(number));
    });
  if (whole == groups)
    return;
  OpBuilder::InsertionGuard guard(b);
  context.enterIf(loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, threads.getNumber(), index.constant(loc, groups - whole)));
  Value number = index.materialize(named(loc, "at"), valueIndex(threads.getNumber()) + constantIndex(whole));
  // It may be the thread's own number, which is as small as this only inside of the condition.
  IndexFacts outside = index.factsOf(number);
  index.know(number, {1, whole, groups - 1, {}});
  copyGroup(getGroupOffsets(number));
  index.know(number, outside);
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

void tilec::copyToShared(Copying copying, tile::StageOp op, CopyWidth width) {
  Context &context = copying.context;
  OpBuilder &b = context.b;
  SmallVector<analysis::CopyForm> forms = analysis::getForms(op);
  Location loc = unnamed(op.getLoc());
  Value operand = tile::traceParts(op.getSource()).root;
  // Where strides are known only at launch the kernel asks: all threads of all blocks go the same way.
  std::function<void(ArrayRef<analysis::CopyForm>)> choose = [&](ArrayRef<analysis::CopyForm> left) {
    const analysis::CopyForm &first = left.front();
    Value condition;
    if (width == CopyWidth::Ask && left.size() > 1)
      condition = copying.operands.getFormCondition(loc, operand, first);
    bool isRare = copying.narrowIsRare && first.width < forms.front().width;
    llvm::SaveAndRestore<bool> rare(context.isRare, context.isRare || isRare);
    if (!condition)
      return FormCopy(copying, op, first).emit();
    auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    FormCopy(copying, op, first).emit();
    b.setInsertionPoint(branch.elseBlock()->getTerminator());
    choose(left.drop_front());
  };
  choose(forms);
}
