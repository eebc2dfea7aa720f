//===- LowerBulkStores.cpp - Stores by TMA ---------------------*- C++ -*-===//
//
// copy(tma) of a store: each warp puts a slice of what it holds in shared memory, a lane asks TMA to store it, and the warp goes on.
// Before it writes to a slot again, TMA must have read what was there. Warps wait for nobody else.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Loops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Analysis/BulkStore.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilec;

/// `body` by one lane of each warp.
static void byOneLane(Location loc, Lowering &lowering, llvm::function_ref<void()> body) {
  Context &context = lowering.context;
  OpBuilder::InsertionGuard guard(context.b);
  Value lane = lowering.threads.getDigit(named(loc, "lane"), {tile::kWarpThreads, 1, 1});
  context.enterIf(loc, arith::CmpIOp::create(context.b, loc, arith::CmpIPredicate::eq, lane, context.index.constant(loc, 0)));
  body();
}

namespace {
/// One store.
class BulkLowering {
public:
  BulkLowering(tile::StoreOp op, const RegisterTile &tile, analysis::BulkStore plan, Lowering &lowering)
      : op(op), tile(tile), plan(std::move(plan)), lowering(lowering), context(lowering.context), b(context.b), loc(unnamed(op.getLoc())) {}

  void emit();

private:
  /// Goes on for each slice, `walked` its number along each walk.
  void forEachSlice(SmallVector<IndexExpr> walked);
  void store(ArrayRef<IndexExpr> walked);
  void fill(const SharedTile &slice, ArrayRef<IndexExpr> walked);

  tile::StoreOp op;
  const RegisterTile &tile;
  analysis::BulkStore plan;
  Lowering &lowering;
  Context &context;
  OpBuilder &b;
  Location loc;
  Value array;
};
} // namespace

void BulkLowering::fill(const SharedTile &slice, ArrayRef<IndexExpr> walked) {
  lowering.registers.forEachHeld(loc, plan.held, plan.run, [&](const Indices &held, const Coordinates &coordinates) {
    Indices indices = held;
    for (auto [walk, number] : llvm::zip_equal(plan.walks, walked))
      indices[walk.local] = context.index.materialize(loc, valueIndex(indices[walk.local]) + number * walk.indices);
    Value address = lowering.shared.getAddress(loc, slice, coordinates);
    if (plan.run > 1)
      kernel::StsVectorOp::create(b, loc, array, address, tile.array, indices, plan.run);
    else
      kernel::StsOp::create(b, loc, array, address, memref::LoadOp::create(b, loc, tile.array, indices));
  });
}

void BulkLowering::store(ArrayRef<IndexExpr> walked) {
  IndexBuilder &index = context.index;
  IndexExpr number;
  Coordinates place = lowering.threads.getCoordinates(named(loc, "from"), plan.origin);
  for (auto [walk, at] : llvm::zip_equal(plan.walks, walked)) {
    number = number * walk.count + at;
    place[walk.dim] = place[walk.dim] + at * walk.step;
  }
  int64_t elements = plan.type.getNumElements();
  IndexExpr slot = lowering.threads.getOwn(plan.warps * plan.elementsOfWarp()) +
                   valueIndex(lowering.threads.getDigit(named(loc, "warp"), {plan.warps, 1, tile::kWarpThreads}), plan.elementsOfWarp());
  if (plan.slots > 1)
    slot = slot + valueIndex(index.rem(loc, index.materialize(loc, number), plan.slots), elements);
  // What was in the slot has been read.
  byOneLane(loc, lowering, [&] { kernel::BulkWaitReadOp::create(b, loc, plan.slots - 1); });
  kernel::SyncWarpOp::create(b, loc);
  fill({array, plan.type, slot}, walked);
  kernel::FenceProxyAsyncOp::create(b, loc);
  kernel::SyncWarpOp::create(b, loc);
  tile::Access dest = tile::getDestAccess(op);
  byOneLane(loc, lowering, [&] {
    SmallVector<Value> at;
    for (unsigned dim : llvm::reverse(llvm::seq<unsigned>(place.size()))) // As the map has them, the last one first.
      at.push_back(getBoxCoordinate(loc, context.mapSum(dest.subscripts[dim]) + place[dim], lowering));
    kernel::TmaStoreOp::create(b, loc, lowering.operands.getMap(op), at, array, index.materialize(loc, slot));
    kernel::BulkCommitOp::create(b, loc);
  });
}

void BulkLowering::forEachSlice(SmallVector<IndexExpr> walked) {
  if (walked.size() == plan.walks.size())
    return store(walked);
  const char *name = walked.empty() ? "s" : "t";
  createCountedLoop(context, named(loc, name), name, plan.walks[walked.size()].count, 1, /*unrolled=*/true, [&](const IndexExpr &number) {
    walked.push_back(number);
    forEachSlice(walked);
    walked.pop_back();
  });
}

void BulkLowering::emit() {
  array = lowering.shared.create(named(loc, "slice"), analysis::SharedUse::Slice, op, plan.type.getElementType());
  array.getDefiningOp<kernel::SharedOp>().setGuarded(true);
  context.choose(loc, getBulkCondition(op, plan.operand, plan.type.getRank() - 1, lowering), [&] { forEachSlice({}); }, [&] {
    llvm::SaveAndRestore<bool> rare(context.isRare, true);
    storeHeld(op, tile, 1, lowering);
  });
}

LogicalResult tilec::storeBulk(tile::StoreOp op, Lowering &lowering) {
  if (!op.getSlots())
    return op.emitOpError("leaves open how many slices may be on their way; run tile-plan-store");
  const RegisterTile &tile = lowering.registers.get(op.getTile());
  FailureOr<analysis::BulkStore> plan = analysis::getBulkStore(op, tile.distribution);
  if (failed(plan))
    return failure();
  BulkLowering(op, tile, std::move(*plan), lowering).emit();
  return success();
}

void tilec::waitForBulkStores(Lowering &lowering) {
  SmallVector<tile::StoreOp> stores = analysis::getBulkStores(lowering.context.kernel);
  if (stores.empty())
    return;
  Location loc = unnamed(stores.back().getLoc());
  byOneLane(loc, lowering, [&] { kernel::BulkWaitReadOp::create(lowering.context.b, loc, 0); });
}
