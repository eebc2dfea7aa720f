//===- BodyWork.cpp - Instructions of a computation's body -------*- C++ -*-===//

#include "tilec/Analysis/BodyWork.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Analysis/ScalarBody.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

/// What takes no instruction, or goes with one that is counted: numbers, changes of width, a product that one sum takes.
static bool isFree(Operation &op) {
  if (op.hasTrait<OpTrait::ConstantLike>() || isa<linalg::YieldOp, linalg::IndexOp, arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
                                                  arith::IndexCastOp, arith::IndexCastUIOp, arith::NegFOp, math::AbsFOp>(op))
    return true;
  return isa<arith::MulFOp, arith::MulIOp>(op) && op.hasOneUse() && isa<arith::AddFOp, arith::SubFOp, arith::AddIOp>(*op.user_begin());
}

static const SourcedReal *findFunction(Operation &op, const CompilerFunctions &functions) {
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

/// What is computed with in f32, as it has no arithmetic of its own.
static bool isNarrow(Value value) {
  return isa<FloatType>(value.getType()) && value.getType().getIntOrFloatBitWidth() < 32 && !matchPattern(value, m_Constant());
}

/// The operands and results of `op` that are converted to f32 and back.
static int64_t countConversions(Operation &op) {
  return isFree(op) ? 0 : llvm::count_if(op.getOperands(), isNarrow) + llvm::count_if(op.getResults(), isNarrow);
}

double analysis::countInstructionsOfPoint(linalg::LinalgOp op, const CompilerFunctions &functions) {
  ScalarBody body(op);
  double instructions = 0;
  for (Operation &inner : body.getBlock()) {
    const SourcedReal *function = findFunction(inner, functions);
    instructions += (function ? function->value : isFree(inner) ? 0 : 1) + functions.convert.value * double(countConversions(inner));
  }
  return std::max(instructions, 1.0);
}

double analysis::countSpecials(linalg::LinalgOp op) {
  ScalarBody body(op);
  double count = 0;
  for (Operation &inner : body.getBlock()) {
    if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp, math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log2Op, math::Log1pOp>(inner))
      count += 1;
    else if (isa<math::PowFOp, math::TanhOp>(inner))
      count += 2;
    if (!isFree(inner) || isa<arith::TruncFOp>(inner))
      count += double(llvm::count_if(inner.getResults(), isNarrow));
  }
  return count;
}
