//===- BulkCopies.cpp - Tiles copied in boxes -----------------------*- C++ -*-===//
//
// copy(tma): one thread asks for whole tiles. A tile that several blocks of a cluster
// stage is copied once, a slice by each.
//
//===----------------------------------------------------------------------===//

#include "Ring.h"

#include "tilec/Analysis/BulkPlan.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilec;

Value tilec::getBulkCondition(Operation *op, BlockArgument operand, unsigned along, Lowering &lowering) {
  Context &context = lowering.context;
  IndexBuilder &index = context.index;
  Location loc = unnamed(op->getLoc());
  analysis::BulkNeeds needs = analysis::getBulkNeeds(op, operand, along);
  Value condition = lowering.operands.getFormCondition(loc, operand, needs.form, /*whole=*/true);
  for (unsigned dim : needs.dims) {
    Value size = context.getExtentValue(loc, context.getOperandExtent(operand, dim));
    condition = index.both(loc, condition, arith::CmpIOp::create(context.b, loc, arith::CmpIPredicate::sgt, size, index.constant(loc, 0)));
  }
  return condition;
}

Value tilec::getBoxCoordinate(Location loc, const IndexExpr &expr, Lowering &lowering) {
  OpBuilder &b = lowering.context.b;
  IndexBuilder &index = lowering.context.index;
  if (index.fitsInt(expr))
    return index.materialize(loc, expr);
  // No operand has an element there, nor where a box that begins there ends (rule F2): its elements are absent as those further out are.
  constexpr int64_t kOutside = (int64_t(1) << 31) - 65536;
  auto number = [&](int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 64); };
  Value place = index.widen(loc, index.materialize(loc, expr));
  if (index.getMost(expr).value_or(INT64_MAX) > kOutside)
    place = arith::MinSIOp::create(b, loc, place, number(kOutside));
  if (index.getLeast(expr).value_or(INT64_MIN) < -kOutside)
    place = arith::MaxSIOp::create(b, loc, place, number(-kOutside));
  return index.narrow(loc, place);
}

/// Asks for the part of a tile that this block copies, for all that want it, box after box.
static void copySlice(tile::StageOp stage, Value slot, Lowering &lowering) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  IndexBuilder &index = context.index;
  Location loc = unnamed(stage.getLoc());
  const SharedTile &tile = *lowering.shared.find(stage.getTile());
  tile::Access access = tile::getSourceAccess(stage);
  analysis::BulkCopy copy = *analysis::getBulkCopy(stage); // describeLaunch has refused others.
  IndexExpr number = lowering.cluster.getNumberIn(loc, copy.sharers);
  Coordinates coordinates;
  // A number that indices say is loaded once for all boxes; one that is not there, -1, lies outside of the operand.
  Coordinates start = access.gather ? lowering.operands.namePlace(loc, access, Coordinates(access.subscripts.size())) : Coordinates();
  for (unsigned dim : copy.box.dims)
    coordinates.push_back(access.isGathered(dim) ? start[dim] : context.mapSum(access.subscripts[dim]));
  IndexExpr place = tile.slot;
  OpBuilder::InsertionGuard guard(b);
  if (copy.slices < copy.sharers.size()) {
    Value has = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index.materialize(loc, number),
                                      index.constant(loc, copy.slices));
    context.enterIf(loc, has);
  }
  const analysis::BulkBox &box = copy.box;
  int64_t boxElements = tile.type.getNumElements() / box.pieces;
  if (box.partsPieces(copy.slices)) {
    coordinates[box.pieced] = coordinates[box.pieced] + number * (copy.pieces * box.extents[box.pieced]);
    place = place + number * (copy.pieces * boxElements);
  } else if (copy.slices > 1) {
    unsigned sliced = box.getSliced();
    coordinates[sliced] = coordinates[sliced] + number * copy.extents[sliced];
    place = place + number * (boxElements / copy.slices);
  }
  Value mask;
  for (int64_t piece = 0; piece < copy.pieces; ++piece) {
    SmallVector<Value> at;
    for (const IndexExpr &coordinate : coordinates)
      at.push_back(getBoxCoordinate(loc, coordinate, lowering));
    Value dest = index.materialize(loc, place), map = lowering.operands.getMap(stage);
    if (copy.sharers.size() == 1) {
      kernel::TmaLoadOp::create(b, loc, tile.buffer, dest, map, at, lowering.ring->full, slot);
    } else {
      mask = mask ? mask : lowering.cluster.getRankMask(loc, copy.sharers);
      kernel::TmaLoadMulticastOp::create(b, loc, tile.buffer, dest, map, at, lowering.ring->full, slot, mask);
    }
    coordinates[box.pieced] = coordinates[box.pieced] + constantIndex(box.extents[box.pieced]);
    place = place + constantIndex(boxElements);
  }
}

Value tilec::getBulkCondition(ArrayRef<tile::StageOp> stages, Lowering &lowering) {
  Value all;
  for (tile::StageOp stage : stages) {
    analysis::BulkBox box = analysis::getBulkCopy(stage)->box; // describeLaunch has refused others.
    all = lowering.context.index.both(lowering.ring->getLoc(), all, getBulkCondition(stage, box.operand, box.dims.front(), lowering));
  }
  return all;
}

LogicalResult tilec::copyBulk(ArrayRef<tile::StageOp> stages, Value slot, Lowering &lowering) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  Ring &ring = *lowering.ring;
  Location loc = ring.getLoc();
  int64_t bytes = 0;
  for (tile::StageOp stage : stages) {
    if (failed(checkCopy(stage)))
      return failure();
    auto type = cast<MemRefType>(stage.getTile().getType());
    bytes += type.getNumElements() * type.getElementTypeBitWidth() / 8;
  }
  auto ask = [&] {
    kernel::PipelineExpectOp::create(b, loc, ring.pipeline, slot, bytes);
    for (tile::StageOp stage : stages)
      copySlice(stage, slot, lowering);
  };
  auto copy = [&] {
    llvm::SaveAndRestore<bool> rare(context.isRare, true);
    for (tile::StageOp stage : stages)
      copyToShared(lowering.getCopying(), stage, CopyWidth::Ask);
  };
  if (ring.byBoxes) {
    context.choose(loc, ring.alone, ask, [&] {
      copy();
      commitCopies(slot, lowering);
    });
    return success();
  }
  Value isFirst = lowering.threads.isFirst(loc);
  auto byFirst = [&](llvm::function_ref<void()> body) {
    OpBuilder::InsertionGuard guard(b);
    context.enterIf(loc, isFirst);
    body();
  };
  context.choose(loc, getBulkCondition(stages, lowering), [&] { byFirst(ask); }, [&] {
    byFirst([&] { kernel::PipelineExpectOp::create(b, loc, ring.pipeline, slot, /*bytes=*/0); });
    copy();
  });
  return success();
}
