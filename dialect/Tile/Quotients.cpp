//===- Quotients.cpp - Divided sums of induction variables ------*- C++ -*-===//
//
// Subscripts may be quotients and remainders by constants (docs/language.md, 4.1).
//
//===----------------------------------------------------------------------===//

#include "Bounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;

/// So many divisions may stand in one another: what is written by hand has two.
static constexpr unsigned kMostNested = 4;

static std::optional<Quotient> getQuotient(Value value, unsigned nested);

/// The bounds of one value, either of which may be unknown.
namespace {
struct ValueBounds {
  std::optional<int64_t> least, most;
};
} // namespace

static ValueBounds getBounds(const LinearExpr &sum, unsigned nested);

static ValueBounds getBounds(Value value, unsigned nested) {
  if (std::optional<InductionVar> iv = getInductionVar(value)) {
    std::optional<int64_t> count = iv->loop.getStaticCount(iv->number);
    int64_t last;
    if (!count || llvm::MulOverflow(std::max<int64_t>(*count - 1, 0), iv->loop.getSteps()[iv->number], last))
      return {0, std::nullopt};
    return {0, last};
  }
  if (isa<BlockArgument>(value))
    return {0, std::nullopt}; // A size.
  std::optional<Quotient> quotient = getQuotient(value, nested);
  if (!quotient)
    return {};
  ValueBounds whole = getBounds(quotient->sum, nested);
  int64_t divisor = quotient->divisor;
  if (quotient->isRemainder) {
    bool isOne = whole.least && whole.most && *whole.least / divisor == *whole.most / divisor;
    return isOne ? ValueBounds{*whole.least % divisor, *whole.most % divisor} : ValueBounds{0, divisor - 1};
  }
  return {*whole.least / divisor, whole.most ? std::optional(*whole.most / divisor) : std::nullopt};
}

static ValueBounds getBounds(const LinearExpr &sum, unsigned nested) {
  ValueBounds bounds{sum.constant, sum.constant};
  auto add = [](std::optional<int64_t> &bound, std::optional<int64_t> of, int64_t factor) {
    int64_t product;
    if (!bound || !of || llvm::MulOverflow(*of, factor, product) || llvm::AddOverflow(*bound, product, *bound))
      bound = std::nullopt;
  };
  for (auto [value, factor] : sum.terms) {
    ValueBounds own = getBounds(value, nested);
    add(bounds.least, factor > 0 ? own.least : own.most, factor);
    add(bounds.most, factor > 0 ? own.most : own.least, factor);
  }
  return bounds;
}

static std::optional<Quotient> getQuotient(Value value, unsigned nested) {
  Operation *op = value.getDefiningOp();
  APInt divisor;
  if (nested == kMostNested || !value.getType().isIndex() || !isa_and_present<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) || divisor.getSExtValue() <= 0)
    return std::nullopt;
  Quotient quotient{getIndexSum(op->getOperand(0)), divisor.getSExtValue(), isa<arith::RemSIOp, arith::RemUIOp>(op)};
  if (getBounds(quotient.sum, nested + 1).least.value_or(-1) < 0)
    return std::nullopt;
  return quotient;
}

std::optional<Quotient> tilec::tile::getQuotient(Value value) { return ::getQuotient(value, 0); }

std::optional<SumBounds> tilec::tile::getSumBounds(const LinearExpr &sum) {
  ValueBounds bounds = getBounds(sum, 0);
  return bounds.least && bounds.most ? std::optional(SumBounds{*bounds.least, *bounds.most}) : std::nullopt;
}

int64_t ScaledVar::getStep() const { return ForOp(iv.loop).getSteps()[iv.number] / divisor; }

std::optional<ScaledVar> tilec::tile::getScaledVar(Value value) {
  if (std::optional<InductionVar> iv = getInductionVar(value))
    return ScaledVar{*iv, 1};
  std::optional<Quotient> quotient = getQuotient(value);
  if (!quotient || quotient->isRemainder || quotient->sum.constant != 0 || quotient->sum.terms.size() != 1 || quotient->sum.terms.front().second != 1)
    return std::nullopt;
  std::optional<InductionVar> iv = getInductionVar(quotient->sum.terms.front().first);
  if (!iv || iv->loop.getSteps()[iv->number] % quotient->divisor != 0)
    return std::nullopt;
  return ScaledVar{*iv, quotient->divisor};
}
