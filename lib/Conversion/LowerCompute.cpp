//===- LowerCompute.cpp - linalg on tiles -----------------------*- C++ -*-===//
//
// A computation becomes loops over its iteration space, whatever its maps and
// region are. Points that an operand does not have are left out, unless filled
// zeros leave the result as it is.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// Absent elements
//===----------------------------------------------------------------------===//

namespace {
/// What is known of a value of the region when all inputs along a reduction are absent and read as zero.
enum class Absent { Zero, Accumulator, Unknown };
} // namespace

/// Is acc left as it is when the inputs that `dim` moves are zero? The others may be anything, NaN
/// and infinity included, so a product is zero only where both factors are.
static bool zeroIsNeutral(linalg::LinalgOp op, unsigned dim) {
  llvm::DenseMap<Value, Absent> known;
  Block *body = op.getBlock();
  for (OpOperand &operand : op->getOpOperands()) {
    Value argument = op.getMatchingBlockArgument(&operand);
    if (op.isDpsInit(&operand))
      known[argument] = Absent::Accumulator;
    else
      known[argument] = op.getMatchingIndexingMap(&operand).isFunctionOfDim(dim) ? Absent::Zero : Absent::Unknown;
  }
  auto of = [&](Value value) {
    auto it = known.find(value);
    return it == known.end() ? Absent::Unknown : it->second;
  };
  for (Operation &inner : body->without_terminator()) {
    Absent result = Absent::Unknown;
    if (isa<arith::MulFOp, arith::MulIOp>(inner)) {
      if (of(inner.getOperand(0)) == Absent::Zero && of(inner.getOperand(1)) == Absent::Zero)
        result = Absent::Zero;
    } else if (isa<arith::AddFOp, arith::AddIOp>(inner)) {
      Absent lhs = of(inner.getOperand(0)), rhs = of(inner.getOperand(1));
      if (rhs == Absent::Zero)
        result = lhs;
      else if (lhs == Absent::Zero)
        result = rhs;
    } else if (isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp, arith::UIToFPOp>(inner)) {
      if (of(inner.getOperand(0)) == Absent::Zero)
        result = Absent::Zero;
    }
    for (Value value : inner.getResults())
      known[value] = result;
  }
  return llvm::all_of(llvm::enumerate(body->getTerminator()->getOperands()), [&](auto yielded) {
    Value argument = op.getMatchingBlockArgument(op.getDpsInitOperand(yielded.index()));
    return of(yielded.value()) == Absent::Accumulator && argument;
  });
}

/// The condition under which the point takes part; null where it always does.
Value KernelLowering::getGuard(linalg::LinalgOp op, ArrayRef<IndexExpr> point) {
  Location loc = unnamed(op.getLoc());
  Value guard;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    Coordinates offsets = operandOffsets(op, operand, point);
    tile::Access inPlace = tile::traceParts(operand.get());
    if (isa<BlockArgument>(inPlace.root)) { // Read or written where it lies.
      guard = index.both(loc, guard, isPresent(loc, inPlace.root, rootCoordinates(inPlace, offsets)));
      continue;
    }
    tile::Access source = tile::traceToOperand(operand.get());
    auto stage = inPlace.root.getDefiningOp<tile::StageOp>();
    if (op.isDpsInit(&operand) || !isa<BlockArgument>(source.root) || !stage)
      continue;
    // Staged: absent elements read as zero. Along a reduction they must not count.
    while (auto outer = tile::traceParts(stage.getSource()).root.getDefiningOp<tile::StageOp>())
      stage = outer;
    if (stage.getPad()) // They have a value then.
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Coordinates coordinates = rootCoordinates(source, offsets);
    unsigned argument = cast<BlockArgument>(source.root).getArgNumber();
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      for (unsigned loop = 0; loop < iterators.size(); ++loop)
        if (iterators[loop] == utils::IteratorType::reduction && expr.isFunctionOfDim(loop) && !zeroIsNeutral(op, loop)) {
          guard = index.both(loc, guard,
                             index.isInside(loc, coordinates[dim], mapExtent(kernel.getOperandExtent(argument, dim))));
          break;
        }
  }
  return guard;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// An indexing expression at a point; fails for what is no sum.
static FailureOr<IndexExpr> evaluate(AffineExpr expr, ArrayRef<IndexExpr> point) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constantIndex(constant.getValue());
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

KernelLowering::Coordinates KernelLowering::operandOffsets(linalg::LinalgOp op, OpOperand &operand,
                                                           ArrayRef<IndexExpr> point) {
  Coordinates offsets;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
    offsets.push_back(*evaluate(expr, point)); // lowerCompute has tried it.
  return offsets;
}

KernelLowering::Coordinates KernelLowering::rootCoordinates(const tile::Access &access, const Coordinates &offsets) {
  Coordinates coordinates;
  for (auto [sum, offset] : llvm::zip_equal(access.subscripts, offsets))
    coordinates.push_back(mapSum(sum) + offset);
  return coordinates;
}

FailureOr<Value> KernelLowering::loadOperand(OpOperand &operand, const Coordinates &offsets) {
  Location loc = unnamed(operand.getOwner()->getLoc());
  tile::Access access = tile::traceParts(operand.get());
  auto type = cast<MemRefType>(operand.get().getType());
  if (auto tile = registers.find(access.root); tile != registers.end()) {
    FailureOr<Indices> indices = registerIndices(operand.getOwner(), tile->second, access, type, offsets);
    if (failed(indices))
      return failure();
    return memref::LoadOp::create(b, loc, tile->second.array, *indices).getResult();
  }
  Coordinates coordinates = rootCoordinates(access, offsets);
  if (auto tile = shared.find(access.root); tile != shared.end()) {
    Value address = index.materialize(loc, sharedAddress(loc, tile->second, coordinates));
    return kernel::LdsOp::create(b, loc, type.getElementType(), tile->second.buffer, address).getResult();
  }
  // Inside of the guard the element is present.
  Value address = globalAddress(loc, access.root, coordinates);
  return kernel::LdgOp::create(b, loc, type.getElementType(), values.lookup(access.root), address).getResult();
}

LogicalResult KernelLowering::storeOperand(OpOperand &operand, const Coordinates &offsets, Value value) {
  Location loc = unnamed(operand.getOwner()->getLoc());
  tile::Access access = tile::traceParts(operand.get());
  if (auto tile = registers.find(access.root); tile != registers.end()) {
    FailureOr<Indices> indices = registerIndices(operand.getOwner(), tile->second, access,
                                                 cast<MemRefType>(operand.get().getType()), offsets);
    if (failed(indices))
      return failure();
    memref::StoreOp::create(b, loc, value, tile->second.array, *indices);
    return success();
  }
  Coordinates coordinates = rootCoordinates(access, offsets);
  if (auto tile = shared.find(access.root); tile != shared.end()) {
    Value address = index.materialize(loc, sharedAddress(loc, tile->second, coordinates));
    kernel::StsOp::create(b, loc, tile->second.buffer, address, value);
    return success();
  }
  kernel::StgOp::create(b, loc, values.lookup(access.root), globalAddress(loc, access.root, coordinates), value);
  return success();
}

//===----------------------------------------------------------------------===//
// The computation
//===----------------------------------------------------------------------===//

SmallVector<Value> KernelLowering::cloneBody(linalg::LinalgOp op, ArrayRef<IndexExpr> point) {
  IRMapping body = values;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!values.contains(argument) && !isa<MemRefType>(operand.get().getType()))
      body.map(argument, values.lookup(operand.get()));
  }
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (auto number = dyn_cast<linalg::IndexOp>(inner))
      body.map(number.getResult(), index.materialize(inner.getLoc(), point[number.getDim()]));
    else
      b.clone(inner, body)->setLoc(unnamed(inner.getLoc()));
  }
  SmallVector<Value> results;
  for (Value yielded : op.getBlock()->getTerminator()->getOperands())
    results.push_back(body.lookupOrDefault(yielded));
  return results;
}

LogicalResult KernelLowering::lowerPoint(linalg::LinalgOp op, ArrayRef<IndexExpr> point) {
  OpBuilder::InsertionGuard insertion(b);
  if (Value guard = getGuard(op, point)) {
    auto condition = scf::IfOp::create(b, unnamed(op.getLoc()), guard, /*withElseRegion=*/false);
    b.setInsertionPoint(condition.thenBlock()->getTerminator());
  }
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty() || !isa<MemRefType>(operand.get().getType()))
      continue;
    FailureOr<Value> element = loadOperand(operand, operandOffsets(op, operand, point));
    if (failed(element))
      return failure();
    values.map(argument, *element);
  }
  SmallVector<Value> results = cloneBody(op, point);
  for (auto [init, result] : llvm::zip_equal(op.getDpsInitsMutable(), results))
    if (failed(storeOperand(init, operandOffsets(op, init, point), result)))
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
  return op->emitOpError("computes outside of a loop on thread in a block of ")
         << blockThreads << " threads; put it inside of one that says who computes what";
}

LogicalResult KernelLowering::lowerCompute(linalg::LinalgOp op) {
  if (op->getNumResults() != 0)
    return op->emitOpError("needs memref operands");
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (llvm::any_of(ranges, ShapedType::isDynamic))
    return op->emitOpError("needs tiles of static shape");
  bool onlyRegisters = llvm::all_of(op.getDpsInits(), [&](Value init) {
    return registers.contains(tile::traceParts(init).root);
  });
  if (!onlyRegisters && failed(checkScope(op, blockThreads)))
    return failure();
  SmallVector<IndexExpr> point(ranges.size());
  for (OpOperand &operand : op->getOpOperands())
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      if (failed(evaluate(expr, point)))
        return op->emitOpError("has an indexing map that is not a sum of multiples of its dimensions");
  static const char *const names[] = {"i", "j", "p", "q", "r", "s"};
  LogicalResult result = success();
  std::function<void(unsigned)> nest = [&](unsigned dim) {
    if (failed(result))
      return;
    if (dim == ranges.size()) {
      result = lowerPoint(op, point);
      return;
    }
    countedLoop(unnamed(op.getLoc()), names[std::min<size_t>(dim, std::size(names) - 1)], ranges[dim], 1, /*unrolled=*/false,
                [&](const IndexExpr &i) {
                  point[dim] = i;
                  nest(dim + 1);
                });
  };
  nest(0);
  return result;
}
