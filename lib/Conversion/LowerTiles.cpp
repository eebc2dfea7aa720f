//===- LowerTiles.cpp - Held tiles, stages and stores ---------------*- C++ -*-===//

#include "Lowering.h"

#include "Combine.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Tile/Reduction.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// Held tiles
//===----------------------------------------------------------------------===//

LogicalResult tilec::lower(tile::HoldOp op, Lowering &lowering) {
  if (tile::getLevel(op.getTile().getType()) == tile::Level::SMEM)
    return lowerShared(op, lowering);
  if (failed(lowering.registers.create(op.getTile())))
    return failure();
  OpBuilder &b = lowering.context.b;
  const RegisterTile &tile = lowering.registers.get(op.getTile());
  Location loc = unnamed(op.getLoc());
  auto value = cast<TypedAttr>(op.getInit());
  // Zeros are the array's initialiser.
  if (value == b.getZeroAttr(value.getType())) {
    tile.array.getDefiningOp<kernel::RegistersOp>().setInitAttr(value);
    return success();
  }
  Value init = arith::ConstantOp::create(b, loc, value);
  if (lowering.sums.isParted(op.getTile())) { // Of several parts of a sum, the first has it.
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lowering.grid.getPart()->steps.first,
                                          lowering.context.index.constant(loc, 0));
    Value none = arith::ConstantOp::create(b, loc, tile::getIdentity(tile::Combine::Add, value.getType()));
    init = arith::SelectOp::create(b, loc, isFirst, init, none);
  }
  lowering.registers.forEachHeld(loc, tile.distribution, 1, [&](const Indices &indices, const Coordinates &) {
    memref::StoreOp::create(b, loc, init, tile.array, indices);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

LogicalResult tilec::lower(tile::StageOp op, Lowering &lowering) {
  if (analysis::getReaderThatLoads(op))
    return success();
  if (*tile::getLevel(op.getTile().getType()) == tile::Level::RF)
    return failed(lowering.registers.create(op.getTile())) ? failure() : copyToRegisters(op, lowering);
  if (failed(lowering.shared.declare(op)) || failed(checkCopy(op)))
    return failure();
  copyToShared(lowering.getCopying(), op, CopyWidth::Ask);
  return success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Stores what a thread holds, `width` elements at a time.
void tilec::storeHeld(tile::StoreOp op, const RegisterTile &tile, int64_t width, Lowering &lowering) {
  Context &context = lowering.context;
  Operands &operands = lowering.operands;
  OpBuilder &b = context.b;
  Location loc = unnamed(op.getLoc());
  tile::Access dest = tile::getDestAccess(op);
  Value base = context.values.lookup(dest.root);
  // A rare text is kept small: all addresses from that of the thread's first element, present or not. In 64 bits none of
  // them overflows.
  Coordinates first;
  Value from;
  Coordinates byThread = lowering.threads.getCoordinates(loc, tile.distribution), byThreadInRoot = context.mapPlace(dest, byThread);
  bool small = llvm::all_of(byThreadInRoot, [&](const IndexExpr &coordinate) { return context.index.fitsInt(coordinate); });
  if (context.isRare && small && !dest.gather && !Operands::hasNarrowAddresses(dest.root)) {
    first = byThread;
    from = operands.getAddress(loc, dest.root, byThreadInRoot);
    from.setLoc(named(loc, nameOf(dest.root.getLoc(), "operand") + "_at"));
  }
  lowering.registers.forEachHeld(loc, tile.distribution, width, [&](const Indices &indices, const Coordinates &offsets) {
    Coordinates coordinates = operands.namePlace(loc, dest, offsets);
    OpBuilder::InsertionGuard inner(b);
    if (Value present = operands.isPresent(loc, dest.root, coordinates))
      context.enterIf(loc, present);
    Coordinates more = offsets;
    for (auto [offset, start] : llvm::zip(more, first))
      offset = offset + start * -1;
    Value address = from ? operands.getAddress(loc, dest.root, more, from) : operands.getAddress(loc, dest.root, coordinates);
    if (width > 1) {
      kernel::StgVectorOp::create(b, loc, base, address, tile.array, indices, width);
      return;
    }
    Value element = memref::LoadOp::create(b, loc, tile.array, indices);
    if (op.getCombine())
      createAtomic(b, loc, *op.getCombine(), base, address, element);
    else
      kernel::StgOp::create(b, loc, base, address, element);
  });
}

/// Stores what a thread holds, all of which is there in the operand: from `at` on, in runs.
static void storePresent(tile::StoreOp op, const RegisterTile &tile, Value at, int64_t head, int64_t width, Lowering &lowering) {
  OpBuilder &b = lowering.context.b;
  Location loc = unnamed(op.getLoc());
  Value operand = tile::getDestAccess(op).root, base = lowering.context.values.lookup(operand);
  Coordinates start = lowering.threads.getCoordinates(loc, tile.distribution);
  lowering.registers.forEachRunHeld(loc, tile.distribution, head, width, [&](const Indices &indices, const Coordinates &offsets, int64_t count) {
    Value address = lowering.operands.getAddress(loc, operand, Operands::getApart(offsets, start), at);
    if (count > 1)
      kernel::StgVectorOp::create(b, loc, base, address, tile.array, indices, count);
    else
      kernel::StgOp::create(b, loc, base, address, memref::LoadOp::create(b, loc, tile.array, indices));
  });
}

/// A store that says edges(tile) or edges(block): a thread asks once whether all that it holds is stored, and does not where the block knows it.
static void storeByThread(tile::StoreOp op, const RegisterTile &tile, Lowering &lowering) {
  Context &context = lowering.context;
  Operands &operands = lowering.operands;
  Location loc = unnamed(op.getLoc());
  tile::Access dest = tile::getDestAccess(op);
  Coordinates start = operands.namePlace(loc, dest, lowering.threads.getCoordinates(loc, tile.distribution));
  bool isKnown = llvm::is_contained(lowering.present, op.getOperation());
  Value inside = isKnown ? Value() : operands.isBoxInside(loc, dest, start, *tile.distribution.getBox());
  auto storeInside = [&] {
    Value at = operands.getAddress(loc, dest.root, start);
    at.setLoc(named(loc, nameOf(dest.root.getLoc(), "operand") + "_at"));
    std::optional<analysis::WideRuns> wide;
    if (*op.getWide() > 1)
      wide = analysis::getWideRuns(op, tile.distribution, analysis::getCopySource(dest));
    if (!wide)
      return storePresent(op, tile, at, 0, 1, lowering);
    if (isKnown)
      return storePresent(op, tile, at, wide->head, wide->form.width, lowering);
    context.choose(loc, operands.getFormCondition(loc, dest.root, wide->form, /*whole=*/true),
                   [&] { storePresent(op, tile, at, wide->head, wide->form.width, lowering); }, [&] { storePresent(op, tile, at, 0, 1, lowering); });
  };
  context.choose(loc, inside, storeInside, [&] {
    llvm::SaveAndRestore<bool> rare(context.isRare, true);
    storeHeld(op, tile, 1, lowering);
  });
}

LogicalResult tilec::lower(tile::StoreOp op, Lowering &lowering) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  Location loc = unnamed(op.getLoc());
  if (*tile::getLevel(op.getTile().getType()) != tile::Level::RF) // limit_x24
    return op.emitOpError("stores from ") << stringifyLevel(*tile::getLevel(op.getTile().getType())) << " to "
                                          << stringifyLevel(*tile::getLevel(op.getDest().getType()))
                                          << "; stage it to rf, in a loop on thread, and store that";
  tile::Access source = tile::traceParts(op.getTile());
  if (source.root != op.getTile()) // limit_x24
    return op.emitOpError("stores a part of a register tile; store the tile itself");
  if (op.getCombine() && failed(checkAtomic(op)))
    return failure();
  if (*tile::getLevel(op.getDest().getType()) == tile::Level::SMEM)
    return storeToShared(op, lowering);
  if (op.getCopy())
    return storeBulk(op, lowering);
  if (op.getSliceColumns())
    return storeSliced(op, lowering);
  const RegisterTile &tile = lowering.registers.get(source.root);
  OpBuilder::InsertionGuard guard(b);
  if (Value first = lowering.threads.isFirstHolder(op, tile.distribution))
    context.enterIf(loc, first);
  if (!op.getWide())
    return op.emitOpError("leaves open how many elements are stored at once; run tile-plan-copy");
  if (op.getEdges().value_or(tile::EdgeCheck::Element) != tile::EdgeCheck::Element) {
    storeByThread(op, tile, lowering);
    return success();
  }
  int64_t width = *op.getWide();
  Value condition;
  if (width > 1)
    condition = lowering.operands.getFormCondition(loc, tile::getDestAccess(op).root, {*tile.distribution.getRunDim(), width});
  context.choose(loc, condition, [&] { storeHeld(op, tile, width, lowering); }, [&] {
    llvm::SaveAndRestore<bool> rare(context.isRare, true);
    storeHeld(op, tile, 1, lowering);
  });
  return success();
}
