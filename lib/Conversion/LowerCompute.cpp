//===- LowerCompute.cpp - linalg on tiles -----------------------*- C++ -*-===//
//
// A computation becomes loops over its iteration space, whatever its maps and
// region are. Points that an operand does not have are left out, unless filled
// zeros leave the result as it is.
//
//===----------------------------------------------------------------------===//

#include "Ring.h"

#include "Reduction.h"
#include "Scalars.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Analysis/InstructionPlan.h"
#include "tilec/Analysis/PointGuards.h"
#include "tilec/Analysis/ScalarBody.h"
#include "tilec/Tile/ComputeClauses.h"
#include "tilec/Tile/Projection.h"
#include "tilec/Tile/Reduction.h"

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// Indexing maps
//===----------------------------------------------------------------------===//

/// An indexing expression at a point; fails for what is no sum.
static FailureOr<IndexExpr> evaluate(AffineExpr expr, ArrayRef<IndexExpr> point) {
  // With greater numbers no element is present, and the sum might not fit 64 bits.
  constexpr int64_t kMost = int64_t(1) << 31;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() > -kMost && constant.getValue() < kMost ? FailureOr<IndexExpr>(constantIndex(constant.getValue()))
                                                                       : FailureOr<IndexExpr>(failure());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return point[dim.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return failure();
  FailureOr<IndexExpr> lhs = evaluate(binary.getLHS(), point), rhs = evaluate(binary.getRHS(), point);
  if (failed(lhs) || failed(rhs))
    return failure();
  if (expr.getKind() == AffineExprKind::Add)
    return *lhs + *rhs;
  if (expr.getKind() == AffineExprKind::Mul && rhs->terms.empty())
    return *lhs * rhs->constant;
  return failure();
}

/// The element of an operand that a point reads or writes.
static Coordinates operandOffsets(linalg::LinalgOp op, OpOperand &operand, ArrayRef<IndexExpr> point) {
  Coordinates offsets;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
    offsets.push_back(*evaluate(expr, point)); // Who lowers the op has tried it.
  return offsets;
}

//===----------------------------------------------------------------------===//
// Absent elements
//===----------------------------------------------------------------------===//

/// The condition under which the point takes part; null where it always does. Absent elements of
/// inputs are zero in tiles; the condition leaves out what cannot change an element that is stored.
static Value getGuard(linalg::LinalgOp op, ArrayRef<IndexExpr> point, Context &context, Operands &operands) {
  IndexBuilder &index = context.index;
  Location loc = unnamed(op.getLoc());
  analysis::PointGuards guards = analysis::findGuards(op);
  Value guard;
  for (OpOperand *operand : guards.inPlace) {
    tile::Access access = tile::traceParts(operand->get());
    guard = index.both(loc, guard, operands.isPresent(loc, access.root, context.mapPlace(access, operandOffsets(op, *operand, point))));
  }
  for (auto [operand, dim] : guards.staged) {
    tile::Access source = tile::traceToOperand(operand->get());
    IndexExpr coordinate = context.mapPlace(source, operandOffsets(op, *operand, point))[dim];
    auto [root, bounds] = source.getBounds(dim);
    guard = index.both(loc, guard, index.isInside(loc, coordinate, context.getOperandExtent(root, bounds)));
  }
  return guard;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
/// A point of those that are spread over threads: that of an element that a thread holds, by its place in the thread's array.
struct HeldPoint {
  const tile::Distribution &spread;
  const Indices &place;
};
} // namespace

/// The place in a thread's array of an element of an operand in registers, at the point `held` where there is one.
static FailureOr<Indices> getPlace(OpOperand &operand, const RegisterTile &tile, const tile::Access &access, const Coordinates &offsets,
                                   const HeldPoint *held, Lowering &lowering) {
  if (held) {
    AffineMap map = cast<linalg::LinalgOp>(operand.getOwner()).getMatchingIndexingMap(&operand);
    return tile.inSlot(llvm::map_to_vector(tile::getProjectedDigits(held->spread, map), [&](unsigned number) { return held->place[number]; }));
  }
  return lowering.registers.getIndices(operand.getOwner(), tile, access, cast<MemRefType>(operand.get().getType()), offsets);
}

static FailureOr<Value> loadOperand(OpOperand &operand, const Coordinates &offsets, const HeldPoint *held, Lowering &lowering) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  Location loc = unnamed(operand.getOwner()->getLoc());
  tile::Access access = tile::traceParts(operand.get());
  auto type = cast<MemRefType>(operand.get().getType());
  if (const RegisterTile *tile = lowering.registers.find(access.root)) {
    FailureOr<Indices> indices = getPlace(operand, *tile, access, offsets, held, lowering);
    if (failed(indices))
      return failure();
    return memref::LoadOp::create(b, loc, tile->array, *indices).getResult();
  }
  Coordinates coordinates = context.mapPlace(access, offsets);
  if (const SharedTile *tile = lowering.shared.find(access.root)) {
    Value address = lowering.shared.getAddress(loc, *tile, coordinates);
    return kernel::LdsOp::create(b, loc, type.getElementType(), tile->buffer, address).getResult();
  }
  // Inside of the guard the element is present.
  Value address = lowering.operands.getAddress(loc, access.root, coordinates);
  return lowering.operands.loadAt(loc, access.root, address);
}

static LogicalResult storeOperand(OpOperand &operand, const Coordinates &offsets, Value value, const HeldPoint *held, Lowering &lowering) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  Location loc = unnamed(operand.getOwner()->getLoc());
  tile::Access access = tile::traceParts(operand.get());
  if (const RegisterTile *tile = lowering.registers.find(access.root)) {
    FailureOr<Indices> indices = getPlace(operand, *tile, access, offsets, held, lowering);
    if (failed(indices))
      return failure();
    memref::StoreOp::create(b, loc, value, tile->array, *indices);
    return success();
  }
  Coordinates coordinates = context.mapPlace(access, offsets);
  if (const SharedTile *tile = lowering.shared.find(access.root)) {
    Value address = lowering.shared.getAddress(loc, *tile, coordinates);
    kernel::StsOp::create(b, loc, tile->buffer, address, value);
    return success();
  }
  kernel::StgOp::create(b, loc, context.values.lookup(access.root), lowering.operands.getAddress(loc, access.root, coordinates), value);
  return success();
}

//===----------------------------------------------------------------------===//
// The computation
//===----------------------------------------------------------------------===//

/// Are all results in registers? What lies in memory is written by one of the threads that compute the same.
static bool writesOnlyRegisters(linalg::LinalgOp op, RegisterTiles &registers) {
  return llvm::all_of(op.getDpsInits(), [&](Value init) { return registers.find(tile::traceParts(init).root); });
}

/// `only`: nothing but that result.
static LogicalResult lowerPoint(linalg::LinalgOp op, ArrayRef<IndexExpr> point, const HeldPoint *held, Lowering &lowering, OpOperand *only = nullptr) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  OpBuilder::InsertionGuard insertion(b);
  Value guard = getGuard(op, point, context, lowering.operands);
  if (!writesOnlyRegisters(op, lowering.registers))
    guard = context.index.both(unnamed(op.getLoc()), lowering.threads.isFirstHolder(op, tile::Distribution()), guard);
  if (guard)
    context.enterIf(unnamed(op.getLoc()), guard);
  analysis::ScalarBody body(op, only);
  IRMapping map = context.values;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!body.isLoaded(operand))
      continue;
    bool isMemory = isa<MemRefType>(operand.get().getType());
    FailureOr<Value> element = isMemory ? loadOperand(operand, operandOffsets(op, operand, point), held, lowering) : context.values.lookup(operand.get());
    if (failed(element))
      return failure();
    map.map(body.getArgument(operand), *element);
  }
  for (auto [dim, number] : body.getNumbers())
    map.map(number, context.index.materialize(number.getLoc(), point[dim]));
  for (Operation &inner : body.getBlock().without_terminator())
    lowerScalar(context.index, b, inner, map);
  MutableArrayRef<OpOperand> written = only ? MutableArrayRef<OpOperand>(*only) : op.getDpsInitsMutable();
  for (auto [init, yielded] : llvm::zip_equal(written, body.getBlock().getTerminator()->getOperands()))
    if (failed(storeOperand(init, operandOffsets(op, init, point), map.lookup(yielded), held, lowering)))
      return failure();
  return success();
}

/// Is a part of a tile in shared memory or DRAM written by more than the thread that owns it?
static LogicalResult checkScope(linalg::LinalgOp op, int64_t blockThreads) {
  for (auto loop = op->getParentOfType<tile::ForOp>(); loop; loop = loop->getParentOfType<tile::ForOp>())
    if (tile::isThreadUnit(loop))
      return success();
  if (blockThreads == 1)
    return success();
  return op->emitOpError("computes outside of a loop on thread in a block of ") // limit_x28
         << blockThreads << " threads; put it inside of one that says who computes what";
}

/// Each thread computes the points of what it holds of tiles that are spread as `spread`, and loads there what stages have left to it.
static LogicalResult lowerHeld(linalg::LinalgOp op, const tile::Distribution &spread, Lowering &lowering) {
  LogicalResult result = success();
  auto lowerOne = [&](const Indices &place, const Coordinates &point) {
    HeldPoint held{spread, place};
    if (succeeded(result))
      result = lowerPoint(op, point, &held, lowering);
  };
  for (Value operand : op->getOperands()) {
    auto stage = operand.getDefiningOp<tile::StageOp>();
    if (!stage || analysis::getReaderThatLoads(stage) != op)
      continue;
    auto lowerGroup = [&](const Indices &place, const Coordinates &point, int64_t count) {
      if (count == 1)
        return lowerOne(place, point);
      unsigned along = spread.getLocalDigits().back().dim;
      createCountedLoop(lowering.context, unnamed(op.getLoc()), RegisterTiles::getLoopName(place.size()), count, 1, /*unrolled=*/true, [&](const IndexExpr &number) {
        Indices one = place;
        Coordinates at = point;
        one.back() = lowering.context.index.materialize(unnamed(op.getLoc()), valueIndex(place.back()) + number);
        at[along] = at[along] + number;
        lowerOne(one, at);
      });
    };
    return failed(copyToRegisters(stage, lowering, lowerGroup)) ? failure() : result;
  }
  lowering.registers.forEachHeld(unnamed(op.getLoc()), spread, 1, lowerOne);
  return result;
}

/// Each thread puts together what it holds of the rows, in registers of its own, then lanes what they have of the same rows, and that goes to what was there.
static LogicalResult lowerRowReduction(linalg::LinalgOp op, const tile::Distribution &spread, Lowering &lowering) {
  OpBuilder &b = lowering.context.b;
  Location loc = unnamed(op.getLoc());
  SmallVector<RegisterTile> outer;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    RegisterTile &tile = lowering.registers.get(init.get());
    outer.push_back(tile);
    Location partLoc = named(loc, nameOf(init.get().getLoc(), "held") + "_part");
    tile.array = kernel::RegistersOp::create(b, partLoc, cast<MemRefType>(tile.array.getType()));
    auto type = cast<MemRefType>(init.get().getType()).getElementType();
    Value neutral = arith::ConstantOp::create(b, partLoc, tile::getIdentity(*tile::getUpdateKind(op, init), type));
    lowering.registers.forEachHeld(partLoc, tile.distribution, 1, [&](const Indices &at, const Coordinates &) { memref::StoreOp::create(b, partLoc, neutral, tile.array, at); });
  }
  if (failed(lowerHeld(op, spread, lowering)))
    return failure();
  for (auto [init, before] : llvm::zip_equal(op.getDpsInitsMutable(), outer)) {
    tile::Combine kind = *tile::getUpdateKind(op, init);
    SmallVector<tile::Digit> digits = tile::getReducedDigits(spread, op.getMatchingIndexingMap(&init));
    RegisterTile &tile = lowering.registers.get(init.get());
    lowering.registers.forEachHeld(loc, before.distribution, 1, [&](const Indices &at, const Coordinates &) {
      Value value = memref::LoadOp::create(b, loc, tile.array, at);
      for (const tile::Digit &digit : digits)
        for (int64_t bit = 1; bit < digit.count; bit *= 2) {
          Value mask = lowering.context.index.constant(loc, bit * digit.threadStride);
          value = combine(b, loc, kind, value, kernel::ShflXorOp::create(b, loc, value.getType(), value, mask));
        }
      memref::StoreOp::create(b, loc, combine(b, loc, kind, memref::LoadOp::create(b, loc, before.array, at), value), before.array, at);
    });
    tile = before;
  }
  return success();
}

/// Each thread computes the points of what it holds of the tiles, which are spread as `spread`, or its part of rows that are put together.
static LogicalResult lowerSpread(linalg::LinalgOp op, const tile::Distribution &spread, Lowering &lowering) {
  if (tile::getOrder(op)) // limit_x26
    return op->emitOpError("has an order of its own, but works on what each thread holds of tiles, in the order in which it holds it");
  for (OpOperand &operand : op->getOpOperands()) {
    if (auto stage = operand.get().getDefiningOp<tile::StageOp>(); stage && analysis::getReaderThatLoads(stage) == op && failed(lowering.registers.create(stage.getTile())))
      return failure();
    const RegisterTile *tile = lowering.registers.find(tile::traceParts(operand.get()).root);
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool alike = tile && tile->distribution == tile::project(spread, map) && !isa_and_present<tile::PartOp>(operand.get().getDefiningOp());
    if ((alike && (map.isIdentity() || tile::isProjected(op, operand))) || (!tile && !op.isDpsInit(&operand)))
      continue;
    return op->emitOpError("works on tiles that threads hold together, but operand #") // limit_x26
           << operand.getOperandNumber() << " is no whole tile that they hold alike";
  }
  if (tile::isRowReduction(op)) {
    for (OpOperand &init : op.getDpsInitsMutable())
      for (const tile::Digit &digit : tile::getReducedDigits(spread, op.getMatchingIndexingMap(&init)))
        if (!llvm::isPowerOf2_64(digit.count) || tile::kWarpThreads % (digit.count * digit.threadStride) != 0) // limit_x55
          return op->emitOpError("puts together what ") << digit.count << " threads, " << digit.threadStride
                                                        << " apart, hold of a row; expected lanes of one warp, a power of two of them";
    return lowerRowReduction(op, spread, lowering);
  }
  LogicalResult result = lowerHeld(op, spread, lowering);
  // What is computed from accumulators is computed here, whoever uses it.
  if (succeeded(result) && lowering.ring && analysis::runsInstructions(lowering.ring->loop))
    for (OpOperand &output : op.getDpsInitsMutable()) {
      const RegisterTile &tile = lowering.registers.get(output.get());
      auto type = cast<MemRefType>(tile.array.getType());
      if (type.getNumElements() * type.getElementTypeBitWidth() % kRegisterBits == 0)
        kernel::SettleOp::create(lowering.context.b, unnamed(op.getLoc()), tile.array);
    }
  return result;
}

LogicalResult tilec::checkAllPoints(linalg::LinalgOp op, Lowering &lowering) {
  Context &context = lowering.context;
  OpBuilder::InsertionGuard insertion(context.b);
  // A number that may be any of a dimension's stands for all of them.
  SmallVector<IndexExpr> point;
  SmallVector<Operation *> numbers;
  for (int64_t extent : op.getStaticLoopRanges()) {
    Value any = arith::ConstantIndexOp::create(context.b, unnamed(op.getLoc()), 0);
    context.index.know(any, {1, 0, extent - 1, {}});
    numbers.push_back(any.getDefiningOp());
    point.emplace_back().add(any, 1); // Not as the constant that it is.
  }
  if (getGuard(op, point, context, lowering.operands)) // limit_x38
    return op->emitOpError("is an instruction for all of its points, but some may have to be left out, where an operand has no elements; "
                           "let its inputs and what its result is stored to have the same extents, store it where its elements are, or pad(zero) its inputs");
  for (Operation *number : numbers)
    number->erase();
  return success();
}

/// `number` of `count`, or as far from the end where `by` is odd.
static IndexExpr turnBack(Context &context, Location loc, const IndexExpr &number, int64_t count, const IndexExpr &by) {
  IndexBuilder &index = context.index;
  Value forth = index.compare(loc, arith::CmpIPredicate::eq, index.rem(loc, index.materialize(loc, by), 2), index.constant(loc, 0));
  auto [there, back] = index.unify(loc, index.materialize(loc, number), index.materialize(loc, constantIndex(count - 1) + number * -1));
  Value turned = arith::SelectOp::create(context.b, loc, forth, there, back);
  index.know(turned, {1, 0, count - 1, {}});
  return valueIndex(turned);
}

/// The points of `op` in their order.
static LogicalResult lowerPoints(linalg::LinalgOp op, OpOperand *only, Lowering &lowering) {
  static const char *const names[] = {"i", "j", "p", "q", "r", "s"};
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<IndexExpr> point(ranges.size());
  std::optional<ArrayRef<int64_t>> order = tile::getOrder(op);
  std::optional<tile::Turn> turn = tile::getTurn(op);
  LogicalResult result = success();
  std::function<void(unsigned)> nest = [&](unsigned depth) {
    if (failed(result))
      return;
    if (depth == ranges.size()) {
      result = lowerPoint(op, point, /*held=*/nullptr, lowering, only);
      return;
    }
    unsigned dim = order ? (*order)[depth] : depth;
    StringRef name = names[std::min<size_t>(dim, std::size(names) - 1)];
    bool turns = turn && turn->dim == dim;
    // Registers are subscripted by numbers, which only a loop that is written out has.
    createCountedLoop(lowering.context, unnamed(op.getLoc()), name, ranges[dim], 1, /*unrolled=*/turns, [&](const IndexExpr &i) {
      point[dim] = turns ? turnBack(lowering.context, unnamed(op.getLoc()), i, ranges[dim], point[turn->by]) : i;
      nest(depth + 1);
    });
  };
  nest(0);
  return result;
}

/// An op that combines with a tile in a loop with prefix: what the thread's own points make, what those of iterations before make, and then
/// all that it yields.
static LogicalResult lowerPrefix(linalg::LinalgOp op, OpOperand &carried, Lowering &lowering) {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()) && !lowering.registers.find(tile::traceParts(operand.get()).root)) // limit_x52
      return op->emitOpError("is gone over twice in a loop with prefix, but operand #") << operand.getOperandNumber() << " is not in rf; stage it there";
  Value held = tile::traceParts(carried.get()).root;
  Value own = lowering.registers.get(held).array;
  if (failed(lowerPoints(op, &carried, lowering)))
    return failure();
  lowering.registers.get(held).array = lowering.scan->scan(held, lowering.threads, lowering.shared);
  if (failed(lowerPoints(op, /*only=*/nullptr, lowering)))
    return failure();
  lowering.registers.get(held).array = own; // What all iterations make.
  return success();
}

LogicalResult tilec::lower(linalg::LinalgOp op, Lowering &lowering) {
  if (std::optional<tile::InstructionUse> instruction = tile::getInstructionUse(op))
    return instruction->isAsynchronous() ? lowerInstruction(op, *instruction, lowering) : lowerWarpInstruction(op, *instruction, lowering);
  if (op->getNumResults() != 0)
    return op->emitOpError("needs memref operands");
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (llvm::any_of(ranges, ShapedType::isDynamic)) // limit_x29
    return op->emitOpError("needs tiles of static shape");
  if (!writesOnlyRegisters(op, lowering.registers) && failed(checkScope(op, lowering.threads.getCount())))
    return failure();
  SmallVector<IndexExpr> point(ranges.size());
  for (OpOperand &operand : op->getOpOperands())
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      if (failed(evaluate(expr, point))) // limit_x29
        return op->emitOpError("has an indexing map that is not a sum of multiples of its dimensions");
  if (std::optional<tile::Distribution> spread = tile::getSpreadOf(op))
    return lowerSpread(op, *spread, lowering);
  if (ranges.size() > 1 && !tile::getOrder(op))
    return op->emitOpError("leaves the order of its loops open; run tile-plan-compute");
  if (OpOperand *carried = tile::getCarried(op))
    return lowerPrefix(op, *carried, lowering);
  return lowerPoints(op, /*only=*/nullptr, lowering);
}
