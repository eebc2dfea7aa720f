//===- Copies.cpp - Cooperative copies to shared memory -----------*- C++ -*-===//

#include "Copies.h"

#include "Rounds.h"
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
      : context(copying.context), operands(copying.operands), tiles(copying.tiles), b(context.b), op(op),
        form(form), loc(unnamed(op.getLoc())), type(cast<MemRefType>(op.getTile().getType())), access(tile::getSourceAccess(op)),
        tile(*copying.tiles.find(op.getTile())), isAsync(analysis::isAsync(*analysis::getCopyTile(op), form)),
        rounds(copying.context, copying.threads, loc, *analysis::getCopyTile(op), form, {op.getUnroll()->front(), op.getUnroll()->back()},
               [this](unsigned dim) { return getDimName(access.subscripts[dim], dim); }) {}

  void emit() { rounds.isEven() ? emitEven() : copyGroups(); }

private:
  void emitEven();
  void copyGroups() { rounds.forEachGroup([&](const Coordinates &offsets) { copyGroup(offsets); }); }

  /// Copies the group of elements that begins with element `offsets` of the tile.
  void copyGroup(const Coordinates &offsets);
  /// The same from `from`, where it is present.
  void copyPresent(const Coordinates &offsets, Value from);
  /// The same by cp.async, a group that is whole where `present`, null for always.
  void copyAsync(const Coordinates &offsets, Value from, Value present);
  void store(const Coordinates &offsets, Value element);
  Value getSharedAddress(const Coordinates &offsets) { return tiles.getAddress(loc, tile, offsets); }

  Context &context;
  Operands &operands;
  SharedTiles &tiles;
  OpBuilder &b;
  tile::StageOp op;
  analysis::CopyForm form;
  Location loc;
  MemRefType type;
  tile::Access access;
  const SharedTile &tile;
  /// By cp.async, or through registers.
  bool isAsync;
  Rounds rounds;
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

//===----------------------------------------------------------------------===//
// Even copies
//===----------------------------------------------------------------------===//

void FormCopy::emitEven() {
  Coordinates byThread = rounds.getThreadOffsets();
  // Of a tile that lies inside all rounds go out from one element.
  bool asks = op.getEdges() == tile::EdgeCheck::Tile && !context.isRare;
  Value inside = asks ? operands.isTileInside(loc, access, type.getShape()) : Value();
  if (!inside)
    return copyGroups();
  auto branch = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  Value first = operands.getAddress(loc, access.root, context.mapPlace(access, byThread));
  first.setLoc(named(loc, nameOf(access.root.getLoc(), "operand") + "_at"));
  rounds.forEachRound(1, [&](const IndexExpr &round) {
    Coordinates more = rounds.getRoundOffsets(round);
    copyPresent(add(byThread, more), operands.getAddress(loc, access.root, more, first));
  });
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  llvm::SaveAndRestore<bool> rare(context.isRare, true);
  copyGroups();
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
