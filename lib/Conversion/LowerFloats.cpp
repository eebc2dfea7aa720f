//===- LowerFloats.cpp - kernel-lower-floats --------------------*- C++ -*-===//
//
// Memory and registers hold f16, bf16 and 8-bit floats, which are only widened; each op that computes with them computes
// in f32 and rounds, which for sums, products, quotients and roots is what one
// rounding of the exact result gives: f32 has more than twice as many digits and
// two (Figueroa, "When is double rounding innocuous?", SIGNUM 1995).
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Conversion/Passes.h"
#include "tilec/Kernel/Kernel.h"

namespace tilec {
#define GEN_PASS_DEF_LOWERFLOATSPASS
#include "tilec/Conversion/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

static bool isNarrow(Type type) { return isa<Float16Type, BFloat16Type, Float8E4M3FNType, Float8E5M2Type>(type); }

/// `value` in f32, where it is narrower.
static Value widened(OpBuilder &b, Location loc, Value value) {
  if (!isNarrow(value.getType()))
    return value;
  FloatAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(constant.getValueAsDouble()));
  return kernel::WidenOp::create(b, loc, b.getF32Type(), value);
}

/// The type in which a result of narrow type `type` is computed. What an f32 may not hold of an integer is rounded once, in f64.
static Type getWideType(Operation *op, Type type) {
  if (!isNarrow(type))
    return type;
  bool fromInteger = isa<arith::SIToFPOp, arith::UIToFPOp>(op) && op->getOperand(0).getType().getIntOrFloatBitWidth() > 16;
  return fromInteger ? Type(Float64Type::get(op->getContext())) : Float32Type::get(op->getContext());
}

/// What `op` computes with wide numbers.
static Value computeWide(OpBuilder &b, Operation *op) {
  Location loc = op->getLoc();
  SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), [&](Value x) { return widened(b, loc, x); });
  Type type = op->getResult(0).getType(), wide = getWideType(op, type);
  if (isa<arith::ExtFOp, arith::TruncFOp>(op) && operands[0].getType() == wide)
    return operands[0];
  if (isa<arith::TruncFOp>(op) && isNarrow(type)) // Rounded once.
    return operands[0];
  OperationState state(loc, op->getName(), operands, wide, op->getAttrs());
  return b.create(state)->getResult(0);
}

/// Is `op` computed in another type than its own? Bits that are only moved or read otherwise are not.
static bool computesNarrow(Operation *op) {
  bool computes = isa<kernel::ShflXorOp>(op) || isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
  if (!computes || isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op) || op->getNumResults() != 1)
    return false;
  return llvm::any_of(op->getOperandTypes(), isNarrow) || llvm::any_of(op->getResultTypes(), isNarrow);
}

static void widen(Operation *op) {
  OpBuilder b(op);
  Value value = computeWide(b, op);
  if (Type type = op->getResult(0).getType(); isNarrow(type))
    value = kernel::RoundOp::create(b, op->getLoc(), type, value);
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

/// C++ has no operator for these that keeps NaN and tells zeros apart.
static void callExtremum(Operation *op) {
  OpBuilder b(op);
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  Operation *call = isa<arith::MaximumFOp>(op) ? kernel::MaxNanOp::create(b, op->getLoc(), lhs.getType(), lhs, rhs).getOperation()
                                               : kernel::MinNanOp::create(b, op->getLoc(), lhs.getType(), lhs, rhs).getOperation();
  op->replaceAllUsesWith(call);
  op->erase();
}

namespace {
struct LowerFloats : tilec::impl::LowerFloatsPassBase<LowerFloats> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (computesNarrow(op))
        widen(op);
    });
    getOperation().walk([](Operation *op) {
      if (isa<arith::MaximumFOp, arith::MinimumFOp>(op) && (op->getResult(0).getType().isF32() || op->getResult(0).getType().isF64()))
        callExtremum(op);
    });
  }
};
} // namespace
