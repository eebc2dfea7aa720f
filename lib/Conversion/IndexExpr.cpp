//===- IndexExpr.cpp - Sums of index values with known facts ----*- C++ -*-===//
//
// Facts about sums, and the arithmetic that they become.
//
//===----------------------------------------------------------------------===//

#include "IndexExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;
using namespace tilec;

IndexExpr tilec::constantIndex(int64_t value) {
  IndexExpr expr;
  expr.constant = value;
  return expr;
}

IndexExpr tilec::valueIndex(Value value, int64_t factor) {
  IndexExpr expr;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    expr.constant = constant.getSExtValue() * factor;
  else
    expr.add(value, factor);
  return expr;
}

IndexExpr tilec::operator+(IndexExpr lhs, const IndexExpr &rhs) {
  lhs.add(rhs);
  return lhs;
}

IndexExpr tilec::operator*(IndexExpr lhs, int64_t factor) {
  if (factor == 0)
    return {};
  for (auto &term : lhs.terms)
    term.second *= factor;
  lhs.constant *= factor;
  return lhs;
}

std::optional<int64_t> tilec::getStatic(OpFoldResult extent) { return getConstantIntValue(extent); }

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

int64_t IndexBuilder::getDivisor(const IndexExpr &expr) const {
  int64_t divisor = std::abs(expr.constant);
  for (auto [value, factor] : expr.terms)
    divisor = std::gcd(divisor, std::abs(factor) * factsOf(value).divisor);
  return divisor;
}

std::optional<int64_t> IndexBuilder::getMost(const IndexExpr &expr) const {
  int64_t most = expr.constant;
  for (auto [value, factor] : expr.terms) {
    IndexFacts facts = factsOf(value);
    std::optional<int64_t> bound = factor > 0 ? facts.most : facts.least;
    if (!bound)
      return std::nullopt;
    most += *bound * factor;
  }
  return most;
}

std::optional<int64_t> IndexBuilder::getLeast(const IndexExpr &expr) const {
  std::optional<int64_t> most = getMost(expr * -1);
  return most ? std::optional<int64_t>(-*most) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value IndexBuilder::constant(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value IndexBuilder::mul(Location loc, Value value, int64_t factor) {
  if (factor == 1)
    return value;
  if (factor == 0)
    return constant(loc, 0);
  Value product = arith::MulIOp::create(builder, loc, value, constant(loc, factor));
  IndexFacts facts = factsOf(value);
  facts.divisor *= std::abs(factor);
  if (facts.least)
    *facts.least *= factor;
  if (facts.most)
    *facts.most *= factor;
  facts.below = {};
  if (factor < 0)
    std::swap(facts.least, facts.most);
  know(product, facts);
  products[product] = {value, factor};
  return product;
}

Value IndexBuilder::div(Location loc, Value value, int64_t divisor) {
  if (divisor == 1)
    return value;
  if (auto it = products.find(value); it != products.end() && it->second.second % divisor == 0) {
    auto [base, factor] = it->second;
    return mul(loc, base, factor / divisor);
  }
  Value quotient = arith::DivSIOp::create(builder, loc, value, constant(loc, divisor));
  IndexFacts facts = factsOf(value), result;
  result.divisor = facts.divisor % divisor == 0 ? facts.divisor / divisor : 1;
  if (facts.least && *facts.least >= 0)
    result.least = *facts.least / divisor;
  if (facts.most && *facts.most >= 0)
    result.most = *facts.most / divisor;
  know(quotient, result);
  return quotient;
}

Value IndexBuilder::rem(Location loc, Value value, int64_t divisor) {
  IndexFacts facts = factsOf(value), result;
  if (facts.least && *facts.least >= 0 && facts.most && *facts.most < divisor)
    return value;
  Value remainder = arith::RemSIOp::create(builder, loc, value, constant(loc, divisor));
  result.divisor = std::gcd(facts.divisor, divisor);
  result.least = 0;
  result.most = divisor - 1;
  know(remainder, result);
  return remainder;
}

Value IndexBuilder::materialize(Location loc, const IndexExpr &expr) {
  // Only the whole sum carries the name of the location.
  Location inner = loc;
  while (auto name = dyn_cast<NameLoc>(inner))
    inner = name.getChildLoc();
  Value sum;
  for (auto [value, factor] : expr.terms) {
    Value term = mul(inner, value, std::abs(factor));
    if (sum)
      sum = factor > 0 ? arith::AddIOp::create(builder, inner, sum, term).getResult()
                       : arith::SubIOp::create(builder, inner, sum, term).getResult();
    else
      sum = factor > 0 ? term : arith::SubIOp::create(builder, inner, constant(inner, 0), term).getResult();
  }
  if (!sum)
    return constant(loc, expr.constant);
  if (expr.constant > 0)
    sum = arith::AddIOp::create(builder, inner, sum, constant(inner, expr.constant));
  else if (expr.constant < 0)
    sum = arith::SubIOp::create(builder, inner, sum, constant(inner, -expr.constant));
  bool isOneTerm = expr.constant == 0 && expr.terms.size() == 1 && expr.terms.front().second == 1;
  if (!isOneTerm)
    sum.getDefiningOp()->setLoc(loc);
  return sum;
}

Value IndexBuilder::both(Location loc, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AndIOp::create(builder, loc, lhs, rhs);
}

bool IndexBuilder::mayReach(const IndexExpr &x, OpFoldResult extent) const {
  std::optional<int64_t> fixed = getStatic(extent), most = getMost(x);
  if (fixed && most && *most < *fixed)
    return false;
  // An induction variable alone is below its own loop's extent.
  auto bound = dyn_cast<Value>(extent);
  return !(bound && x.constant <= 0 && x.terms.size() == 1 && x.terms[0].second == 1 && factsOf(x.terms[0].first).below == bound);
}

Value IndexBuilder::isInside(Location loc, const IndexExpr &expr, OpFoldResult extent) {
  Value condition;
  if (mayBeNegative(expr))
    condition = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, materialize(loc, expr), constant(loc, 0));
  if (!mayReach(expr, extent))
    return condition;
  std::optional<int64_t> fixed = getStatic(extent);
  Value limit = fixed ? constant(loc, *fixed) : cast<Value>(extent);
  Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, materialize(loc, expr), limit);
  return both(loc, condition, below);
}
