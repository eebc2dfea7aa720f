//===- LowerLoads.cpp - Loads of what threads hold ---------------*- C++ -*-===//
//
// Stages to registers: from shared memory, and from operands, of which elements
// may be absent and wide loads are for some launches.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "Lowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// From operands
//===----------------------------------------------------------------------===//

namespace {
class OperandLoad {
public:
  OperandLoad(tile::StageOp op, Lowering &lowering, AfterLoad after)
      : after(after), op(op), tile(lowering.registers.get(op.getTile())), access(tile::getSourceAccess(op)), lowering(lowering), context(lowering.context),
        operands(lowering.operands), b(context.b), loc(unnamed(op.getLoc())), base(context.values.lookup(access.root)),
        element(cast<MemRefType>(op.getTile().getType()).getElementType()) {
    if (*op.getWide() > 1)
      wide = analysis::getWideRuns(tile.distribution, {analysis::getCopySource(access), op.getPad(), *op.getEdges()}, *op.getWide());
  }

  void emit() { op.getEdges() == tile::EdgeCheck::Element ? emitByGroup() : emitByThread(); }

private:
  /// Each element, or group of them, asks whether it is present.
  void emitByGroup();
  /// The thread asks once whether all that it holds is present, and else each element. Nothing is asked where the block knows it.
  void emitByThread();

  void loadElements();
  /// Of groups that may be there in part, those of which it is known that they are not ask for nothing.
  void loadGroups();
  void loadGroups(RegisterTiles::Numbers outermost);
  /// Is group `number` of all threads present as a whole?
  bool isGroupPresent(int64_t number, const tile::LocalDigit &outermost);
  /// All of it is present; `width` elements at a time where they lie side by side.
  void loadPresent(Value from, int64_t head, int64_t width);
  void keep(const Indices &indices, Value value) { memref::StoreOp::create(b, loc, value, tile.array, tile.inSlot(indices)); }
  void use(const Indices &indices, const Coordinates &offsets, int64_t count) {
    if (after)
      after(indices, offsets, count);
  }

  AfterLoad after;
  tile::StageOp op;
  const RegisterTile tile;
  tile::Access access;
  Lowering &lowering;
  Context &context;
  Operands &operands;
  OpBuilder &b;
  Location loc;
  Value base;
  Type element;
  std::optional<analysis::WideRuns> wide;
};
} // namespace

void OperandLoad::loadElements() {
  lowering.registers.forEachHeld(loc, tile.distribution, 1, [&](const Indices &indices, const Coordinates &offsets) {
    keep(indices, operands.load(loc, access.root, operands.namePlace(loc, access, offsets), op.getPad()));
    use(indices, offsets, 1);
  });
}

bool OperandLoad::isGroupPresent(int64_t number, const tile::LocalDigit &outermost) {
  Coordinates offsets = lowering.threads.getCoordinates(loc, tile.distribution);
  offsets[outermost.dim] = offsets[outermost.dim] + constantIndex(number * outermost.digit.step);
  for (auto [dim, place] : llvm::enumerate(context.mapPlace(access, offsets))) {
    int64_t width = dim == wide->form.along ? wide->form.width : 1;
    if (context.index.mayBeNegative(place) || context.index.mayReach(place + constantIndex(width - 1), context.getOperandExtent(access.root, dim)))
      return false;
  }
  return true;
}

void OperandLoad::loadGroups() {
  SmallVector<tile::LocalDigit> local = tile.distribution.getLocalDigits();
  if (!wide->partial || access.gather || local.size() != 2 || local.back().digit.count != wide->form.width)
    return loadGroups(std::nullopt);
  int64_t count = local.front().digit.count, first = 0, end = count;
  while (first < end && !isGroupPresent(first, local.front()))
    ++first;
  while (end > first && !isGroupPresent(end - 1, local.front()))
    --end;
  if (end - first < 2)
    return loadGroups(std::nullopt);
  // These first: a thread waits in a branch for what it loads there, since the branch takes it apart.
  loadGroups(std::pair(first, end));
  if (first > 0)
    loadGroups(std::pair(int64_t(0), first));
  if (end < count)
    loadGroups(std::pair(end, count));
}

void OperandLoad::loadGroups(RegisterTiles::Numbers outermost) {
  int64_t width = wide->form.width;
  auto loadGroup = [&](const Indices &indices, const Coordinates &offsets) {
    Coordinates coordinates = operands.namePlace(loc, access, offsets);
    auto load = [&] {
      kernel::LdgVectorOp::create(b, loc, tile.array, tile.inSlot(indices), base, operands.getAddress(loc, access.root, coordinates), width);
    };
    auto clear = [&] {
      Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
      for (int64_t i = 0; i < width; ++i) {
        Indices next = indices;
        next.back() = context.index.materialize(loc, valueIndex(indices.back()) + constantIndex(i));
        keep(next, zero);
      }
    };
    if (!wide->partial)
      return context.choose(loc, operands.isPresent(loc, access.root, coordinates), load, clear);
    SmallVector<int64_t> group(coordinates.size(), 1);
    group[wide->form.along] = width;
    context.choose(loc, operands.isBoxInside(loc, access, coordinates, group), load, [&] {
      createCountedLoop(context, loc, RegisterTiles::getLoopName(indices.size()), width, 1, /*unrolled=*/true, [&](const IndexExpr &number) {
        Indices next = indices;
        Coordinates element = coordinates;
        next.back() = context.index.materialize(loc, valueIndex(indices.back()) + number);
        element[wide->form.along] = element[wide->form.along] + number;
        keep(next, operands.load(loc, access.root, element, op.getPad()));
      });
    });
  };
  auto lowerGroup = [&](const Indices &indices, const Coordinates &offsets) {
    loadGroup(indices, offsets);
    use(indices, offsets, width);
  };
  lowering.registers.forEachHeld(loc, tile.distribution, width, lowerGroup, outermost);
}

void OperandLoad::emitByGroup() {
  if (!wide)
    return loadElements();
  context.choose(loc, operands.getFormCondition(loc, access.root, wide->form, /*whole=*/wide->partial), [&] { loadGroups(); }, [&] { loadElements(); });
}

void OperandLoad::loadPresent(Value from, int64_t head, int64_t width) {
  Coordinates start = lowering.threads.getCoordinates(loc, tile.distribution);
  lowering.registers.forEachRunHeld(loc, tile.distribution, head, width, [&](const Indices &indices, const Coordinates &offsets, int64_t count) {
    Value address = operands.getAddress(loc, access.root, Operands::getApart(offsets, start), from);
    if (count > 1)
      kernel::LdgVectorOp::create(b, loc, tile.array, tile.inSlot(indices), base, address, count);
    else
      keep(indices, operands.loadAt(loc, access.root, address));
    use(indices, offsets, count);
  });
}

void OperandLoad::emitByThread() {
  Coordinates start = operands.namePlace(loc, access, lowering.threads.getCoordinates(loc, tile.distribution));
  bool isKnown = llvm::is_contained(lowering.present, op.getOperation());
  Value inside = isKnown ? Value() : operands.isBoxInside(loc, access, start, *tile.distribution.getBox());
  auto loadInside = [&] {
    Value from = operands.getAddress(loc, access.root, start);
    from.setLoc(named(loc, nameOf(access.root.getLoc(), "operand") + "_at"));
    if (!wide)
      return loadPresent(from, 0, 1);
    if (isKnown)
      return loadPresent(from, wide->head, wide->form.width);
    context.choose(loc, operands.getFormCondition(loc, access.root, wide->form, /*whole=*/true), [&] { loadPresent(from, wide->head, wide->form.width); },
           [&] { loadPresent(from, 0, 1); });
  };
  context.choose(loc, inside, loadInside, [&] {
    llvm::SaveAndRestore<bool> rare(context.isRare, true);
    loadElements();
  });
}

//===----------------------------------------------------------------------===//
// Stages to registers
//===----------------------------------------------------------------------===//

LogicalResult tilec::copyToRegisters(tile::StageOp op, Lowering &lowering, AfterLoad after) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  Location loc = unnamed(op.getLoc());
  const RegisterTile tile = lowering.registers.get(op.getTile());
  tile::Access access = tile::getSourceAccess(op);
  const SharedTile *source = lowering.shared.find(access.root);
  if (!op.getWide() || (!source && !op.getEdges()))
    return op.emitOpError("leaves open how many elements are loaded at once; run tile-plan-copy");
  if (!analysis::isRead(op))
    return success();
  if (!source) {
    OperandLoad(op, lowering, after).emit();
    return success();
  }
  if (op.getCopy() == tile::Copy::Ldmatrix) {
    loadMatrices(op, tile, *source, lowering);
    return success();
  }
  int64_t width = *op.getWide();
  Type element = cast<MemRefType>(op.getTile().getType()).getElementType();
  lowering.registers.forEachHeld(loc, tile.distribution, width, [&](const Indices &indices, const Coordinates &offsets) {
    Value address = lowering.shared.getAddress(loc, *source, context.mapPlace(access, offsets));
    if (width > 1) {
      kernel::LdsVectorOp::create(b, loc, tile.array, tile.inSlot(indices), source->buffer, address, width);
      return;
    }
    Value value = kernel::LdsOp::create(b, loc, element, source->buffer, address);
    memref::StoreOp::create(b, loc, value, tile.array, tile.inSlot(indices));
  });
  return success();
}
