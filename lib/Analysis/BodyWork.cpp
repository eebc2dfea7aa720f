//===- BodyWork.cpp - Instructions of a computation's body -------*- C++ -*-===//

#include "tilec/Analysis/BodyWork.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Analysis/ScalarBody.h"
#include "tilec/Tile/ScalarOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

/// What is computed with in f32, as it has no arithmetic of its own.
static bool isNarrow(Value value) {
  return isa<FloatType>(value.getType()) && value.getType().getIntOrFloatBitWidth() < 32 && !matchPattern(value, m_Constant());
}

/// What takes no instruction, or goes with one that is counted: numbers, changes of width, a product that one sum takes.
static bool isFree(Operation &op) {
  if (op.hasTrait<OpTrait::ConstantLike>() || isa<linalg::YieldOp, linalg::IndexOp, arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
                                                  arith::IndexCastOp, arith::IndexCastUIOp, arith::NegFOp, math::AbsFOp>(op))
    return true;
  return isa<arith::MulFOp, arith::MulIOp>(op) && !isNarrow(op.getResult(0)) && op.hasOneUse() && isa<arith::AddFOp, arith::SubFOp, arith::AddIOp>(*op.user_begin());
}

/// Is `value` the same at all points that a thread computes one after the other? What has fewer dimensions than the computation
/// mostly is.
static bool isKept(linalg::LinalgOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return matchPattern(value, m_Constant());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray(); // Numbers of loops are further arguments.
  return argument.getArgNumber() < maps.size() && maps[argument.getArgNumber()].getNumResults() < op.getNumLoops();
}

/// Quotients of narrow numbers by one number are products with its reciprocal.
static bool isProduct(linalg::LinalgOp op, Operation &inner) { return isa<arith::DivFOp>(inner) && isNarrow(inner.getResult(0)) && isKept(op, inner.getOperand(1)); }

static const SourcedReal *findFunction(linalg::LinalgOp whole, Operation &op, const CompilerFunctions &functions) {
  if (isa<math::ExpOp>(op) && isNarrow(op.getResult(0)))
    return &functions.expNarrow;
  if (tile::isFlushed(&op)) // One instruction, as others are.
    return nullptr;
  if (isProduct(whole, op))
    return &functions.divideKept;
  return llvm::TypeSwitch<Operation *, const SourcedReal *>(&op)
      .Case<arith::DivFOp>([&](auto) { return &functions.divide; })
      .Case<arith::RemFOp>([&](auto) { return &functions.remainder; })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>([&](auto) { return &functions.integerDivide; })
      .Case<math::SqrtOp>([&](auto) { return &functions.sqrt; })
      .Case<math::RsqrtOp>([&](auto) { return &functions.rsqrt; })
      .Case<math::ExpOp>([&](auto) { return &functions.exp; })
      .Case<math::Exp2Op>([&](auto) { return &functions.exp2; })
      .Case<math::ExpM1Op>([&](auto) { return &functions.expm1; })
      .Case<math::LogOp, math::Log2Op, math::Log1pOp>([&](auto) { return &functions.log; })
      .Case<math::PowFOp>([&](auto) { return &functions.pow; })
      .Case<math::SinOp, math::CosOp>([&](auto) { return &functions.sin; })
      .Case<math::TanhOp>([&](auto) { return &functions.tanh; })
      .Case<math::ErfOp>([&](auto) { return &functions.erf; })
      .Default([](Operation *) { return nullptr; });
}

/// Does something compute with `value`, and not only hand it on?
static bool isComputedWith(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) { return !isa<linalg::YieldOp>(user); });
}

/// Narrow numbers that a point converts to f32: those it is given, but for the sum that it adds to, which stays f32.
static int64_t countWidened(linalg::LinalgOp op, Block &body) {
  return llvm::count_if(body.getArguments(), [&](BlockArgument argument) {
    bool isSum = argument.getArgNumber() >= op.getNumDpsInputs() && op.getNumReductionLoops() > 0;
    return isNarrow(argument) && isComputedWith(argument) && !isSum;
  });
}

bool analysis::needsNoRounding(Operation *op) {
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::NegFOp, math::AbsFOp, arith::ExtFOp, arith::SelectOp>(op);
}

/// What becomes narrow of the results of `op`, and of an f16 what becomes wide again. The greater of two needs no rounding.
static int64_t countRounded(Operation &op) {
  if (needsNoRounding(&op))
    return 0;
  return llvm::count_if(op.getResults(), isNarrow) +
         llvm::count_if(op.getResults(), [](Value result) { return result.getType().isF16() && isComputedWith(result); });
}

double analysis::countInstructionsOfPoint(linalg::LinalgOp op, const CompilerFunctions &functions) {
  ScalarBody body(op);
  double instructions = 0, conversions = double(countWidened(op, body.getBlock()));
  for (Operation &inner : body.getBlock()) {
    const SourcedReal *function = findFunction(op, inner, functions);
    instructions += function ? function->value : isFree(inner) ? 0 : 1;
    conversions += double(countRounded(inner));
  }
  return std::max(instructions + functions.convert.value * conversions, 1.0);
}

double analysis::countSpecials(linalg::LinalgOp op) {
  ScalarBody body(op);
  double count = 0;
  for (Operation &inner : body.getBlock()) {
    if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp, math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log2Op, math::Log1pOp>(inner))
      count += isProduct(op, inner) ? 0 : 1;
    else if (isa<math::PowFOp, math::TanhOp>(inner))
      count += 2;
  }
  return count;
}
