//===- LowerSlicedStores.cpp - Stores by way of shared memory ------*- C++ -*-===//
//
// One slice of the tile after the other: the threads put what they hold of it in shared memory, wait for each other, and
// store whole rows from there.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Loops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Analysis/SlicedStore.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilec;

namespace {
/// One store.
class SlicedLowering {
public:
  SlicedLowering(tile::StoreOp op, const RegisterTile &tile, analysis::SlicedStore plan, Lowering &lowering)
      : op(op), tile(tile), plan(std::move(plan)), lowering(lowering), context(lowering.context), b(context.b), loc(unnamed(op.getLoc())),
        dest(tile::getDestAccess(op)), element(cast<MemRefType>(op.getTile().getType()).getElementType()) {}

  LogicalResult emit();

private:
  /// Element `coordinates` of a slice in the array.
  Value getAddress(const Coordinates &coordinates) {
    return context.index.materialize(loc, lowering.threads.getOwn(plan.elements()) + coordinates[plan.rowDim] * plan.pitch + coordinates[plan.columnDim]);
  }
  void fill(const IndexExpr &slice);
  void store(const IndexExpr &slice, int64_t width);

  tile::StoreOp op;
  const RegisterTile &tile;
  analysis::SlicedStore plan;
  Lowering &lowering;
  Context &context;
  OpBuilder &b;
  Location loc;
  tile::Access dest;
  Type element;
  Value array;
};
} // namespace

void SlicedLowering::fill(const IndexExpr &slice) {
  OpBuilder::InsertionGuard guard(b);
  if (Value first = lowering.threads.isFirstHolder(op, plan.held)) // Others may hold the same elements.
    context.enterIf(loc, first);
  lowering.registers.forEachHeld(loc, plan.held, plan.run, [&](const Indices &held, const Coordinates &coordinates) {
    Indices indices = held;
    if (plan.perSlice != 0)
      indices[plan.moved] = context.index.materialize(loc, valueIndex(held[plan.moved]) + slice * plan.perSlice);
    if (plan.run > 1) {
      kernel::StsVectorOp::create(b, loc, array, getAddress(coordinates), tile.array, indices, plan.run);
      return;
    }
    Value value = memref::LoadOp::create(b, loc, tile.array, indices);
    kernel::StsOp::create(b, loc, array, getAddress(coordinates), value);
  });
}

void SlicedLowering::store(const IndexExpr &slice, int64_t width) {
  Value base = context.values.lookup(dest.root);
  IndexExpr column = lowering.threads.getCoordinates(loc, plan.getPlaced(width))[plan.columnDim];
  // Nothing of it is in registers, so that the loop need not be written out; as many loads are under way at once.
  constexpr int64_t kAtOnce = 8;
  tile::Distribution spread = plan.getDealt(width, /*all=*/false);
  SmallVector<tile::LocalDigit> local = spread.getLocalDigits();
  bool isLong = !local.empty() && local.front().digit.count > kAtOnce;
  lowering.registers.forEachHeld(loc, spread, width, [&](const Indices &places, const Coordinates &dealt) {
    if (isLong)
      setUnrolled(places.front(), kAtOnce);
    Coordinates offsets = dealt, inSlice = dealt;
    offsets[plan.columnDim] = offsets[plan.columnDim] + slice * plan.columnsOfUnit();
    inSlice[plan.columnDim] = column;
    Coordinates coordinates = lowering.operands.namePlace(loc, dest, offsets);
    OpBuilder::InsertionGuard guard(b);
    if (Value present = lowering.operands.isPresent(loc, dest.root, coordinates))
      context.enterIf(loc, present);
    Value from = getAddress(inSlice), to = lowering.operands.getAddress(loc, dest.root, coordinates);
    if (width == 1) {
      kernel::StgOp::create(b, loc, base, to, kernel::LdsOp::create(b, loc, element, array, from));
      return;
    }
    Value group = context.createArray(named(loc, "group"), {width}, element);
    Value first = context.index.constant(loc, 0);
    kernel::LdsVectorOp::create(b, loc, group, first, array, from, width);
    kernel::StgVectorOp::create(b, loc, base, to, group, first, width);
  });
}

LogicalResult SlicedLowering::emit() {
  if (!op.getWide())
    return op.emitOpError("leaves open how many elements are stored at once; run tile-plan-copy");
  array = lowering.shared.create(named(loc, "slice"), analysis::SharedUse::Slice, op, element);
  int64_t width = *op.getWide();
  Value condition = width > 1 ? lowering.operands.getFormCondition(loc, dest.root, {plan.columnDim, width}) : Value();
  createCountedLoop(context, named(loc, "s"), "s", plan.slices, 1, /*unrolled=*/true, [&](const IndexExpr &slice) {
    lowering.threads.wait(loc); // The slice before has been read.
    fill(slice);
    lowering.threads.wait(loc);
    if (!condition) {
      store(slice, width);
      return;
    }
    auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    store(slice, width);
    b.setInsertionPoint(branch.elseBlock()->getTerminator());
    llvm::SaveAndRestore<bool> rare(context.isRare, true);
    store(slice, 1);
  });
  return success();
}

LogicalResult tilec::storeSliced(tile::StoreOp op, Lowering &lowering) {
  const RegisterTile &tile = lowering.registers.get(op.getTile());
  FailureOr<analysis::SlicedStore> plan = analysis::getSlicedStore(op, tile.distribution);
  if (failed(plan))
    return failure();
  return SlicedLowering(op, tile, std::move(*plan), lowering).emit();
}
