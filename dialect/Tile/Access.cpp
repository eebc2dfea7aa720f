//===- Access.cpp - Where a tile's elements lie -----------------*- C++ -*-===//
//
// Sums of induction variables, and the way from a part to its root.
//
//===----------------------------------------------------------------------===//

#include "Bounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
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

void LinearExpr::add(const LinearExpr &other, int64_t times) {
  for (auto [value, factor] : other.terms)
    add(value, factor * times);
  constant += other.constant * times;
}

int64_t LinearExpr::factorOf(Value value) const {
  const auto *known = llvm::find_if(terms, [&](const auto &term) { return term.first == value; });
  return known == terms.end() ? 0 : known->second;
}

bool LinearExpr::operator==(const LinearExpr &other) const {
  auto isOf = [&](const auto &term) { return other.factorOf(term.first) == term.second; };
  return constant == other.constant && terms.size() == other.terms.size() && llvm::all_of(terms, isOf);
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
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return getIndexSum(operands[dim.getPosition()]);
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

/// What `op`, on sums that are known, makes; nothing for other arithmetic, and for numbers that do not fit.
static std::optional<LinearExpr> combine(Operation *op, const DenseMap<Value, LinearExpr> &known) {
  auto times = [](LinearExpr sum, int64_t factor) -> std::optional<LinearExpr> {
    if (factor == 0)
      return LinearExpr();
    for (auto &[value, own] : sum.terms)
      if (llvm::MulOverflow(own, factor, own) || !fits(own))
        return std::nullopt;
    return llvm::MulOverflow(sum.constant, factor, sum.constant) || !fits(sum.constant) ? std::nullopt : std::optional(sum);
  };
  auto of = [&](unsigned operand) { return known.lookup(op->getOperand(operand)); };
  std::optional<LinearExpr> sum;
  APInt number;
  if (matchPattern(op, m_ConstantInt(&number))) {
    sum.emplace().constant = number.getSExtValue();
  } else if (isa<arith::AddIOp>(op)) {
    sum = of(0);
    sum->add(of(1));
  } else if (isa<arith::SubIOp>(op)) {
    sum = times(of(1), -1);
    if (sum)
      sum->add(of(0));
  } else if (isa<arith::MulIOp>(op) && of(1).terms.empty()) {
    sum = times(of(0), of(1).constant);
  } else if (isa<arith::MulIOp>(op) && of(0).terms.empty()) {
    sum = times(of(1), of(0).constant);
  }
  bool whole = sum && fits(sum->constant) && llvm::all_of(sum->terms, [](const auto &term) { return fits(term.second); });
  return whole ? sum : std::nullopt;
}

LinearExpr tilec::tile::getIndexSum(Value value) {
  if (isa<BlockArgument>(value)) {
    LinearExpr sum;
    sum.add(value, 1);
    return sum;
  }
  DenseMap<Value, LinearExpr> known;
  SmallVector<Value> open = {value};
  while (!open.empty()) {
    Value next = open.back();
    Operation *op = next.getDefiningOp();
    bool adds = op && next.getType().isIndex() && isa<arith::ConstantOp, arith::AddIOp, arith::SubIOp, arith::MulIOp>(op);
    size_t before = open.size();
    if (adds)
      llvm::copy_if(op->getOperands(), std::back_inserter(open), [&](Value operand) { return !known.contains(operand); });
    if (open.size() > before)
      continue;
    open.pop_back();
    std::optional<LinearExpr> sum = adds ? combine(op, known) : std::nullopt;
    if (!sum)
      sum.emplace().add(next, 1);
    known[next] = std::move(*sum);
  }
  return known.lookup(value);
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
    access.gather = getGather(stage); // Nothing is between the operand and such a stage.
  }
  return access;
}

Access tilec::tile::getSourceAccess(StageOp stage) {
  Access access = traceParts(stage.getSource());
  addSubscripts(access, stage.getMap(), stage.getOperands_());
  access.gather = getGather(stage);
  return access;
}

Access tilec::tile::getDestAccess(StoreOp store) {
  Access access = traceParts(store.getDest());
  addSubscripts(access, store.getMap(), store.getOperands_());
  access.gather = getGather(store);
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
    if (std::optional<ScaledVar> scaled = getScaledVar(value))
      divisor = addToDivisor(divisor, scaled->iv.loop, scaled->iv.number, scaled->getStep(), factor);
    else
      divisor = std::gcd(divisor, std::abs(factor));
  }
  return divisor;
}

Access tilec::tile::traceParts(Value memref) { return trace(memref, /*throughStages=*/false); }
Access tilec::tile::traceToOperand(Value memref) { return trace(memref, /*throughStages=*/true); }
