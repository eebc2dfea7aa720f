//===- Access.cpp - Where a tile's elements lie -----------------*- C++ -*-===//
//
// Sums of induction variables, and the way from a part to its root.
//
//===----------------------------------------------------------------------===//

#include "Bounds.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tilec::tile;

void LinearExpr::add(Value value, int64_t factor) {
  if (factor == 0)
    return;
  auto *known = llvm::find_if(terms, [&](const auto &term) { return term.first == value; });
  if (known == terms.end())
    terms.emplace_back(value, factor);
  else if ((known->second += factor) == 0)
    terms.erase(known);
}

void LinearExpr::add(const LinearExpr &other) {
  for (auto [value, factor] : other.terms)
    add(value, factor);
  constant += other.constant;
}

int64_t LinearExpr::factorOf(Value value) const {
  const auto *known = llvm::find_if(terms, [&](const auto &term) { return term.first == value; });
  return known == terms.end() ? 0 : known->second;
}

/// Numbers beyond any memory are refused, so that sums along chains of parts never overflow.
static bool fits(int64_t number) {
  constexpr int64_t kLimit = static_cast<int64_t>(1) << 48;
  return -kLimit < number && number < kLimit;
}

FailureOr<LinearExpr> tilec::tile::getLinearExpr(AffineExpr expr, ValueRange operands) {
  LinearExpr sum;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    sum.constant = constant.getValue();
    if (!fits(sum.constant))
      return failure();
    return sum;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    sum.add(operands[dim.getPosition()], 1);
    return sum;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return failure();
  FailureOr<LinearExpr> lhs = getLinearExpr(binary.getLHS(), operands), rhs = getLinearExpr(binary.getRHS(), operands);
  if (failed(lhs) || failed(rhs))
    return failure();
  if (expr.getKind() == AffineExprKind::Add) {
    lhs->add(*rhs);
    if (!fits(lhs->constant) || !llvm::all_of(lhs->terms, [](const auto &term) { return fits(term.second); }))
      return failure();
    return lhs;
  }
  // A product with a constant, which an AffineExpr keeps on the right.
  if (expr.getKind() != AffineExprKind::Mul || !rhs->terms.empty())
    return failure();
  for (auto &[value, factor] : lhs->terms)
    if (llvm::MulOverflow(factor, rhs->constant, factor) || !fits(factor))
      return failure();
  if (llvm::MulOverflow(lhs->constant, rhs->constant, lhs->constant) || !fits(lhs->constant))
    return failure();
  if (rhs->constant == 0)
    lhs->terms.clear();
  return lhs;
}

static void addSubscripts(Access &access, AffineMap map, ValueRange operands) {
  for (auto [sum, expr] : llvm::zip_equal(access.subscripts, map.getResults()))
    sum.add(*getLinearExpr(expr, operands));
}

static Access trace(Value memref, bool throughStages) {
  Access access{memref, {}};
  if (auto type = dyn_cast<MemRefType>(memref.getType())) // A linalg input may be a scalar.
    access.subscripts.resize(type.getRank());
  while (Operation *def = access.root.getDefiningOp()) {
    if (auto part = dyn_cast<PartOp>(def)) {
      addSubscripts(access, part.getMap(), part.getOperands_());
      access.root = part.getSource();
      continue;
    }
    auto stage = dyn_cast<StageOp>(def);
    if (!stage || !throughStages)
      break;
    addSubscripts(access, stage.getMap(), stage.getOperands_());
    access.root = stage.getSource();
  }
  return access;
}

Access tilec::tile::getSourceAccess(StageOp stage) {
  Access access = traceParts(stage.getSource());
  addSubscripts(access, stage.getMap(), stage.getOperands_());
  return access;
}

Access tilec::tile::getDestAccess(StoreOp store) {
  Access access = traceParts(store.getDest());
  addSubscripts(access, store.getMap(), store.getOperands_());
  return access;
}

/// A divisor of the product: all of it, or its power of two where it does not fit.
static int64_t multiply(int64_t factor, int64_t step) {
  int64_t product;
  return llvm::MulOverflow(factor, step, product) ? int64_t(1) << std::min(llvm::countr_zero(static_cast<uint64_t>(factor)) +
                                                                           llvm::countr_zero(static_cast<uint64_t>(step)), 62)
                                                  : product;
}

int64_t tilec::tile::addToDivisor(int64_t divisor, ForOp loop, unsigned number, int64_t step, int64_t factor) {
  if (loop.getStaticCount(number) == 1) // It is 0.
    return divisor;
  return std::gcd(divisor, multiply(std::abs(factor), step));
}

int64_t tilec::tile::getDivisor(const LinearExpr &sum) {
  int64_t divisor = std::abs(sum.constant);
  for (auto [value, factor] : sum.terms) {
    if (std::optional<InductionVar> iv = getInductionVar(value))
      divisor = addToDivisor(divisor, iv->loop, iv->number, iv->loop.getSteps()[iv->number], factor);
    else
      divisor = std::gcd(divisor, std::abs(factor));
  }
  return divisor;
}

Access tilec::tile::traceParts(Value memref) { return trace(memref, /*throughStages=*/false); }
Access tilec::tile::traceToOperand(Value memref) { return trace(memref, /*throughStages=*/true); }
