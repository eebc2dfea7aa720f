//===- LowerFloats.cpp - kernel-lower-floats --------------------*- C++ -*-===//
//
// Memory and registers hold f16, bf16 and 8-bit floats, which are only widened; each op that computes with them computes
// in f32 and rounds, unless what it gives needs no rounding, which for sums, products, quotients and roots is what one
// rounding of the exact result gives: f32 has more than twice as many digits and
// two (Figueroa, "When is double rounding innocuous?", SIGNUM 1995).
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Analysis/BodyWork.h"
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

/// What `op` computes with wide numbers; functions whose result is rounded to fewer digits need not have those of f32.
static Value computeWide(OpBuilder &b, Operation *op) {
  Location loc = op->getLoc();
  SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), [&](Value x) { return widened(b, loc, x); });
  Type type = op->getResult(0).getType(), wide = getWideType(op, type);
  if (isa<arith::ExtFOp, arith::TruncFOp>(op) && operands[0].getType() == wide)
    return operands[0];
  if (isa<arith::TruncFOp>(op) && isNarrow(type)) // Rounded once.
    return operands[0];
  if (isa<math::ExpOp>(op) && isNarrow(type))
    return kernel::ExpNarrowOp::create(b, loc, wide, operands[0]);
  if (isa<arith::DivFOp>(op) && type.isBF16())
    return kernel::DivideBFloatOp::create(b, loc, wide, operands[0], operands[1]);
  if (isa<arith::DivFOp>(op) && type.isF16())
    return kernel::DivideHalfOp::create(b, loc, wide, operands[0], operands[1]);
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
    value = kernel::RoundOp::create(b, op->getLoc(), type, value, isa<kernel::ShflXorOp>(op) || analysis::needsNoRounding(op));
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

//===----------------------------------------------------------------------===//
// Numbers that stay f32 between two ops
//===----------------------------------------------------------------------===//

static bool isWidened(memref::LoadOp load) { return llvm::any_of(load->getUsers(), llvm::IsaPred<kernel::WidenOp>); }

/// Does something compute with what `array` holds?
static bool isComputedWith(Value array) {
  return llvm::any_of(array.getUsers(), [](Operation *user) {
    auto load = dyn_cast<memref::LoadOp>(user);
    return load && isWidened(load);
  });
}

/// A variable takes a register, whatever its type: one that is computed with is an f32.
static void holdWide(kernel::RegistersOp variable) {
  MemRefType type = variable.getArray().getType();
  bool isVariable = type.getRank() == 0 && isNarrow(type.getElementType()) && llvm::all_of(variable->getUsers(), llvm::IsaPred<memref::LoadOp, memref::StoreOp>);
  if (!isVariable || !isComputedWith(variable.getArray()))
    return;
  OpBuilder b(variable);
  if (auto init = dyn_cast_if_present<FloatAttr>(variable.getInitAttr()))
    variable.setInitAttr(b.getF32FloatAttr(init.getValueAsDouble()));
  variable.getArray().setType(MemRefType::get({}, b.getF32Type(), AffineMap(), type.getMemorySpace()));
  for (Operation *user : llvm::to_vector(variable->getUsers())) {
    b.setInsertionPoint(user);
    if (auto store = dyn_cast<memref::StoreOp>(user)) {
      store.getValueMutable().assign(widened(b, user->getLoc(), store.getValueToStore()));
      continue;
    }
    Value load = memref::LoadOp::create(b, user->getLoc(), variable.getArray());
    user->getResult(0).replaceAllUsesWith(kernel::RoundOp::create(b, user->getLoc(), type.getElementType(), load, true));
    user->erase();
  }
}

/// Is the bf16 that `round` gives widened again, at once or from the array that holds it? What is only stored is left to
/// the conversion of two numbers at a time, which the compiler makes of neighbours.
static bool isWidenedAgain(kernel::RoundOp round) {
  return llvm::any_of(round->getUsers(), [](Operation *user) {
    auto store = dyn_cast<memref::StoreOp>(user);
    return isa<kernel::WidenOp>(user) || (store && isComputedWith(store.getMemRef()));
  });
}

static void roundInWide(kernel::RoundOp round) {
  if (round.getExact() || !round.getType().isBF16() || !round.getValue().getType().isF32() || !isWidenedAgain(round))
    return;
  OpBuilder b(round);
  round.getValueMutable().assign(kernel::RoundedBFloatOp::create(b, round.getLoc(), round.getValue().getType(), round.getValue()));
  round.setExact(true);
}

/// What was an f32 that a narrow type holds is that f32.
static void widenNothing(kernel::WidenOp widen) {
  auto round = widen.getValue().getDefiningOp<kernel::RoundOp>();
  if (!round || !round.getExact() || !round.getValue().getType().isF32())
    return;
  widen.replaceAllUsesWith(round.getValue());
  widen.erase();
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
  /// Calls `lower`, which may erase others, with each op of a kind.
  template <typename Op>
  void forEach(void (*lower)(Op)) {
    SmallVector<Op> ops;
    getOperation().walk([&](Op op) { ops.push_back(op); });
    llvm::for_each(ops, lower);
  }

  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (computesNarrow(op))
        widen(op);
    });
    forEach<kernel::RegistersOp>(holdWide);
    forEach<kernel::RoundOp>(roundInWide);
    forEach<kernel::WidenOp>(widenNothing);
    getOperation().walk([](Operation *op) {
      if (isa<arith::MaximumFOp, arith::MinimumFOp>(op) && (op->getResult(0).getType().isF32() || op->getResult(0).getType().isF64()))
        callExtremum(op);
    });
  }
};
} // namespace
