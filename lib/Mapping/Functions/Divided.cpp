//===- Divided.cpp - Maps that divide by constants --------------*- C++ -*-===//
//
// An element that is read twice along a row lies at d floordiv 2. Of d = 2 q + r the quotient q is a dimension as others are: so the op walks q and r, and arrays
// whose subscript was d alone are read and written as views that have both.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tilec;
using linalg::GenericOp;

namespace {

/// A dimension that becomes two.
struct Parting {
  unsigned dim;
  int64_t divisor;
};

} // namespace

/// The least divisor of a dimension alone in the maps of `op`.
static std::optional<Parting> findParting(GenericOp op) {
  std::optional<Parting> found;
  for (AffineMap map : op.getIndexingMapsArray())
    map.walkExprs([&](AffineExpr expr) {
      auto divided = dyn_cast<AffineBinaryOpExpr>(expr);
      if (!divided || (divided.getKind() != AffineExprKind::FloorDiv && divided.getKind() != AffineExprKind::Mod))
        return;
      auto dim = dyn_cast<AffineDimExpr>(divided.getLHS());
      auto by = dyn_cast<AffineConstantExpr>(divided.getRHS());
      if (dim && by && by.getValue() > 1 && (!found || by.getValue() < found->divisor))
        found = Parting{dim.getPosition(), by.getValue()};
    });
  return found;
}

/// `expr` where dimension `parting.dim` is that times the divisor, and the last of `count` + 1 dimensions is added.
static AffineExpr part(AffineExpr expr, const Parting &parting, unsigned count) {
  MLIRContext *context = expr.getContext();
  AffineExpr quotient = getAffineDimExpr(parting.dim, context), rest = getAffineDimExpr(count, context);
  if (expr == quotient)
    return quotient * parting.divisor + rest;
  auto both = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!both)
    return expr;
  auto by = dyn_cast<AffineConstantExpr>(both.getRHS());
  bool divides = both.getKind() == AffineExprKind::FloorDiv || both.getKind() == AffineExprKind::Mod;
  if (divides && both.getLHS() == quotient && by && by.getValue() % parting.divisor == 0) {
    int64_t factor = by.getValue() / parting.divisor;
    if (both.getKind() == AffineExprKind::FloorDiv)
      return factor == 1 ? quotient : quotient.floorDiv(factor);
    return factor == 1 ? rest : (quotient % factor) * parting.divisor + rest;
  }
  return getAffineBinaryOpExpr(both.getKind(), part(both.getLHS(), parting, count), part(both.getRHS(), parting, count));
}

/// The dimensions of an array of rank `rank`, of which dimension `parted` is two.
static SmallVector<ReassociationIndices> getGroups(unsigned rank, unsigned parted) {
  SmallVector<ReassociationIndices> groups;
  for (unsigned dim = 0, next = 0; dim < rank; ++dim) {
    groups.push_back({next++});
    if (dim == parted)
      groups.back().push_back(next++);
  }
  return groups;
}

/// `array` as a view in which dimension `dim` is two.
static Value expand(OpBuilder &b, Location loc, Value array, unsigned dim, int64_t divisor) {
  auto type = cast<RankedTensorType>(array.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= divisor;
  shape.insert(shape.begin() + dim + 1, divisor);
  return tensor::ExpandShapeOp::create(b, loc, RankedTensorType::get(shape, type.getElementType()), array, getGroups(type.getRank(), dim));
}

/// Parts a dimension of `op`; the op that takes its place, null where none is parted.
static GenericOp partDimension(GenericOp op) {
  std::optional<Parting> parting = findParting(op);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (!parting || ShapedType::isDynamic(ranges[parting->dim]) || ranges[parting->dim] % parting->divisor != 0)
    return GenericOp();
  unsigned count = op.getNumLoops();
  MLIRContext *context = op.getContext();
  AffineExpr whole = getAffineDimExpr(parting->dim, context);
  OpBuilder b(op);
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  SmallVector<std::optional<unsigned>> expanded;
  for (OpOperand &operand : op->getOpOperands()) {
    Value array = operand.get();
    SmallVector<AffineExpr> exprs;
    std::optional<unsigned> parted;
    auto type = dyn_cast<RankedTensorType>(array.getType());
    for (auto [dim, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      if (expr == whole && type && type.hasStaticShape() && !parted) {
        parted = dim;
        exprs.append({whole, getAffineDimExpr(count, context)});
      } else {
        exprs.push_back(part(expr, *parting, count));
      }
    }
    if (op.isDpsInit(&operand) && !parted && op.getMatchingIndexingMap(&operand).isFunctionOfDim(parting->dim))
      return GenericOp();
    operands.push_back(parted ? expand(b, op.getLoc(), array, *parted, parting->divisor) : array);
    maps.push_back(AffineMap::get(count + 1, 0, exprs, context));
    expanded.push_back(parted);
  }
  unsigned inputs = op.getNumDpsInputs();
  ArrayRef<Value> all = operands;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.push_back(iterators[parting->dim]);
  SmallVector<Type> results = llvm::map_to_vector(all.drop_front(inputs), [](Value init) { return init.getType(); });
  auto made = GenericOp::create(b, op.getLoc(), results, all.take_front(inputs), all.drop_front(inputs), maps, iterators);
  made.getRegion().takeBody(op.getRegion());
  for (auto index : llvm::make_early_inc_range(made.getBody()->getOps<linalg::IndexOp>())) {
    if (index.getDim() != parting->dim)
      continue;
    OpBuilder inside(index);
    inside.setInsertionPointAfter(index);
    Value divisor = arith::ConstantIndexOp::create(inside, index.getLoc(), parting->divisor), rest = linalg::IndexOp::create(inside, index.getLoc(), count);
    Operation *multiplied = arith::MulIOp::create(inside, index.getLoc(), index, divisor);
    Value sum = arith::AddIOp::create(inside, index.getLoc(), multiplied->getResult(0), rest);
    index.getResult().replaceAllUsesExcept(sum, multiplied);
  }
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    Value value = made->getResult(number);
    if (std::optional<unsigned> parted = expanded[inputs + number]) {
      auto type = cast<RankedTensorType>(result.getType());
      value = tensor::CollapseShapeOp::create(b, op.getLoc(), type, value, getGroups(type.getRank(), *parted));
    }
    result.replaceAllUsesWith(value);
  }
  op.erase();
  return made;
}

void mapping::partDivided(ModuleOp module) {
  SmallVector<GenericOp> ops;
  module.walk([&](GenericOp op) { ops.push_back(op); });
  for (GenericOp op : ops)
    while (op && op.hasPureTensorSemantics())
      op = partDimension(op);
}
