//===- ExpandDivisions.cpp - Subscripts that divide -------------*- C++ -*-===//
//
// `%A[%i floordiv 4]` is read as `%A[%q]` where arithmetic makes %q of %i: what is
// divided is a value like others then (Quotients.cpp).
//
//===----------------------------------------------------------------------===//

#include "Bounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

#include <numeric>

using namespace mlir;
using namespace tilec::tile;

bool tilec::tile::isDivision(AffineExpr expr) {
  return llvm::is_contained({AffineExprKind::FloorDiv, AffineExprKind::CeilDiv, AffineExprKind::Mod}, expr.getKind());
}

namespace {
/// Makes values ahead of one op, and counts them as its operands.
class Expander {
public:
  Expander(Operation *op, ValueRange operands) : builder(op), loc(op->getLoc()), operands(operands.begin(), operands.end()) {}

  /// The same sum, of further operands where `expr` divides.
  AffineExpr expand(AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return expr;
    AffineExpr lhs = expand(binary.getLHS()), rhs = expand(binary.getRHS());
    auto divisor = dyn_cast<AffineConstantExpr>(rhs);
    if (!isDivision(expr) || !divisor)
      return getAffineBinaryOpExpr(expr.getKind(), lhs, rhs);
    if (expr.getKind() == AffineExprKind::CeilDiv)
      lhs = lhs + (divisor.getValue() - 1);
    Value dividend = makeValue(lhs), by = makeNumber(divisor.getValue());
    operands.push_back(expr.getKind() == AffineExprKind::Mod ? arith::RemSIOp::create(builder, loc, dividend, by).getResult()
                                                              : arith::DivSIOp::create(builder, loc, dividend, by).getResult());
    return builder.getAffineDimExpr(operands.size() - 1);
  }

  ArrayRef<Value> getOperands() const { return operands; }

private:
  Value makeNumber(int64_t number) { return arith::ConstantIndexOp::create(builder, loc, number); }

  /// A sum that no longer divides.
  Value makeValue(AffineExpr expr) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return makeNumber(constant.getValue());
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return operands[dim.getPosition()];
    auto binary = cast<AffineBinaryOpExpr>(expr);
    Value lhs = makeValue(binary.getLHS()), rhs = makeValue(binary.getRHS());
    return expr.getKind() == AffineExprKind::Add ? arith::AddIOp::create(builder, loc, lhs, rhs).getResult()
                                                 : arith::MulIOp::create(builder, loc, lhs, rhs).getResult();
  }

  OpBuilder builder;
  Location loc;
  SmallVector<Value> operands;
};
} // namespace

/// Are operands where the op's type says? Ops are not verified yet.
template <typename Op>
static bool isWellFormed(Op op) {
  if (!op.getMapAttr())
    return false;
  if constexpr (std::is_same_v<Op, PartOp>) {
    return op->getNumOperands() > 0;
  } else {
    ArrayRef<int32_t> sizes = op.getProperties().operandSegmentSizes;
    return llvm::all_of(sizes, [](int32_t size) { return size >= 0; }) && std::accumulate(sizes.begin(), sizes.end(), int64_t(0)) == op->getNumOperands();
  }
}

template <typename Op>
static void expand(Op op) {
  if (!isWellFormed(op) || !llvm::all_of(op.getOperands_(), [](Value value) { return value.getType().isIndex(); }))
    return;
  AffineMap map = op.getMap();
  // Others are refused when the op is verified.
  auto isOfConstants = [](AffineExpr expr) {
    auto divisor = isDivision(expr) ? dyn_cast<AffineConstantExpr>(cast<AffineBinaryOpExpr>(expr).getRHS()) : AffineConstantExpr();
    return !isDivision(expr) || (divisor && divisor.getValue() > 0);
  };
  bool divides = false, isKnown = map.getNumSymbols() == 0 && map.getNumInputs() == op.getOperands_().size();
  map.walkExprs([&](AffineExpr expr) {
    isKnown &= isOfConstants(expr);
    divides |= isDivision(expr);
  });
  if (!divides || !isKnown)
    return;
  Expander expander(op, op.getOperands_());
  SmallVector<AffineExpr> results = llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) { return expander.expand(expr); });
  op.setMap(AffineMap::get(expander.getOperands().size(), 0, results, op.getContext()));
  op.getOperands_Mutable().assign(expander.getOperands());
}

void tilec::tile::expandDivisions(Operation *root) {
  root->walk([](Operation *op) {
    if (auto stage = dyn_cast<StageOp>(op))
      expand(stage);
    else if (auto part = dyn_cast<PartOp>(op))
      expand(part);
    else if (auto store = dyn_cast<StoreOp>(op))
      expand(store);
  });
}
