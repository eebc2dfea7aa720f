//===- LowerHeldTiles.cpp - Tiles that a block makes on chip --------*- C++ -*-===//
//
// Held tiles in shared memory: an array, which the threads fill together where its
// initial value matters, and stores of what they hold in registers, atomic ones too.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Combine.h"
#include "Rounds.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Analysis/HeldTiles.h"

using namespace mlir;
using namespace tilec;

/// A row of `width` elements in registers, each of them `value`.
static Value createRow(Location loc, int64_t width, TypedAttr value, Lowering &lowering) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  bool zero = value == b.getZeroAttr(value.getType());
  Value row = context.createArray(loc, width, value.getType(), zero ? value : TypedAttr());
  if (zero)
    return row;
  Value element = arith::ConstantOp::create(b, loc, value);
  for (int64_t i = 0; i < width; ++i)
    memref::StoreOp::create(b, loc, element, row, context.index.constant(loc, i));
  return row;
}

/// The threads of the block give each element its initial value.
static void fill(tile::HoldOp op, Lowering &lowering) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  Location loc = unnamed(op.getLoc());
  const SharedTile tile = *lowering.shared.find(op.getTile());
  analysis::CopyTile shape{llvm::to_vector<2>(tile.type.getShape()), *tile::getStaticLayout(tile.type), tile.type.getElementTypeBitWidth() / 8, false, {}};
  analysis::CopyForm form = analysis::getFillForm(shape);
  auto value = cast<TypedAttr>(op.getInit());
  Operation *last = getLastOp(b);
  Value source = form.width > 1 ? createRow(named(loc, nameOf(op.getTile().getLoc(), "held") + "_init"), form.width, value, lowering)
                                : arith::ConstantOp::create(b, loc, value).getResult();
  // So many rounds are written out, as of copies (tile-plan-copy).
  constexpr std::pair<int64_t, int64_t> kUnrolled = {32, 2};
  Rounds rounds(context, lowering.threads, loc, shape, form, kUnrolled, [](unsigned dim) { return getDimName(tile::LinearExpr(), dim); });
  rounds.forEachGroup([&](const Coordinates &offsets) {
    Value address = lowering.shared.getAddress(loc, tile, offsets);
    if (form.width > 1)
      kernel::StsVectorOp::create(b, loc, tile.buffer, address, source, context.index.constant(loc, 0), form.width);
    else
      kernel::StsOp::create(b, loc, tile.buffer, address, source);
  });
  setThreadLoop(b, last, ++lowering.threadLoops);
}

LogicalResult tilec::lowerShared(tile::HoldOp op, Lowering &lowering) {
  if (cast<MemRefType>(op.getTile().getType()).getRank() == 0) // limit_x21
    return op.emitOpError("a tile of rank 0 in shared memory is not lowered");
  if (failed(lowering.shared.declare(op)))
    return failure();
  if (analysis::isInitRead(op))
    fill(op, lowering);
  return success();
}

/// Is `op` in a loop on threads, which says of all its accesses whose they are?
static bool isInThreads(Operation *op) { return tile::getInnermostUnit(op).has_value(); }

LogicalResult tilec::storeToShared(tile::StoreOp op, Lowering &lowering) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  Location loc = unnamed(op.getLoc());
  tile::Access dest = tile::getDestAccess(op);
  if (!dest.root.getDefiningOp<tile::HoldOp>()) { // limit_x24
    InFlightDiagnostic diag = op.emitOpError("stores to a staged tile, of which elements may be absent; store to a held tile in smem");
    diag.attachNote(dest.root.getLoc()) << "the tile is staged here";
    return diag;
  }
  if (!op.getWide())
    return op.emitOpError("leaves open how many elements are stored at once; run tile-plan-copy");
  const RegisterTile &tile = lowering.registers.get(op.getTile());
  const SharedTile &to = *lowering.shared.find(dest.root);
  int64_t width = *op.getWide();
  Operation *last = getLastOp(b);
  {
    OpBuilder::InsertionGuard guard(b);
    if (Value first = lowering.threads.isFirstHolder(op, tile.distribution))
      context.enterIf(loc, first);
    lowering.registers.forEachHeld(loc, tile.distribution, width, [&](const Indices &indices, const Coordinates &offsets) {
      OpBuilder::InsertionGuard inner(b);
      Coordinates place = dest.gather ? lowering.operands.namePlace(loc, dest, offsets) : context.mapPlace(dest, offsets);
      if (dest.gather) // All else lies inside of the tile (rule W4).
        if (Value present = context.index.isInside(loc, place[dest.gather->dim], context.getExtent(dest.root, dest.gather->dim)))
          context.enterIf(loc, present);
      Value address = lowering.shared.getAddress(loc, to, place);
      if (op.getCombine())
        createAtomic(b, loc, *op.getCombine(), to.buffer, address, memref::LoadOp::create(b, loc, tile.array, tile.inSlot(indices)));
      else if (width > 1)
        kernel::StsVectorOp::create(b, loc, to.buffer, address, tile.array, tile.inSlot(indices), width);
      else
        kernel::StsOp::create(b, loc, to.buffer, address, memref::LoadOp::create(b, loc, tile.array, tile.inSlot(indices)));
    });
  }
  if (!isInThreads(op)) // Each thread stores what it holds.
    setThreadLoop(b, last, ++lowering.threadLoops);
  return success();
}
