//===- IndexExpr.cpp - Sums of index values with known facts ----*- C++ -*-===//
//
// Facts about sums, and the arithmetic that they become.
//
//===----------------------------------------------------------------------===//

#include "IndexExpr.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
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

/// A number that divides the product, as large as it fits.
static int64_t multiplyDivisor(int64_t divisor, int64_t factor) {
  int64_t product;
  return llvm::MulOverflow(divisor, factor, product) ? factor : product;
}

int64_t IndexBuilder::getDivisor(const IndexExpr &expr) const {
  int64_t divisor = std::abs(expr.constant);
  for (auto [value, factor] : expr.terms)
    divisor = std::gcd(divisor, multiplyDivisor(factsOf(value).divisor, std::abs(factor)));
  return divisor;
}

std::optional<int64_t> IndexBuilder::getMost(const IndexExpr &expr) const {
  int64_t most = expr.constant;
  for (auto [value, factor] : expr.terms) {
    IndexFacts facts = factsOf(value);
    std::optional<int64_t> bound = factor > 0 ? facts.most : facts.least;
    int64_t reach;
    if (!bound || llvm::MulOverflow(*bound, factor, reach) || llvm::AddOverflow(most, reach, most))
      return std::nullopt;
  }
  return most;
}

std::optional<int64_t> IndexBuilder::getLeast(const IndexExpr &expr) const {
  std::optional<int64_t> most = getMost(expr * -1);
  return most ? std::optional<int64_t>(-*most) : std::nullopt;
}

static constexpr int64_t kMostInt = std::numeric_limits<int32_t>::max();

bool IndexBuilder::fitsInt(const IndexExpr &expr) const {
  if (expr.constant < -kMostInt || expr.constant > kMostInt)
    return false;
  int64_t reach = std::abs(expr.constant);
  for (auto [value, factor] : expr.terms) {
    if (!value.getType().isIndex())
      return false;
    IndexFacts facts = factsOf(value);
    int64_t least = facts.least.value_or(-kMostInt), most = facts.most.value_or(kMostInt), term;
    if (llvm::MulOverflow(std::max(std::abs(least), std::abs(most)), std::abs(factor), term) ||
        llvm::AddOverflow(reach, term, reach))
      return false;
  }
  return reach <= kMostInt;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value IndexBuilder::constant(Location loc, int64_t value) {
  if (value < -kMostInt || value > kMostInt)
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value IndexBuilder::widen(Location loc, Value value) {
  if (!value.getType().isIndex())
    return value;
  Type type = builder.getI64Type();
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return arith::ConstantIntOp::create(builder, loc, *number, 64);
  Value wide = arith::IndexCastOp::create(builder, loc, type, value);
  know(wide, factsOf(value));
  return wide;
}

Value IndexBuilder::narrow(Location loc, Value value) {
  if (value.getType().isIndex())
    return value;
  Value result = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value);
  know(result, factsOf(value));
  return result;
}

std::pair<Value, Value> IndexBuilder::unify(Location loc, Value lhs, Value rhs) {
  if (lhs.getType() == rhs.getType())
    return {lhs, rhs};
  return {widen(loc, lhs), widen(loc, rhs)};
}

Value IndexBuilder::compare(Location loc, arith::CmpIPredicate predicate, Value lhs, Value rhs) {
  std::tie(lhs, rhs) = unify(loc, lhs, rhs);
  return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
}

/// A bound times a factor, where it is known and fits.
static std::optional<int64_t> multiply(std::optional<int64_t> bound, int64_t factor) {
  int64_t product;
  return !bound || llvm::MulOverflow(*bound, factor, product) ? std::nullopt : std::optional(product);
}

Value IndexBuilder::mul(Location loc, Value value, int64_t factor) {
  if (factor == 1)
    return value;
  if (IndexExpr product = valueIndex(value, factor); product.terms.empty())
    return constant(loc, product.constant);
  IndexFacts facts = factsOf(value);
  Value product = fitsInt(valueIndex(value, factor))
                      ? arith::MulIOp::create(builder, loc, value, constant(loc, factor))
                      : arith::MulIOp::create(builder, loc, widen(loc, value), arith::ConstantIntOp::create(builder, loc, factor, 64));
  facts.divisor = multiplyDivisor(facts.divisor, std::abs(factor));
  facts.least = multiply(facts.least, factor);
  facts.most = multiply(facts.most, factor);
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
  auto [lhs, rhs] = unify(loc, value, constant(loc, divisor));
  Value quotient = arith::DivSIOp::create(builder, loc, lhs, rhs);
  IndexFacts facts = factsOf(value), result;
  result.divisor = facts.divisor % divisor == 0 ? facts.divisor / divisor : 1;
  if (facts.least && *facts.least >= 0)
    result.least = *facts.least / divisor;
  if (facts.most && *facts.most >= 0)
    result.most = *facts.most / divisor;
  know(quotient, result);
  return result.least && result.most && *result.most <= kMostInt ? narrow(loc, quotient) : quotient;
}

Value IndexBuilder::rem(Location loc, Value value, int64_t divisor) {
  IndexFacts facts = factsOf(value), result;
  if (facts.least && *facts.least >= 0 && facts.most && *facts.most < divisor)
    return value;
  auto [lhs, rhs] = unify(loc, value, constant(loc, divisor));
  Value remainder = arith::RemSIOp::create(builder, loc, lhs, rhs);
  result.divisor = std::gcd(facts.divisor, divisor);
  result.least = 0;
  result.most = divisor - 1;
  know(remainder, result);
  return divisor <= kMostInt ? narrow(loc, remainder) : remainder;
}

Value IndexBuilder::materialize(Location loc, const IndexExpr &expr) {
  // Only the whole sum carries the name of the location.
  Location inner = loc;
  while (auto name = dyn_cast<NameLoc>(inner))
    inner = name.getChildLoc();
  bool isOneTerm = expr.constant == 0 && expr.terms.size() == 1 && expr.terms.front().second == 1;
  if (isOneTerm)
    return expr.terms.front().first;
  if (expr.terms.empty())
    return constant(loc, expr.constant);
  bool narrow = fitsInt(expr);
  auto number = [&](int64_t value) -> Value {
    return narrow ? constant(inner, value) : arith::ConstantIntOp::create(builder, inner, value, 64).getResult();
  };
  Value sum;
  for (auto [value, factor] : expr.terms) {
    Value term = mul(inner, value, std::abs(factor));
    if (!narrow)
      term = widen(inner, term);
    if (sum)
      sum = factor > 0 ? arith::AddIOp::create(builder, inner, sum, term).getResult()
                       : arith::SubIOp::create(builder, inner, sum, term).getResult();
    else
      sum = factor > 0 ? term : arith::SubIOp::create(builder, inner, number(0), term).getResult();
  }
  if (expr.constant > 0)
    sum = arith::AddIOp::create(builder, inner, sum, number(expr.constant)).getResult();
  else if (expr.constant < 0)
    sum = arith::SubIOp::create(builder, inner, sum, number(-expr.constant)).getResult();
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
  // What is taken off moves the limits: the same for many elements, so that compilers keep one number of them and not one of each.
  std::optional<int64_t> fixed = getStatic(extent);
  IndexExpr added = expr, taken;
  for (auto [value, factor] : expr.terms)
    if (factor < 0 && fixed) {
      taken = taken + valueIndex(value, -factor);
      added = added + valueIndex(value, -factor);
    }
  Value condition;
  if (mayBeNegative(expr))
    condition = compare(loc, arith::CmpIPredicate::sge, materialize(loc, added), materialize(loc, taken));
  if (!mayReach(expr, extent))
    return condition;
  Value limit = fixed ? materialize(loc, taken + constantIndex(*fixed)) : cast<Value>(extent);
  Value below = compare(loc, arith::CmpIPredicate::slt, materialize(loc, added), limit);
  return both(loc, condition, below);
}
